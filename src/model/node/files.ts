/** Models on disk: written to a temporary name and renamed, so that a file is whole or not there. */

import { readFileBytes, writeFileAtomic } from "../../data/node/files.js";
import { modelFromBytes, modelToBytes } from "../files.js";
import type { Model } from "../model.js";

/** Write a model to a `.npz` file. */
export async function saveModel(path: string, model: Model): Promise<void> {
  await writeFileAtomic(path, modelToBytes(model));
}

/** Read a model from a `.npz` file. */
export async function loadModel(path: string): Promise<Model> {
  return modelFromBytes(await readFileBytes(path), path);
}
