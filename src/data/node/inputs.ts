/**
 * From files to the signals that patches are cut from.
 *
 * An image is one signal of two axes. An array with as many axes as the patch is
 * one signal; with one axis more, the first counts signals; anything else is an
 * error. What cannot serve (smaller than the patch, an image that cannot be
 * read) is skipped and named, as long as something is left.
 */

import { InputError } from "../../core/errors.js";
import { formatShape, requireShape, type Shape, sizeOf } from "../../core/shape.js";
import { makeSignal, type Signal } from "../../core/signal.js";
import { readNpy, toFloat32 } from "../npy.js";
import { maxNpyHeaderLength, readNpyHeader } from "../npyHeader.js";
import { expandInputs, kindOf } from "./expand.js";
import { readFileBytes, readFileStart } from "./files.js";
import { readImage } from "./images.js";

/** A file to read signals from; the shape of an array is known from its header. */
export type Input =
  | { readonly kind: "image"; readonly path: string }
  | { readonly kind: "npy"; readonly path: string; readonly shape: readonly number[] };

export interface ReadSignalsOptions {
  readonly patch: Shape;
  /** The command, for messages. */
  readonly caller: string;
  /** Told of every file that is left out, in one line. */
  readonly onSkip: (message: string) => void;
}

/** The files that DATA arguments stand for, and what they are; of arrays only the headers are read. */
export async function inspectInputs(args: readonly string[], caller: string): Promise<Input[]> {
  const inputs: Input[] = [];
  for (const path of await expandInputs(args, caller)) {
    if (kindOf(path) === "image") {
      inputs.push({ kind: "image", path });
    } else {
      const { shape } = readNpyHeader(await readFileStart(path, maxNpyHeaderLength), path);
      inputs.push({ kind: "npy", path, shape });
    }
  }
  return inputs;
}

/** One number means a square where there are images, and a window of a 1-D signal elsewhere. */
export function resolvePatch(patch: Shape, inputs: readonly Input[]): Shape {
  const square = patch.length === 1 && inputs.some((input) => input.kind === "image");
  return square ? [patch[0]!, patch[0]!] : patch;
}

/** The signals in files, in their order, each at least as large as the patch. */
export async function readSignals(paths: readonly string[], options: ReadSignalsOptions): Promise<Signal[]> {
  const { patch, caller, onSkip } = options;
  requireShape(caller, "patch", patch);
  const signals: Signal[] = [];
  for (const path of paths) {
    const found = kindOf(path) === "npy" ? await readArrays(path, options) : await readPicture(path, options);
    if (found instanceof InputError && paths.length === 1) throw found;
    if (found instanceof InputError) onSkip(`${found.message}, skipped`);
    else for (const signal of found) signals.push(signal);
  }
  if (signals.length > 0) return signals;
  throw new InputError(`${caller}: nothing to read: no input holds a patch of ${formatShape(patch)}`);
}

/** The picture in a file; an error that is returned, not thrown, leaves out this file alone. */
async function readPicture(
  path: string,
  { patch, caller }: ReadSignalsOptions,
): Promise<Signal[] | InputError> {
  if (patch.length !== 2) {
    throw new InputError(
      `${caller}: ${path} is an image: the patch must have 2 axes, got ${formatShape(patch)}`,
    );
  }
  try {
    const picture = await readImage(path);
    return tooSmall(path, picture.shape, patch) ?? [picture];
  } catch (error) {
    if (error instanceof InputError) return error;
    throw error;
  }
}

/** The signals of an array, views of one copy. */
async function readArrays(
  path: string,
  { patch, caller }: ReadSignalsOptions,
): Promise<Signal[] | InputError> {
  const array = readNpy(await readFileBytes(path), path);
  const axes = array.shape.length;
  if (axes !== patch.length && axes !== patch.length + 1) throw wrongAxes(path, array.shape, patch, caller);
  if (array.data.length === 0) return new InputError(`${path}: ${formatShape(array.shape)} holds no samples`);
  const stacked = axes > patch.length;
  const shape = stacked ? array.shape.slice(1) : array.shape;
  const small = tooSmall(path, shape, patch);
  if (small) return small;
  const data = toFloat32(array, path);
  if (!stacked) return [makeSignal(path, shape, data)];
  const size = sizeOf(shape);
  return Array.from({ length: array.shape[0]! }, (_, i) =>
    makeSignal(`${path}[${i}]`, shape, data.subarray(i * size, (i + 1) * size)),
  );
}

function tooSmall(path: string, shape: Shape, patch: Shape): InputError | undefined {
  if (shape.every((size, axis) => size >= patch[axis]!)) return undefined;
  return new InputError(`${path}: ${formatShape(shape)} is smaller than the patch ${formatShape(patch)}`);
}

function wrongAxes(path: string, shape: readonly number[], patch: Shape, caller: string): InputError {
  const has = shape.length === 1 ? "1 axis" : `${shape.length} axes`;
  const one = patch.length === 1 ? "1 axis" : `${patch.length} axes`;
  return new InputError(
    `${caller}: ${path} has ${has} (${formatShape(shape) || "a single value"}): a patch of ${formatShape(patch)} ` +
      `needs ${one} (one signal) or ${patch.length + 1} (the first counts signals)`,
  );
}
