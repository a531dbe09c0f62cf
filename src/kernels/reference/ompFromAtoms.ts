/**
 * Orthogonal matching pursuit, and orthogonal least squares, from the atoms themselves,
 * in f64: for a dictionary whose Gram matrix is too large.
 *
 *     r ← y,   Q ← ()                                residual; orthonormal basis of the taken atoms
 *     repeat   α = D̂ᵀr                               through Φ and A: n√L + km
 *              j ← argmax |α|, or |α|/√ν for OLS
 *              c q = dⱼ − Σ wₛqₛ,   wₛ = ⟨qₛ, dⱼ − …⟩    modified Gram–Schmidt, c = ‖P⊥dⱼ‖
 *              z = ⟨q, r⟩,   r ← r − zq               ‖r‖² falls by z²
 *              ν ← ν − (D̂ᵀq)²                         OLS only; ν = 1 throughout for OMP
 *     x ← C⁻ᵀz                                       rows (w, c) of C: D_I = QCᵀ
 *
 * The rules are those of omp.ts.
 */

import type { DenseMatrix, SparseColumns } from "../../core/matrix.js";
import { dependenceFloor, type PursuitLimits, pursuitFloor } from "../contract.js";
import type { ReferenceBase } from "./handles.js";
import { sparseDot } from "./sparseProducts.js";
import { analyzeColumn, synthesizeColumn } from "./transforms.js";

/** D̂ = ΦA diag(scale). */
export interface UnitAtoms {
  readonly base: ReferenceBase;
  readonly A: SparseColumns;
  readonly scale: DenseMatrix;
}

export function ompFromAtoms(
  D: UnitAtoms,
  Y: DenseMatrix,
  energies: DenseMatrix,
  limits: PursuitLimits,
  X: SparseColumns,
  path?: DenseMatrix,
): void {
  for (let i = 0; i < Y.cols; i++) {
    const pursuit = new Pursuit(D, Y.column(i), energies.data[i], limits);
    pursuit.run();
    X.setColumn(i, pursuit.taken, pursuit.coefficients());
    path?.column(i).set(pursuit.path);
  }
}

/** The pursuit of one example. */
class Pursuit {
  readonly taken: number[] = [];
  /** ‖r‖² after each turn; rows after the last repeat it. */
  readonly path: Float64Array;
  readonly #D: UnitAtoms;
  readonly #limits: PursuitLimits;
  readonly #energy: number;
  readonly #r: Float64Array;
  /** ν; ones for OMP. */
  readonly #distances: Float64Array;
  readonly #Q: Float64Array[] = [];
  /** C by rows. */
  #factor: readonly (readonly number[])[] = [];
  readonly #z: number[] = [];

  constructor(D: UnitAtoms, y: Float32Array, energy: number, limits: PursuitLimits) {
    this.#D = D;
    this.#limits = limits;
    this.#energy = energy;
    this.#r = Float64Array.from(y);
    this.#distances = new Float64Array(D.A.cols).fill(1);
    this.path = new Float64Array(limits.sparsity).fill(energy);
  }

  run(): void {
    const { sparsity, residualEnergy, pursuit } = this.#limits;
    const isOls = pursuit === "ols";
    let alpha = this.#correlate(this.#r);
    const floor = pursuitFloor * alpha.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
    let left = this.#energy;
    const goesOn = () => (residualEnergy > 0 ? left > residualEnergy : this.#energy > 0);
    while (this.taken.length < sparsity && goesOn()) {
      const atom = this.#best(alpha, floor);
      if (atom < 0) break;
      if (!this.#take(atom)) {
        if (!isOls) break;
        this.#distances[atom] = 0;
        continue;
      }
      left -= (this.#z.at(-1) ?? 0) ** 2;
      this.path.fill(Math.max(0, left), this.taken.length - 1);
      alpha = this.#correlate(this.#r);
      if (isOls) this.#approach();
      for (const taken of this.taken) this.#distances[taken] = 0; // rounding must not take one twice
    }
  }

  /** The first atom of the largest |α|/√ν; −1 if none is above the floors. */
  #best(alpha: Float64Array, floor: number): number {
    let best = -1;
    let largest = 0;
    for (let j = 0; j < alpha.length; j++) {
      const size = Math.abs(alpha[j]);
      if (!(size > floor && this.#distances[j] > dependenceFloor)) continue;
      const score = size / Math.sqrt(this.#distances[j]);
      if (score > largest) [best, largest] = [j, score];
    }
    return best;
  }

  /** Extend Q and C by an atom, and take its direction out of r; false if it depends on those taken. */
  #take(atom: number): boolean {
    const q = this.#atom(atom);
    const row = this.#Q.map((earlier) => {
      const w = dot(earlier, q);
      subtract(q, w, earlier);
      return w;
    });
    const distance = dot(q, q);
    if (!(distance > dependenceFloor)) return false;
    const pivot = Math.sqrt(distance);
    const rows = [...this.#factor, [...row, pivot]];
    if (this.#limits.pursuit === "ols") {
      const v = solveTransposed(rows, [...row.map(() => 0), 1]);
      if (!(1 / dot(v, v) > dependenceFloor)) return false;
    }
    for (let s = 0; s < q.length; s++) q[s] /= pivot;
    const z = dot(q, this.#r);
    subtract(this.#r, z, q);
    this.#Q.push(q);
    this.#factor = rows;
    this.#z.push(z);
    this.taken.push(atom);
    return true;
  }

  /** ν ← ν − (D̂ᵀq)² for the last q. */
  #approach(): void {
    const beta = this.#correlate(this.#Q[this.#Q.length - 1]);
    for (let j = 0; j < beta.length; j++) this.#distances[j] -= beta[j] * beta[j];
  }

  /** x ← C⁻ᵀz. */
  coefficients(): number[] {
    return solveTransposed(this.#factor, this.#z);
  }

  /** D̂ᵀv. */
  #correlate(v: Float64Array): Float64Array {
    const { base, A, scale } = this.#D;
    const coefficients = analyzeColumn(base, v);
    return Float64Array.from({ length: A.cols }, (_, j) => scale.data[j] * sparseDot(A, j, coefficients));
  }

  /** d̂ⱼ. */
  #atom(j: number): Float64Array {
    const { base, A, scale } = this.#D;
    return synthesizeColumn(base, A.slice(j, j + 1).toDense().data).map((value) => value * scale.data[j]);
  }
}

/** C⁻ᵀz, C by rows. */
function solveTransposed(rows: readonly (readonly number[])[], z: readonly number[]): number[] {
  const x = [...z];
  for (let t = x.length - 1; t >= 0; t--) {
    x[t] /= rows[t][t];
    for (let s = 0; s < t; s++) x[s] -= rows[t][s] * x[t];
  }
  return x;
}

function dot(x: ArrayLike<number>, y: ArrayLike<number>): number {
  let sum = 0;
  for (let i = 0; i < x.length; i++) sum += x[i] * y[i];
  return sum;
}

/** x ← x − weight · y. */
function subtract(x: Float64Array, weight: number, y: Float64Array): void {
  for (let i = 0; i < x.length; i++) x[i] -= weight * y[i];
}
