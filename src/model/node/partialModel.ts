/**
 * The dictionary of an interrupted run: a file of its own beside the output, `d.partial.npz` for
 * `d.npz`, so that the output itself is always a finished model. `meta` marks it as partial, and
 * only a file with that mark is ever replaced or removed.
 */

import { lstat, stat, unlink } from "node:fs/promises";
import { extname } from "node:path";
import { InputError, ReadFailure } from "../../core/errors.js";
import { ifMissing, readError } from "../../data/node/files.js";
import { requireOutput } from "../../data/node/outputs.js";
import { Model, type ModelMeta } from "../model.js";
import { loadModel, saveModel } from "./files.js";

/** `d.npz` → `d.partial.npz`. */
function partialPath(output: string): string {
  const ending = extname(output);
  return `${output.slice(0, output.length - ending.length)}.partial${ending || ".npz"}`;
}

/**
 * Check before the work that an interrupted run can be saved beside `output`, and return where; undefined for a device
 * or a pipe, which has no place beside it.
 */
export async function requirePartialOutput(
  output: string,
  inputs: readonly (string | undefined)[],
): Promise<string | undefined> {
  if ((await kindAt(output)) === "other") return undefined;
  const path = partialPath(output);
  await requireOutput(path, [".npz"], inputs, "the file of an interrupted run");
  if ((await kindAt(path)) === "nothing" || (await isPartialModel(path))) return path;
  throw new InputError(
    `an interrupted run is saved to ${path}, which exists and is not the dictionary of an interrupted run`,
    { argument: "output", value: output },
  );
}

/** Save what a run had learned when it was interrupted. */
export async function savePartialModel(
  path: string,
  { base, A, meta, uses, norms, dictionary }: Model,
  partial: NonNullable<ModelMeta["partial"]>,
): Promise<void> {
  await saveModel(path, new Model(base, A, { ...meta, partial }, { uses, norms }, dictionary));
}

/** Remove the file of an interrupted run, once the run is finished. */
export async function removePartialModel(path: string): Promise<void> {
  const found = await lstat(path).catch(() => undefined);
  if (found?.isFile() && (await isPartialModel(path).catch(() => false))) await unlink(path).catch(() => {}); // it does no harm
}

async function isPartialModel(path: string): Promise<boolean> {
  if ((await kindAt(path)) !== "file") return false;
  try {
    return (await loadModel(path)).meta.partial !== undefined;
  } catch (error) {
    if (error instanceof InputError && !(error instanceof ReadFailure)) return false;
    throw error;
  }
}

/** What is at a path, through links. */
async function kindAt(path: string): Promise<"nothing" | "file" | "other"> {
  try {
    const found = await stat(path).catch(ifMissing);
    if (found === undefined) return "nothing";
    return found.isFile() ? "file" : "other";
  } catch (error) {
    throw readError(error, path);
  }
}
