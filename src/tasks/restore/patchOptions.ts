/**
 * What `denoise` and `inpaint` have in common: patches that fit a signal, the base
 * for them, the steps between them, and how far the work has come.
 */

import { type Elsewhere, optionNames, requireKnownOptions } from "../../core/arguments/knownOptions.js";
import { InputError, onBehalfOf } from "../../core/errors.js";
import { requireInteger, requireOneOf } from "../../core/require.js";
import { colourMismatch } from "../../core/samples/colourMismatch.js";
import { formatShape, requireShape, type Shape } from "../../core/shape.js";
import type { Signal } from "../../core/signal.js";
import { type BaseDictionary, channelledBase, createBase, defaultBaseFor } from "../../dictionaries/base.js";
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

/**
 * The whole shape of a patch, channels included; rejected if a signal has no such window. `patchOf` is what it is the
 * patch of, for messages.
 */
export function requirePatch(
  where: string,
  patch: Shape,
  signals: readonly Signal[],
  channels: boolean,
  patchOf?: string,
): Shape {
  requireShape(where, "patch", patch);
  const whole = channels ? withChannels(patch, signals[0].shape) : patch;
  for (const { name, shape } of signals) {
    const fits = whole.length === shape.length && whole.every((size, axis) => size <= shape[axis]);
    if (fits) continue;
    const rule = `must be at least ${formatShape(whole)}, the patch`;
    throw (
      colourMismatch(name, shape, whole, patchOf)?.by(where) ??
      new InputError(`${name} ${rule}, got ${formatShape(shape)}`, { where })
    );
  }
  return whole;
}

/** A patch with all channels of a signal, unless it has them already. */
function withChannels(patch: Shape, signal: Shape): Shape {
  const channels = signal.slice(-1);
  return patch.length === signal.length && patch.at(-1) === channels[0] ? patch : [...patch, ...channels];
}

/** The base for patches, by default `usual`; one name for the axes of a plane is completed by the base of channels. */
export function patchBase(
  where: string,
  base: string | BaseDictionary | undefined,
  usual: string,
  patch: Shape,
  channels: boolean,
): BaseDictionary {
  return onBehalfOf(where, () => {
    if (base === undefined) return createBase(defaultBaseFor(patch, usual), patch);
    if (typeof base !== "string") return base;
    return channels ? channelledBase(base, patch) : createBase(base, patch);
  });
}

/** The same step along all axes, at most the patch, so that windows leave no gaps. */
export function strideOf(where: string, stride: number, patch: Shape): Shape {
  requireInteger(where, "stride", stride, 1, Math.max(...patch));
  return patch.map((size) => Math.min(size, stride));
}
