/** What an array file holds, from its header; tables of text are read once, to count their rows. */

import { stridesOf } from "../../../core/shape.js";
import { LineReader, type TableForm, type TextLine, tableForm } from "../../formats/csv.js";
import { niftiHeaderBytes, readNiftiLayout, requireWholeNifti } from "../../formats/nifti.js";
import { maxNpyHeaderLength, readNpyHeader } from "../../formats/npy.js";
import { byteLengthOf, type NumberLayout } from "../../formats/numberLayout.js";
import { type RawFormat, rawLayout } from "../../formats/rawNumbers.js";
import { soundShape } from "../../formats/wav.js";
import { inflateStart, readPieces } from "../archives/inflate.js";
import type { Packed } from "../archives/unpack.js";
import type { ArrayKind } from "../inputKinds.js";
import type { ByteRange, OpenFiles } from "../system/openFiles.js";
import { soundLayout } from "./soundFiles.js";

/** What is known of an array before it is opened. */
export interface InspectedArray {
  readonly kind: ArrayKind;
  readonly shape: readonly number[];
  /** Where its numbers are, once it is unpacked. */
  readonly numbers?: NumberLayout;
  readonly packed?: Packed;
  /** What of it is not used. */
  readonly leftOut?: string;
}

/** The array in a range of a file; `name` is for messages. */
export async function inspectArray(
  files: OpenFiles,
  range: ByteRange,
  kind: ArrayKind,
  name: string,
  raw?: RawFormat,
): Promise<InspectedArray> {
  if (raw) {
    const numbers = rawLayout(raw, range.length, name);
    return { kind: "raw", shape: numbers.shape, numbers };
  }
  if (kind === "wav") return { kind, shape: soundShape(await soundLayout(files, range, name)) };
  if (kind === "csv") return inspectTable(files, range, name);
  if (kind === "nifti") return inspectVolumes(files, range, name);
  const start = new Uint8Array(Math.min(range.length, maxNpyHeaderLength));
  await files.read(range, 0, start, name);
  return { kind: "npy", shape: readNpyHeader(start, name).shape };
}

/** Volumes, gzipped or not. */
async function inspectVolumes(files: OpenFiles, range: ByteRange, name: string): Promise<InspectedArray> {
  const start = new Uint8Array(Math.min(range.length, niftiHeaderBytes));
  await files.read(range, 0, start, name);
  const isGzip = start[0] === 0x1f && start[1] === 0x8b;
  const header = isGzip ? await inflateStart(files, range, niftiHeaderBytes, name, "gzip") : start;
  const numbers = readNiftiLayout(header, name);
  const { shape } = numbers;
  if (isGzip) {
    const packed = { wrapping: "gzip" as const, size: numbers.dataOffset + byteLengthOf(numbers) };
    return { kind: "nifti", shape, numbers, packed };
  }
  requireWholeNifti(numbers, range.length, name);
  return { kind: "nifti", shape, numbers };
}

/** Lines that decide how a table is written, and bytes of them. */
const firstLines = { count: 100, bytes: 2 ** 20 };

async function inspectTable(files: OpenFiles, range: ByteRange, name: string): Promise<InspectedArray> {
  const lines = new LineReader(name);
  const first: TextLine[] = [];
  let [count, bytes] = [0, 0];
  const look = (line: TextLine) => {
    count++;
    if (first.length >= 2 && (first.length === firstLines.count || bytes > firstLines.bytes)) return;
    first.push({ ...line, bytes: line.bytes.slice() });
    bytes += line.bytes.length;
  };
  for await (const piece of readPieces(files, range, name)) for (const line of lines.take(piece)) look(line);
  for (const line of lines.end()) look(line);
  const table = tableForm(first, name);
  const rows = count - (table.header ? 1 : 0);
  const shape = table.columns === 1 ? [rows] : [rows, table.columns];
  const numbers: NumberLayout = {
    shape,
    strides: stridesOf(shape),
    kind: "f",
    size: 8,
    bigEndian: new Uint8Array(new Uint16Array([1]).buffer)[0] === 0,
    dataOffset: 0,
  };
  const leftOut = describeLeftOut(table);
  const packed = { size: rows * table.columns * 8, table };
  return { kind: "csv", shape, numbers, packed, ...(leftOut ? { leftOut } : {}) };
}

function describeLeftOut({ header, named }: TableForm): string | undefined {
  if (!header) return undefined;
  return named ? "without its header and its first column, the names of rows" : "without its header";
}
