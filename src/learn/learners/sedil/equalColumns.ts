/**
 * Whether two columns of a factor are the same up to their sign, where the cost of SeDiL is infinite. Entries are compared
 * first, so that most pairs are told apart by one of them: the products of all pairs would take as long as an update.
 */

import type { Matrix64 } from "../../../linalg/matrix64.js";

/** A difference of entries that no rounding explains: columns with one are not the same. */
const different = 1e-5;

/** Whether any two columns of a factor with unit columns are the same up to their sign. */
export function hasEqualColumns(factor: Matrix64): boolean {
  const columns = Array.from({ length: factor.cols }, (_, j) => factor.column(j));
  return columns.some((a, i) => {
    const peak = largestEntry(a);
    return columns.slice(0, i).some((b) => isNear(a, b, peak) && isOverlapFull(a, b));
  });
}

/** The index of the largest magnitude. */
function largestEntry(column: Float64Array): number {
  return column.reduce((best, value, i) => (Math.abs(value) > Math.abs(column[best]) ? i : best), 0);
}

/** Whether b or −b is near a, which is large at `peak`. */
function isNear(a: Float64Array, b: Float64Array, peak: number): boolean {
  const sign = Math.sign(a[peak]) * Math.sign(b[peak]);
  if (Math.abs(a[peak] - sign * b[peak]) > different) return false;
  return a.every((value, i) => Math.abs(value - sign * b[i]) <= different);
}

/** As the cost sees it: 1 − ⟨a, b⟩² is 0 to the last bit, or below. */
function isOverlapFull(a: Float64Array, b: Float64Array): boolean {
  const overlap = a.reduce((sum, value, i) => sum + value * b[i], 0);
  return 1 - overlap ** 2 <= 0;
}
