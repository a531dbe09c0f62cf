/**
 * Products with sparse columns: the dictionary ΦA and the codes X. Sums in f64.
 */

import type { DenseMatrix, SparseColumns } from "../../core/matrix.js";
import type { SparseRows } from "../contract.js";
import type { ReferenceBase, ReferenceSet } from "./handles.js";
import { analyzeColumn, synthesizeColumn } from "./transforms.js";

/** P ← diag(scale) Aᵀ Φᵀ Y. */
export function project(
  base: ReferenceBase,
  A: SparseColumns,
  scale: DenseMatrix,
  Y: DenseMatrix,
  P: DenseMatrix,
): void {
  for (let i = 0; i < Y.cols; i++) {
    const z = analyzeColumn(base, Y.column(i));
    const target = P.column(i);
    for (let j = 0; j < A.cols; j++) target[j] = scale.data[j] * sparseDot(A, j, z);
  }
}

/** ⟨aⱼ, z⟩ in f64. */
export function sparseDot(A: SparseColumns, j: number, z: ArrayLike<number>): number {
  const start = j * A.width;
  const end = start + A.counts[j];
  let sum = 0;
  for (let s = start; s < end; s++) sum += A.values[s] * z[A.indices[s]];
  return sum;
}

/** Y ← ΦAX. */
export function reconstruct(base: ReferenceBase, A: SparseColumns, X: SparseColumns, Y: DenseMatrix): void {
  for (let i = 0; i < X.cols; i++) Y.column(i).set(approximation(base, A, X, i));
}

/** R ← Y − ΦAX. */
export function residual(
  base: ReferenceBase,
  A: SparseColumns,
  X: SparseColumns,
  Y: DenseMatrix,
  R: DenseMatrix,
): void {
  for (let i = 0; i < X.cols; i++) {
    const fitted = approximation(base, A, X, i);
    const y = Y.column(i);
    const r = R.column(i);
    for (let s = 0; s < r.length; s++) r[s] = y[s] - fitted[s];
  }
}

/** ΦAx of one code, in f64. */
function approximation(base: ReferenceBase, A: SparseColumns, X: SparseColumns, i: number): Float64Array {
  const coefficients = new Float64Array(A.rows);
  const start = i * X.width;
  for (let s = start; s < start + X.counts[i]; s++) addAtom(A, X.indices[s], X.values[s], coefficients);
  return synthesizeColumn(base, coefficients);
}

/** sum ← sum + x aⱼ. */
function addAtom(A: SparseColumns, j: number, x: number, sum: Float64Array): void {
  const start = j * A.width;
  const end = start + A.counts[j];
  for (let s = start; s < end; s++) sum[A.indices[s]] += A.values[s] * x;
}

/** X ← diag(scale) X. */
export function scaleRows(scale: DenseMatrix, X: SparseColumns): void {
  for (let i = 0; i < X.cols; i++) {
    for (let s = i * X.width; s < i * X.width + X.counts[i]; s++) X.values[s] *= scale.data[X.indices[s]];
  }
}

/** The non-zero entries by rows. */
export function rowsOf(X: SparseColumns): SparseRows {
  const found: [column: number, value: number][][] = Array.from({ length: X.rows }, () => []);
  eachEntry(X, (row, value, column) => {
    if (value !== 0) found[row].push([column, value]);
  });
  const starts = new Uint32Array(X.rows + 1);
  found.forEach((entries, j) => {
    starts[j + 1] = starts[j] + entries.length;
  });
  const entries = found.flat();
  const columns = Uint32Array.from(entries, ([column]) => column);
  return { cols: X.cols, starts, columns, values: Float32Array.from(entries, ([, value]) => value) };
}

/** S ← the rows with a non-zero value, ascending. */
export function usedAtoms(X: SparseColumns, S: ReferenceSet): void {
  const used = new Uint8Array(X.rows);
  eachEntry(X, (row, value) => {
    if (value !== 0) used[row] = 1;
  });
  const members: number[] = [];
  used.forEach((flag, row) => {
    if (flag) members.push(row);
  });
  S.members = Uint32Array.from(members);
}

/** usesⱼ ← usesⱼ + the number of columns with a non-zero in row j. */
export function countUses(X: SparseColumns, uses: DenseMatrix): void {
  eachEntry(X, (row, value) => {
    if (value !== 0) uses.data[row] += 1;
  });
}

/** The first |S| columns of grad ← −W X_Sᵀ. */
export function gradient(W: DenseMatrix, X: SparseColumns, S: ReferenceSet, grad: DenseMatrix): void {
  const place = placesOf(S, X.rows);
  const sums = new Float64Array(W.rows * S.members.length);
  eachEntry(X, (row, value, column) => {
    if (place[row] < 0) return;
    const w = W.column(column);
    const start = place[row] * W.rows;
    for (let l = 0; l < w.length; l++) sums[start + l] -= w[l] * value;
  });
  grad.data.set(sums);
}

/** V ← grad X_S. */
export function applyCodes(grad: DenseMatrix, S: ReferenceSet, X: SparseColumns, V: DenseMatrix): void {
  const place = placesOf(S, X.rows);
  const sum = new Float64Array(grad.rows);
  for (let i = 0; i < X.cols; i++) {
    sum.fill(0);
    for (let s = i * X.width; s < i * X.width + X.counts[i]; s++) {
      const at = place[X.indices[s]];
      if (at < 0) continue;
      const g = grad.column(at);
      for (let l = 0; l < g.length; l++) sum[l] += g[l] * X.values[s];
    }
    V.column(i).set(sum);
  }
}

/** In each example that uses an atom of S: R ← R + x·before, x ← ⟨after, R⟩ if it refits, R ← R − x·after. */
export function exchangeAtoms(
  before: DenseMatrix,
  after: DenseMatrix,
  S: ReferenceSet,
  X: SparseColumns,
  R: DenseMatrix,
  refits: boolean,
): void {
  const place = placesOf(S, X.rows);
  for (let i = 0; i < X.cols; i++) {
    const r = R.column(i);
    for (let s = i * X.width; s < i * X.width + X.counts[i]; s++) {
      const at = place[X.indices[s]];
      if (at < 0 || X.values[s] === 0) continue;
      const old = before.column(at);
      const fresh = after.column(at);
      const error = Float64Array.from(r, (value, l) => value + X.values[s] * old[l]);
      if (refits) X.values[s] = error.reduce((sum, value, l) => sum + value * fresh[l], 0);
      for (let l = 0; l < r.length; l++) r[l] = error[l] - X.values[s] * fresh[l];
    }
  }
}

/** The place of each atom in S, or −1. */
function placesOf(S: ReferenceSet, atoms: number): Int32Array {
  const place = new Int32Array(atoms).fill(-1);
  S.members.forEach((atom, at) => {
    place[atom] = at;
  });
  return place;
}

function eachEntry(X: SparseColumns, visit: (row: number, value: number, column: number) => void): void {
  for (let i = 0; i < X.cols; i++) {
    for (let s = i * X.width; s < i * X.width + X.counts[i]; s++) visit(X.indices[s], X.values[s], i);
  }
}
