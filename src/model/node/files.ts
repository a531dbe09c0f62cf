/** Files of dictionaries: models, and matrices of atoms or of base atoms. */

import { basename } from "node:path";
import { byRule, requireArgument, requireOptions, text } from "../../core/arguments/argumentTypes.js";
import { InputError } from "../../core/errors.js";
import { requireFinite } from "../../core/require.js";
import { requireSameShape, requireShape, type Shape } from "../../core/shape.js";
import { readNpy, toFloat64 } from "../../data/formats/npy.js";
import { readFileBytes, writeFileAtomic } from "../../data/node/files.js";
import { type BaseDictionary, createBase, matrixBase } from "../../dictionaries/base.js";
import { Matrix64 } from "../../linalg/matrix64.js";
import { dictionaryEnding, dictionaryEndings, modelFromContainer } from "../containers.js";
import { modelFromBytes, modelToBytes } from "../files.js";
import type { Model } from "../model.js";

/** Write a model to a `.npz` file, whole or not at all. */
export async function saveModel(path: string, model: Model): Promise<void> {
  requireArgument("saveModel", "path", path, text);
  await writeFileAtomic(path, modelToBytes(model, path));
}

export interface LoadModelOptions {
  /** The shape of an atom, where a `.npy` matrix does not say: by default a square, or 1-D. */
  readonly shape?: Shape | undefined;
}

/**
 * Read a model from a `.npz` file, or one that `trainlets convert` wrote to a `.mat` or `.safetensors`; or a matrix with one
 * atom per column, from a `.npy`, `.mat` or `.safetensors` file: `file.mat[D]` is the matrix D of several.
 */
export async function loadModel(path: string, options: LoadModelOptions = {}): Promise<Model> {
  requireArgument("loadModel", "path", path, text);
  requireOptions("loadModel", options, { shape: byRule });
  const { shape } = options;
  if (shape !== undefined) requireShape("loadModel", "shape", shape);
  const { file, member } = namedMatrix(path);
  const bytes = await readFileBytes(file);
  const ending = dictionaryEnding(file) ?? ".npz";
  requireZip(bytes, ending, path);
  const model = modelFromContainer(bytes, ending, file, { shape, member });
  if (shape) requireSameShape("loadModel", `shape of ${path}`, model.shape, shape);
  return model;
}

/** `file.mat[D]` is the matrix D of a file. */
function namedMatrix(path: string): { readonly file: string; readonly member?: string } {
  const [, file, member] = /^(.*\.(?:mat|safetensors))\[([^\]]+)\]$/is.exec(path) ?? [];
  return file && member ? { file, member } : { file: path };
}

/** Name what is given instead of a dictionary: a picture, most often. */
function requireZip(bytes: Uint8Array, ending: string, path: string): void {
  const isZip = bytes.length < 4 || (bytes[0] === 0x50 && bytes[1] === 0x4b);
  if (ending !== ".npz" || isZip) return;
  const kinds = `a dictionary of train (.npz), or a matrix with one atom per column (${dictionaryEndings.slice(1).join(", ")})`;
  throw new InputError(`${path} is not a dictionary: give ${kinds}`);
}

/**
 * A base for signals of a shape: by name as in `createBase`, an n × L matrix by a path that ends in `.npy`, or the base
 * of a model by one that ends in `.npz`. The base of a model of `sedil` is its learned factors, and that of one without
 * a base its atoms.
 */
export async function loadBase(name: string, shape: Shape): Promise<BaseDictionary> {
  requireArgument("loadBase", "name", name, text);
  if (isBaseModel(name)) return baseOfModel(name, shape);
  if (!isBaseMatrix(name)) return createBase(name, shape);
  const array = readNpy(await readFileBytes(name), name);
  const [rows, cols] = array.shape;
  if (array.shape.length !== 2) {
    throw new InputError(`base ${name} must be a matrix of 2 axes, got shape (${array.shape.join(", ")})`, {
      where: "loadBase",
      argument: "base",
      value: name,
    });
  }
  const values = toFloat64(array, name); // row by row
  requireFinite("loadBase", `base ${name}`, values);
  const matrix = new Matrix64(cols, rows, values).transpose();
  return { ...matrixBase(name, shape, matrix), name: basename(name) };
}

const isBaseMatrix = (name: string): boolean => name.toLowerCase().endsWith(".npy");
const isBaseModel = (name: string): boolean => name.toLowerCase().endsWith(".npz");

/** Whether the name of a base is a path to a file. */
export const isBaseFile = (name: string): boolean => isBaseMatrix(name) || isBaseModel(name);

async function baseOfModel(path: string, shape: Shape): Promise<BaseDictionary> {
  const { base } = modelFromBytes(await readFileBytes(path), path);
  requireSameShape("loadBase", `the patch of base ${path}`, base.shape, shape);
  return { name: basename(path), shape: base.shape, factors: base.factors };
}
