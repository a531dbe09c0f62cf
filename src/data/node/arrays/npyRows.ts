/** Some rows of a `.npy` array as f32, by positioned reads: the rest of the array is not read. */

import { InputError } from "../../../core/errors.js";
import { requireNotAllTiny } from "../../../core/samples/float32.js";
import { markGaps } from "../../../core/samples/gaps.js";
import { sizeOf } from "../../../core/shape.js";
import { type NpyHeader, npyFromItems, toFloat32 } from "../../formats/npy.js";

/** The bytes of an array file. */
export interface ArrayBytes {
  readonly name: string;
  readonly header: NpyHeader;
  /** Values that mark missing samples, which become NaN. */
  readonly nodata: readonly number[];
  /** Fill `into` with the bytes from offset `at` of the file. */
  read(at: number, into: Uint8Array): Promise<void>;
}

const littleEndian = new Uint8Array(new Uint16Array([1]).buffer)[0] === 1;

/** Check that an array holds numbers, and as many bytes as its header says. */
export function requireNumbers(header: NpyHeader, length: number, name: string): void {
  const { kind, dataOffset, byteLength } = header;
  if (kind === "S" || kind === "U") throw new InputError(`${name}: must hold numbers, got text`);
  const left = length - dataOffset;
  if (left < byteLength)
    throw new InputError(`${name}: truncated .npy: header says ${byteLength} bytes, ${left} left`);
}

/** Read rows [from, from + rows) of the first axis into `into`, row-major. */
export async function readRows(
  array: ArrayBytes,
  from: number,
  rows: number,
  into: Float32Array,
): Promise<void> {
  await readNumbers(array, from, rows, into);
  const { name, header, nodata } = array;
  if (nodata.length > 0) markGaps(name, [rows, ...header.shape.slice(1)], into, nodata);
}

async function readNumbers(array: ArrayBytes, from: number, rows: number, into: Float32Array): Promise<void> {
  const { header, name, nodata } = array;
  const shape = [rows, ...header.shape.slice(1)];
  const direct = header.kind === "f" && header.size === 4 && !header.bigEndian && littleEndian;
  if (direct && (!header.fortranOrder || shape.length === 1)) {
    const bytes = new Uint8Array(into.buffer, into.byteOffset, into.byteLength);
    return array.read(header.dataOffset + from * sizeOf(shape.slice(1)) * 4, bytes);
  }
  const raw = new Uint8Array(sizeOf(shape) * header.size);
  await (header.fortranOrder ? readFortran(array, from, rows, raw) : readRowMajor(array, from, raw));
  const items = npyFromItems(raw, header, shape, from === 0 ? name : `${name} from row ${from} on`);
  into.set(toFloat32(items, from === 0 ? name : `${name} from row ${from} on`, nodata));
  if (items.data instanceof Float64Array && rows === header.shape[0])
    requireNotAllTiny({ name, shape, data: items.data }, into);
}

/** The last axis varies fastest: the rows are one contiguous range. */
function readRowMajor({ header, read }: ArrayBytes, from: number, raw: Uint8Array): Promise<void> {
  return read(header.dataOffset + from * sizeOf(header.shape.slice(1)) * header.size, raw);
}

/** The first axis varies fastest: the rows are one contiguous range for each place along the other axes. */
async function readFortran(
  { header, read }: ArrayBytes,
  from: number,
  rows: number,
  raw: Uint8Array,
): Promise<void> {
  const { shape, size, dataOffset } = header;
  if (rows === shape[0]) return read(dataOffset, raw);
  for (let at = 0, column = 0; at < raw.length; at += rows * size, column++) {
    const start = dataOffset + (column * shape[0] + from) * size;
    await read(start, raw.subarray(at, at + rows * size));
  }
}
