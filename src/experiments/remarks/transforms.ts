/**
 * The two wavelet transforms of §III-B of [Sulam16] on the host, timed: the usual cascade, and the separable one, which
 * transforms all rows, then all columns of the result.
 *
 * With filters of K taps and n × n samples the cascade takes 2K(1 + 1/4 + 1/16 + …)n² ≈ 8/3 Kn² multiplications, the separable
 * transform 2K(1 + 1/2 + 1/4 + …)n² ≈ 4Kn². Its loops are simpler.
 */

import type { DenseMatrix } from "../../core/matrix.js";
import { forwardCascade } from "../../wavelets/cascade.js";
import { type Wavelet, wavelet } from "../../wavelets/filters.js";
import { forwardPeriodic, maxLevels } from "../../wavelets/transform.js";
import { medianOf } from "./timing.js";

/** Seconds per patch. */
export interface TransformTimes {
  readonly cascade: number;
  readonly separable: number;
}

/**
 * Of square patches, one per column. The two take turns, and as many rounds again come first and do not count: the engine
 * compiles what they share, and later again what is called often, so that the first to be timed alone would look slower.
 */
export function timeTransforms(
  patches: DenseMatrix,
  side: number,
  name: string,
  rounds: number,
): TransformTimes {
  const filters = wavelet(name);
  const transforms = {
    cascade: (patch: Float32Array) => forwardCascade(patch, [side, side], filters),
    separable: (patch: Float32Array) => forwardSeparable(patch, side, filters),
  };
  const times: Record<keyof TransformTimes, number[]> = { cascade: [], separable: [] };
  for (let round = 0; round < 2 * rounds; round++) {
    for (const which of ["cascade", "separable"] as const) {
      const start = performance.now();
      for (let i = 0; i < patches.cols; i++) transforms[which](patches.column(i));
      if (round >= rounds) times[which].push((performance.now() - start) / 1000 / patches.cols);
    }
  }
  return { cascade: medianOf(times.cascade), separable: medianOf(times.separable) };
}

/** The 1-D transform with all its levels of every row, then of every column of the result; row-major. */
export function forwardSeparable(picture: ArrayLike<number>, side: number, filters: Wavelet): Float64Array {
  const coefficients = Float64Array.from(picture);
  const levels = maxLevels(side);
  for (let row = 0; row < side; row++) {
    const line = coefficients.subarray(row * side, (row + 1) * side);
    line.set(forwardPeriodic(line, filters, levels));
  }
  const line = new Float64Array(side);
  for (let column = 0; column < side; column++) {
    for (let row = 0; row < side; row++) line[row] = coefficients[row * side + column];
    const changed = forwardPeriodic(line, filters, levels);
    for (let row = 0; row < side; row++) coefficients[row * side + column] = changed[row];
  }
  return coefficients;
}
