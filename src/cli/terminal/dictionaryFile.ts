/** The dictionary of a command: a file that `train` wrote, or a matrix of one's own. */

import type { Option } from "commander";
import { InputError } from "../../core/errors.js";
import { parseShape } from "../../core/shape.js";
import { readFileBytes } from "../../data/node/files.js";
import { statIfThere } from "../../data/node/system/folderFiles.js";
import { formatOf, modelFormat } from "../../model/files.js";
import type { Model } from "../../model/model.js";
import { loadModel } from "../../model/node/files.js";
import { option } from "./flags.js";

export interface AtomShapeFlag {
  readonly atomShape?: string;
}

/** What `-d` takes. */
export const dictionaryFiles =
  "from train (.npz), or a matrix with one atom per column (.npy, .mat, .safetensors)";

/** The option for matrices whose atoms are neither square nor 1-D, or 1-D with a square number of samples. */
export function atomShapeOption(): Option {
  return option(
    "--atom-shape <sizes>",
    "shape of the atoms of a matrix: 8x16, 256",
    undefined,
    "square if possible, otherwise 1-D",
  );
}

export function loadDictionary(path: string, { atomShape }: AtomShapeFlag): Promise<Model> {
  const shape = atomShape === undefined ? undefined : parseShape("loadModel", "atomShape", atomShape);
  return loadModel(path, { shape });
}

/** Refuse to write something else over a dictionary: it took longer to make than what would replace it. */
export async function requireNoDictionary(output: string): Promise<void> {
  if (!(await isDictionary(output))) return;
  throw new InputError((nameOf) => `${nameOf("output")} ${output} is a dictionary: choose another name`, {
    argument: "output",
    value: output,
  });
}

async function isDictionary(path: string): Promise<boolean> {
  try {
    if (!(await statIfThere(path))?.isFile()) return false; // a new name, or a pipe, whose reader waits for the codes
    return formatOf(await readFileBytes(path), path) === modelFormat;
  } catch {
    return false; // a file of another kind
  }
}

/** Refuse `--atom-shape` where there is no dictionary that it could be about. */
export function requireDictionaryFor({ atomShape }: AtomShapeFlag): undefined {
  if (atomShape === undefined) return undefined;
  throw new InputError((nameOf) => `${nameOf("atomShape")} needs ${nameOf("dictionary")}`, {
    argument: "atomShape",
  });
}
