/**
 * The orthogonal matrix W_s of periodic wavelet synthesis: signal = W_s · coefficients.
 *
 * Column order is that of the coefficients of transform.ts, coarsest first: the scaling functions of level J, then
 * the wavelets of levels J, J−1 … 1, each level by position. For length n the wavelets of level j are the columns
 * n/2^j … 2n/2^j − 1. Order and signs are those of PyWavelets' `wavedec` in mode "periodization".
 *
 * Atoms of one level are cyclic shifts of each other by 2^j samples, so one synthesis a level is enough.
 *
 * Shapes   W_s n×n
 * Cost     O(n² + JnK); every entry outside the support of its atom is exactly 0
 */

import { Matrix64 } from "../linalg/matrix64.js";
import type { Wavelet } from "./filters.js";
import { inversePeriodic, requireLevels } from "./transform.js";

export { maxLevels } from "./transform.js";

/** W_s for signals of `length` samples, divisible by 2^levels; its columns are orthonormal. */
export function periodicSynthesisMatrix(length: number, wavelet: Wavelet, levels: number): Matrix64 {
  requireLevels("periodicSynthesisMatrix", length, levels);
  const W = new Matrix64(length, length);
  const fillBand = (firstColumn: number, level: number): void => {
    const unit = new Float64Array(length);
    unit[firstColumn] = 1;
    const atom = inversePeriodic(unit, wavelet, levels);
    for (let shift = 0, j = firstColumn; shift < length; shift += 2 ** level, j++) {
      W.column(j).set(atom.subarray(0, length - shift), shift);
      W.column(j).set(atom.subarray(length - shift), 0);
    }
  };
  fillBand(0, levels);
  for (let level = levels; level > 0; level--) fillBand(length / 2 ** level, level);
  return W;
}
