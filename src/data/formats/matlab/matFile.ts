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
import {
  arrayClasses,
  elementTypes,
  headerBytes,
  isLittleEndian,
  isNumeric,
  numberTypes,
  readTag,
  viewOf,
} from "./elements.js";

/** A variable: a full matrix by columns, a sparse one, or a text. */
export type MatVariable =
  | { readonly kind: "full"; readonly shape: readonly number[]; readonly data: MatNumbers }
  | { readonly kind: "sparse"; readonly matrix: SparseColumns }
  | { readonly kind: "text"; readonly text: string };

export type MatNumbers = Float64Array | Float32Array | Int32Array | Uint32Array | Uint8Array;

// — writing ———————————————————————————————————————————————————————————————————

/** The format counts bytes in 32 bits. */
const maxElement = 2 ** 31 - 1;

export function writeMat(variables: Iterable<readonly [string, MatVariable]>): Uint8Array {
  const head = new Uint8Array(headerBytes).fill(0x20, 0, 116);
  head.set(new TextEncoder().encode("MATLAB 5.0 MAT-file, written by trainlets"));
  head.set([0x00, 0x01, 0x49, 0x4d], 124); // version 1, little-endian
  const parts: Uint8Array[] = [head];
  for (const [name, variable] of variables)
    parts.push(element(elementTypes.matrix, matrixParts(name, variable)));
  return joined(parts);
}

function matrixParts(name: string, variable: MatVariable): Uint8Array {
  const label = element(elementTypes.int8, new TextEncoder().encode(name));
  const opening = (code: number, shape: readonly number[], room = 0) => [
    element(elementTypes.uint32, bytesOf(Uint32Array.of(code, room))),
    element(elementTypes.int32, bytesOf(Int32Array.from(shape))),
    label,
  ];
  if (variable.kind === "text") {
    const units = Uint16Array.from(variable.text, (_, i) => variable.text.charCodeAt(i));
    return joined([
      ...opening(arrayClasses.char, [1, units.length]),
      element(elementTypes.uint16, bytesOf(units)),
    ]);
  }
  if (variable.kind === "full") {
    const { type, code } = numberType(variable.data);
    const shape = variable.shape.length < 2 ? [variable.shape[0] ?? 1, 1] : variable.shape;
    return joined([...opening(code, shape), element(type, bytesOf(variable.data))]);
  }
  const { matrix } = variable;
  const { rows, starts, values } = compressedColumns(matrix);
  return joined([
    ...opening(arrayClasses.sparse, [matrix.rows, matrix.cols], Math.max(1, rows.length)),
    element(elementTypes.int32, bytesOf(rows)),
    element(elementTypes.int32, bytesOf(starts)),
    element(elementTypes.double, bytesOf(values)),
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
  if (data instanceof Float64Array) return { type: elementTypes.double, code: arrayClasses.double };
  if (data instanceof Float32Array) return { type: elementTypes.single, code: arrayClasses.single };
  if (data instanceof Int32Array) return { type: elementTypes.int32, code: arrayClasses.int32 };
  if (data instanceof Uint32Array) return { type: elementTypes.uint32, code: arrayClasses.uint32 };
  return { type: elementTypes.uint8, code: arrayClasses.uint8 };
}

/** A tag, the bytes, and zeros up to a multiple of 8. */
function element(type: number, body: Uint8Array): Uint8Array {
  if (body.length > maxElement)
    throw new InputError(`writeMat: a .mat holds at most 2 GiB per variable, got ${body.length} bytes`);
  const bytes = new Uint8Array(8 + Math.ceil(body.length / 8) * 8);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, type, true);
  view.setUint32(4, type === elementTypes.matrix ? bytes.length - 8 : body.length, true);
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
  const start = new TextDecoder("latin1").decode(bytes.subarray(0, headerBytes));
  if (start.startsWith("\x89HDF") || start.startsWith("MATLAB 7.3"))
    throw new InputError(`${name}: a Matlab 7.3 file, which is HDF5: save it again with save -v7`);
  const little = isLittleEndian(bytes);
  if (little === undefined) throw new InputError(`${name}: not a Matlab 5 file`);
  const found = new Map<string, MatVariable>();
  for (const part of elementsOf(bytes.subarray(headerBytes), little, name)) {
    const inner = part.type === elementTypes.compressed ? inflated(part, name) : [part];
    for (const one of inner) {
      const variable = one.type === elementTypes.matrix ? readMatrix(one, name) : undefined;
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
  const view = viewOf(bytes);
  const found: Element[] = [];
  for (let at = 0; at + 8 <= bytes.length; ) {
    const tag = readTag(view, at, little);
    const isSmall = tag.at === at + 4;
    if (tag.at + tag.size > bytes.length || (isSmall && tag.size > 4))
      throw new InputError(`${name}: damaged .mat: an element of ${tag.size} bytes at ${at}`);
    found.push({ type: tag.type, bytes: bytes.subarray(tag.at, tag.at + tag.size), little });
    at = tag.next;
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
  if (code === arrayClasses.sparse) return { name: key, value: readSparse(shape, rest, where) };
  if (code !== arrayClasses.char && !isNumeric(code)) return undefined;
  const values = rest[0] ? numbersOf(rest[0], name) : new Float64Array();
  if (values.length !== shape.reduce((product, size) => product * size, 1)) throw damaged("its length");
  if (code === arrayClasses.char) return { name: key, value: { kind: "text", text: textOf(values) } };
  const data = code === arrayClasses.single ? Float32Array.from(values) : values;
  return { name: key, value: { kind: "full", shape, data } };
}

function textOf(units: Float64Array): string {
  let text = "";
  for (let at = 0; at < units.length; at += 4096)
    text += String.fromCharCode(...units.subarray(at, at + 4096));
  return text;
}

function numbersOf({ type, bytes, little }: Element, name: string): Float64Array {
  const [kind, size] = numberTypes[type === elementTypes.utf8 ? elementTypes.uint8 : type] ?? [];
  if (!kind || !size) throw new InputError(`${name}: damaged .mat: numbers of type ${type}`);
  const view = viewOf(bytes);
  const read = numberReaders[`${kind}${size}`];
  return Float64Array.from({ length: Math.floor(bytes.length / size) }, (_, i) =>
    read(view, i * size, little),
  );
}

const numberReaders: Readonly<Record<string, (view: DataView, at: number, little: boolean) => number>> = {
  i1: (view, at) => view.getInt8(at),
  u1: (view, at) => view.getUint8(at),
  i2: (view, at, little) => view.getInt16(at, little),
  u2: (view, at, little) => view.getUint16(at, little),
  i4: (view, at, little) => view.getInt32(at, little),
  u4: (view, at, little) => view.getUint32(at, little),
  f4: (view, at, little) => view.getFloat32(at, little),
  f8: (view, at, little) => view.getFloat64(at, little),
  i8: (view, at, little) => Number(view.getBigInt64(at, little)),
  u8: (view, at, little) => Number(view.getBigUint64(at, little)),
};

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
