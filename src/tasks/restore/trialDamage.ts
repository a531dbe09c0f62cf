/**
 * Trials of denoising and inpainting: a clean signal is damaged on purpose, restored, and
 * compared with what it was.
 */

import type { Rng } from "../../core/random/rng.js";
import type { Signal } from "../../core/signal.js";

/** A signal with white noise of standard deviation σ, neither rounded nor clipped. */
export function addNoise(signal: Signal, sigma: number, rng: Rng): Signal {
  return { ...signal, data: signal.data.map((value) => value + sigma * rng.normal()) };
}

/** Mark a random share of the samples as missing, `together` neighbours at a time: 3 for whole pixels of a colour picture. */
export function forgetSamples(missing: Uint8Array, share: number, rng: Rng, together = 1): void {
  for (let i = 0; i < missing.length; i += together)
    if (rng.uniform() < share) missing.fill(1, i, i + together);
}

/**
 * The root-mean-square difference between signals and what they should be, over all samples. Samples
 * beyond `range` count as its ends, as they do in a picture file; samples unknown in `clean` (NaN) do not count.
 */
export function rmseBetween(
  signals: readonly Signal[],
  clean: readonly Signal[],
  [least, most]: readonly [number, number] = [-Infinity, Infinity],
): number {
  let energy = 0;
  let count = 0;
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
