/** Options of denoising, their defaults, and how they are checked against the signals. */

import {
  abortSignal,
  byRule,
  callback,
  either,
  kernels as kernelsType,
  listOf,
  model as modelType,
  numberList,
  numberWith,
  type OptionTypes,
  requireOptions,
} from "../../core/arguments/argumentTypes.js";
import { InputError, inputError, onBehalfOf } from "../../core/errors.js";
import { requireInteger } from "../../core/require.js";
import type { Nodata } from "../../core/samples/gaps.js";
import { formatShape, type Shape } from "../../core/shape.js";
import type { Signal } from "../../core/signal.js";
import type { Kernels, PursuitName } from "../../kernels/contract.js";
import type { Model } from "../../model/model.js";
import type { ColourMode } from "./colour.js";
import { estimateNoise } from "./estimateNoise.js";
import { patchDefaults } from "./patchLearning.js";
import {
  defaultPatch,
  type PatchTraining,
  requirePatch,
  requirePursuit,
  requireTrainingOptions,
  strideOf,
  type TaskProgress,
  taskOptionsElsewhere,
} from "./patchOptions.js";

export interface DenoiseOptions {
  /** Standard deviation of the noise, in the units of the samples: one number, or one per signal; estimated by default. */
  readonly sigma?: number | readonly number[] | undefined;
  /** The shape of the patches, without channels; the results of several shapes are averaged. */
  readonly patch?: Shape | readonly Shape[] | undefined;
  /**
   * How colour pictures (height × width × 3) are treated: `luma-chroma` (by default) denoises planes of luma and chroma,
   * `each` red, green and blue, each like a grey picture; `joint` takes patches with all channels; `none` treats the
   * channels as an axis like any other, and is the default for a patch or dictionary of three axes, such as 8×8×3.
   */
  readonly colour?: ColourMode | undefined;
  /** Samples between neighbouring windows, along each axis. */
  readonly stride?: number | undefined;
  /** λ of (14): the weight of the noisy signal beside the patches. */
  readonly lambda?: number | undefined;
  /** q: the share of patches of pure noise that a limit ε² = σ² χ²_q(n) takes for noise. */
  readonly quantile?: number | undefined;
  /** How the atoms of a code are chosen, in learning as well: `omp` (by default) or `ols`. */
  readonly pursuit?: PursuitName | undefined;
  /** The number of denoising passes. */
  readonly iterations?: number | undefined;
  /** Values that mark missing samples; NaN is one, too. Missing samples stay as they are. */
  readonly nodata?: Nodata | undefined;
  /** The dictionary to use; by default one is learned from the signals. */
  readonly dictionary?: Model | undefined;
  /** How it is learned. */
  readonly training?: PatchTraining | undefined;
  /** Where to compute; the best device by default. The caller keeps and closes kernels that it gives. */
  readonly kernels?: Kernels | undefined;
  /** Abort to end it: the promise is then rejected. */
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: TaskProgress) => void) | undefined;
}

export const denoiseDefaults = {
  ...patchDefaults,
  stride: 1,
  lambda: 2,
  quantile: 0.9,
  iterations: 1,
  base: "cropped:sym8",
  examples: 200_000,
  epochs: 2,
} as const;

/** The types of all options; the compiler checks that none is missing. */
const denoiseOptionTypes: OptionTypes<DenoiseOptions> = {
  sigma: either("a number, or one number per signal", byRule, numberList),
  patch: listOf(byRule, "a shape, or several shapes"),
  colour: byRule,
  stride: byRule,
  lambda: numberWith("a number of at least 0"),
  quantile: numberWith("a number between 0 and 1"),
  pursuit: byRule,
  iterations: byRule,
  nodata: byRule,
  dictionary: modelType,
  training: byRule,
  kernels: kernelsType,
  signal: abortSignal,
  onProgress: callback,
};

/** Refuse options that `denoise` does not have. */
export function requireDenoiseOptions(options: DenoiseOptions): void {
  requireOptions("denoise", options, denoiseOptionTypes, taskOptionsElsewhere);
  requireTrainingOptions("denoise", options.training);
  requirePursuit("denoise", options.pursuit);
}

/** Options with every default filled in, checked against the signals. */
export interface DenoisePlan {
  readonly sigma: number[];
  readonly patches: readonly Shape[];
  readonly channels: boolean;
  readonly stride: number;
  readonly lambda: number;
  readonly quantile: number;
  readonly iterations: number;
  readonly passes: number;
}

/** `sigma`: the noise of each signal, estimated if undefined. */
export function resolveDenoise(
  signals: readonly Signal[],
  options: DenoiseOptions,
  sigma: readonly (number | undefined)[],
): DenoisePlan {
  const channels = options.colour === "joint";
  const d = denoiseDefaults;
  const { stride = d.stride, lambda = d.lambda, quantile = d.quantile, iterations = d.iterations } = options;
  const shapes = shapesOf(signals, options);
  if (shapes.length === 0) throw new InputError("denoise: patch must be at least one shape, got none");
  const owner = options.dictionary && "the dictionary";
  const patches = shapes.map((patch) => requirePatch("denoise", patch, signals, channels, owner));
  for (const patch of patches) strideOf("denoise", stride, patch);
  if (!(lambda >= 0 && lambda < Infinity))
    throw inputError("denoise", "lambda", "must be a number of at least 0", lambda);
  if (!(quantile > 0 && quantile < 1))
    throw inputError("denoise", "quantile", "must be a number between 0 and 1", quantile);
  requireInteger("denoise", "iterations", iterations, 1);
  const passes = patches.length * iterations;
  return { sigma: levelsOf(signals, sigma), patches, channels, stride, lambda, quantile, iterations, passes };
}

/** Shapes of the patches without channels: that of the dictionary, those given, or the default. */
function shapesOf(
  signals: readonly Signal[],
  { dictionary, patch, colour }: DenoiseOptions,
): readonly Shape[] {
  const channels = colour === "joint";
  if (!dictionary) return patchShapes(patch) ?? [defaultPatch("denoise", signals, channels)];
  if (!channels) return [dictionary.shape];
  const { shape } = signals[0];
  if (dictionary.shape.length === shape.length && dictionary.shape.at(-1) === shape.at(-1))
    return [dictionary.shape.slice(0, -1)];
  throw new InputError(
    `denoise: a dictionary of all channels must be for patches of ${shape.length} axes, the last of ${shape.at(-1)}, got ${formatShape(dictionary.shape)}`,
  );
}

/** One shape, or several, as a list. */
export function patchShapes(patch: DenoiseOptions["patch"]): readonly Shape[] | undefined {
  return isOneShape(patch) ? [patch] : patch;
}

function isOneShape(patch: DenoiseOptions["patch"]): patch is Shape {
  return typeof patch?.[0] === "number";
}

/** The noise that was given for each signal. */
export function givenNoise(
  signals: readonly Signal[],
  sigma: DenoiseOptions["sigma"],
): readonly (number | undefined)[] {
  const each = sigma === undefined || typeof sigma === "number" ? signals.map(() => sigma) : sigma;
  if (each.length === signals.length) return each;
  throw new InputError(
    `denoise: sigma must be one number, or one for each of ${signals.length} signals, got ${each.length}`,
  );
}

/** The noise of each signal, given or estimated. */
function levelsOf(signals: readonly Signal[], sigma: readonly (number | undefined)[]): number[] {
  return sigma.map((value, i) => {
    const level = value ?? onBehalfOf("denoise", () => estimateNoise(signals[i], Number.NaN));
    if (Number.isFinite(level) && level >= 0) return level;
    throw inputError("denoise", "sigma", "must be a number of at least 0", level);
  });
}
