/**
 * The overcomplete DCT: φ[i, j] = cos(π j (i + ½) / L), j = 0 … L−1, with L the
 * redundancy times the size, rounded up. The mean of every atom but the first is
 * removed and all are scaled to unit norm, as usual since [Elad, Aharon 2006].
 * With redundancy 1 it is the orthonormal DCT-II.
 *
 * The cosines are computed here with + − × ÷ only, because a model depends on every
 * bit of Φ, and the last bit of `Math.cos` differs between engines and their versions.
 */

import { Matrix64, normalizeColumns } from "../linalg/matrix64.js";

export function overcompleteDct(size: number, redundancy: number): Matrix64 {
  const atoms = Math.max(1, Math.ceil(size * redundancy - 1e-9)); // 100 × 1.1 is 110
  const matrix = new Matrix64(size, size === 1 ? 1 : atoms);
  for (let j = 0; j < matrix.cols; j++) {
    const column = matrix.column(j);
    for (let i = 0; i < size; i++) column[i] = cosine(j * (2 * i + 1), atoms);
    if (j > 0) removeMean(column);
  }
  return normalizeColumns("overcompleteDct", matrix);
}

/** cos(π/2 · a/L) for integers a ≥ 0 and L: exact at zeros and extremes, within about 1e-16 elsewhere. */
export function cosine(a: number, L: number): number {
  const turn = a % (4 * L);
  const half = Math.min(turn, 4 * L - turn); // cos(2π − x) = cos x
  const quarter = Math.min(half, 2 * L - half); // cos(π − x) = −cos x
  const sign = half > L ? -1 : 1;
  const inFirstHalf = 2 * quarter <= L;
  const x = (Math.PI / 2) * ((inFirstHalf ? quarter : L - quarter) / L); // at most π/4
  return sign * (inFirstHalf ? series(x, 0) : x * series(x, 1)); // cos x = sin(π/2 − x)
}

/** 1 − x²/((s+1)(s+2)) + x⁴/((s+1)(s+2)(s+3)(s+4)) − …: cos x for s = 0, sin(x)/x for s = 1. */
function series(x: number, s: 0 | 1): number {
  let sum = 1;
  for (let n = 18 + s; n > s; n -= 2) sum = 1 - ((x * x) / (n * (n - 1))) * sum;
  return sum;
}

function removeMean(column: Float64Array): void {
  const mean = column.reduce((sum, value) => sum + value, 0) / column.length;
  for (let i = 0; i < column.length; i++) column[i] -= mean;
}
