/** What `denoise` and `inpaint` read and write: one picture, or the signals of one array. */

import { extname, resolve } from "node:path";
import { stderr } from "node:process";
import { InputError, inputError } from "../../core/errors.js";
import { formatShape, type Shape, sizeOf } from "../../core/shape.js";
import { makeSignal, type Signal } from "../../core/signal.js";
import { makeNpy, readNpy, toFloat32, writeNpy } from "../../data/formats/npy.js";
import { kindOf } from "../../data/node/expandInputs.js";
import { readFileBytes, writeFileAtomic } from "../../data/node/files.js";
import {
  type PictureFile,
  pictureExtensions,
  readPictureFile,
  writePictureFile,
} from "../../data/node/pictures.js";
import { psnr } from "../../tasks/approximate/representation.js";
import type { TaskProgress } from "../../tasks/restore/patchOptions.js";
import { flagOf, type Share } from "./flags.js";
import { Interrupt } from "./interrupt.js";
import { requireOutput } from "./outputs.js";
import { ProgressLine, rounded } from "./progress.js";

/** What was read: signals to work on, and what it takes to write them again. */
export interface Restorable {
  readonly signals: readonly Signal[];
  /** The picture they were, or nothing for an array. */
  readonly picture: PictureFile | undefined;
  /** The shape of the array. */
  readonly shape: Shape;
}

/** Samples of an array may be missing (NaN) where `gaps` says so; a picture has none. */
export interface ReadOptions {
  readonly caller: string;
  /** The patch as typed: an array with one axis more holds a stack of signals. */
  readonly axes: number | undefined;
  readonly gaps?: boolean;
}

/** The picture or the signals in a file. */
export async function readRestorable(path: string, options: ReadOptions): Promise<Restorable> {
  if (kindOf(path) === "npy") return readArray(path, options);
  const picture = await readPictureFile(path);
  return { signals: [picture.signal], picture, shape: picture.signal.shape };
}

async function readArray(path: string, { caller, axes, gaps = false }: ReadOptions): Promise<Restorable> {
  const array = readNpy(await readFileBytes(path), path);
  const { shape } = array;
  const stacked = axes !== undefined && shape.length === axes + 1;
  if (shape.length === 0 || (axes !== undefined && !stacked && shape.length !== axes)) {
    throw new InputError(
      `${caller}: ${path} has shape ${formatShape(shape) || "()"}: it must have as many axes as the patch, or one more that counts signals`,
    );
  }
  if (array.data.length === 0) throw new InputError(`${path}: ${formatShape(shape)} holds no samples`);
  const data = toFloat32(array, path);
  const one = stacked ? shape.slice(1) : shape;
  const signals = Array.from({ length: stacked ? shape[0] : 1 }, (_, i) => {
    const name = stacked ? `${path}[${i}]` : path;
    const samples = data.subarray(i * sizeOf(one), (i + 1) * sizeOf(one));
    return gaps ? { name, shape: one, data: samples } : makeSignal(name, one, samples);
  });
  return { signals, picture: undefined, shape };
}

/** Refuse, before any work, an output that could not be written or would replace an input. */
export async function requireRestoredOutput(
  output: string,
  caller: string,
  inputs: readonly (string | undefined)[],
): Promise<void> {
  await requireOutput(output, caller, [...pictureExtensions, ".npy"]);
  const clash = inputs.find((path) => path !== undefined && resolve(path) === resolve(output));
  if (clash !== undefined) throw new InputError(`${caller}: --output must not be an input, got ${output}`);
}

/** Refuse what says how to learn, where a dictionary is given. */
export function requireNoLearning(caller: string, flags: object, names: readonly string[]): void {
  const learning = [...names, "patch", "base", "learner", "batch", "epochs", "examples", "atomSparsity"];
  const given = learning.find((name) => (flags as Record<string, unknown>)[name] !== undefined);
  if (given === undefined) return;
  throw new InputError(`${caller}: ${flagOf(given)} and --dictionary must not both be given`);
}

/** Refuse an output that cannot hold what was read. */
export function requireHolds(output: string, { picture, shape }: Restorable, caller: string): void {
  if (extname(output).toLowerCase() === ".npy") return;
  if (picture === undefined)
    throw new InputError(`${caller}: an array of ${formatShape(shape)} goes to a .npy, got ${output}`);
  if (picture.bits === 32)
    throw new InputError(`${caller}: samples on a scale of their own go to a .npy, got ${output}`);
}

/** Write signals where and as they were: a picture, or float32 samples. */
export async function writeRestored(
  output: string,
  signals: readonly Signal[],
  { picture, shape }: Restorable,
): Promise<void> {
  if (picture && extname(output).toLowerCase() !== ".npy")
    return writePictureFile(output, { ...picture, signal: signals[0] });
  const data = new Float32Array(sizeOf(shape));
  let at = 0;
  for (const signal of signals) {
    data.set(signal.data, at);
    at += signal.data.length;
  }
  await writeFileAtomic(output, writeNpy(makeNpy(shape, data)));
}

/** Run with its progress on standard error; Ctrl-C ends it, and nothing is written. */
export async function withProgress<T>(
  caller: string,
  run: (signal: AbortSignal, onProgress: (progress: TaskProgress) => void) => Promise<T>,
): Promise<T> {
  const line = new ProgressLine();
  const interrupt = new Interrupt(() => line.note(`${caller}: ending, nothing is written`));
  interrupt.listen();
  let last = -Infinity;
  try {
    return await run(interrupt.signal, ({ stage, pass, passes, done }) => {
      const now = performance.now();
      if (now - last < 100 && done < 1) return;
      last = now;
      const part = passes > 1 ? [`pass ${pass} of ${passes}`] : [];
      line.show([`${(100 * done).toFixed(0).padStart(3)}%`, `${stage} patches`, ...part]);
    });
  } catch (error) {
    if (interrupt.signal.aborted) throw new Error("interrupted: nothing was written");
    throw error;
  } finally {
    line.clear();
    interrupt.stop();
  }
}

/**
 * How near results are to what was read, one after the other: the PSNR of pictures as they would be saved (clipped to 0…255,
 * not rounded); of arrays, whose samples have no scale that is known, the RMSE. Samples that were missing are not judged.
 */
export function qualityOf(
  results: readonly (readonly Signal[])[],
  { signals: clean, picture }: Restorable,
): string {
  const errors = results.map((signals) => rmseOf(signals, clean, picture ? [0, 255] : [-Infinity, Infinity]));
  if (!picture) return `RMSE ${errors.map(rounded).join(" → ")}`;
  return `PSNR ${errors.map((rmse) => `${psnr(rmse).toFixed(2)} dB`).join(" → ")}`;
}

function rmseOf(
  signals: readonly Signal[],
  clean: readonly Signal[],
  [least, most]: readonly [number, number],
): number {
  let [energy, count] = [0, 0];
  signals.forEach(({ data }, s) => {
    data.forEach((value, i) => {
      const truth = clean[s].data[i];
      if (Number.isNaN(truth)) return;
      energy += (Math.min(most, Math.max(least, value)) - truth) ** 2;
      count++;
    });
  });
  return Math.sqrt(energy / Math.max(1, count));
}

/** A share as a number from 0 to 1: `10%` is 0.1. */
export function shareOf(caller: string, flag: string, value: Share | undefined): number | undefined {
  if (value === undefined) return undefined;
  if (typeof value === "object" && value.percent > 0 && value.percent <= 100) return value.percent / 100;
  const got = typeof value === "object" ? `${value.percent}%` : value;
  throw inputError(caller, flag, "must be a percentage above 0, up to 100%", got);
}

export function note(line: string): void {
  stderr.write(`${line}\n`);
}
