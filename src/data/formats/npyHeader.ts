/**
 * The header of numpy's `.npy` format.
 *
 *     \x93NUMPY  major minor  length (u16 in 1.0, u32 in 2.0 and 3.0)  text
 *
 * The text is a Python dictionary with exactly three keys, read by a small strict
 * parser and never evaluated:
 *
 *     {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }
 *
 * Reference: numpy.lib.format, "Format Version 1.0" to "3.0".
 */

import { InputError, show } from "../../core/errors.js";

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
