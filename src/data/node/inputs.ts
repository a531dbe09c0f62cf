/** From paths to inputs: the images and arrays that files, folders, globs and archives stand for. */

import { InputError } from "../../core/errors.js";
import type { Shape } from "../../core/shape.js";
import { maxNpyHeaderLength, readNpyHeader } from "../formats/npyHeader.js";
import { listMembers } from "./archives.js";
import { expandInputs, kindOf } from "./expandInputs.js";
import { readFileStart } from "./files.js";
import type { Input, InputList } from "./input.js";

/** The files that paths, folders and globs stand for, and what they are; of arrays and archives only the headers are read. */
export async function inspectInputs(data: InputList): Promise<Input[]> {
  const list = typeof data === "string" ? [data] : data;
  const paths = list.filter((item) => typeof item === "string");
  const inputs: Input[] = list.filter((item) => typeof item !== "string");
  if (paths.length === 0 && inputs.length > 0) return inputs;
  for (const path of await expandInputs(paths)) {
    for (const input of await inspectFile(path)) inputs.push(input);
  }
  return inputs;
}

async function inspectFile(path: string): Promise<readonly Input[]> {
  const kind = kindOf(path);
  if (kind === "image") return [{ kind, path }];
  if (kind === "npy") {
    const { shape } = readNpyHeader(await readFileStart(path, maxNpyHeaderLength), path);
    return [{ kind, path, shape }];
  }
  const members = await listMembers(path, kind);
  if (members.length === 0) throw new InputError(`no images or .npy arrays in ${path}`);
  return members;
}

/** One number means a square where there are images, and a window of a 1-D signal elsewhere. */
export function resolvePatch(patch: Shape | number, inputs: readonly Input[]): Shape {
  const shape = typeof patch === "number" ? [patch] : patch;
  const square = shape.length === 1 && inputs.some((input) => input.kind === "image");
  return square ? [shape[0], shape[0]] : shape;
}
