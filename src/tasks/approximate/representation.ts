/**
 * How well a dictionary of any kind represents signals at a given sparsity: the RMSE of
 * the codes of random windows, and PSNR.
 */

import {
  type ArgumentType,
  byRule,
  dictionaryParts,
  flag,
  kernels as kernelsType,
  number,
  type OptionTypes,
  record,
  requireArguments,
  required,
  requireOptions,
  signalList,
} from "../../core/arguments/argumentTypes.js";
import { Rng } from "../../core/random/rng.js";
import { requireSignals, type Signal } from "../../core/signal.js";
import { largestMagnitude, powerBelow } from "../../core/units.js";
import { PatchSampler } from "../../data/sampling/patchSampler.js";
import { type DictionaryParts, openDictionary } from "../../dictionaries/dictionary.js";
import type { Kernels } from "../../kernels/contract.js";
import { withKernels } from "../../kernels/handleScope.js";
import { type CodingRule, codingError, Encoder, resolveLimits, scaleCoding } from "../../pursuit/encoder.js";

export interface RepresentationOptions {
  /** How windows are coded: at most `sparsity` atoms, or down to an `error`. */
  readonly coding: CodingRule;
  /** Number of random windows to code; all windows if there are fewer. */
  readonly examples: number;
  /** The seed that the windows are drawn from. */
  readonly seed: number;
  /** Remove the mean of each window before coding. */
  readonly removeMean: boolean;
  /** Where to compute. */
  readonly kernels: Kernels;
}

const optionTypes: OptionTypes<RepresentationOptions> = {
  coding: required(record),
  examples: byRule,
  seed: byRule,
  removeMean: required(flag),
  kernels: required(kernelsType),
};

/** Examples coded at a time. */
const batch = 512;

/** The root-mean-square error per sample, in the units of the signals. The same seed draws the same windows. */
export async function representationError(
  parts: DictionaryParts,
  signals: readonly Signal[],
  options: RepresentationOptions,
): Promise<number> {
  requireArguments("representationError", {
    parts: [parts, dictionaryParts],
    signals: [signals, signalList],
  });
  requireOptions("representationError", options, optionTypes);
  requireSignals("representationError", signals);
  return withKernels(options.kernels, (kernels) => measure(parts, signals, { ...options, kernels }));
}

async function measure(
  parts: DictionaryParts,
  signals: readonly Signal[],
  { kernels, coding, examples, seed, removeMean }: RepresentationOptions,
): Promise<number> {
  const sampler = new PatchSampler(
    signals,
    { patch: parts.base.shape, holdout: 0, examples },
    Rng.from(seed),
  );
  const dictionary = await openDictionary(parts, kernels);
  const unit = powerBelow(Math.max(...signals.map(({ data }) => largestMagnitude(data))));
  const limits = resolveLimits(
    "representationError",
    scaleCoding(coding, 1 / unit),
    dictionary.rows,
    dictionary.cols,
  );
  const encoder = new Encoder(dictionary, limits, batch, kernels);
  const store = kernels.signals(signals, 1 / unit);
  const windows = sampler.trainingWindows(0, 0, sampler.examples);
  const rmse = await codingError(encoder, { store, windows }, removeMean, kernels);
  encoder.free();
  dictionary.free();
  kernels.free(store);
  return rmse * unit;
}

/** NaN without test windows, and Infinity, are results as well. */
const rmseType: ArgumentType = { words: "a number", accepts: (value) => typeof value === "number" };

/** Peak signal-to-noise ratio in dB of an RMSE, for samples from 0 to `peak`. */
export function psnr(rmse: number, peak = 255): number {
  requireArguments("psnr", { rmse: [rmse, rmseType], peak: [peak, number] });
  return 20 * Math.log10(peak / rmse);
}
