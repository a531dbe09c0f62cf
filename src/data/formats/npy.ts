/**
 * numpy arrays in memory and as `.npy` bytes: reads versions 1.0 to 3.0, writes 1.0.
 *
 * Whatever the file holds (either byte order, C or Fortran order, half
 * precision), `NpyArray` is row-major in the byte order of the host. Sizes are
 * checked against the bytes present before anything is allocated.
 *
 *     numpy              data here                        dtype here
 *     bool               Uint8Array                       |b1
 *     int8 … int64       Int8Array … BigInt64Array        |i1 <i2 <i4 <i8
 *     uint8 … uint64     Uint8Array … BigUint64Array      |u1 <u2 <u4 <u8
 *     float16            Float32Array (widened, exactly)  <f4
 *     float32, float64   Float32Array, Float64Array       <f4 <f8
 *     bytes              Uint8Array, padded with zeros    |S3, say
 *     str                Uint32Array of code points, too  <U3, say
 */

import {
  type ArgumentType,
  bytes as bytesType,
  npyArray,
  numberList,
  requireArgument,
  requireArguments,
  text,
} from "../../core/arguments/argumentTypes.js";
import { InputError, inputError, show } from "../../core/errors.js";
import { roundToFloat32 } from "../../core/samples/float32.js";
import { formatShape, stridesOf } from "../../core/shape.js";

export type NpyData =
  | Int8Array
  | Uint8Array
  | Int16Array
  | Uint16Array
  | Int32Array
  | Uint32Array
  | BigInt64Array
  | BigUint64Array
  | Float32Array
  | Float64Array;

export interface NpyArray {
  /** Sizes of the axes, outermost first; none for a single value. */
  readonly shape: readonly number[];
  /** numpy's name of the type of `data`, little-endian: `<f4`, `|u1`, `|S3`. */
  readonly dtype: string;
  /** Items in row-major order; a text of n characters takes n of them. */
  readonly data: NpyData;
}

const constructors = {
  "|b1": Uint8Array,
  "|i1": Int8Array,
  "|u1": Uint8Array,
  "<i2": Int16Array,
  "<u2": Uint16Array,
  "<i4": Int32Array,
  "<u4": Uint32Array,
  "<i8": BigInt64Array,
  "<u8": BigUint64Array,
  "<f4": Float32Array,
  "<f8": Float64Array,
  "<f2": Uint16Array, // to be written alone (half.ts): reading one gives <f4
} as const;

const anyArray: ArgumentType = { words: "a typed array", accepts: ArrayBuffer.isView };

type NumberDtype = keyof typeof constructors;

const isNumberDtype = (dtype: string): dtype is NumberDtype => Object.hasOwn(constructors, dtype);

const hostIsBigEndian = new Uint8Array(new Uint16Array([1]).buffer)[0] === 0;

/** An array of the type that `data` has; its length must fit the shape. */
export function makeNpy(shape: readonly number[], data: NpyData): NpyArray {
  requireArguments("makeNpy", { shape: [shape, numberList], data: [data, anyArray] });
  const known = Object.entries(constructors).find(([name, type]) => name !== "|b1" && data instanceof type);
  return requireConsistent("makeNpy", { shape, dtype: known?.[0] ?? "", data });
}

/** The array in the bytes of a `.npy` file; `name` is for messages. */
export function readNpy(bytes: Uint8Array, name: string): NpyArray {
  requireArguments("readNpy", { bytes: [bytes, bytesType], name: [name, text] });
  const header = readNpyHeader(bytes, name);
  const { shape, dataOffset, byteLength } = header;
  const left = bytes.length - dataOffset;
  if (left < byteLength) {
    throw new InputError(`${name}: truncated .npy: header says ${byteLength} bytes, ${left} left`);
  }
  // A copy: aligned for any type, independent of the file's bytes, and so its bytes may be swapped in place.
  const raw = new Uint8Array(byteLength);
  raw.set(bytes.subarray(dataOffset, dataOffset + byteLength));
  return npyFromItems(raw, header, shape, name);
}

/** The array of this shape whose items are these bytes, as the header describes them. Takes over `raw`. */
export function npyFromItems(
  raw: Uint8Array,
  header: Pick<NpyHeader, "kind" | "size" | "bigEndian" | "fortranOrder">,
  shape: readonly number[],
  name: string,
): NpyArray {
  const itemBytes = header.kind === "U" ? 4 : header.kind === "S" ? 1 : header.size;
  if (header.bigEndian !== hostIsBigEndian) reverseItems(raw, itemBytes);
  const { dtype, data } = viewItems(raw, header);
  if (!header.fortranOrder) return { shape, dtype, data };
  if (isNumberDtype(dtype) || shape.length < 2) return { shape, dtype, data: toRowMajor(data, shape) };
  throw new InputError(`${name}: text in Fortran order is not supported`);
}

/** The bytes of a `.npy` file. */
export function writeNpy(array: NpyArray): Uint8Array {
  requireArgument("writeNpy", "array", array, npyArray);
  const [header, body] = npyParts(array);
  const bytes = new Uint8Array(header.length + body.length);
  bytes.set(header);
  bytes.set(body, header.length);
  return bytes;
}

/** The bytes of a `.npy` file in two pieces; the data is not copied. @internal */
export function npyParts(array: NpyArray): [header: Uint8Array, body: Uint8Array] {
  const { shape, dtype, data } = requireConsistent("writeNpy", array);
  let body = new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
  if (hostIsBigEndian) reverseItems((body = body.slice()), data.BYTES_PER_ELEMENT);
  return [formatNpyHeader(dtype, shape), body];
}

/**
 * The numbers as f32, without a copy if they are f32 already; `name` is for messages. Numbers beyond f32 are rejected,
 * unless they round to one of `nodata`, the marks of missing samples.
 */
export function toFloat32(array: NpyArray, name: string, nodata: readonly number[] = []): Float32Array {
  requireArguments("toFloat32", {
    array: [array, npyArray],
    name: [name, text],
    nodata: [nodata, numberList],
  });
  const { data, shape } = array;
  if (data instanceof Float32Array) return data;
  if (data instanceof Float64Array) return roundToFloat32({ name, shape, data }, nodata);
  return copyNumbers(array, name, Float32Array);
}

/** The numbers as f64 (exact except for 64-bit integers beyond 2^53), without a copy if they are f64 already. */
export function toFloat64(array: NpyArray, name: string): Float64Array {
  return array.data instanceof Float64Array ? array.data : copyNumbers(array, name, Float64Array);
}

/** A single value of type bytes (`|S…`), as scipy stores the `format` of a sparse matrix. */
export function npyFromText(text: string): NpyArray {
  const data = new TextEncoder().encode(text);
  if (data.length === 0 || data.at(-1) === 0) {
    throw new InputError(`npyFromText: text must not be empty or end in a zero, got ${show(text)}`);
  }
  return { shape: [], dtype: `|S${data.length}`, data };
}

/** The text of a single value of type bytes or str, or of an array of uint8, read as UTF-8. */
export function npyToText(array: NpyArray, name: string): string {
  const { shape, dtype, data } = array;
  const kind = dtype[1];
  const single = shape.every((size) => size === 1);
  try {
    if (kind === "S" && single) return decodeUtf8(data as Uint8Array).replace(/\0+$/, "");
    if (kind === "U" && single) return String.fromCodePoint(...(data as Uint32Array)).replace(/\0+$/, "");
    if (dtype === "|u1") return decodeUtf8(data as Uint8Array);
  } catch {
    throw new InputError(`${name}: not valid Unicode text`);
  }
  throw new InputError(`${name}: must be a single text, got dtype ${dtype} of shape (${shape.join(", ")})`);
}

function decodeUtf8(bytes: Uint8Array): string {
  return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
}

function copyNumbers<T extends Float32Array | Float64Array>(
  array: NpyArray,
  name: string,
  Numbers: new (length: number) => T,
): T {
  const { dtype, data } = array;
  if (!isNumberDtype(dtype)) throw new InputError(`${name}: must hold numbers, got text (dtype ${dtype})`);
  const numbers = new Numbers(data.length);
  if (data instanceof BigInt64Array || data instanceof BigUint64Array) {
    for (let i = 0; i < data.length; i++) numbers[i] = Number(data[i]);
  } else {
    numbers.set(data);
  }
  return numbers;
}

/** The bytes, already in the host's order, as numbers of the header's type. */
function viewItems(
  raw: Uint8Array,
  header: Pick<NpyHeader, "kind" | "size">,
): { dtype: string; data: NpyData } {
  const { kind, size } = header;
  if (kind === "S") return { dtype: `|S${size}`, data: raw };
  if (kind === "U") return { dtype: `<U${size}`, data: new Uint32Array(raw.buffer) };
  if (kind === "f" && size === 2) return { dtype: "<f4", data: widenHalves(new Uint16Array(raw.buffer)) };
  const dtype = `${size === 1 ? "|" : "<"}${kind}${size}` as NumberDtype;
  return { dtype, data: new constructors[dtype](raw.buffer as ArrayBuffer) };
}

/** Check that dtype, shape and data agree. */
function requireConsistent(where: string, array: NpyArray): NpyArray {
  const { shape, dtype, data } = array;
  const text = /^(?:\|S|<U)(\d+)$/.exec(dtype);
  const known = isNumberDtype(dtype) ? constructors[dtype] : dtype[1] === "S" ? Uint8Array : Uint32Array;
  if (!(text || isNumberDtype(dtype)) || !(data instanceof known)) {
    throw inputError(where, "data", `must have the type of dtype ${show(dtype)}`, data);
  }
  const sized = shape.length <= 32 && shape.every((size) => Number.isSafeInteger(size) && size >= 0);
  if (!sized) throw inputError(where, "shape", "must be up to 32 sizes of at least 0", shape);
  const length = shape.reduce((product, size) => product * size, text ? Number(text[1]) : 1);
  if (data.length !== length) {
    throw new InputError(
      `data of shape ${formatShape(shape) || "()"} must have ${length} items, got ${data.length}`,
      { where, argument: "data" },
    );
  }
  return array;
}

/** Reverse the bytes of every item, in place. */
function reverseItems(bytes: Uint8Array, itemBytes: number): void {
  for (let start = 0; start + itemBytes <= bytes.length; start += itemBytes) {
    for (let low = start, high = start + itemBytes - 1; low < high; low++, high--) {
      const byte = bytes[low];
      bytes[low] = bytes[high];
      bytes[high] = byte;
    }
  }
}

/** IEEE 754 binary16 → binary32, exact: 1 sign, 5 exponent (bias 15) and 10 fraction bits. */
function widenHalves(halves: Uint16Array): Float32Array {
  const floats = new Float32Array(halves.length);
  const bits = new Uint32Array(floats.buffer);
  for (let i = 0; i < halves.length; i++) {
    const magnitude = halves[i] & 0x7fff;
    if (magnitude >= 0x7c00)
      bits[i] = 0x7f800000 | ((magnitude & 0x3ff) << 13); // infinity, NaN
    else if (magnitude >= 0x0400) bits[i] = (magnitude << 13) + ((127 - 15) << 23);
    else floats[i] = magnitude / 0x1000000; // subnormal: a multiple of 2^-24
    if (halves[i] & 0x8000) bits[i] |= 0x80000000;
  }
  return floats;
}

/** From Fortran order, where the first axis varies fastest, to row-major order; a copy. */
function toRowMajor(data: NpyData, shape: readonly number[]): NpyData {
  const strides = stridesOf(shape.toReversed()).reverse();
  const out = data.slice();
  const place = shape.map(() => 0);
  let from = 0;
  for (let to = 0; to < out.length; to++) {
    out[to] = data[from];
    // Count `place` up by one, the last axis fastest; `from` follows it.
    for (let axis = shape.length - 1; axis >= 0; axis--) {
      from += strides[axis];
      if (++place[axis] < shape[axis]) break;
      from -= strides[axis] * shape[axis];
      place[axis] = 0;
    }
  }
  return out;
}

// The header of numpy's `.npy` format.
//
//     \x93NUMPY  major minor  length (u16 in 1.0, u32 in 2.0 and 3.0)  text
//
// The text is a Python dictionary with exactly three keys, read by a small strict
// parser and never evaluated:
//
//     {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }
//
// Reference: numpy.lib.format, "Format Version 1.0" to "3.0".

/** Kinds of items, numpy's letters: bool, integer, unsigned, float, bytes, Unicode text. */
export type NpyKind = "b" | "i" | "u" | "f" | "S" | "U";

export interface NpyHeader {
  /** Sizes of the axes; none for a single value. A size may be 0. */
  readonly shape: readonly number[];
  readonly kind: NpyKind;
  /** Bytes of a number; characters of a text. */
  readonly size: number;
  readonly bigEndian: boolean;
  /** Whether the first axis varies fastest. */
  readonly fortranOrder: boolean;
  /** Where the data starts, and how many bytes it should have. */
  readonly dataOffset: number;
  readonly byteLength: number;
}

const magic = [0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59]; // \x93NUMPY
const alignment = 64;

/** The limit of version 1.0. Longer texts of 2.0 and 3.0 describe structured arrays, which are not supported. */
const maxTextLength = 0xffff;

/** How many bytes of a file are enough for any header. */
export const maxNpyHeaderLength = 12 + maxTextLength;

/** Read the header at the start of `bytes`; the data after it need not be there. */
export function readNpyHeader(bytes: Uint8Array, name: string): NpyHeader {
  const { start, length } = locateText(bytes, name);
  const text = new TextDecoder().decode(bytes.subarray(start, start + length));
  const fields = parseFields(text, name);
  const { kind, size, bigEndian } = parseDtype(fields.descr, name);
  const shape = parseShapeTuple(fields.shape, name);
  const itemBytes = kind === "U" ? 4 * size : size;
  return {
    shape,
    kind,
    size,
    bigEndian,
    fortranOrder: fields.fortranOrder,
    dataOffset: start + length,
    byteLength: countItems(shape, itemBytes, name) * itemBytes,
  };
}

/** A version 1.0 header, padded so that the data starts at a multiple of 64 bytes. */
export function formatNpyHeader(descr: string, shape: readonly number[]): Uint8Array {
  const tuple = shape.length === 1 ? `(${shape[0]},)` : `(${shape.join(", ")})`;
  const text = `{'descr': '${descr}', 'fortran_order': False, 'shape': ${tuple}, }`;
  const total = Math.ceil((10 + text.length + 1) / alignment) * alignment;
  const header = new Uint8Array(total).fill(0x20);
  header.set([...magic, 1, 0, (total - 10) & 0xff, (total - 10) >> 8]);
  header.set(new TextEncoder().encode(text), 10);
  header[total - 1] = 0x0a;
  return header;
}

function locateText(bytes: Uint8Array, name: string): { start: number; length: number } {
  if (bytes.length < magic.length || magic.some((byte, i) => bytes[i] !== byte)) {
    throw new InputError(`${name}: not a .npy file`);
  }
  const major = bytes[6];
  const start = major === 1 ? 10 : 12;
  if (bytes.length < start) throw new InputError(`${name}: truncated .npy: ends inside its header`);
  if (major < 1 || major > 3 || bytes[7] !== 0) {
    throw new InputError(`${name}: unknown .npy version ${major}.${bytes[7]}; known: 1.0, 2.0, 3.0`);
  }
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const length = major === 1 ? view.getUint16(8, true) : view.getUint32(8, true);
  if (length > maxTextLength) throw new InputError(`${name}: .npy header of ${length} bytes is too long`);
  if (bytes.length - start < length) {
    throw new InputError(
      `${name}: truncated .npy: header takes ${length} bytes, ${bytes.length - start} left`,
    );
  }
  return { start, length };
}

interface Fields {
  readonly descr: string;
  readonly fortranOrder: boolean;
  readonly shape: string;
}

/** The three entries of the dictionary, each exactly once, in any order. */
function parseFields(text: string, name: string): Fields {
  const malformed = (what: string) => new InputError(`${name}: malformed .npy header: ${what}`);
  const body = /^\s*\{(.*)\}\s*$/s.exec(text)?.[1];
  if (body === undefined) throw malformed("not a dictionary");
  const found = new Map<string, string>();
  const entry = /\s*(?:'(\w+)'|"(\w+)")\s*:\s*('[^']*'|"[^"]*"|True|False|\([\dL,\s]*\)|\[.*)\s*(?:,\s*|$)/sy;
  while (entry.lastIndex < body.length) {
    const at = entry.lastIndex;
    const match = entry.exec(body);
    if (!match) throw malformed(`cannot read ${show(body.slice(at).trim())}`);
    const key = match[1] ?? match[2];
    if (found.has(key)) throw malformed(`${key} appears twice`);
    found.set(key, match[3]);
    if (match[3].startsWith("[")) throw new InputError(`${name}: structured arrays are not supported`);
  }
  const take = (key: string, pattern: RegExp): string => {
    const value = found.get(key);
    if (value === undefined || !pattern.test(value)) throw malformed(`no usable ${key}`);
    return value;
  };
  if (found.size > 3) throw malformed(`unknown key in ${show([...found.keys()])}`);
  const descr = take("descr", /^['"]/).slice(1, -1);
  const fortranOrder = take("fortran_order", /^[TF]/) === "True";
  return { descr, fortranOrder, shape: take("shape", /^\(/) };
}

const numberSizes: Readonly<Record<string, readonly number[]>> = {
  b: [1],
  i: [1, 2, 4, 8],
  u: [1, 2, 4, 8],
  f: [2, 4, 8],
};

function parseDtype(descr: string, name: string): Pick<NpyHeader, "kind" | "size" | "bigEndian"> {
  const [, order = "", kind = "", digits = ""] = /^([<>|=]?)([a-zA-Z])(\d{0,9})$/.exec(descr) ?? [];
  if (kind === "O") {
    throw new InputError(
      `${name}: object arrays (dtype ${descr}) are not supported: they hold pickled Python code`,
    );
  }
  const size = digits === "" ? Number.NaN : Number(digits);
  if (!(kind === "S" || kind === "U" ? size >= 0 : numberSizes[kind]?.includes(size))) {
    throw new InputError(
      `${name}: unsupported dtype ${show(descr)}; supported: b1, i1–i8, u1–u8, f2, f4, f8, S and U`,
    );
  }
  return { kind: kind as NpyKind, size, bigEndian: order === ">" };
}

/** `(3, 4)` → [3, 4]; `(3,)` → [3]; `()` → []. Python 2 wrote `3L`. */
function parseShapeTuple(text: string, name: string): number[] {
  const items = text
    .slice(1, -1)
    .split(",")
    .map((item) => item.trim());
  const closed = items.at(-1) === "";
  if (closed) items.pop();
  const valid = items.every((item) => /^\d+L?$/.test(item)) && (closed || items.length !== 1);
  if (!valid) throw new InputError(`${name}: malformed .npy header: shape ${show(text)}`);
  return items.map((item) => Number.parseInt(item, 10));
}

/** Product of the sizes. Shapes that no memory could hold are rejected, even when another axis is empty. */
function countItems(shape: readonly number[], itemBytes: number, name: string): number {
  let bytes = Math.max(1, itemBytes);
  for (const size of shape) bytes *= Math.max(1, size);
  if (!Number.isSafeInteger(bytes) || shape.length > 64) {
    throw new InputError(`${name}: impossible .npy shape ${show(shape)}`);
  }
  return shape.reduce((product, size) => product * size, 1);
}
