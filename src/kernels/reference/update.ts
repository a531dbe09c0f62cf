/**
 * The dictionary update of Algorithm 2: momentum and the projection P_k.
 */

import type { DenseMatrix, SparseColumns } from "../../core/matrix.js";
import type { ColumnRange } from "../contract.js";
import type { ReferenceSet } from "./handles.js";

/** U_S ← γ U_S + η g, then A_S ← P_k[A_S − U_S]. */
export function moveAtoms(
  k: number,
  U: DenseMatrix,
  S: ReferenceSet,
  A: SparseColumns,
  gamma: number,
  eta: number,
  grad: DenseMatrix,
): void {
  S.members.forEach((atom, at) => {
    const u = U.column(atom);
    const g = grad.column(at);
    for (let l = 0; l < u.length; l++) u[l] = gamma * u[l] + eta * g[l];
    const moved = A.slice(atom, atom + 1).toDense().data;
    for (let l = 0; l < u.length; l++) moved[l] -= u[l];
    const kept = largestRows(moved, k);
    A.setColumn(
      atom,
      kept,
      kept.map((row) => moved[row]),
    );
  });
}

/** C ← P_k[A_I + μW]. */
export function thresholdAtoms(
  A: SparseColumns,
  { first, step = 1 }: ColumnRange,
  mu: number,
  W: DenseMatrix,
  C: SparseColumns,
): void {
  for (let j = 0; j < C.cols; j++) {
    const atom = first + step * j;
    const moved = A.slice(atom, atom + 1).toDense().data;
    W.column(j).forEach((w, l) => {
      moved[l] += mu * w;
    });
    const kept = largestRows(moved, C.width);
    C.setColumn(
      j,
      kept,
      kept.map((row) => moved[row]),
    );
  }
}

/** V ← the entries of W at the places of C. */
export function takeEntries(W: DenseMatrix, C: SparseColumns, V: SparseColumns): void {
  for (let j = 0; j < C.cols; j++) {
    const rows = C.indices.subarray(j * C.width, j * C.width + C.counts[j]);
    V.setColumn(
      j,
      rows,
      Float32Array.from(rows, (row) => W.at(row, j)),
    );
  }
}

/** cⱼ ← cⱼ + (‖vⱼ‖²/energiesⱼ) vⱼ. */
export function addEntries(V: SparseColumns, energies: DenseMatrix, C: SparseColumns): void {
  for (let j = 0; j < C.cols; j++) {
    const [from, to] = [j * C.width, j * C.width + C.counts[j]];
    const moved = energies.data[j];
    const step = moved > 0 ? sumOfSquares(V.values.subarray(from, to)) / moved : 0;
    for (let s = from; s < to; s++) C.values[s] += step * V.values[s];
  }
}

/** Columns of A from `first` on ← cⱼ/√eⱼ, where that unit atom is closer to its target. */
export function acceptAtoms(
  C: SparseColumns,
  energies: DenseMatrix,
  left: DenseMatrix,
  distances: DenseMatrix,
  A: SparseColumns,
  first: number,
): void {
  for (let j = 0; j < C.cols; j++) {
    const energy = energies.data[j];
    const norm = Math.sqrt(energy);
    const distance = (left.data[j] - (1 - norm) ** 2) / norm;
    if (!(energy > 0 && distance < distances.data[j])) continue;
    const [from, to] = [j * C.width, j * C.width + C.counts[j]];
    A.setColumn(
      first + j,
      C.indices.subarray(from, to),
      C.values.subarray(from, to).map((value) => value / norm),
    );
  }
}

/** Columns S of M ← 0; with `rows`, its rows S as well. */
export function clearColumns(S: ReferenceSet, M: DenseMatrix, rows: boolean): void {
  for (const atom of S.members) {
    M.column(atom).fill(0);
    if (rows) for (let j = 0; j < M.cols; j++) M.data[j * M.rows + atom] = 0;
  }
}

/** The rows of the k largest magnitudes without zeros, ascending; of equal magnitudes, the lower row. */
export function largestRows(values: Float32Array, k: number): number[] {
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

export function sumOfSquares(values: Float32Array): number {
  let sum = 0;
  for (let i = 0; i < values.length; i++) sum += values[i] * values[i];
  return sum;
}
