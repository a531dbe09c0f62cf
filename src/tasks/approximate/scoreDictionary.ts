/**
 * What a dictionary is worth on data: the error of the codes of random windows, and how many atoms they take.
 *
 *     RMSE = ‖Y − DX − means‖_F / √(nN)        atoms = ‖X‖₀ / N
 *
 * Windows are coded as `Model.encode` codes them, a few hundred at a time; nothing but counts comes back to the host.
 */

import { Rng } from "../../core/random/rng.js";
import type { Signal } from "../../core/signal.js";
import { largestMagnitude, powerBelow } from "../../core/units.js";
import { gapFreeSignals } from "../../data/sampling/gapFreeWindows.js";
import { PatchSampler } from "../../data/sampling/patchSampler.js";
import { openDictionary } from "../../dictionaries/dictionary.js";
import type { Kernels } from "../../kernels/contract.js";
import { withKernels } from "../../kernels/handleScope.js";
import type { Model } from "../../model/model.js";
import { type CodingRule, Encoder, resolveLimits, scaleCoding } from "../../pursuit/encoder.js";

export interface ScoreOptions {
  /** How windows are coded. */
  readonly coding: CodingRule;
  /** Random windows to code; all of them if there are fewer. */
  readonly examples: number;
  /** The seed that windows are drawn from. */
  readonly seed: number;
  readonly kernels: Kernels;
  /** Called with the fraction done, from 0 to 1. */
  readonly onProgress?: ((done: number) => void) | undefined;
}

export interface Score {
  /** In the units of the data. */
  readonly rmse: number;
  /** Atoms of a code, on average. */
  readonly atomsPerPatch: number;
  /** Windows that were coded. */
  readonly patches: number;
  /** How many windows used each atom. */
  readonly uses: Uint32Array;
}

/** Windows coded at a time. */
const batch = 512;

/** Code random windows of signals (NaN where samples are missing) over a dictionary. The same seed draws the same windows. */
export function scoreDictionary(
  model: Model,
  signals: readonly Signal[],
  options: ScoreOptions,
): Promise<Score> {
  return withKernels(options.kernels, (kernels) => measure(model, signals, { ...options, kernels }));
}

async function measure(
  model: Model,
  given: readonly Signal[],
  { coding, examples, seed, kernels, onProgress }: ScoreOptions,
): Promise<Score> {
  const { shape } = model;
  const { signals } = gapFreeSignals(given, shape);
  const sampler = new PatchSampler(signals, { patch: shape, holdout: 0, examples }, Rng.from(seed));
  onProgress?.(0);
  const D = await openDictionary(model, kernels);
  const unit = powerBelow(Math.max(...signals.map(({ data }) => largestMagnitude(data))));
  const limits = resolveLimits("scoreDictionary", scaleCoding(coding, 1 / unit), D.rows, D.cols);
  const encoder = new Encoder(D, limits, batch, kernels);
  const store = kernels.signals(signals, 1 / unit);
  const [Y, means, energy] = [kernels.matrix(D.rows, batch), kernels.matrix(1, batch), kernels.matrix(1, 1)];
  const uses = new Uint32Array(D.cols);
  const count = sampler.examples;
  let atoms = 0;
  for (let from = 0; from < count; from += batch) {
    const windows = sampler.trainingWindows(0, from, Math.min(from + batch, count));
    const y = kernels.head(Y, windows.signal.length);
    const removed = model.meta.removeMean ? kernels.head(means, y.cols) : null;
    await kernels.extract(store, windows, shape, y, removed);
    const codes = await encoder.encode(y);
    const X = await kernels.readSparse(codes);
    await encoder.residual(y, codes, y);
    await kernels.addSquaredNorm(y, energy, 0);
    for (let j = 0; j < X.cols; j++) {
      atoms += X.counts[j];
      for (let s = j * X.width; s < j * X.width + X.counts[j]; s++) uses[X.indices[s]]++;
    }
    onProgress?.(Math.min(1, (from + batch) / count));
  }
  const total = (await kernels.readMatrix(energy)).data[0];
  const rmse = Math.sqrt(total / (count * D.rows)) * unit;
  return { rmse, atomsPerPatch: atoms / count, patches: count, uses };
}
