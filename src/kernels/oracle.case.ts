/**
 * What the conformance suite measures against: explicit f64 matrices, exact in
 * all that matters, and a replay of a pursuit that tells whether it was greedy.
 */

import { expect } from "vitest";
import { DenseMatrix, type SparseColumns } from "../core/matrix.js";
import type { Rng } from "../core/rng.js";
import { kron, Matrix64 } from "../linalg/matrix64.js";
import { dependenceFloor, type PursuitLimits, pursuitFloor } from "./contract.js";
import { sumTolerance, unitRoundoff } from "./tolerance.js";

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

/** The length of the chain of sums behind one product with Φ. */
export function chainLength(factors: readonly Matrix64[]): number {
  return factors.reduce((total, factor) => total + factor.rows + factor.cols, 0);
}

/** Every entry within the rounding of `terms` products of the given magnitudes. */
export function expectClose(actual: DenseMatrix, exact: Matrix64, terms: number, magnitude: Matrix64): void {
  expect([actual.rows, actual.cols]).toEqual([exact.rows, exact.cols]);
  for (let i = 0; i < exact.data.length; i++) {
    const error = Math.abs(actual.data[i]! - exact.data[i]!);
    const bound = sumTolerance(terms, magnitude.data[i]!);
    if (!(error <= bound)) {
      expect.fail(`entry ${i}: ${actual.data[i]} should be ${exact.data[i]} ± ${bound}`);
    }
  }
}

/** Random values with a few exact zeros. */
export function randomDense(rng: Rng, rows: number, cols: number, scale = 1): DenseMatrix {
  return DenseMatrix.build(rows, cols, () => (rng.uniform() < 0.05 ? 0 : rng.normal() * scale));
}

export function randomFactors(rng: Rng, sizes: readonly (readonly [number, number])[]): Matrix64[] {
  return sizes.map(([rows, cols]) => wide(randomDense(rng, rows, cols)));
}

/** Solve the small symmetric positive system M x = b by elimination with pivoting; null where singular. */
function solve(M: Matrix64, b: readonly number[]): number[] | null {
  const size = b.length;
  const rows = b.map((value, i) => [...Array.from({ length: size }, (_, j) => M.at(i, j)), value]);
  for (let c = 0; c < size; c++) {
    const pivot = rows
      .slice(c)
      .reduce((best, row, r) => (Math.abs(row[c]!) > Math.abs(rows[best]![c]!) ? c + r : best), c);
    [rows[c], rows[pivot]] = [rows[pivot]!, rows[c]!];
    if (Math.abs(rows[c]![c]!) < 1e-14) return null;
    for (let r = 0; r < size; r++) {
      if (r === c) continue;
      const weight = rows[r]![c]! / rows[c]![c]!;
      for (let j = c; j <= size; j++) rows[r]![j]! -= weight * rows[c]![j]!;
    }
  }
  return rows.map((row, i) => row[size]! / row[i]!);
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
  const x =
    solve(
      sub,
      atoms.map((a) => P[a]!),
    ) ?? atoms.map(() => Number.NaN);
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
    atoms.reduce((value, a, i) => value - G.at(j, a) * x[i]!, P[j]!),
  );
  const explained = atoms.reduce((sum, a, i) => sum + x[i]! * P[a]!, 0);
  // Cholesky in f32: |δx| ≤ γ₍₃ₜ₊₁₎ |G⁻¹||C||Cᵀ||x| [Higham 2002, thm 10.4], |C||Cᵀ| ≤ t; then α and ‖r‖² inherit it.
  const size = x.reduce((sum, value) => sum + Math.abs(value), 0) + Math.max(0, ...Array.from(P, Math.abs));
  const slack = (3 * t + 8) * unitRoundoff * (1 + t * inverseNorm) * size;
  return { x, alpha, explained, slack };
}

/**
 * Whether a code is one that OMP may give: each atom was the most correlated (to
 * rounding) when it was taken, the coefficients are the least-squares fit, and it
 * stopped for one of the reasons of the contract and no later.
 */
export function expectGreedy(
  G: Matrix64,
  P: ArrayLike<number>,
  energy: number,
  limits: PursuitLimits,
  atoms: readonly number[],
  values: readonly number[],
): void {
  expect(new Set(atoms).size).toBe(atoms.length);
  expect(atoms.length).toBeLessThanOrEqual(limits.sparsity);
  const strongest = Math.max(0, ...Array.from(P, Math.abs));
  for (let t = 0; t <= atoms.length; t++) {
    const { x, alpha, explained, slack } = exactState(G, P, atoms.slice(0, t));
    const best = Math.max(0, ...alpha.map(Math.abs));
    const left = energy - explained;
    const energySlack = slack * strongest * (t + 1) + unitRoundoff * 8 * energy;
    if (t < atoms.length) {
      expect(left, `turn ${t}: goes on below the error`).toBeGreaterThan(limits.residualEnergy - energySlack);
      expect(Math.abs(alpha[atoms[t]!]!), `turn ${t}: not the best atom`).toBeGreaterThanOrEqual(
        best - 2 * slack,
      );
      expect(best, `turn ${t}: goes on with nothing left`).toBeGreaterThan(
        pursuitFloor * strongest - 2 * slack,
      );
      continue;
    }
    x.forEach((value, i) => {
      expect(Math.abs(value - values[i]!), `coefficient ${i}`).toBeLessThanOrEqual(slack + 1e-38);
    });
    const finished =
      t === limits.sparsity ||
      left <= limits.residualEnergy + energySlack ||
      best <= pursuitFloor * strongest + 2 * slack ||
      alpha.some(
        (value, j) =>
          Math.abs(value) >= best - 2 * slack && distanceTo(G, atoms, j) <= dependenceFloor + slack,
      );
    expect(finished, `stops after ${t} atoms with ${best} left of ${strongest}`).toBe(true);
  }
}

/** The squared distance of unit atom j from the span of `atoms`. */
function distanceTo(G: Matrix64, atoms: readonly number[], j: number): number {
  const { x } = exactState(
    G,
    Array.from({ length: G.rows }, (_, i) => G.at(i, j)),
    atoms,
  );
  return atoms.reduce((value, a, i) => value - x[i]! * G.at(a, j), G.at(j, j));
}
