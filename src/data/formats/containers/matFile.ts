/**
 * Matrices as Matlab 5 files (`.mat`, `save -v6` and `-v7`), which Octave and scipy.io read, too: a header of 128
 * bytes, then elements, each with a tag of its type and size, padded to 8 bytes. A matrix is an element of elements:
 *
 *     flags (class, room for non-zeros) · sizes · name · values, by columns
 *     sparse: flags · sizes · name · rows · column starts · values
 *
 * Written: full matrices (double, single, integers), sparse matrices (double) and texts, not compressed. Read: these, of
 * either byte order, compressed or not; other variables (cells, structures) are left out. Not read: Matlab 7.3 files,
 * which are HDF5.
 */

import { Unzlib } from "fflate";
import { InputError } from "../../../core/errors.js";
import { DenseMatrix, SparseColumns } from "../../../core/matrix.js";

/** A variable: a full matrix by columns, a sparse one, or a text. */
export type MatVariable =
  | { readonly kind: "full"; readonly shape: readonly number[]; readonly data: MatNumbers }
  | { readonly kind: "sparse"; readonly matrix: SparseColumns }
  | { readonly kind: "text"; readonly text: string };

export type MatNumbers = Float64Array | Float32Array | Int32Array | Uint32Array | Uint8Array;

/** Types of elements. */
const types = {
  int8: 1,
  uint16: 4,
  int32: 5,
  uint32: 6,
  single: 7,
  double: 9,
  matrix: 14,
  compressed: 15,
} as const;
/** Classes of arrays. */
const classes = { char: 4, sparse: 5, double: 6, single: 7, uint8: 9, int32: 12, uint32: 13 } as const;

/** Bytes of a number of each type, and how it is read. */
const readers: Readonly<
  Record<number, { size: number; read: (v: DataView, at: number, le: boolean) => number }>
> = {
  1: { size: 1, read: (v, at) => v.getInt8(at) },
  2: { size: 1, read: (v, at) => v.getUint8(at) },
  3: { size: 2, read: (v, at, le) => v.getInt16(at, le) },
  4: { size: 2, read: (v, at, le) => v.getUint16(at, le) },
  5: { size: 4, read: (v, at, le) => v.getInt32(at, le) },
  6: { size: 4, read: (v, at, le) => v.getUint32(at, le) },
  7: { size: 4, read: (v, at, le) => v.getFloat32(at, le) },
  9: { size: 8, read: (v, at, le) => v.getFloat64(at, le) },
  12: { size: 8, read: (v, at, le) => Number(v.getBigInt64(at, le)) },
  13: { size: 8, read: (v, at, le) => Number(v.getBigUint64(at, le)) },
  16: { size: 1, read: (v, at) => v.getUint8(at) },
};

// — writing ———————————————————————————————————————————————————————————————————

/** The format counts bytes in 32 bits. */
const maxElement = 2 ** 31 - 1;

export function writeMat(variables: Iterable<readonly [string, MatVariable]>): Uint8Array {
  const head = new Uint8Array(128).fill(0x20, 0, 116);
  head.set(new TextEncoder().encode("MATLAB 5.0 MAT-file, written by trainlets"));
  head.set([0x00, 0x01, 0x49, 0x4d], 124); // version 1, little-endian
  const parts: Uint8Array[] = [head];
  for (const [name, variable] of variables) parts.push(element(types.matrix, matrixParts(name, variable)));
  return joined(parts);
}

function matrixParts(name: string, variable: MatVariable): Uint8Array {
  const label = element(types.int8, new TextEncoder().encode(name));
  const opening = (code: number, shape: readonly number[], room = 0) => [
    element(types.uint32, bytesOf(Uint32Array.of(code, room))),
    element(types.int32, bytesOf(Int32Array.from(shape))),
    label,
  ];
  if (variable.kind === "text") {
    const units = Uint16Array.from(variable.text, (_, i) => variable.text.charCodeAt(i));
    return joined([...opening(classes.char, [1, units.length]), element(types.uint16, bytesOf(units))]);
  }
  if (variable.kind === "full") {
    const { type, code } = numberType(variable.data);
    const shape = variable.shape.length < 2 ? [variable.shape[0] ?? 1, 1] : variable.shape;
    return joined([...opening(code, shape), element(type, bytesOf(variable.data))]);
  }
  const { matrix } = variable;
  const { rows, starts, values } = compressedColumns(matrix);
  return joined([
    ...opening(classes.sparse, [matrix.rows, matrix.cols], Math.max(1, rows.length)),
    element(types.int32, bytesOf(rows)),
    element(types.int32, bytesOf(starts)),
    element(types.double, bytesOf(values)),
  ]);
}

/** Rows ascend in each column, as the format asks. */
function compressedColumns(A: SparseColumns) {
  const starts = new Int32Array(A.cols + 1);
  A.counts.forEach((count, j) => {
    starts[j + 1] = starts[j] + count;
  });
  const [rows, values] = [new Int32Array(starts[A.cols]), new Float64Array(starts[A.cols])];
  for (let j = 0; j < A.cols; j++) {
    const slots = Array.from({ length: A.counts[j] }, (_, s) => j * A.width + s);
    slots.sort((a, b) => A.indices[a] - A.indices[b]);
    slots.forEach((s, i) => {
      rows[starts[j] + i] = A.indices[s];
      values[starts[j] + i] = A.values[s];
    });
  }
  return { rows, starts, values };
}

function numberType(data: MatNumbers): { type: number; code: number } {
  if (data instanceof Float64Array) return { type: types.double, code: classes.double };
  if (data instanceof Float32Array) return { type: types.single, code: classes.single };
  if (data instanceof Int32Array) return { type: types.int32, code: classes.int32 };
  if (data instanceof Uint32Array) return { type: types.uint32, code: classes.uint32 };
  return { type: 2, code: classes.uint8 };
}

/** A tag, the bytes, and zeros up to a multiple of 8. */
function element(type: number, body: Uint8Array): Uint8Array {
  if (body.length > maxElement)
    throw new InputError(`writeMat: a .mat holds at most 2 GiB per variable, got ${body.length} bytes`);
  const bytes = new Uint8Array(8 + Math.ceil(body.length / 8) * 8);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, type, true);
  view.setUint32(4, type === types.matrix ? bytes.length - 8 : body.length, true);
  bytes.set(body, 8);
  return bytes;
}

function bytesOf({ buffer, byteOffset, byteLength }: ArrayBufferView): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  const all = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

// — reading ———————————————————————————————————————————————————————————————————

/** The matrices and texts of a file by name; `name` is for messages. */
export function readMat(bytes: Uint8Array, name: string): Map<string, MatVariable> {
  const start = new TextDecoder("latin1").decode(bytes.subarray(0, 128));
  if (start.startsWith("\x89HDF") || start.startsWith("MATLAB 7.3"))
    throw new InputError(`${name}: a Matlab 7.3 file, which is HDF5: save it again with save -v7`);
  const order = start.slice(126);
  if (bytes.length < 128 || !start.startsWith("MATLAB 5.0") || (order !== "IM" && order !== "MI"))
    throw new InputError(`${name}: not a Matlab 5 file`);
  const found = new Map<string, MatVariable>();
  for (const part of elementsOf(bytes.subarray(128), order === "IM", name)) {
    const inner = part.type === types.compressed ? inflated(part, name) : [part];
    for (const one of inner) {
      const variable = one.type === types.matrix ? readMatrix(one, name) : undefined;
      if (variable) found.set(variable.name, variable.value);
    }
  }
  return found;
}

interface Element {
  readonly type: number;
  readonly bytes: Uint8Array;
  readonly little: boolean;
}

function elementsOf(bytes: Uint8Array, little: boolean, name: string): Element[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const found: Element[] = [];
  for (let at = 0; at + 8 <= bytes.length; ) {
    const first = view.getUint32(at, little);
    const small = first > 0xffff; // both type and size in one word
    const [type, size] = small ? [first & 0xffff, first >>> 16] : [first, view.getUint32(at + 4, little)];
    const from = at + (small ? 4 : 8);
    if (from + size > bytes.length || (small && size > 4))
      throw new InputError(`${name}: damaged .mat: an element of ${size} bytes at ${at}`);
    found.push({ type, bytes: bytes.subarray(from, from + size), little });
    at = small ? at + 8 : from + (type === types.compressed ? size : Math.ceil(size / 8) * 8);
  }
  return found;
}

/** How many bytes a compressed element of `packed` bytes may hold: enough for matrices, too little for bombs. */
function maxInflated(packed: number): number {
  return Math.min(2 ** 31, Math.max(2 ** 26, 64 * packed));
}

function inflated({ bytes, little }: Element, name: string): Element[] {
  const pieces: Uint8Array[] = [];
  let left = maxInflated(bytes.length);
  const stream = new Unzlib((piece) => {
    left -= piece.length;
    if (left < 0) throw new InputError(`${name}: a compressed variable is larger than the limit`);
    pieces.push(piece);
  });
  try {
    const step = 2 ** 16;
    for (let at = 0; at < bytes.length; at += step)
      stream.push(bytes.subarray(at, at + step), at + step >= bytes.length);
  } catch (error) {
    if (error instanceof InputError) throw error;
    throw new InputError(`${name}: damaged .mat: a compressed variable cannot be unpacked`);
  }
  return elementsOf(joined(pieces), little, name);
}

function readMatrix(
  { bytes, little }: Element,
  name: string,
): { readonly name: string; readonly value: MatVariable } | undefined {
  const parts = elementsOf(bytes, little, name);
  const [flags, sizes, label, ...rest] = parts;
  if (!flags || !sizes || !label) throw new InputError(`${name}: damaged .mat: a variable without a name`);
  const key = String.fromCharCode(...numbersOf(label, name).slice(0, 1000));
  const shape = [...numbersOf(sizes, name)];
  const flag = numbersOf(flags, name)[0] ?? 0;
  const code = flag & 0xff;
  if ((flag & 0x0800) !== 0) return undefined; // complex
  const where = `${name}[${key}]`;
  const damaged = (what: string) => new InputError(`${where}: damaged: ${what}`);
  if (shape.length < 2 || !shape.every((size) => Number.isSafeInteger(size) && size >= 0))
    throw damaged("its sizes");
  if (code === classes.sparse) return { name: key, value: readSparse(shape, rest, where) };
  if (code !== classes.char && !(code >= classes.double && code <= 15)) return undefined;
  const values = rest[0] ? numbersOf(rest[0], name) : new Float64Array();
  if (values.length !== shape.reduce((product, size) => product * size, 1)) throw damaged("its length");
  if (code === classes.char) return { name: key, value: { kind: "text", text: textOf(values) } };
  const data = code === classes.single ? Float32Array.from(values) : values;
  return { name: key, value: { kind: "full", shape, data } };
}

function textOf(units: Float64Array): string {
  let text = "";
  for (let at = 0; at < units.length; at += 4096)
    text += String.fromCharCode(...units.subarray(at, at + 4096));
  return text;
}

function numbersOf({ type, bytes, little }: Element, name: string): Float64Array {
  const reader = readers[type];
  if (!reader) throw new InputError(`${name}: damaged .mat: numbers of type ${type}`);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const count = Math.floor(bytes.length / reader.size);
  return Float64Array.from({ length: count }, (_, i) => reader.read(view, i * reader.size, little));
}

function readSparse(shape: readonly number[], parts: readonly Element[], name: string): MatVariable {
  const [rows, starts, values] = parts.map((part) => numbersOf(part, name));
  const damaged = (what: string) => new InputError(`${name}: damaged sparse matrix: ${what}`);
  const [height, width] = shape;
  if (!rows || !starts || shape.length !== 2 || starts.length !== width + 1) throw damaged("its parts");
  const found = values ?? new Float64Array();
  const total = starts[width];
  if (starts[0] !== 0 || !(total <= rows.length && total <= found.length)) throw damaged("its column starts");
  const columns: [number, number][][] = [];
  for (let j = 0; j < width; j++) {
    if (!(starts[j + 1] >= starts[j])) throw damaged("its column starts");
    const entries: [number, number][] = [];
    for (let s = starts[j]; s < starts[j + 1]; s++) {
      if (!(rows[s] >= 0 && rows[s] < height)) throw damaged("its rows");
      entries.push([rows[s], found[s]]);
    }
    columns.push(entries);
  }
  const most = columns.reduce((widest, { length }) => Math.max(widest, length), 0);
  return { kind: "sparse", matrix: SparseColumns.fromEntries(height, most, columns) };
}

/** A matrix of two axes by columns, whatever its kind; undefined for texts and for more axes. */
export function matMatrix(variable: MatVariable): DenseMatrix | undefined {
  if (variable.kind === "sparse") return variable.matrix.toDense();
  if (variable.kind === "text" || variable.shape.length !== 2) return undefined;
  const [rows, cols] = variable.shape;
  return new DenseMatrix(rows, cols, Float32Array.from(variable.data));
}
