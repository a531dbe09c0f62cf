/**
 * The dictionary update of Algorithm 2: momentum and the projection P_k.
 */

import type { DenseMatrix, SparseColumns } from "../../core/matrix.js";
import type { ReferenceSet } from "./handles.js";

/** U_S ← γ U_S + η g. */
export function momentum(
  gamma: number,
  eta: number,
  grad: DenseMatrix,
  S: ReferenceSet,
  U: DenseMatrix,
): void {
  S.members.forEach((atom, at) => {
    const u = U.column(atom);
    const g = grad.column(at);
    for (let l = 0; l < u.length; l++) u[l] = gamma * u[l] + eta * g[l];
  });
}

/** A_S ← P_k[A_S − U_S]. */
export function moveAtoms(k: number, U: DenseMatrix, S: ReferenceSet, A: SparseColumns): void {
  for (const atom of S.members) {
    const moved = A.slice(atom, atom + 1).toDense().data;
    const u = U.column(atom);
    for (let l = 0; l < u.length; l++) moved[l] -= u[l];
    const kept = largestRows(moved, k);
    A.setColumn(
      atom,
      kept,
      kept.map((row) => moved[row]),
    );
  }
}

/** The rows of the k largest magnitudes, zeros left out, ascending; equal magnitudes: the lower row first. */
function largestRows(values: Float32Array, k: number): number[] {
  const sorted = values.map(Math.abs).sort();
  const threshold = sorted[Math.max(0, sorted.length - k)];
  let above = 0;
  for (const value of values) if (Math.abs(value) > threshold) above++;
  const rows: number[] = [];
  let equal = k - above; // how many at the threshold itself still fit
  values.forEach((value, row) => {
    const magnitude = Math.abs(value);
    if (magnitude === 0 || magnitude < threshold) return;
    if (magnitude > threshold || equal-- > 0) rows.push(row);
  });
  return rows;
}
