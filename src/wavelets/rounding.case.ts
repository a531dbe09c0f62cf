/**
 * Rounding bounds that the tests of this folder share. u = 2⁻⁵³ is the unit roundoff.
 *
 * A sum of K products of a rounded tap and a number is off by at most (K + 1) u Σ|terms|, to first order.
 * A level of synthesis or analysis sums K terms per sample; its matrix of |taps| has row and column sums Σ|h|, so
 * the 2-norm of its rounding error is at most (K + 1) u Σ|h| ‖x‖. The exact levels are orthogonal and pass
 * earlier errors on unchanged: J levels are off by at most J (K + 1) u Σ|h| ‖x‖.
 */

import type { Wavelet } from "./filters.js";

export const unitRoundoff = 2 ** -53;

/** Bound on the error of J levels, in units of ‖x‖₂; the 3/2 covers second order, and outer sums of few terms. */
export function transformRounding(wavelet: Wavelet, levels: number): number {
  const { lowpass: h } = wavelet;
  return 1.5 * (levels + 1) * (h.length + 1) * unitRoundoff * sumOfSizes(h);
}

/** Σ|terms|. */
export function sumOfSizes(terms: ArrayLike<number>): number {
  return Array.from(terms, Math.abs).reduce((sum, size) => sum + size, 0);
}

export function sum(terms: ArrayLike<number>): number {
  return Array.from(terms).reduce((total, term) => total + term, 0);
}
