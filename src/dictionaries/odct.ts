/**
 * The overcomplete DCT: φ[i, j] = cos(π j (i + ½) / L), j = 0 … L−1, with L the
 * redundancy times the size, rounded up. The mean of every atom but the first is
 * removed and all are scaled to unit norm, as usual since [Elad, Aharon 2006].
 * With redundancy 1 it is the orthonormal DCT-II.
 */

import { Matrix64, normalizeColumns } from "../linalg/matrix64.js";

export function overcompleteDct(size: number, redundancy: number): Matrix64 {
  const atoms = Math.max(1, Math.ceil(size * redundancy - 1e-9)); // 100 × 1.1 is 110
  const matrix = new Matrix64(size, size === 1 ? 1 : atoms);
  for (let j = 0; j < matrix.cols; j++) {
    const column = matrix.column(j);
    for (let i = 0; i < size; i++) column[i] = Math.cos((Math.PI * j * (i + 0.5)) / atoms);
    if (j > 0) removeMean(column);
  }
  return normalizeColumns("overcompleteDct", matrix);
}

function removeMean(column: Float64Array): void {
  const mean = column.reduce((sum, value) => sum + value, 0) / column.length;
  for (let i = 0; i < column.length; i++) column[i]! -= mean;
}
