/** What denoising is told, what it assumes, and how both are checked against the signals. */

import { InputError, inputError, onBehalfOf } from "../../core/errors.js";
import { requireInteger } from "../../core/require.js";
import { formatShape, type Shape } from "../../core/shape.js";
import type { Signal } from "../../core/signal.js";
import type { Kernels } from "../../kernels/contract.js";
import type { Model } from "../../model/model.js";
import { estimateNoise } from "./noiseLevel.js";
import {
  defaultPatch,
  type PatchTraining,
  requirePatch,
  strideOf,
  type TaskProgress,
} from "./patchOptions.js";

export interface DenoiseOptions {
  /** Standard deviation of the noise, in the units of the samples: one for all signals, or one a signal. Estimated unless told. */
  readonly sigma?: number | readonly number[] | undefined;
  /** Shapes of the patches; of several the results are averaged. By the number of axes unless told. */
  readonly patches?: readonly Shape[] | undefined;
  /** The last axis counts channels: patches hold all of them, and their shape is given without. */
  readonly channels?: boolean | undefined;
  /** Samples between neighbouring windows, along each axis. */
  readonly stride?: number | undefined;
  /** λ of (14): the weight of the noisy signal beside the patches. */
  readonly lambda?: number | undefined;
  /** q: the share of patches of pure noise that a limit ε² = σ² χ²_q(n) takes for noise. */
  readonly quantile?: number | undefined;
  /** How many times the estimate is denoised again, the first included. */
  readonly iterations?: number | undefined;
  /** A dictionary to use; learned from the signals unless given. */
  readonly model?: Model | undefined;
  /** How it is learned. */
  readonly training?: PatchTraining | undefined;
  /** Where to compute; the best there is unless told. The caller disposes of what it gives. */
  readonly kernels?: Kernels | undefined;
  /** Abort to end it: the promise is then rejected. */
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: TaskProgress) => void) | undefined;
}

export const denoiseDefaults = {
  stride: 1,
  lambda: 2,
  quantile: 0.9,
  iterations: 1,
  base: "cropped:sym8",
  examples: 200_000,
  epochs: 2,
} as const;

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

export function resolveDenoise(signals: readonly Signal[], options: DenoiseOptions): DenoisePlan {
  const { channels = false } = options;
  const d = denoiseDefaults;
  const { stride = d.stride, lambda = d.lambda, quantile = d.quantile, iterations = d.iterations } = options;
  const shapes = shapesOf(signals, options);
  if (shapes.length === 0) throw new InputError("denoise: patches must be at least one shape, got none");
  const patches = shapes.map((patch) => requirePatch("denoise", patch, signals, channels));
  for (const patch of patches) strideOf("denoise", stride, patch);
  if (!(lambda >= 0 && lambda < Infinity))
    throw inputError("denoise", "lambda", "must be a number of at least 0", lambda);
  if (!(quantile > 0 && quantile < 1))
    throw inputError("denoise", "quantile", "must be a number between 0 and 1", quantile);
  requireInteger("denoise", "iterations", iterations, 1);
  const sigma = levelsOf(signals, options.sigma);
  const passes = patches.length * iterations;
  return { sigma, patches, channels, stride, lambda, quantile, iterations, passes };
}

/** Shapes of the patches without their channels: those of the dictionary, as told, or by default. */
function shapesOf(
  signals: readonly Signal[],
  { model, patches, channels = false }: DenoiseOptions,
): readonly Shape[] {
  if (!model) return patches ?? [defaultPatch("denoise", signals, channels)];
  if (!channels) return [model.shape];
  const { shape } = signals[0];
  if (model.shape.length === shape.length && model.shape.at(-1) === shape.at(-1))
    return [model.shape.slice(0, -1)];
  throw new InputError(
    `denoise: a dictionary of all channels must be for patches of ${shape.length} axes, the last of ${shape.at(-1)}, got ${formatShape(model.shape)}`,
  );
}

/** The noise of each signal. */
function levelsOf(signals: readonly Signal[], sigma: DenoiseOptions["sigma"]): number[] {
  const each = sigma === undefined || typeof sigma === "number" ? signals.map(() => sigma) : [...sigma];
  if (each.length !== signals.length)
    throw new InputError(
      `denoise: sigma must be one number, or one for each of ${signals.length} signals, got ${each.length}`,
    );
  return each.map((value, i) => {
    const level = value ?? onBehalfOf("denoise", () => estimateNoise(signals[i]));
    if (Number.isFinite(level) && level >= 0) return level;
    throw inputError("denoise", "sigma", "must be a number of at least 0", level);
  });
}
