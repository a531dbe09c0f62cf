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
import { medianSeconds } from "./timing.js";

/** Seconds per patch. */
export interface TransformTimes {
  readonly cascade: number;
  readonly separable: number;
}

/** Of square patches, one per column. */
export async function timeTransforms(
  patches: DenseMatrix,
  side: number,
  name: string,
  rounds: number,
): Promise<TransformTimes> {
  const filters = wavelet(name);
  const time = async (transform: (patch: Float32Array) => Float64Array) => {
    const all = async () => {
      for (let i = 0; i < patches.cols; i++) transform(patches.column(i));
    };
    return (await medianSeconds(rounds, all)) / patches.cols;
  };
  return {
    cascade: await time((patch) => forwardCascade(patch, [side, side], filters)),
    separable: await time((patch) => forwardSeparable(patch, side, filters)),
  };
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
