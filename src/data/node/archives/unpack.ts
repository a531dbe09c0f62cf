/**
 * What a file holds in a form that cannot be read at any place, and how it becomes bytes that can: compressed members are
 * inflated, datasets of HDF5 files are read row by row, tables of text become float64 numbers.
 */

import { InputError } from "../../../core/errors.js";
import { crc32 } from "../../formats/checksums.js";
import { LineReader, readTableLine, type TableForm } from "../../formats/csv.js";
import { readHdf5 } from "../hdf5/hdf5Files.js";
import type { ByteRange, OpenFiles } from "../system/openFiles.js";
import { inflated, readPieces } from "./inflate.js";

/** A form to unpack; `size` is the number of bytes that it becomes. */
export type Packed = Deflated | PackedTable | PackedStream | PackedDataset;

/** A member of a zip archive. */
export interface Deflated {
  readonly size: number;
  readonly crc: number;
}

/** A table of text. */
export interface PackedTable {
  readonly size: number;
  readonly table: TableForm;
}

/** A zlib stream or a gzip file, of which the first `size` bytes are wanted. */
export interface PackedStream {
  readonly size: number;
  readonly wrapping: "zlib" | "gzip";
}

/** A dataset of an HDF5 file. */
export interface PackedDataset {
  readonly size: number;
  readonly dataset: string;
}

/** The unpacked bytes of a range, a piece at a time; `name` is for messages. Throws if they are not what was declared. */
export function unpacked(
  files: OpenFiles,
  range: ByteRange,
  packed: Packed,
  name: string,
): AsyncGenerator<Uint8Array> {
  if ("table" in packed) return tableNumbers(files, range, packed, name);
  if ("dataset" in packed) return datasetNumbers(range, packed, name);
  if ("wrapping" in packed) return streamStart(files, range, packed, name);
  return checkedMember(files, range, packed, name);
}

async function* datasetNumbers(
  { file }: ByteRange,
  { size, dataset }: PackedDataset,
  name: string,
): AsyncGenerator<Uint8Array> {
  let left = size;
  for await (const slab of readHdf5(file, dataset)) {
    left -= slab.length;
    if (left < 0) break;
    yield slab;
  }
  if (left !== 0) throw new InputError(`${name}: changed while it was in use`);
}

/** The stream is read to its end, so that its own checksum is compared. */
async function* streamStart(
  files: OpenFiles,
  range: ByteRange,
  { size, wrapping }: PackedStream,
  name: string,
): AsyncGenerator<Uint8Array> {
  let left = size;
  for await (const part of inflated(files, range, name, wrapping)) {
    if (left > 0) yield part.subarray(0, left);
    left -= part.length;
    if (left < -maxExtraBytes) throw new InputError(`${name}: holds more than the ${size} bytes it should`);
  }
  if (left > 0) throw new InputError(`${name}: truncated: ${size} bytes expected, got ${size - left}`);
}

/** Bytes after the wanted ones that are read and ignored. */
const maxExtraBytes = 2 ** 20;

async function* checkedMember(
  files: OpenFiles,
  range: ByteRange,
  declared: Deflated,
  name: string,
): AsyncGenerator<Uint8Array> {
  let size = 0;
  let crc = 0;
  for await (const part of inflated(files, range, name)) {
    size += part.length;
    if (size > declared.size) break;
    crc = crc32(part, crc);
    yield part;
  }
  if (size !== declared.size || crc !== declared.crc)
    throw new InputError(`${name}: damaged zip file: its size or CRC-32 differs after inflating`);
}

/** Numbers that are passed on at a time, at least those of a line. */
const numbersTogether = 2 ** 15;

async function* tableNumbers(
  files: OpenFiles,
  range: ByteRange,
  { size, table }: PackedTable,
  name: string,
): AsyncGenerator<Uint8Array> {
  const lines = new LineReader(name);
  const perPiece = Math.max(1, Math.floor(numbersTogether / table.columns)) * table.columns;
  const room = new Float64Array(perPiece);
  let held = 0;
  let left = size;
  let skip = table.header;
  function* fill(found: ReturnType<LineReader["take"]>) {
    for (const line of found) {
      if (skip) {
        skip = false;
        continue;
      }
      readTableLine(line, table, name, room, held);
      held += table.columns;
      if (held === perPiece) yield* flush();
    }
  }
  function* flush() {
    const bytes = new Uint8Array(room.buffer, 0, held * 8).slice();
    held = 0;
    left -= bytes.length;
    if (left < 0) return; // it became longer, which is found out below
    yield bytes;
  }
  for await (const piece of readPieces(files, range, name)) yield* fill(lines.take(piece));
  yield* fill(lines.end());
  yield* flush();
  if (left !== 0) throw new InputError(`${name}: changed while it was in use`);
}
