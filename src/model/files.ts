/**
 * Model and code files (`.npz`), readable with numpy and scipy alone.
 *
 *   model      A as a sparse matrix; `phi_0`, `phi_1`, … the factors of Φ (float64, one
 *              per axis), or `phi`, a single explicit matrix; `uses` and `norms` of the
 *              m atoms, if known; `meta`. In numpy `D = np.kron(phi_0, phi_1) @ A`.
 *   explicit   `dictionary` (n × m, float32) instead of A and the factors
 *   codes      X as a sparse matrix; `mean`; `meta`, with the shapes of the signals and
 *              the grid of windows
 *
 * `meta` is a JSON text in UTF-8, as uint8. A sparse matrix is stored as
 * `scipy.sparse.save_npz` does, in compressed sparse columns: `data`, `indices`,
 * `indptr`, `shape`, `format`, with ascending rows in each column.
 *
 * The bytes depend on the model alone: no times, no names of machines.
 */

import {
  bytes as bytesType,
  listOf,
  model as modelType,
  numberList,
  numberWith,
  type OptionTypes,
  requireArgument,
  requireArguments,
  required,
  requireOptions,
  text as textType,
} from "../core/arguments/argumentTypes.js";
import { InputError, inputError, show } from "../core/errors.js";
import { DenseMatrix, SparseColumns } from "../core/matrix.js";
import { requireFiniteResult } from "../core/require.js";
import { requireShape, type Shape, sizeOf } from "../core/shape.js";
import { crc32, crcToHex } from "../data/formats/checksums.js";
import { makeNpy, type NpyArray, npyFromText, npyToText, toFloat32, toFloat64 } from "../data/formats/npy.js";
import { readNpz, writeNpz } from "../data/formats/npz.js";
import type { BaseDictionary } from "../dictionaries/base.js";
import { unitColumns } from "../dictionaries/dictionary.js";
import { Matrix64 } from "../linalg/matrix64.js";
import { type Codes, requireCodes } from "./coder.js";
import { type AtomHistory, Model, type ModelMeta } from "./model.js";
import { version } from "./version.js";

const formatVersion = 1;

/** The arrays in a file, by name. */
/** The `format` in the meta of a dictionary. */
export const modelFormat = "trainlets-model";

export type Arrays = ReadonlyMap<string, NpyArray>;

/** The bytes of a model file; all its numbers must be finite. `name` is for messages. */
export function modelToBytes(model: Model, name = "the model"): Uint8Array {
  requireArguments("modelToBytes", { model: [model, modelType], name: [name, textType] });
  return writeFiniteNpz(modelArrays(model), name);
}

/** The arrays of a model file, in its order. */
export function modelArrays(model: Model): [string, NpyArray][] {
  const { base, A, meta, dictionary } = model;
  const text = {
    format: modelFormat,
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
  return [...atoms, ...known, ["meta", metaArray(text)]];
}

/** The bytes of arrays, none of which may hold NaN or infinity. */
function writeFiniteNpz(arrays: readonly [string, NpyArray][], name: string): Uint8Array {
  for (const [, { data }] of arrays)
    if (data instanceof Float32Array || data instanceof Float64Array) requireFiniteResult(name, data);
  return writeNpz(arrays);
}

/** D in row-major order, as numpy expects it. */
function dictionaryArray(D: DenseMatrix): [string, NpyArray] {
  const rows = new Float32Array(D.data.length);
  for (let j = 0; j < D.cols; j++) for (let i = 0; i < D.rows; i++) rows[i * D.cols + j] = D.at(i, j);
  return ["dictionary", makeNpy([D.rows, D.cols], rows)];
}

/** phi_0, phi_1, …, one per axis; or a single explicit phi. */
function factorArrays(base: BaseDictionary): [string, NpyArray][] {
  const separable = base.factors.length === base.shape.length;
  return base.factors.map((factor, axis) => [
    separable ? `phi_${axis}` : "phi",
    makeNpy([factor.rows, factor.cols], factor.transpose().data),
  ]);
}

/** The model in the bytes of a file; `name` is for messages. */
export function modelFromBytes(bytes: Uint8Array, name: string): Model {
  requireArguments("modelFromBytes", { bytes: [bytes, bytesType], name: [name, textType] });
  return modelFromArrays(readNpz(bytes, name), name);
}

/** The model of the arrays of a file. */
export function modelFromArrays(arrays: Arrays, name: string): Model {
  const meta = readMeta(arrays, name, modelFormat);
  const shape = requireShape(name, "patch in meta", meta.patch);
  const history: ModelMeta = {
    learner: asText(meta.learner),
    options: isRecord(meta.options) ? meta.options : {},
    seed: asNumber(meta.seed),
    examplesSeen: asNumber(meta.examplesSeen),
    removeMean: readFlag(meta.removeMean ?? true, name),
    coding: isRecord(meta.coding) ? meta.coding : {},
    ...keptOf(meta.kept),
    ...partialOf(meta.partial),
  };
  if (arrays.has("dictionary")) {
    const D = readMatrix(arrays, "dictionary", sizeOf(shape), name);
    const atoms = restoreNorms(new DenseMatrix(D.rows, D.cols, Float32Array.from(D.data)));
    return Model.explicit(shape, atoms, history, readHistory(arrays, D.cols, name));
  }
  const base: BaseDictionary = { name: asText(meta.base), shape, factors: readFactors(arrays, shape, name) };
  const A = fromScipy(arrays, name);
  const rows = base.factors.reduce((product, factor) => product * factor.cols, 1);
  if (A.rows !== rows)
    throw new InputError(`${name}: damaged model: A has ${A.rows} rows for ${rows} base atoms`);
  return new Model(base, A, history, readHistory(arrays, A.cols, name));
}

/** Atoms that were stored with fewer bits have unit norm again; others stay as they are, to the bit. */
function restoreNorms(D: DenseMatrix): DenseMatrix {
  for (let j = 0; j < D.cols; j++) {
    const energy = D.column(j).reduce((sum, value) => sum + value * value, 0);
    if (Math.abs(energy - 1) > 1e-5) unitColumns(D.slice(j, j + 1));
  }
  return D;
}

function readFlag(value: unknown, name: string): boolean {
  if (typeof value === "boolean") return value;
  throw inputError(name, "removeMean in meta", "must be true or false", value);
}

/** The mark of an interrupted run; any other value is not one. */
function keptOf(value: unknown): Pick<ModelMeta, "kept"> {
  if (!isRecord(value)) return {};
  const [step, of] = [asNumber(value.step), asNumber(value.of)];
  return step >= 0 && of >= step ? { kept: { step, of } } : {};
}

function partialOf(value: unknown): Pick<ModelMeta, "partial"> {
  if (!isRecord(value)) return {};
  const [examples, of] = [asNumber(value.examples), asNumber(value.of)];
  return examples >= 0 && of >= examples ? { partial: { examples, of } } : {};
}

/** What training recorded about each atom. */
function readHistory(arrays: Arrays, atoms: number, name: string): AtomHistory {
  const uses = readAtomValues(arrays, "uses", "counts", atoms, name);
  const norms = readAtomValues(arrays, "norms", "norms", atoms, name);
  if (norms && !norms.every((norm) => Number.isFinite(norm) && norm >= 0))
    throw new InputError(`${name}: damaged model: norms must be finite, and at least 0`);
  return { uses: uses && Uint32Array.from(uses), norms: norms && Float32Array.from(norms) };
}

/** One value per atom, if the file has them. */
function readAtomValues(
  arrays: Arrays,
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

/** What an archive says it is, in its `meta`; undefined if it does not say. */
export function formatOf(bytes: Uint8Array, name: string): string | undefined {
  const meta = readNpz(bytes, name).get("meta");
  if (!meta) return undefined;
  try {
    const value: unknown = JSON.parse(npyToText(meta, `${name}[meta]`));
    return isRecord(value) && typeof value.format === "string" ? value.format : undefined;
  } catch {
    return undefined;
  }
}

/** The signals that were coded: their shapes, and the grid of windows over each. */
export interface CodedSignals {
  /** The fingerprint of the dictionary of the codes. */
  readonly dictionary: string;
  readonly patch: Shape;
  readonly stride: Shape;
  readonly shapes: readonly Shape[];
  /** The error of what decoding gives, from what was coded, in the units of the data; not in older files. */
  readonly rmse?: number | undefined;
}

const codedTypes: OptionTypes<CodedSignals> = {
  dictionary: required(textType),
  patch: required(numberList),
  stride: required(numberList),
  shapes: required(listOf(numberList, "a list of shapes")),
  rmse: numberWith("a number"),
};

/** The bytes of a code file; all its numbers must be finite. `name` is for messages. */
export function codesToBytes(codes: Codes, signals: CodedSignals, name = "the codes"): Uint8Array {
  requireCodes("codesToBytes", codes);
  requireOptions("codesToBytes: signals", signals, codedTypes);
  requireArgument("codesToBytes", "name", name, textType);
  const { X, means } = codes;
  const text = { format: "trainlets-codes", formatVersion, version, ...signals };
  const mean = makeNpy([means.length], means);
  return writeFiniteNpz([...toScipy(X), ["mean", mean], ["meta", metaArray(text)]], name);
}

/** The codes in the bytes of a file, and the signals that were coded. */
export function codesFromBytes(bytes: Uint8Array, name: string): { codes: Codes; signals: CodedSignals } {
  requireArguments("codesFromBytes", { bytes: [bytes, bytesType], name: [name, textType] });
  const arrays = readNpz(bytes, name);
  const meta = readMeta(arrays, name, "trainlets-codes");
  const X = fromScipy(arrays, name);
  const mean = arrays.get("mean");
  const means = mean ? toFloat32(mean, `${name}[mean]`) : new Float32Array(X.cols);
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
  const { rmse } = meta;
  const error = typeof rmse === "number" && rmse >= 0 ? { rmse } : {};
  const signals = { dictionary: asText(meta.dictionary), patch, stride, shapes, ...error };
  return { codes: { X, means }, signals };
}

/** A checksum that identifies the dictionary of a model: eight hexadecimal digits. */
export function fingerprint(model: Model): string {
  return crcToHex(dictionaryBytes(model).reduce((crc, bytes) => crc32(bytes, crc), 0));
}

/** The bytes that define a dictionary: of A and the factors of Φ, or of D. */
export function dictionaryBytes({ A, base, dictionary }: Model): Uint8Array[] {
  const arrays = dictionary
    ? [dictionary.data]
    : [...toScipy(A).map(([, { data }]) => data), ...base.factors.map(({ data }) => data)];
  return arrays.map(({ buffer, byteOffset, byteLength }) => new Uint8Array(buffer, byteOffset, byteLength));
}

function metaArray(meta: object): NpyArray {
  const bytes = new TextEncoder().encode(JSON.stringify(meta));
  return makeNpy([bytes.length], bytes);
}

function readMeta(arrays: Arrays, name: string, format: string): Record<string, unknown> {
  const array = arrays.get("meta");
  const kind = format === modelFormat ? "a trainlets model" : "trainlets codes";
  if (!array) throw new InputError(`${name}: not ${kind}: it has no meta`);
  let meta: unknown;
  try {
    meta = JSON.parse(npyToText(array, `${name}[meta]`), (key, value) =>
      key === "__proto__" ? undefined : value,
    );
  } catch {
    throw new InputError(`${name}: damaged meta: not JSON`);
  }
  if (!isRecord(meta) || meta.format !== format) throw new InputError(`${name}: not ${kind}`);
  if (!(asNumber(meta.formatVersion) <= formatVersion)) {
    const written = `written by a newer trainlets (format ${show(meta.formatVersion)})`;
    throw new InputError(`${name}: ${written}; this version reads format ${formatVersion}`);
  }
  return meta;
}

/** phi_0, phi_1, …, one per axis; or a single explicit phi. */
function readFactors(arrays: Arrays, shape: Shape, name: string): Matrix64[] {
  if (arrays.has("phi")) return [readMatrix(arrays, "phi", sizeOf(shape), name)];
  return shape.map((size, axis) => readMatrix(arrays, `phi_${axis}`, size, name));
}

function readMatrix(arrays: Arrays, key: string, rows: number, name: string): Matrix64 {
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

/** A value from JSON as text; it may be anything, even an object with its own `toString`. */
function asText(value: unknown): string {
  return typeof value === "string" ? value : show(value);
}

function asNumber(value: unknown): number {
  return typeof value === "number" ? value : Number.NaN;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The five arrays of a sparse matrix, as scipy stores it. */
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

/** The sparse matrix among the arrays of a file, checked entry by entry; `name` is for messages. */
export function fromScipy(arrays: Arrays, name: string): SparseColumns {
  const array = (key: string): NpyArray => {
    const found = arrays.get(key);
    if (!found) throw new InputError(`${name}: no sparse matrix in the layout of scipy.sparse.save_npz`);
    return found;
  };
  const damaged = (what: string) => new InputError(`${name}: damaged sparse matrix: ${what}`);
  const integers = (key: string): Float64Array => {
    const values = toFloat64(array(key), `${name}[${key}]`);
    const bad = values.find((value) => !Number.isSafeInteger(value));
    if (bad !== undefined) throw damaged(`${key} must be integers, got ${bad}`);
    return values;
  };
  const format = npyToText(array("format"), `${name}[format]`);
  if (format !== "csc")
    throw new InputError(`${name}: the sparse matrix must be in csc format, got ${show(format)}`);
  const [rows, cols, ...more] = integers("shape");
  const indptr = integers("indptr");
  const indices = integers("indices");
  const values = toFloat32(array("data"), `${name}[data]`);
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
      `${name}: columns of the sparse matrix must have similar lengths, got one of ${width} entries among ${cols}`,
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
