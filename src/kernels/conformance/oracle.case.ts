/**
 * What the conformance suite compares with: explicit f64 matrices, and a replay of a
 * pursuit that checks whether it was greedy.
 *
 * Random reals are compared within the rounding that `tolerance.ts` derives. Small
 * integers are compared exactly: as long as every partial sum stays below 2²⁴, f32 adds
 * integers without rounding in any order, so a block or a remainder that a kernel skips
 * is always found.
 */

import { expect } from "vitest";
import { DenseMatrix, SparseColumns } from "../../core/matrix.js";
import type { Rng } from "../../core/random/rng.js";
import { kron, Matrix64 } from "../../linalg/matrix64.js";
import { dependenceFloor, type PursuitLimits, pursuitFloor } from "../contract.js";
import { sumTolerance, unitRoundoff } from "./tolerance.js";

/**
 * What a quotient or a root may add, in units of u: WGSL allows 2.5 ulp for a
 * division and 4.5 ulp for a root (1 / inverseSqrt), and an ulp is at most 2u.
 */
export const quotient = 5;
export const root = 9;

/** A host matrix as f64. */
export function wide(matrix: DenseMatrix | SparseColumns): Matrix64 {
  const source = matrix instanceof DenseMatrix ? matrix : matrix.toDense();
  return new Matrix64(source.rows, source.cols, Float64Array.from(source.data));
}

/** φ₀ ⊗ φ₁ ⊗ …, explicitly. */
export function explicitBase(factors: readonly Matrix64[]): Matrix64 {
  return factors.reduce(kron);
}

/** |M|, entry by entry: for bounds on rounding. */
export function magnitudes(matrix: Matrix64): Matrix64 {
  return new Matrix64(matrix.rows, matrix.cols, matrix.data.map(Math.abs));
}

/** diag(weights) M. */
export function scaledRows(M: Matrix64, weights: ArrayLike<number>): Matrix64 {
  return new Matrix64(
    M.rows,
    M.cols,
    M.data.map((value, i) => value * weights[i % M.rows]),
  );
}

/** The rows of M that are named, in that order. */
export function rowsOf(M: Matrix64, rows: readonly number[]): Matrix64 {
  const result = new Matrix64(rows.length, M.cols);
  for (let j = 0; j < M.cols; j++) {
    rows.forEach((row, i) => {
      result.data[j * rows.length + i] = M.at(row, j);
    });
  }
  return result;
}

export function dot(x: ArrayLike<number>, y: ArrayLike<number>): number {
  let sum = 0;
  for (let i = 0; i < x.length; i++) sum += x[i] * y[i];
  return sum;
}

/** The length of the chain of sums behind one product with Φ. */
export function chainLength(factors: readonly Matrix64[]): number {
  return factors.reduce((total, factor) => total + factor.rows + factor.cols, 0);
}

/** Every entry within the rounding of `terms` products of the given magnitudes. */
export function expectClose(actual: DenseMatrix, exact: Matrix64, terms: number, magnitude: Matrix64): void {
  expectEntries(actual, exact, (i) => sumTolerance(terms, magnitude.data[i]));
}

/** Every entry the same number: for integers, whose f32 sums do not round. */
export function expectExact(actual: DenseMatrix, exact: Matrix64): void {
  expect(
    exact.data.every((value) => Math.abs(value) < 2 ** 24),
    "integers that f32 holds",
  ).toBe(true);
  expectEntries(actual, exact, () => 0);
}

function expectEntries(actual: DenseMatrix, exact: Matrix64, bound: (i: number) => number): void {
  expect([actual.rows, actual.cols]).toEqual([exact.rows, exact.cols]);
  for (let i = 0; i < exact.data.length; i++) {
    const error = Math.abs(actual.data[i] - exact.data[i]);
    if (!(error <= bound(i))) {
      expect.fail(`entry ${i}: ${actual.data[i]} should be ${exact.data[i]} ± ${bound(i)}`);
    }
  }
}

/** The same bits: as `toEqual`, at the speed that a million entries need. */
export function expectSame(actual: ArrayLike<number>, expected: ArrayLike<number>, what: string): void {
  let at = actual.length === expected.length ? 0 : -1;
  while (at >= 0 && at < expected.length && Object.is(actual[at], expected[at])) at++;
  if (at === expected.length) return;
  expect.fail(`${what}: ${at < 0 ? "another length" : `entry ${at} is ${actual[at]}, not ${expected[at]}`}`);
}

/** Random values with a few exact zeros. */
export function randomDense(rng: Rng, rows: number, cols: number, scale = 1): DenseMatrix {
  return DenseMatrix.build(rows, cols, () => (rng.uniform() < 0.05 ? 0 : rng.normal() * scale));
}

/** Random integers from −`largest` to `largest`. */
export function randomIntegers(rng: Rng, rows: number, cols: number, largest: number): DenseMatrix {
  return DenseMatrix.build(rows, cols, () => rng.below(2 * largest + 1) - largest);
}

/** Columns of random length up to `width`, rows in random order. */
export function randomSparse(
  rng: Rng,
  rows: number,
  cols: number,
  width: number,
  value: () => number = () => rng.normal(),
): SparseColumns {
  const sparse = new SparseColumns(rows, cols, width);
  for (let j = 0; j < cols; j++) {
    const chosen = rng.distinct(rng.below(Math.min(width, rows) + 1), rows);
    sparse.setColumn(j, chosen, chosen.map(value));
  }
  return sparse;
}

/** Factors of one to three axes of small, odd and unequal sizes. */
export function randomFactors(rng: Rng): Matrix64[] {
  const axes = 1 + rng.below(3);
  return Array.from({ length: axes }, () => wide(randomDense(rng, 1 + rng.below(6), 1 + rng.below(8))));
}

/** Unit atoms and their Gram matrix. */
export function randomUnitDictionary(rng: Rng, n: number, m: number): { D: DenseMatrix; G: DenseMatrix } {
  const D = DenseMatrix.build(n, m, () => rng.normal());
  for (let j = 0; j < m; j++) {
    const norm = Math.sqrt(dot(D.column(j), D.column(j)));
    for (let i = 0; i < n; i++) D.data[j * n + i] /= norm;
  }
  return { D, G: gramOf(D) };
}

/** DᵀD, exactly symmetric. */
export function gramOf(D: DenseMatrix): DenseMatrix {
  return DenseMatrix.build(D.cols, D.cols, (i, j) => dot(D.column(i), D.column(j)));
}

/**
 * The unit Gram matrix and the scales of D = ΦA: values, symmetry to the bit, zero
 * atoms. `terms` covers either way to compute it: through A (Φ, Φᵀ, then k terms)
 * or through the columns of D (Φ and k terms each, then n).
 */
export function expectUnitGram(
  G: DenseMatrix,
  scales: ArrayLike<number>,
  factors: readonly Matrix64[],
  A: SparseColumns,
): void {
  const phi = explicitBase(factors);
  const terms = 2 * (chainLength(factors) + A.width) + phi.rows + 2 * (root + quotient);
  const D = phi.times(wide(A));
  const size = magnitudes(phi).times(magnitudes(wide(A)));
  const norms = Array.from({ length: A.cols }, (_, j) => Math.sqrt(dot(D.column(j), D.column(j))));
  // rounding of a norm relative to itself: that of Σ|φ||a|, squared, against the norm's own square
  const spread = norms.map((norm, j) => (norm === 0 ? 0 : dot(size.column(j), size.column(j)) / norm ** 2));
  for (let j = 0; j < A.cols; j++) {
    if (norms[j] === 0) expect(scales[j]).toBe(0);
    else if (!(Math.abs(scales[j] * norms[j] - 1) <= sumTolerance(terms, spread[j])))
      expect.fail(`scale ${j}: ${scales[j]} should be ${1 / norms[j]}`);
    for (let i = 0; i <= j; i++) {
      if (!Object.is(G.at(i, j), G.at(j, i))) expect.fail(`not symmetric at (${i}, ${j})`);
      const product = norms[i] * norms[j];
      const exact = product === 0 ? 0 : dot(D.column(i), D.column(j)) / product;
      const magnitude = product === 0 ? 0 : Math.sqrt(spread[i] * spread[j]) + spread[i] + spread[j];
      if (!(Math.abs(G.at(i, j) - exact) <= sumTolerance(terms, magnitude)))
        expect.fail(`Gram entry (${i}, ${j}): ${G.at(i, j)} should be ${exact}`);
    }
  }
}

/** Solve the small symmetric positive system M x = b by elimination with pivoting; null if singular. */
function solve(M: Matrix64, b: readonly number[]): number[] | null {
  const size = b.length;
  const rows = b.map((value, i) => [...Array.from({ length: size }, (_, j) => M.at(i, j)), value]);
  for (let c = 0; c < size; c++) {
    const pivot = rows
      .slice(c)
      .reduce((best, row, r) => (Math.abs(row[c]) > Math.abs(rows[best][c]) ? c + r : best), c);
    [rows[c], rows[pivot]] = [rows[pivot], rows[c]];
    if (Math.abs(rows[c][c]) < 1e-14) return null;
    for (let r = 0; r < size; r++) {
      if (r === c) continue;
      const weight = rows[r][c] / rows[c][c];
      for (let j = c; j <= size; j++) rows[r][j] -= weight * rows[c][j];
    }
  }
  return rows.map((row, i) => row[size] / row[i]);
}

/** The state of a pursuit after taking `atoms`, in f64, and how far f32 may be from it. */
function exactState(G: Matrix64, P: ArrayLike<number>, atoms: readonly number[]) {
  const t = atoms.length;
  const sub = new Matrix64(t, t);
  atoms.forEach((a, i) => {
    atoms.forEach((b, j) => {
      sub.data[j * t + i] = G.at(a, b);
    });
  });
  const fit = solve(
    sub,
    atoms.map((a) => P[a]),
  );
  const x = fit ?? atoms.map(() => 0); // dependent to the last bit of f64: the slack is infinite then
  // ‖G_II⁻¹‖₁ = the largest column sum of the inverse
  const inverseNorm = Math.max(
    1,
    ...atoms.map((_, j) => {
      const column = solve(
        sub,
        atoms.map((__, i) => (i === j ? 1 : 0)),
      );
      return column ? column.reduce((sum, value) => sum + Math.abs(value), 0) : Infinity;
    }),
  );
  const alpha = Array.from({ length: G.rows }, (_, j) =>
    atoms.reduce((value, a, i) => value - G.at(j, a) * x[i], P[j]),
  );
  const explained = atoms.reduce((sum, a, i) => sum + x[i] * P[a], 0);
  // Cholesky in f32: |δx| ≤ γ₍₃ₜ₊₁₎ |G⁻¹||C||Cᵀ||x| [Higham 2002, thm 10.4], |C||Cᵀ| ≤ t; then α and ‖r‖² inherit it.
  const size = x.reduce((sum, value) => sum + Math.abs(value), 0) + Math.max(0, ...Array.from(P, Math.abs));
  const slack = (3 * t + 8) * unitRoundoff * (1 + t * inverseNorm) * size;
  return { x, alpha, explained, slack };
}

/**
 * Checks that OMP may give a code: each atom was the most correlated (up to rounding)
 * when it was taken, the coefficients are the least-squares fit, and the pursuit stopped
 * for one of the reasons of the contract and no later. With `path`, also checks the
 * residual energies ‖y‖² − ⟨x, P_I⟩ of the turns.
 */
export function expectGreedy(
  G: Matrix64,
  P: ArrayLike<number>,
  energy: number,
  limits: PursuitLimits,
  atoms: readonly number[],
  values: readonly number[],
  path?: readonly number[],
): void {
  expect(new Set(atoms).size).toBe(atoms.length);
  expect(atoms.length).toBeLessThanOrEqual(limits.sparsity);
  const strongest = Math.max(0, ...Array.from(P, Math.abs));
  for (let t = 0; t <= atoms.length; t++) {
    const { x, alpha, explained, slack } = exactState(G, P, atoms.slice(0, t));
    const best = Math.max(0, ...alpha.map(Math.abs));
    const left = energy - explained;
    const energySlack = slack * strongest * (t + 1) + unitRoundoff * (t + 8) * energy;
    if (path) {
      // after turn t in row t − 1; the energy itself if no turn was taken
      const rows = t === atoms.length ? path.slice(Math.max(0, t - 1)) : t > 0 ? [path[t - 1]] : [];
      for (const value of rows) {
        expect(value, `residual energy after turn ${t}`).toBeGreaterThanOrEqual(0);
        expect(Math.abs(value - left), `residual energy after turn ${t}`).toBeLessThanOrEqual(energySlack);
        expect(value, `a row after turn ${t}`).toBe(rows[0]);
      }
    }
    if (t < atoms.length) {
      expect(left, `turn ${t}: continues below the error`).toBeGreaterThan(
        limits.residualEnergy - energySlack,
      );
      expect(Math.abs(alpha[atoms[t]]), `turn ${t}: not the best atom`).toBeGreaterThanOrEqual(
        best - 2 * slack,
      );
      expect(best, `turn ${t}: continues with nothing left`).toBeGreaterThan(
        pursuitFloor * strongest - 2 * slack,
      );
      continue;
    }
    x.forEach((value, i) => {
      expect(Math.abs(value - values[i]), `coefficient ${i}`).toBeLessThanOrEqual(slack + 1e-38);
    });
    const finished =
      t === limits.sparsity ||
      (limits.residualEnergy > 0 ? left <= limits.residualEnergy + energySlack : energy === 0) ||
      best <= pursuitFloor * strongest + 2 * slack ||
      alpha.some(
        (value, j) => Math.abs(value) >= best - 2 * slack && smallestDistance(G, atoms, j) <= dependenceFloor,
      );
    expect(finished, `stops after ${t} atoms with ${best} left of ${strongest}`).toBe(true);
  }
}

/** The squared distance of unit atom j from the span of `atoms`, as small as f32 may find it. */
function smallestDistance(G: Matrix64, atoms: readonly number[], j: number): number {
  const { explained, slack } = exactState(G, G.column(j), atoms);
  return G.at(j, j) - explained - (atoms.length + 1) * slack;
}

/** x of Rx = b for an upper triangular R, given by its columns, each up to the diagonal. */
export function solveByColumns(R: readonly (readonly number[])[], b: readonly number[]): number[] {
  const x = [...b];
  for (let t = x.length - 1; t >= 0; t--) {
    x[t] /= R[t][t];
    for (let s = 0; s < t; s++) x[s] -= R[t][s] * x[t];
  }
  return x;
}

/**
 * ‖v‖² of the unit direction that an atom adds to those taken, D_I = QR: v = (−R⁻¹w, 1)/√ν, with w = Qᵀd and ν its squared
 * distance from their span. OLS passes over an atom if 1/‖v‖² is at most `dependenceFloor`; within a factor of two of it
 * rounding decides, which is that of a sum of t squares times ‖v‖².
 */
export function directionEnergy(
  R: readonly (readonly number[])[],
  w: readonly number[],
  distance: number,
): number {
  const a = solveByColumns(R, w);
  return (1 + dot(a, a)) / distance;
}

/** target ← target − weight · vector. */
export function subtract(target: Float64Array, weight: number, vector: Float64Array): void {
  for (let i = 0; i < target.length; i++) target[i] -= weight * vector[i];
}
