/** The whole array in a file: a `.npy`, or the sound in a `.wav`. */

import { type NpyArray, readNpy } from "../../formats/npy.js";
import { readWav } from "../../formats/wav.js";
import { readFileBytes } from "../files.js";
import { kindOf } from "../inputKinds.js";

export async function readArrayFile(path: string): Promise<NpyArray> {
  const bytes = await readFileBytes(path);
  return kindOf(path) === "wav" ? readWav(bytes, path) : readNpy(bytes, path);
}
