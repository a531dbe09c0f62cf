/** Model files on disk. */

import { requireSameShape, type Shape } from "../../core/shape.js";
import { readNpy } from "../../data/formats/npy.js";
import { readFileBytes, writeFileAtomic } from "../../data/node/files.js";
import { modelFromArray } from "../arrays.js";
import { modelFromBytes, modelToBytes } from "../files.js";
import type { Model } from "../model.js";

/** Write a model to a `.npz` file, whole or not at all. */
export async function saveModel(path: string, model: Model): Promise<void> {
  await writeFileAtomic(path, modelToBytes(model));
}

export interface LoadModelOptions {
  /** The shape of an atom, where a `.npy` matrix does not say: by default a square, or 1-D. */
  readonly shape?: Shape | undefined;
}

/** Read a model from a `.npz` file, or a matrix with one atom per column from a `.npy` file. */
export async function loadModel(path: string, { shape }: LoadModelOptions = {}): Promise<Model> {
  const bytes = await readFileBytes(path);
  if (path.toLowerCase().endsWith(".npy")) return modelFromArray(readNpy(bytes, path), path, shape);
  const model = modelFromBytes(bytes, path);
  if (shape) requireSameShape("loadModel", `shape of ${path}`, model.shape, shape);
  return model;
}
