/**
 * From DATA arguments to the signals that patches are cut from.
 *
 * An image is one signal of two axes. An array with as many axes as the patch is
 * one signal; with one axis more, the first counts signals; anything else is an
 * error. What cannot serve (smaller than the patch, an image that cannot be
 * read) is skipped and named, as long as something is left.
 */

import { InputError } from "../../core/errors.js";
import type { Shape } from "../../core/shape.js";
import type { Signal } from "../../core/signal.js";
import { maxNpyHeaderLength, readNpyHeader } from "../formats/npyHeader.js";
import { readUnits, samplesOf } from "../sampling/signalSource.js";
import { listMembers } from "./archives.js";
import { expandInputs, kindOf } from "./expandInputs.js";
import { readFileStart } from "./files.js";
import type { Input, ReadSignalsOptions } from "./input.js";
import { nothingToRead, openSource } from "./openSource.js";

/** The files that DATA arguments stand for, and what they are; of arrays and archives only the headers are read. */
export async function inspectInputs(args: readonly string[]): Promise<Input[]> {
  const inputs: Input[] = [];
  for (const path of await expandInputs(args)) {
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
export function resolvePatch(patch: Shape, inputs: readonly Input[]): Shape {
  const square = patch.length === 1 && inputs.some((input) => input.kind === "image");
  return square ? [patch[0], patch[0]] : patch;
}

/** The signals of files, in their order, each at least as large as the patch. */
export async function readSignals(
  files: readonly (string | Input)[],
  options: ReadSignalsOptions,
): Promise<Signal[]> {
  const inputs: Input[] = [];
  for (const file of files) {
    const found = typeof file === "string" ? await inspectFile(file) : [file];
    for (const input of found) inputs.push(input);
  }
  const source = await openSource(inputs, options);
  try {
    const { units } = source;
    const signals: Signal[] = [];
    const roomFor = (unit: number) => new Float32Array(samplesOf(units[unit]));
    const images = new Set(inputs.filter(({ kind }) => kind === "image").map(({ path }) => path));
    await readUnits(source, Array.from(units.keys()), roomFor, (unit, read) => {
      if (read.problem && (inputs.length === 1 || !images.has(units[unit].name))) throw read.problem;
      if (read.problem) options.onSkip(`${read.problem.message}, skipped`);
      for (const signal of read.signals) signals.push(signal);
    });
    if (signals.length === 0) throw nothingToRead(options);
    return signals;
  } finally {
    await source.close();
  }
}
