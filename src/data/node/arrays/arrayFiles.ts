/** The whole array in a file, or a member of one: with the type it is stored as, row-major. */

import { InputError } from "../../../core/errors.js";
import { counted } from "../../../core/formatText.js";
import { makeNpy, type NpyArray, readNpy, toFloat32 } from "../../formats/npy.js";
import { readWav } from "../../formats/wav.js";
import { TemporaryStore, temporaryBytes } from "../archives/temporaryStore.js";
import { readFileBytes } from "../files.js";
import type { ArrayInput, Input } from "../inputKinds.js";
import { inspectInputs } from "../inputs.js";
import { shownPath } from "../system/fileNames.js";
import { OpenFiles } from "../system/openFiles.js";
import { readItems } from "./numberRows.js";
import { layoutIn, locate } from "./openArray.js";

/** `raw` is the form of plain numbers, if the file has no header. */
export async function readArrayFile(path: string, raw?: string): Promise<NpyArray> {
  const inputs = await inspectInputs([path], { raw, onSkip: () => {} });
  return readArrayInput(onlyArray(inputs, path));
}

/** The only input, which must be an array. */
function onlyArray(inputs: readonly Input[], path: string): ArrayInput {
  const [input] = inputs;
  if (inputs.length === 1 && input.kind !== "image") return input;
  throw new InputError(
    `${shownPath(path)} must hold one array, got ${counted(inputs.length, "input")}; name one, as in "${shownPath(path)}[NAME]"`,
  );
}

async function readArrayInput(input: ArrayInput): Promise<NpyArray> {
  const { path, within, kind } = input;
  const name = shownPath(path);
  if (!within && kind === "npy") return readNpy(await readFileBytes(path), path);
  if (!within && kind === "wav") return readWav(await readFileBytes(path), path);
  const files = new OpenFiles();
  try {
    const store = input.packed ? await TemporaryStore.open(files, temporaryBytes([input])) : undefined;
    const range = await locate(input, name, files, store);
    const layout = await layoutIn(range, input, name, files);
    const read = (at: number, into: Uint8Array) => files.read(range, at, into, name);
    if (layout.shape.length === 0) throw new InputError(`${name} holds a single value`);
    const array = await readItems({ name, layout, read }, 0, layout.shape[0]);
    if (kind !== "csv") return array;
    return makeNpy(array.shape, toFloat32(array, name)); // text has no type: that of all samples
  } finally {
    await files.close();
  }
}
