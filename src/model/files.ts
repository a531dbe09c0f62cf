/**
 * Model and code files (`.npz`), readable with numpy and scipy alone.
 *
 * A model: A as scipy stores a sparse matrix; `phi_0`, `phi_1`, … the factors of
 * Φ (n × L of each axis, float64), or `phi` for one explicit matrix; `meta`, a
 * UTF-8 JSON text as uint8; `uses` and `norms` (m), where they are known. In numpy `D = np.kron(phi_0, phi_1) @ A`.
 * An explicit dictionary: `dictionary` (n × m, float32) instead of A and the factors.
 * Codes: X in the same layout, `mean`, `meta` (which tells the signals and the
 * grid of windows they stand for).
 *
 * The bytes depend on the model alone: no times, no names of machines.
 */

/**
 * Sparse columns in the layout of `scipy.sparse.save_npz` (compressed sparse
 * columns): `data`, `indices`, `indptr`, `shape`, `format`. Rows ascend within
 * a column, as scipy likes them.
 */

import { InputError, show } from "../core/errors.js";
import { DenseMatrix, SparseColumns } from "../core/matrix.js";
import { requireShape, type Shape, sizeOf } from "../core/shape.js";
import { crc32 } from "../data/formats/checksums.js";
import { makeNpy, type NpyArray, npyFromText, npyToText, toFloat32, toFloat64 } from "../data/formats/npy.js";
import { readNpz, writeNpz } from "../data/formats/npz.js";
import type { BaseDictionary } from "../dictionaries/base.js";
import { Matrix64 } from "../linalg/matrix64.js";
import type { Codes } from "./coder.js";
import { type AtomHistory, Model, type ModelMeta } from "./model.js";
import { version } from "./version.js";

const formatVersion = 1;

/** The bytes of a model file. */
export function modelToBytes(model: Model): Uint8Array {
  const { base, A, meta, dictionary } = model;
  const text = {
    format: "trainlets-model",
    formatVersion,
    version,
    patch: base.shape,
    base: base.name,
    ...meta,
  };
  const atoms = dictionary ? [dictionaryArray(dictionary)] : [...toScipy(A), ...factorArrays(base)];
  const known: [string, NpyArray][] = [];
  if (model.uses) known.push(["uses", makeNpy([A.cols], model.uses)]);
  if (model.norms) known.push(["norms", makeNpy([A.cols], model.norms)]);
  return writeNpz([...atoms, ...known, ["meta", metaArray(text)]]);
}

/** D by rows, as numpy has it. */
function dictionaryArray(D: DenseMatrix): [string, NpyArray] {
  const rows = new Float32Array(D.data.length);
  for (let j = 0; j < D.cols; j++) for (let i = 0; i < D.rows; i++) rows[i * D.cols + j] = D.at(i, j);
  return ["dictionary", makeNpy([D.rows, D.cols], rows)];
}

/** phi_0, phi_1, … of each axis, or one explicit phi. */
function factorArrays(base: BaseDictionary): [string, NpyArray][] {
  const separable = base.factors.length === base.shape.length;
  return base.factors.map((factor, axis) => [
    separable ? `phi_${axis}` : "phi",
    makeNpy([factor.rows, factor.cols], factor.transpose().data),
  ]);
}

/** The model in the bytes of a file; `name` is for messages. */
export function modelFromBytes(bytes: Uint8Array, name: string): Model {
  const arrays = readNpz(bytes, name);
  const meta = readMeta(arrays, name, "trainlets-model");
  const shape = requireShape(name, "patch in meta", meta.patch);
  const history: ModelMeta = {
    learner: textOf(meta.learner),
    options: isRecord(meta.options) ? meta.options : {},
    seed: numberOf(meta.seed),
    examplesSeen: numberOf(meta.examplesSeen),
    removeMean: meta.removeMean !== false,
    coding: isRecord(meta.coding) ? meta.coding : {},
  };
  if (arrays.has("dictionary")) {
    const D = readMatrix(arrays, "dictionary", sizeOf(shape), name);
    const atoms = new DenseMatrix(D.rows, D.cols, Float32Array.from(D.data));
    return Model.explicit(shape, atoms, history, readHistory(arrays, D.cols, name));
  }
  const base: BaseDictionary = { name: textOf(meta.base), shape, factors: readFactors(arrays, shape, name) };
  const A = fromScipy(arrays, name);
  const rows = base.factors.reduce((product, factor) => product * factor.cols, 1);
  if (A.rows !== rows)
    throw new InputError(`${name}: damaged model: A has ${A.rows} rows for ${rows} base atoms`);
  return new Model(base, A, history, readHistory(arrays, A.cols, name));
}

/** What training knew of each atom. */
function readHistory(arrays: ReadonlyMap<string, NpyArray>, atoms: number, name: string): AtomHistory {
  const uses = readAtomValues(arrays, "uses", "counts", atoms, name);
  const norms = readAtomValues(arrays, "norms", "norms", atoms, name);
  if (norms && !norms.every((norm) => Number.isFinite(norm) && norm >= 0))
    throw new InputError(`${name}: damaged model: norms must be finite, and at least 0`);
  return { uses: uses && Uint32Array.from(uses), norms: norms && Float32Array.from(norms) };
}

/** One value an atom, where the file has them. */
function readAtomValues(
  arrays: ReadonlyMap<string, NpyArray>,
  key: string,
  what: string,
  atoms: number,
  name: string,
): Float64Array | undefined {
  const array = arrays.get(key);
  if (!array) return undefined;
  const values = toFloat64(array, `${name}[${key}]`);
  if (values.length !== atoms)
    throw new InputError(`${name}: damaged model: ${key} must hold ${atoms} ${what}, got ${values.length}`);
  return values;
}

/** The signals that codes stand for: their shapes, and the steps of the grid of windows over each. */
export interface CodedSignals {
  /** The fingerprint of the dictionary the codes are over. */
  readonly dictionary: string;
  readonly patch: Shape;
  readonly stride: Shape;
  readonly shapes: readonly Shape[];
}

/** The bytes of a code file. */
export function codesToBytes({ X, means }: Codes, signals: CodedSignals): Uint8Array {
  const text = { format: "trainlets-codes", formatVersion, version, ...signals };
  return writeNpz([...toScipy(X), ["mean", makeNpy([means.length], means)], ["meta", metaArray(text)]]);
}

/** The codes in the bytes of a file, and the signals they stand for. */
export function codesFromBytes(bytes: Uint8Array, name: string): { codes: Codes; signals: CodedSignals } {
  const arrays = readNpz(bytes, name);
  const meta = readMeta(arrays, name, "trainlets-codes");
  const X = fromScipy(arrays, name);
  const means = arrays.has("mean")
    ? toFloat32(arrays.get("mean")!, `${name}[mean]`)
    : new Float32Array(X.cols);
  if (means.length !== X.cols || !means.every(Number.isFinite)) {
    throw new InputError(`${name}: damaged codes: mean must hold ${X.cols} finite values`);
  }
  const patch = requireShape(name, "patch in meta", meta.patch);
  const stride = requireShape(name, "stride in meta", meta.stride);
  const shapes = (Array.isArray(meta.shapes) ? meta.shapes : []).map((shape) =>
    requireShape(name, "shapes in meta", shape),
  );
  if ([stride, ...shapes].some((shape) => shape.length !== patch.length)) {
    throw new InputError(`${name}: damaged codes: patch, stride and shapes in meta must have the same axes`);
  }
  return { codes: { X, means }, signals: { dictionary: textOf(meta.dictionary), patch, stride, shapes } };
}

/** Tells dictionaries apart: a checksum of A and the factors of Φ, or of D, as eight hexadecimal digits. */
export function fingerprint({ A, base, dictionary }: Model): string {
  const arrays = dictionary
    ? [dictionary.data]
    : [...toScipy(A).map(([, { data }]) => data), ...base.factors.map(({ data }) => data)];
  const sum = arrays.reduce((crc, { buffer, byteOffset, byteLength }) => {
    return crc32(new Uint8Array(buffer, byteOffset, byteLength), crc);
  }, 0);
  return sum.toString(16).padStart(8, "0");
}

function metaArray(meta: object): NpyArray {
  const bytes = new TextEncoder().encode(JSON.stringify(meta));
  return makeNpy([bytes.length], bytes);
}

function readMeta(
  arrays: ReadonlyMap<string, NpyArray>,
  name: string,
  format: string,
): Record<string, unknown> {
  const array = arrays.get("meta");
  const kind = format === "trainlets-model" ? "a model" : "codes";
  if (!array) throw new InputError(`${name}: is not ${kind} of trainlets: it has no meta`);
  let meta: unknown;
  try {
    meta = JSON.parse(npyToText(array, `${name}[meta]`), (key, value) =>
      key === "__proto__" ? undefined : value,
    );
  } catch {
    throw new InputError(`${name}: damaged meta: not JSON`);
  }
  if (!isRecord(meta) || meta.format !== format) throw new InputError(`${name}: is not ${kind} of trainlets`);
  if (!(numberOf(meta.formatVersion) <= formatVersion)) {
    throw new InputError(
      `${name}: was written by a newer trainlets (format ${show(meta.formatVersion)}); this one reads ${formatVersion}`,
    );
  }
  return meta;
}

/** phi_0, phi_1, … of each axis, or one explicit phi. */
function readFactors(arrays: ReadonlyMap<string, NpyArray>, shape: Shape, name: string): Matrix64[] {
  if (arrays.has("phi")) return [readMatrix(arrays, "phi", sizeOf(shape), name)];
  return shape.map((size, axis) => readMatrix(arrays, `phi_${axis}`, size, name));
}

function readMatrix(
  arrays: ReadonlyMap<string, NpyArray>,
  key: string,
  rows: number,
  name: string,
): Matrix64 {
  const array = arrays.get(key);
  if (!array) throw new InputError(`${name}: damaged model: ${key} is missing`);
  const [r, c] = array.shape;
  if (array.shape.length !== 2 || r !== rows) {
    throw new InputError(
      `${name}: damaged model: ${key} must have ${rows} rows, got shape (${array.shape.join(", ")})`,
    );
  }
  const values = toFloat64(array, `${name}[${key}]`);
  if (!values.every(Number.isFinite)) throw new InputError(`${name}: damaged model: ${key} must be finite`);
  return new Matrix64(c, rows, values).transpose();
}

/** What JSON holds may be anything: an object with a `toString` of its own, say. */
function textOf(value: unknown): string {
  return typeof value === "string" ? value : show(value);
}

function numberOf(value: unknown): number {
  return typeof value === "number" ? value : Number.NaN;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The five arrays of a sparse matrix. */
export function toScipy(X: SparseColumns): [string, NpyArray][] {
  const indptr = new Int32Array(X.cols + 1);
  X.counts.forEach((count, j) => {
    indptr[j + 1] = indptr[j] + count;
  });
  const total = indptr[X.cols];
  const indices = new Int32Array(total);
  const data = new Float32Array(total);
  for (let j = 0; j < X.cols; j++) {
    const start = j * X.width;
    const slots = Array.from({ length: X.counts[j] }, (_, s) => start + s);
    slots.sort((a, b) => X.indices[a] - X.indices[b]);
    slots.forEach((s, at) => {
      indices[indptr[j] + at] = X.indices[s];
      data[indptr[j] + at] = X.values[s];
    });
  }
  return [
    ["data", makeNpy([total], data)],
    ["indices", makeNpy([total], indices)],
    ["indptr", makeNpy([X.cols + 1], indptr)],
    ["shape", makeNpy([2], BigInt64Array.of(BigInt(X.rows), BigInt(X.cols)))],
    ["format", npyFromText("csc")],
  ];
}

/** Whether an archive has the arrays of a sparse matrix. */
export function hasScipy(arrays: ReadonlyMap<string, NpyArray>): boolean {
  return ["data", "indices", "indptr", "shape", "format"].every((key) => arrays.has(key));
}

/** The sparse matrix of an archive, checked entry by entry; `name` is for messages. */
export function fromScipy(arrays: ReadonlyMap<string, NpyArray>, name: string): SparseColumns {
  if (!hasScipy(arrays))
    throw new InputError(`${name}: has no sparse matrix as scipy.sparse.save_npz writes it`);
  const format = npyToText(arrays.get("format")!, `${name}[format]`);
  if (format !== "csc")
    throw new InputError(`${name}: the sparse matrix must be in csc format, got ${show(format)}`);
  const [rows, cols, ...more] = integers(arrays, "shape", name);
  const indptr = integers(arrays, "indptr", name);
  const indices = integers(arrays, "indices", name);
  const values = toFloat32(arrays.get("data")!, `${name}[data]`);
  const damaged = (what: string) => new InputError(`${name}: damaged sparse matrix: ${what}`);
  if (rows === undefined || cols === undefined || more.length > 0 || rows < 0 || cols < 0)
    throw damaged("shape");
  if (indptr.length !== cols + 1 || indptr[0] !== 0) throw damaged("indptr does not fit the shape");
  if (indptr[cols] !== values.length || values.length !== indices.length) throw damaged("lengths differ");
  let width = 0;
  for (let j = 0; j < cols; j++) {
    const count = indptr[j + 1] - indptr[j];
    if (!(count >= 0 && count <= rows)) throw damaged("indptr does not ascend");
    width = Math.max(width, count);
  }
  if (width * cols > Math.max(2 ** 22, 64 * values.length)) {
    throw new InputError(
      `${name}: columns of the sparse matrix must be of like length, got one of ${width} of ${cols}`,
    );
  }
  const X = new SparseColumns(rows, cols, width);
  for (let j = 0; j < cols; j++) {
    X.counts[j] = indptr[j + 1] - indptr[j];
    for (let s = indptr[j], at = j * width, last = -1; s < indptr[j + 1]; s++, at++) {
      const row = indices[s];
      if (!(row > last && row < rows)) throw damaged(`rows of column ${j} must ascend below ${rows}`);
      if (!Number.isFinite(values[s])) throw damaged(`value ${values[s]} in column ${j}`);
      X.indices[at] = last = row;
      X.values[at] = values[s];
    }
  }
  return X;
}

function integers(arrays: ReadonlyMap<string, NpyArray>, key: string, name: string): Float64Array {
  const values = toFloat64(arrays.get(key)!, `${name}[${key}]`);
  const bad = values.find((value) => !Number.isSafeInteger(value));
  if (bad !== undefined)
    throw new InputError(`${name}: damaged sparse matrix: ${key} must be integers, got ${bad}`);
  return values;
}
