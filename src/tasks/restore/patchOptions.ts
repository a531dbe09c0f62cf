/**
 * What `denoise` and `inpaint` have in common: windows that fit a signal, the base
 * for them, the steps between them, and how far the work has come.
 */

import { InputError, onBehalfOf } from "../../core/errors.js";
import { requireAbove, requireInteger } from "../../core/require.js";
import { formatShape, requireShape, type Shape } from "../../core/shape.js";
import type { Signal } from "../../core/signal.js";
import { type BaseDictionary, createBase } from "../../dictionaries/base.js";
import type { TrainOptions } from "../../learn/run/trainOptions.js";

/** How the dictionary is learned, where none is given; anything else as in `train`. */
export interface PatchTraining
  extends Pick<
    TrainOptions,
    "base" | "atoms" | "learner" | "batch" | "epochs" | "examples" | "momentum" | "seed" | "atomCare"
  > {
  /** k/n: non-zeros of each atom as a share of the samples of a patch; a tenth unless told. */
  readonly atomShare?: number | undefined;
}

/** How far a task has come. */
export interface TaskProgress {
  readonly stage: "learning" | "coding";
  /** Which dictionary and patch size is at work, from 1, of `passes`. */
  readonly pass: number;
  readonly passes: number;
  /** The share of the stage that is done, from 0 to 1. */
  readonly done: number;
}

/** Sizes of a patch along each axis unless told, by the number of axes of the signal. */
const usualSizes: Readonly<Record<number, number>> = { 1: 64, 2: 16, 3: 6 };

/** The patch unless told: as large as the signals allow, where they are small. */
export function defaultPatch(where: string, signals: readonly Signal[], channels: boolean): Shape {
  const axes = signals[0].shape.length - (channels ? 1 : 0);
  const size = channels ? 8 : usualSizes[axes];
  if (size === undefined)
    throw new InputError(`patch must be given for signals of ${axes} axes`, { where, argument: "patch" });
  return Array.from({ length: axes }, (_, axis) =>
    signals.reduce((least, { shape }) => Math.min(least, shape[axis]), size),
  );
}

/** The whole shape of a patch, its channels included; refused where a signal has no such window. */
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

/** A base for patches; channels are mixed by the orthonormal DCT of so many samples. */
export function patchBase(
  where: string,
  base: string | BaseDictionary,
  patch: Shape,
  channels: boolean,
): string | BaseDictionary {
  if (!channels || typeof base !== "string") return base;
  const plane = onBehalfOf(where, () => createBase(base, patch.slice(0, -1)));
  const mixing = createBase("odct:1", patch.slice(-1));
  return { name: `${base}, channels`, shape: patch, factors: [...plane.factors, ...mixing.factors] };
}

/** The same step along all axes, at most the patch, so that windows leave no gaps. */
export function strideOf(where: string, stride: number, patch: Shape): Shape {
  requireInteger(where, "stride", stride, 1, Math.max(...patch));
  return patch.map((size) => Math.min(size, stride));
}

/** k as a share of the samples of a patch, unless told: that of §V-B. */
export const defaultAtomShare = 0.1;

/** k for patches of n samples. */
export function atomSparsityOf(where: string, share: number, n: number): number {
  return Math.max(1, Math.round(requireAbove(where, "atomShare", share, 0) * n));
}
