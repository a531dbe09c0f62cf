/**
 * The study of training data: pictures denoised with a dictionary learned from other pictures with the same noise. The
 * pictures are dealt in two halves; each half is denoised with the dictionary of the other, a part of the run.
 */

import type { Signal } from "../../core/signal.js";
import type { TrainOptions } from "../../learn/run/trainOptions.js";
import { chiSquareQuantile } from "../../linalg/chiSquare.js";
import type { Model } from "../../model/model.js";
import { denoiseDefaults } from "../../tasks/restore/denoiseOptions.js";
import type { ExperimentTools } from "../shared/experiment.js";
import { trainPart } from "../shared/trainPart.js";
import { croppedBase, type DenoisingSettings } from "./settings.js";

/** Its row: OSDL over cropped wavelets. */
export const othersMethod = {
  id: "osdl-cropped-others",
  label: "OSDL, cropped, from other pictures",
} as const;

/** The half of picture i. */
export function halfOf(i: number): 0 | 1 {
  return i % 2 === 0 ? 0 : 1;
}

/** The dictionary of the noisy pictures of one half, and the seconds that it took. */
export async function dictionaryOf(
  settings: DenoisingSettings,
  half: 0 | 1,
  size: number,
  noisy: readonly Signal[],
  tools: ExperimentTools,
): Promise<{ readonly model: Model; readonly seconds: number }> {
  const [sigma] = settings.noises;
  tools.onStage?.(`${size}x${size}: learning from half ${half + 1} of the pictures`);
  const own = noisy.filter((_, i) => halfOf(i) === half).map((signal) => ofUnitNoise(signal, sigma));
  const options = othersOptions(settings, size, own.length);
  const { model, record } = await trainPart(tools, `half-${half + 1}-${size}`, own, options);
  return { model, seconds: record.seconds };
}

/** As `denoise` learns: patches of noise 1, coded down to it. */
function othersOptions(settings: DenoisingSettings, size: number, pictures: number): TrainOptions {
  const { atomSparsity, examples, batch, seed, study } = settings;
  const n = size * size;
  const error = Math.sqrt(chiSquareQuantile(denoiseDefaults.quantile, n) / n);
  return {
    ...{ patch: [size, size], base: croppedBase, atomSparsity, batch, seed, holdout: 0 },
    coding: { error, sparsity: Math.max(1, n >> 1) },
    examples: examples * pictures,
    epochs: study.epochs,
  };
}

function ofUnitNoise(signal: Signal, sigma: number): Signal {
  return { ...signal, data: signal.data.map((value) => value / sigma) };
}
