/**
 * Batch-OMP [Rubinstein, Zibulevsky, Elad 2008]: orthogonal matching pursuit from
 * the Gram matrix and the projections alone, in f64.
 *
 *     α ← P                                          correlations with the residual
 *     repeat   j ← argmax |α|,  I ← I ∪ {j}
 *              extend the Cholesky factor C of G_II by the row (w, √(1 − ‖w‖²))
 *              x ← (C Cᵀ)⁻¹ P_I                      least squares on the taken atoms
 *              α ← P − G_I x                         new correlations
 *              ‖r‖² = ‖y‖² − ⟨x, P_I⟩                Pythagoras: r ⟂ D_I
 *
 * Orthogonal least squares (OLS) takes j ← argmax |α|/√ν instead, with νⱼ = ‖P⊥dⱼ‖² the
 * squared distances from the span of the taken atoms, and so the smallest residual:
 * ‖r‖² falls by αⱼ²/νⱼ. With q the part of the new atom that is orthogonal to those before,
 * scaled to unit norm, and c the pivot of its row (w, c) of C,
 *
 *              β = Dᵀq = (G_j − Σ wₛβₛ)/c,   ν ← ν − β²     β₁, β₂, … of the atoms before
 *
 * OMP is the same with ν = 1 throughout. An atom may be too near the span of those taken although ν is not small: OLS passes over it if
 * 1/‖v‖² is too small, v = C⁻ᵀe the coefficients of q.
 *
 * Cost p²m/2 per example, all of it reading columns of G; twice that here for OLS, where the other
 * kernels get α from β.
 */

import { DenseMatrix, type SparseColumns } from "../../core/matrix.js";
import { dependenceFloor, type NearAtoms, type PursuitLimits, pursuitFloor } from "../contract.js";
import { largestRows } from "./update.js";

export function batchOmp(
  G: DenseMatrix,
  P: DenseMatrix,
  energies: DenseMatrix,
  limits: PursuitLimits,
  X: SparseColumns,
  path?: DenseMatrix,
): void {
  const pursuit = new Pursuit(G, limits.sparsity);
  for (let i = 0; i < P.cols; i++) {
    pursuit.run(P.column(i), energies.data[i], limits);
    X.setColumn(i, pursuit.taken, pursuit.coefficients);
    path?.column(i).set(pursuit.path);
  }
}

/** Pursuits among a few atoms each: G and P of these alone, then their names. */
export function ompNear(
  G: DenseMatrix,
  P: DenseMatrix,
  W: DenseMatrix,
  energies: DenseMatrix,
  A: SparseColumns,
  { first, step = 1, choices }: NearAtoms,
  limits: PursuitLimits,
  X: SparseColumns,
): void {
  for (let i = 0; i < P.cols; i++) {
    const column = first + i * step;
    const start = column * A.width;
    const near = Float32Array.from(W.column(i));
    for (const row of A.indices.subarray(start, start + A.counts[column])) near[row] = Infinity;
    const rows = largestRows(near, choices);
    const pursuit = new Pursuit(
      DenseMatrix.build(rows.length, rows.length, (r, c) => G.at(rows[r], rows[c])),
      limits.sparsity,
    );
    const projections = Float32Array.from(rows, (row) => P.at(row, i));
    pursuit.run(projections, energies.data[i], limits);
    X.setColumn(
      i,
      pursuit.taken.map((atom) => rows[atom]),
      pursuit.coefficients,
    );
  }
}

/** The state of one pursuit, reused for all examples of a batch. */
class Pursuit {
  taken: number[] = [];
  coefficients: number[] = [];
  /** ‖r‖² after each turn; rows after the last repeat it. */
  readonly path: Float64Array;
  readonly #G: DenseMatrix;
  readonly #alpha: Float64Array;
  /** ν of OLS, and β of the taken atoms; ones, and nothing, for OMP. */
  readonly #distances: Float64Array;
  #betas: Float64Array[] = [];
  /** C: row r holds its r + 1 entries from r * width. */
  readonly #factor: Float64Array;
  readonly #width: number;

  constructor(G: DenseMatrix, width: number) {
    this.#G = G;
    this.#alpha = new Float64Array(G.rows);
    this.#distances = new Float64Array(G.rows);
    this.#factor = new Float64Array(width * width);
    this.#width = width;
    this.path = new Float64Array(width);
  }

  run(projections: Float32Array, energy: number, limits: PursuitLimits): void {
    this.taken = [];
    this.coefficients = [];
    this.#betas = [];
    this.#alpha.set(projections);
    this.#distances.fill(1);
    const isOls = limits.pursuit === "ols";
    const floor = pursuitFloor * this.#alpha.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
    let left = energy;
    this.path.fill(energy);
    const goesOn = () => (limits.residualEnergy > 0 ? left > limits.residualEnergy : energy > 0);
    while (this.taken.length < limits.sparsity && goesOn()) {
      const atom = this.#best(floor);
      if (atom < 0) break;
      if (!this.#take(atom, isOls)) {
        if (!isOls) break;
        this.#distances[atom] = 0;
        continue;
      }
      this.#fit(projections);
      left = energy;
      this.taken.forEach((taken, t) => {
        left -= this.coefficients[t] * projections[taken];
      });
      this.path.fill(Math.max(0, left), this.taken.length - 1);
      this.#correlate(projections);
      if (isOls) this.#approach(atom);
    }
  }

  /** The first atom of the largest |α|/√ν; −1 if none is above the floors. */
  #best(floor: number): number {
    let best = -1;
    let largest = 0;
    for (let j = 0; j < this.#alpha.length; j++) {
      const size = Math.abs(this.#alpha[j]);
      if (!(size > floor && this.#distances[j] > dependenceFloor)) continue;
      const score = size / Math.sqrt(this.#distances[j]);
      if (score > largest) [best, largest] = [j, score];
    }
    return best;
  }

  /** Extend the factor by an atom; false if it depends on those taken. */
  #take(atom: number, isOls: boolean): boolean {
    const rank = this.taken.length;
    const row = rank * this.#width;
    let distance = this.#G.at(atom, atom);
    for (let t = 0; t < rank; t++) {
      let w = this.#G.at(this.taken[t], atom);
      for (let s = 0; s < t; s++) w -= this.#factor[row + s] * this.#factor[t * this.#width + s];
      w /= this.#factor[t * this.#width + t];
      this.#factor[row + t] = w;
      distance -= w * w;
    }
    if (!(distance > dependenceFloor)) return false;
    this.#factor[row + rank] = Math.sqrt(distance);
    if (isOls && !(1 / this.#directionEnergy(rank) > dependenceFloor)) return false;
    this.taken.push(atom);
    return true;
  }

  /** ‖v‖² of the direction that row `last` of the factor adds: v = C⁻ᵀe. */
  #directionEnergy(last: number): number {
    const v = new Array<number>(last + 1).fill(0);
    v[last] = 1;
    this.#solveTransposed(v);
    return v.reduce((sum, value) => sum + value * value, 0);
  }

  /** x ← (C Cᵀ)⁻¹ P_I by two triangular solves. */
  #fit(projections: Float32Array): void {
    const rank = this.taken.length;
    const x = this.taken.map((atom) => projections[atom]);
    for (let t = 0; t < rank; t++) {
      for (let s = 0; s < t; s++) x[t] -= this.#factor[t * this.#width + s] * x[s];
      x[t] /= this.#factor[t * this.#width + t];
    }
    this.#solveTransposed(x);
    this.coefficients = x;
  }

  /** x ← C⁻ᵀ x, for the rows of C that x has. */
  #solveTransposed(x: number[]): void {
    for (let t = x.length - 1; t >= 0; t--) {
      for (let s = t + 1; s < x.length; s++) x[t] -= this.#factor[s * this.#width + t] * x[s];
      x[t] /= this.#factor[t * this.#width + t];
    }
  }

  /** α ← P − G_I x. */
  #correlate(projections: Float32Array): void {
    const alpha = this.#alpha;
    alpha.set(projections);
    this.taken.forEach((atom, t) => {
      const column = this.#G.column(atom);
      const x = this.coefficients[t];
      for (let j = 0; j < alpha.length; j++) alpha[j] -= x * column[j];
    });
    for (const atom of this.taken) alpha[atom] = 0; // exact by construction; rounding must not take one twice
  }

  /** ν ← ν − β² for the atom just taken. */
  #approach(atom: number): void {
    const last = this.taken.length - 1;
    const row = last * this.#width;
    const beta = Float64Array.from(this.#G.column(atom));
    this.#betas.forEach((earlier, s) => {
      for (let j = 0; j < beta.length; j++) beta[j] -= this.#factor[row + s] * earlier[j];
    });
    for (let j = 0; j < beta.length; j++) {
      beta[j] /= this.#factor[row + last];
      this.#distances[j] -= beta[j] * beta[j];
    }
    this.#distances[atom] = 0; // as α
    this.#betas.push(beta);
  }
}
