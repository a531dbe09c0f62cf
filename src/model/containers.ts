/**
 * Dictionaries in the files of other programs: the arrays of a model file (files.ts) in a `.safetensors` or a `.mat`, from
 * which the same model is read again, or D alone, as a matrix in a `.npy`.
 *
 *   .npz          the model file itself
 *   .safetensors  its arrays by the same names; `meta` among the texts of the header, as `trainlets`
 *   .mat          A as a sparse matrix; phi_0, phi_1, … or dictionary; uses, norms; meta as a text
 *   .npy          D, n × m: what made it (base, options) is not in it
 *
 * A `.safetensors` or `.mat` of another program holds a matrix with one atom per column, as a `.npy` does.
 */

import { InputError, show } from "../core/errors.js";
import type { DenseMatrix } from "../core/matrix.js";
import type { Shape } from "../core/shape.js";
import { halfArray } from "../data/formats/containers/half.js";
import { readSafetensors, writeSafetensors } from "../data/formats/containers/safetensors.js";
import { type MatVariable, matMatrix, readMat, writeMat } from "../data/formats/matlab/matFile.js";
import {
  makeNpy,
  type NpyArray,
  npyFromText,
  npyToText,
  readNpy,
  toFloat32,
  writeNpy,
} from "../data/formats/npy.js";
import { writeNpz } from "../data/formats/npz.js";
import { modelFromArray } from "./arrays.js";
import { type Arrays, fromScipy, modelArrays, modelFromArrays, modelFromBytes, toScipy } from "./files.js";
import type { Model } from "./model.js";

/** The endings of files that hold dictionaries. */
export const dictionaryEndings = [".npz", ".npy", ".mat", ".safetensors"] as const;
export type DictionaryEnding = (typeof dictionaryEndings)[number];

/** Bits of the numbers of atoms: f32 as they are, f16 for half the space. */
export const numberTypes = ["f32", "f16"] as const;
export type NumberType = (typeof numberTypes)[number];

/** The ending of a path, if it is one of a dictionary. */
export function dictionaryEnding(path: string): DictionaryEnding | undefined {
  return dictionaryEndings.find((ending) => path.toLowerCase().endsWith(ending));
}

// — writing ———————————————————————————————————————————————————————————————————

/** The bytes of a file with this ending; `D` is asked for by a `.npy` alone. */
export async function modelToContainer(
  model: Model,
  ending: DictionaryEnding,
  type: NumberType,
  D: () => Promise<DenseMatrix>,
): Promise<Uint8Array> {
  if (ending === ".npy") return writeNpy(inType(matrixArray(await D()), type, "dictionary"));
  if (ending === ".mat") {
    if (type === "f16") throw new InputError("a .mat has no numbers of 16 bits: use f32, or another format");
    return writeMat(matVariables(model));
  }
  const arrays = modelArrays(model).map(([name, array]): [string, NpyArray] => [
    name,
    isAtoms(name) ? inType(array, type, name) : array,
  ]);
  if (ending === ".npz") return writeNpz(arrays);
  const tensors = new Map(arrays.filter(([name]) => name !== "format" && name !== "meta"));
  return writeSafetensors({ arrays: tensors, metadata: { trainlets: metaText(arrays) } });
}

/** The arrays that hold atoms: values of A, or D. */
function isAtoms(name: string): boolean {
  return name === "data" || name === "dictionary";
}

function inType(array: NpyArray, type: NumberType, name: string): NpyArray {
  return type === "f16" ? halfArray(array, name) : array;
}

function metaText(arrays: readonly (readonly [string, NpyArray])[]): string {
  const meta = arrays.find(([name]) => name === "meta");
  return meta ? npyToText(meta[1], "meta") : "";
}

/** D in row-major order. */
function matrixArray(D: DenseMatrix): NpyArray {
  const rows = new Float32Array(D.data.length);
  for (let j = 0; j < D.cols; j++) for (let i = 0; i < D.rows; i++) rows[i * D.cols + j] = D.at(i, j);
  return makeNpy([D.rows, D.cols], rows);
}

function matVariables(model: Model): [string, MatVariable][] {
  const { A, dictionary } = model;
  const arrays = modelArrays(model);
  const atoms: [string, MatVariable] = dictionary
    ? ["dictionary", { kind: "full", shape: [dictionary.rows, dictionary.cols], data: dictionary.data }]
    : ["A", { kind: "sparse", matrix: A }];
  const others = arrays.flatMap(([name, array]): [string, MatVariable][] => {
    if (name === "meta") return [[name, { kind: "text", text: npyToText(array, name) }]];
    if (/^phi|^uses$|^norms$/.test(name)) return [[name, fullOf(array)]];
    return [];
  });
  return [atoms, ...others];
}

/** An array of one or two axes, by columns. */
function fullOf({ shape, data }: NpyArray): MatVariable {
  const numbers = data as Float64Array | Float32Array | Uint32Array;
  if (shape.length < 2) return { kind: "full", shape, data: numbers };
  const [rows, cols] = shape;
  const byColumns = numbers.slice();
  for (let i = 0; i < rows; i++)
    for (let j = 0; j < cols; j++) byColumns[j * rows + i] = numbers[i * cols + j];
  return { kind: "full", shape, data: byColumns };
}

// — reading ———————————————————————————————————————————————————————————————————

export interface ContainerOptions {
  /** The shape of an atom, where a matrix does not say. */
  readonly shape?: Shape | undefined;
  /** The matrix that is meant, where a file holds several. */
  readonly member?: string | undefined;
}

/** The dictionary in the bytes of a file with this ending; `name` is for messages. */
export function modelFromContainer(
  bytes: Uint8Array,
  ending: DictionaryEnding,
  name: string,
  { shape, member }: ContainerOptions = {},
): Model {
  if (ending === ".npy") return modelFromArray(readNpy(bytes, name), name, shape);
  if (ending === ".npz") return modelFromBytes(bytes, name);
  const { arrays, own } = ending === ".mat" ? matArrays(bytes, name) : tensorArrays(bytes, name);
  if (own && member === undefined) return modelFromArrays(arrays, name);
  const { key, array } = oneMatrix(arrays, name, member);
  return modelFromArray(array, `${name}[${key}]`, shape);
}

/** Whether a `.mat` is a dictionary that trainlets wrote. */
export function isOwnMat(bytes: Uint8Array, name: string): boolean {
  return matArrays(bytes, name).own;
}

interface Found {
  readonly arrays: Arrays;
  /** Whether it is a model that trainlets wrote. */
  readonly own: boolean;
}

function tensorArrays(bytes: Uint8Array, name: string): Found {
  const { arrays, metadata } = readSafetensors(bytes, name);
  const { trainlets } = metadata;
  if (trainlets === undefined) return { arrays, own: false };
  const all = new Map(arrays);
  all.set("meta", textArray(trainlets));
  if (all.has("indptr")) all.set("format", npyFromText("csc"));
  return { arrays: all, own: true };
}

function matArrays(bytes: Uint8Array, name: string): Found {
  const arrays = new Map<string, NpyArray>();
  let own = false;
  for (const [key, variable] of readMat(bytes, name)) {
    if (variable.kind === "text") {
      if (key === "meta") {
        own = true;
        arrays.set(key, textArray(variable.text));
      }
    } else if (variable.kind === "sparse" && key === "A") {
      for (const [part, array] of toScipy(variable.matrix)) arrays.set(part, array);
    } else if (key === "uses" || key === "norms") {
      if (variable.kind === "full") arrays.set(key, makeNpy([variable.data.length], variable.data));
    } else if (/^phi(_\d+)?$/.test(key) && variable.kind === "full") {
      arrays.set(key, rowMajor(variable.shape, Float64Array.from(variable.data)));
    } else {
      const D = matMatrix(variable);
      if (D) arrays.set(key, matrixArray(D));
    }
  }
  if (!own && arrays.has("indptr")) arrays.set("A", matrixArray(fromScipy(arrays, name).toDense()));
  return { arrays, own };
}

function rowMajor([rows, cols]: readonly number[], byColumns: Float64Array): NpyArray {
  const data = new Float64Array(byColumns.length);
  for (let i = 0; i < rows; i++) for (let j = 0; j < cols; j++) data[i * cols + j] = byColumns[j * rows + i];
  return makeNpy([rows, cols], data);
}

function textArray(text: string): NpyArray {
  const bytes = new TextEncoder().encode(text);
  return makeNpy([bytes.length], bytes);
}

/** The matrix of a name, or the only one. */
function oneMatrix(
  arrays: Arrays,
  name: string,
  member: string | undefined,
): { readonly key: string; readonly array: NpyArray } {
  const matrices = [...arrays].filter(([, { shape }]) => shape.length >= 2);
  const names = matrices.map(([key]) => key);
  if (member !== undefined) {
    const found = matrices.find(([key]) => key === member);
    if (found) return { key: member, array: { ...found[1], data: toFloat32(found[1], name), dtype: "<f4" } };
    throw new InputError(`${name} has no matrix ${show(member)}; it has ${names.join(", ") || "none"}`);
  }
  if (matrices.length === 1) return { key: names[0], array: matrices[0][1] };
  if (matrices.length === 0) throw new InputError(`${name}: not a dictionary: it holds no matrix`);
  throw new InputError(
    `${name} holds several matrices: name one, as in '${name}[${names[0]}]'; it has ${names.join(", ")}`,
  );
}
