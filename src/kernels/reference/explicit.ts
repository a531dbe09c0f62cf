/**
 * Explicit dictionaries D (n × m): products, and the updates of ODL and K-SVD, in
 * plain loops with f64 sums.
 */

import { DenseMatrix, type SparseColumns } from "../../core/matrix.js";
import { type AtomRange, momentFloor } from "../contract.js";

/** P ← DᵀY. */
export function correlate(D: DenseMatrix, Y: DenseMatrix, P: DenseMatrix): void {
  for (let i = 0; i < Y.cols; i++) {
    const y = Y.column(i);
    const target = P.column(i);
    for (let j = 0; j < D.cols; j++) target[j] = dot(D.column(j), y);
  }
}

/** Y ← DX. */
export function combine(D: DenseMatrix, X: SparseColumns, Y: DenseMatrix): void {
  for (let i = 0; i < X.cols; i++) Y.column(i).set(combination(D, X, i));
}

/** R ← Y − DX. */
export function remainder(D: DenseMatrix, X: SparseColumns, Y: DenseMatrix, R: DenseMatrix): void {
  for (let i = 0; i < X.cols; i++) {
    const fitted = combination(D, X, i);
    R.column(i).set(Y.column(i).map((y, r) => y - fitted[r]));
  }
}

/** Dx of one code. */
function combination(D: DenseMatrix, X: SparseColumns, i: number): Float64Array {
  const sum = new Float64Array(D.rows);
  for (let s = i * X.width; s < i * X.width + X.counts[i]; s++)
    addScaled(sum, X.values[s], D.column(X.indices[s]));
  return sum;
}

/** B ← βB + YXᵀ, C ← βC + XXᵀ. */
export function addMoments(
  beta: number,
  Y: DenseMatrix,
  X: SparseColumns,
  B: DenseMatrix,
  C: DenseMatrix,
): void {
  const [b, c] = [B, C].map(({ data }) => Float64Array.from(data, (value) => beta * value));
  for (let i = 0; i < X.cols; i++) {
    const start = i * X.width;
    const end = start + X.counts[i];
    for (let s = start; s < end; s++) {
      const atom = X.indices[s];
      const x = X.values[s];
      addScaled(b.subarray(atom * B.rows, (atom + 1) * B.rows), x, Y.column(i));
      for (let t = start; t < end; t++) c[atom * C.rows + X.indices[t]] += x * X.values[t];
    }
  }
  B.data.set(b);
  C.data.set(c);
}

/** dⱼ ← u/‖u‖ with u = dⱼ + ω(bⱼ − Dcⱼ)/Cⱼⱼ and ω = `step`, one atom of the range after the other. */
export function descendAtoms(
  B: DenseMatrix,
  C: DenseMatrix,
  D: DenseMatrix,
  step: number,
  { first, count }: AtomRange,
): void {
  for (let j = first; j < first + count; j++) {
    const weight = C.at(j, j);
    if (!(weight >= momentFloor)) continue;
    const u = Float64Array.from(B.column(j));
    for (let i = 0; i < D.cols; i++) addScaled(u, -C.at(i, j), D.column(i));
    D.column(j).forEach((d, r) => (u[r] = d + (step * u[r]) / weight));
    normalizeInto(u, D.column(j));
  }
}

/** One atom after the other, with the coefficients of the examples that use it: see the contract. */
export function refitAtoms(R: DenseMatrix, X: SparseColumns, D: DenseMatrix): void {
  const uses = slotsOf(X);
  for (let j = 0; j < D.cols; j++) {
    const d = Float64Array.from(D.column(j));
    const direction = new Float64Array(D.rows);
    const errors = uses[j].map((slot) => {
      const error = Float64Array.from(R.column(Math.floor(slot / X.width)));
      addScaled(error, X.values[slot], d);
      addScaled(direction, X.values[slot], error);
      return error;
    });
    if (!normalizeInto(direction, D.column(j))) continue;
    uses[j].forEach((slot, at) => {
      const error = errors[at];
      X.values[slot] = dot(error, D.column(j));
      addScaled(error, -X.values[slot], D.column(j));
      R.column(Math.floor(slot / X.width)).set(error);
    });
  }
}

/** For each atom, the slots of X that hold its coefficients, without zeros. */
function slotsOf(X: SparseColumns): number[][] {
  const slots: number[][] = Array.from({ length: X.rows }, () => []);
  for (let i = 0; i < X.cols; i++) {
    for (let s = i * X.width; s < i * X.width + X.counts[i]; s++)
      if (X.values[s] !== 0) slots[X.indices[s]].push(s);
  }
  return slots;
}

/** C ← C + YYᵀ. */
export function addOuter(Y: DenseMatrix, C: DenseMatrix): void {
  const rows = DenseMatrix.build(Y.cols, Y.rows, (i, r) => Y.at(r, i));
  for (let j = 0; j < C.cols; j++) {
    for (let i = 0; i <= j; i++) {
      const sum = C.at(i, j) + dot(rows.column(i), rows.column(j));
      C.data[j * C.rows + i] = sum;
      C.data[i * C.rows + j] = sum;
    }
  }
}

/** target ← u/‖u‖; false, and no change, if u is zero. */
function normalizeInto(u: Float64Array, target: Float32Array): boolean {
  const energy = dot(u, u);
  if (!(energy > 0)) return false;
  const scale = 1 / Math.sqrt(energy);
  target.set(u.map((value) => value * scale));
  return true;
}

function dot(x: ArrayLike<number>, y: ArrayLike<number>): number {
  let sum = 0;
  for (let i = 0; i < x.length; i++) sum += x[i] * y[i];
  return sum;
}

/** sum ← sum + weight × column. */
function addScaled(sum: Float64Array, weight: number, column: ArrayLike<number>): void {
  for (let i = 0; i < sum.length; i++) sum[i] += weight * column[i];
}
