/**
 * The wavelet transform of periodic 1-D signals.
 *
 * One level of synthesis makes n samples from n/2 approximation and n/2 detail coefficients,
 *
 *     x_i = Σ_k a_k h_{i−2k+s} + d_k g_{i−2k+s},   s = K/2 − 1,   indices of x modulo n
 *
 * and analysis is its inverse: for an orthogonal wavelet its transpose, and for a biorthogonal one the transpose of the
 * synthesis with its filters of analysis. The shift s centres the filters, so that coefficient k
 * belongs to the samples around 2k at every level; it is also the shift of PyWavelets' mode "periodization".
 * If n < K the filters wrap around more than once, and the transform is still inverted.
 *
 * Further levels do the same with the approximation. The coefficients after J levels are, coarsest first,
 *
 *     [ a_J (n/2^J) | d_J (n/2^J) | d_{J−1} (n/2^{J−1}) | … | d_1 (n/2) ]
 *
 * W_s is the matrix of synthesis, orthogonal if the wavelet is: signal = W_s · coefficients (4). Its columns are in the same order: the
 * scaling functions of level J, then the wavelets of levels J, J−1 … 1, each level by position, with the signs of
 * PyWavelets' `wavedec`. The wavelets of level j are columns n/2^j … 2n/2^j − 1. Atoms of one level are cyclic shifts
 * of each other by 2^j samples, so one synthesis per level is enough.
 *
 * Shapes   W_s n×n
 * Cost     nK multiply-adds for one level, less than 2nK for any number of levels; O(n² + JnK) for W_s
 */

import { InputError } from "../core/errors.js";
import { requireInteger } from "../core/require.js";
import { Matrix64 } from "../linalg/matrix64.js";
import type { Wavelet } from "./filters.js";

/** The coefficients of one level. */
export interface Bands {
  readonly approximation: Float64Array;
  readonly detail: Float64Array;
}

/** How many times a length can be halved: its exponent of 2. */
export function maxLevels(length: number): number {
  requireInteger("maxLevels", "length", length, 1);
  let levels = 0;
  for (let rest = length; rest % 2 === 0; rest /= 2) levels++;
  return levels;
}

/** Reject a number of levels that the length does not allow. */
function requireLevels(where: string, length: number, levels: number): void {
  requireInteger(where, "length", length, 1);
  requireInteger(where, `levels of length ${length}`, levels, 0, maxLevels(length));
}

/** One level of analysis of a signal of even length. */
export function analyzePeriodic(signal: ArrayLike<number>, wavelet: Wavelet): Bands {
  requireLevels("analyzePeriodic", signal.length, 1);
  const { lowpass: h, highpass: g } = wavelet.analysis ?? wavelet;
  const half = signal.length / 2;
  const approximation = new Float64Array(half);
  const detail = new Float64Array(half);
  for (let k = 0; k < half; k++) {
    for (let t = 0, i = firstSample(k, h.length, signal.length); t < h.length; t++) {
      approximation[k] += h[t] * signal[i];
      detail[k] += g[t] * signal[i];
      if (++i === signal.length) i = 0;
    }
  }
  return { approximation, detail };
}

/** One level of synthesis: the inverse of `analyzePeriodic`. */
export function synthesizePeriodic(bands: Bands, wavelet: Wavelet): Float64Array {
  const { approximation, detail } = bands;
  requireInteger("synthesizePeriodic", "length of the approximation", approximation.length, 1);
  if (detail.length !== approximation.length) {
    throw new InputError(
      `synthesizePeriodic: detail must have ${approximation.length} coefficients, got ${detail.length}`,
    );
  }
  const { lowpass: h, highpass: g } = wavelet;
  const signal = new Float64Array(2 * detail.length);
  for (let k = 0; k < detail.length; k++) {
    for (let t = 0, i = firstSample(k, h.length, signal.length); t < h.length; t++) {
      signal[i] += h[t] * approximation[k] + g[t] * detail[k];
      if (++i === signal.length) i = 0;
    }
  }
  return signal;
}

/** The transform over several levels; `signal.length` must be divisible by 2^levels. */
export function forwardPeriodic(signal: ArrayLike<number>, wavelet: Wavelet, levels: number): Float64Array {
  requireLevels("forwardPeriodic", signal.length, levels);
  const coefficients = Float64Array.from(signal);
  for (let level = 0; level < levels; level++) {
    const length = signal.length / 2 ** level;
    const { approximation, detail } = analyzePeriodic(coefficients.subarray(0, length), wavelet);
    coefficients.set(approximation);
    coefficients.set(detail, length / 2);
  }
  return coefficients;
}

/** The inverse of `forwardPeriodic`. */
export function inversePeriodic(
  coefficients: ArrayLike<number>,
  wavelet: Wavelet,
  levels: number,
): Float64Array {
  requireLevels("inversePeriodic", coefficients.length, levels);
  const signal = Float64Array.from(coefficients);
  for (let level = levels; level > 0; level--) {
    const half = signal.length / 2 ** level;
    const approximation = signal.subarray(0, half);
    const detail = signal.subarray(half, 2 * half);
    signal.set(synthesizePeriodic({ approximation, detail }, wavelet));
  }
  return signal;
}

/** The sample under tap 0 of the filters of coefficient k: 2k − s modulo the length. */
function firstSample(k: number, taps: number, length: number): number {
  const sample = (2 * k - (taps / 2 - 1)) % length;
  return sample < 0 ? sample + length : sample;
}

/**
 * W_s for signals of `length` samples, divisible by 2^levels. Its columns are orthonormal, and every entry outside
 * the support of its atom is exactly 0.
 */
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
