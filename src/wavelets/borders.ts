/**
 * Wavelet transforms of finite signals under the usual treatments of their borders (§III-A, figure 1 of [Sulam16]):
 *
 *     periodic    the signal repeats; one of odd length first repeats its last sample
 *     symmetric   the signal is mirrored at its ends, x₁ x₀ | x₀ x₁ … x_{n−1} | x_{n−1} x_{n−2}
 *     zero        the signal is zero outside
 *
 * One level of analysis filters the extended signal x̄, one level of synthesis makes the n samples,
 *
 *     a_k = Σ_i h_{i−2k+s} x̄_i,   d_k = Σ_i g_{i−2k+s} x̄_i,   x_i = Σ_k h_{i−2k+s} a_k + g_{i−2k+s} d_k,   0 ≤ i < n
 *
 * (h, g of K taps), with ⌈n/2⌉ coefficients k in each band and s = K/2 − 1 for periodic signals, and with all
 * ⌊(n + K − 1)/2⌋ whose filters meet the signal, and s = K − 2, for the others: the modes "periodization", "symmetric"
 * and "zero" of PyWavelets. Synthesis undoes analysis in all of them; biorthogonal wavelets have other h and g for analysis. Symmetric and zero differ only in analysis: their
 * atoms are the same.
 *
 * As a dictionary, a column is the synthesis of one unit coefficient. The atoms of periodic signals of even length are
 * orthonormal if the wavelet is orthogonal; the others are slightly redundant and not orthonormal.
 *
 * Shapes   S_j, W_j n×n_j: scaling functions and wavelets of level j, as columns
 *
 * [Sulam16] J. Sulam, B. Ophir, M. Zibulevsky, M. Elad. Trainlets: Dictionary
 *           Learning in High Dimensions. IEEE TSP 64(12), 2016, §III.
 */

import { requireArgument } from "../core/arguments/argumentTypes.js";
import { requireInteger, requireOneOf } from "../core/require.js";
import { Matrix64 } from "../linalg/matrix64.js";
import { type Wavelet, waveletType } from "./filters.js";
import { type Bands, maxLevels } from "./transform.js";

export const borderModes = ["periodic", "symmetric", "zero"] as const;
export type BorderMode = (typeof borderModes)[number];

/** Sample i of the extended signal. */
export function extendedSample(signal: ArrayLike<number>, i: number, mode: BorderMode): number {
  const n = signal.length;
  if (i >= 0 && i < n) return signal[i];
  if (mode === "zero") return 0;
  const period = mode === "symmetric" ? 2 * n : n + (n % 2);
  const at = ((i % period) + period) % period;
  if (mode === "symmetric") return signal[Math.min(at, period - 1 - at)];
  return signal[Math.min(at, n - 1)];
}

/** One level of analysis. */
export function analyzeBorders(signal: ArrayLike<number>, wavelet: Wavelet, mode: BorderMode): Bands {
  const { lowpass: h, highpass: g } = wavelet.analysis ?? wavelet;
  const count = coefficientCount(signal.length, h.length, mode);
  const s = filterShift(h.length, mode);
  const approximation = new Float64Array(count);
  const detail = new Float64Array(count);
  for (let k = 0; k < count; k++) {
    for (let t = 0; t < h.length; t++) {
      const sample = extendedSample(signal, 2 * k - s + t, mode);
      approximation[k] += h[t] * sample;
      detail[k] += g[t] * sample;
    }
  }
  return { approximation, detail };
}

/** The atoms of levels 1 … J, each n × n_j: `scaling[j − 1]` = S_j, `wavelets[j − 1]` = W_j. */
export interface LevelAtoms {
  readonly scaling: readonly Matrix64[];
  readonly wavelets: readonly Matrix64[];
}

/** Scaling functions and wavelets of signals of n samples, level by level: S_j = S_{j−1}H_j, W_j = S_{j−1}G_j. */
export function levelAtoms(n: number, wavelet: Wavelet, levels: number, mode: BorderMode): LevelAtoms {
  requireInteger("levelAtoms", "n", n, 1);
  requireArgument("levelAtoms", "wavelet", wavelet, waveletType);
  requireInteger("levelAtoms", "levels", levels, 0);
  requireOneOf("levelAtoms", "mode", mode, borderModes);
  const scaling: Matrix64[] = [];
  const wavelets: Matrix64[] = [];
  let S = Matrix64.identity(n);
  for (let level = 0; level < levels; level++) {
    wavelets.push(S.times(synthesisMatrix(S.cols, wavelet.highpass, mode)));
    S = S.times(synthesisMatrix(S.cols, wavelet.lowpass, mode));
    scaling.push(S);
  }
  return { scaling, wavelets };
}

/** The coefficients of a signal after J levels: [ a_J | d_1 | d_2 | … | d_J ], in the order of `borderAtoms`. */
export function analyzeLevels(
  signal: ArrayLike<number>,
  wavelet: Wavelet,
  levels: number,
  mode: BorderMode,
): Float64Array {
  const details: Float64Array[] = [];
  let rest: ArrayLike<number> = signal;
  for (let level = 0; level < levels; level++) {
    const { approximation, detail } = analyzeBorders(rest, wavelet, mode);
    details.push(detail);
    rest = approximation;
  }
  return Float64Array.from([rest, ...details].flatMap((band) => Array.from(band)));
}

/** The atoms of J levels, one per coefficient of `analyzeLevels`: the signal is the sum of them, each times its coefficient. */
export function borderAtoms(n: number, wavelet: Wavelet, levels: number, mode: BorderMode): Float64Array[] {
  const { scaling, wavelets } = levelAtoms(n, wavelet, levels, mode);
  const coarsest = levels === 0 ? Matrix64.identity(n) : scaling[levels - 1];
  return [coarsest, ...wavelets].flatMap((band) =>
    Array.from({ length: band.cols }, (_, j) => band.column(j)),
  );
}

/**
 * How many levels a transform has. Periodic: as often as an even length can be halved, which keeps it orthonormal; for
 * an odd length until one coefficient is left. Others: as long as an atom fits inside the signal (n ≥ 2^J (K − 1)), at
 * least one level. A single sample has no levels.
 */
export function borderLevels(n: number, { lowpass }: Wavelet, mode: BorderMode): number {
  if (n === 1) return 0;
  if (mode !== "periodic") return Math.max(1, Math.floor(Math.log2(n / (lowpass.length - 1))));
  if (n % 2 === 0) return maxLevels(n);
  let levels = 0;
  for (let rest = n; rest > 1; rest = Math.ceil(rest / 2)) levels++;
  return levels;
}

/** One level of synthesis from one band, length × coefficients. */
function synthesisMatrix(length: number, filter: Float64Array, mode: BorderMode): Matrix64 {
  const count = coefficientCount(length, filter.length, mode);
  const s = filterShift(filter.length, mode);
  const matrix = new Matrix64(length, count);
  for (let k = 0; k < count; k++) {
    const column = matrix.column(k);
    filter.forEach((tap, t) => {
      const i = 2 * k - s + t;
      const at = mode === "periodic" ? ((i % (2 * count)) + 2 * count) % (2 * count) : i;
      if (at >= 0 && at < length) column[at] += tap;
    });
  }
  return matrix;
}

function coefficientCount(length: number, taps: number, mode: BorderMode): number {
  return mode === "periodic" ? Math.ceil(length / 2) : Math.floor((length + taps - 1) / 2);
}

function filterShift(taps: number, mode: BorderMode): number {
  return mode === "periodic" ? taps / 2 - 1 : taps - 2;
}
