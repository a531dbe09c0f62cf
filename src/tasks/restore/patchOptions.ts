/**
 * What `denoise` and `inpaint` have in common: patches that fit a signal, the base
 * for them, the steps between them, and how far the work has come.
 */

import { type Elsewhere, optionNames, requireKnownOptions } from "../../core/arguments/knownOptions.js";
import { InputError, onBehalfOf } from "../../core/errors.js";
import { requireInteger, requireOneOf } from "../../core/require.js";
import { formatShape, requireShape, type Shape } from "../../core/shape.js";
import type { Signal } from "../../core/signal.js";
import { type BaseDictionary, createBase } from "../../dictionaries/base.js";
import { type PursuitName, pursuitNames } from "../../kernels/contract.js";
import type { AtomSparsity, TrainOptions } from "../../learn/run/trainOptions.js";

/** How the dictionary is learned, unless one is given; anything else as in `train`. */
export interface PatchTraining
  extends Pick<
    TrainOptions,
    "base" | "atoms" | "learner" | "batch" | "epochs" | "examples" | "momentum" | "seed" | "atomCare"
  > {
  /** Non-zeros of each column of A, `k`: a number, or a percentage of the samples of a patch; by default 10 %. */
  readonly atomSparsity?: AtomSparsity | undefined;
}

const trainingNames = optionNames<PatchTraining>({
  base: true,
  atoms: true,
  atomSparsity: true,
  learner: true,
  batch: true,
  epochs: true,
  examples: true,
  momentum: true,
  seed: true,
  atomCare: true,
});

/** Where options of learning go, which people give beside `training`. */
export const taskOptionsElsewhere: Elsewhere = {
  ...Object.fromEntries(trainingNames.map((name) => [name, () => `training: { ${name}: … }`])),
  model: () => "dictionary",
  patches: () => "patch",
};

/** How atoms are taken: `omp` by default. */
export function requirePursuit(where: string, pursuit: PursuitName | undefined): void {
  if (pursuit !== undefined) requireOneOf(where, "pursuit", pursuit, pursuitNames);
}

/** Refuse options of `training` that are not options of learning. */
export function requireTrainingOptions(where: string, training: PatchTraining | undefined): void {
  if (training !== undefined) requireKnownOptions(`${where}: training`, training, trainingNames);
}

/** How far a task has come. */
export interface TaskProgress {
  readonly stage: "learning" | "coding";
  /** Which dictionary and patch size is at work, from 1, of `passes`. */
  readonly pass: number;
  readonly passes: number;
  /** The share of the stage that is done, from 0 to 1. */
  readonly done: number;
  /** About how much of all the work is done, from 0 to 1. */
  readonly whole: number;
}

/** One signal or several, as a list. */
export function signalList(where: string, data: Signal | readonly Signal[]): readonly Signal[] {
  const signals = Array.isArray(data) ? data : [data];
  if (signals.length === 0) throw new InputError("signals must be at least one, got none", { where });
  return signals;
}

/** The default size of a patch along each axis, by the number of axes of the signal. */
const usualSizes: Readonly<Record<number, number>> = { 1: 64, 2: 16, 3: 6 };

/** The default patch, as large as the signals allow if they are small. */
export function defaultPatch(where: string, signals: readonly Signal[], channels: boolean): Shape {
  const axes = signals[0].shape.length - (channels ? 1 : 0);
  const size = channels ? 8 : usualSizes[axes];
  if (size === undefined)
    throw new InputError(`patch must be given for signals of ${axes} axes`, { where, argument: "patch" });
  return Array.from({ length: axes }, (_, axis) =>
    signals.reduce((least, { shape }) => Math.min(least, shape[axis]), size),
  );
}

/** The whole shape of a patch, channels included; rejected if a signal has no such window. */
export function requirePatch(
  where: string,
  patch: Shape,
  signals: readonly Signal[],
  channels: boolean,
): Shape {
  requireShape(where, "patch", patch);
  for (const { name, shape } of signals) {
    const whole = channels ? [...patch, shape.at(-1)!] : patch;
    const fits = whole.length === shape.length && whole.every((size, axis) => size <= shape[axis]);
    if (!fits)
      throw new InputError(
        `${name} must be at least ${formatShape(whole)}, the patch, got ${formatShape(shape)}`,
        { where },
      );
  }
  return channels ? [...patch, signals[0].shape.at(-1)!] : patch;
}

/** The base for patches; a named one mixes channels by the orthonormal DCT over them. */
export function patchBase(
  where: string,
  base: string | BaseDictionary,
  patch: Shape,
  channels: boolean,
): BaseDictionary {
  if (typeof base !== "string") return base;
  const plane = onBehalfOf(where, () => createBase(base, channels ? patch.slice(0, -1) : patch));
  if (!channels) return plane;
  const mixing = createBase("odct:1", patch.slice(-1));
  return { name: `${base}, channels`, shape: patch, factors: [...plane.factors, ...mixing.factors] };
}

/** The same step along all axes, at most the patch, so that windows leave no gaps. */
export function strideOf(where: string, stride: number, patch: Shape): Shape {
  requireInteger(where, "stride", stride, 1, Math.max(...patch));
  return patch.map((size) => Math.min(size, stride));
}
