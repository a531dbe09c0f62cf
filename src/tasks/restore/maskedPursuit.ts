/**
 * A pursuit, OMP or OLS, over the known samples of each signal. With M the
 * projection on them, which differs from signal to signal,
 *
 *     min ‖x‖₀   s.t.   ‖M(y − Dx)‖² ≤ ε²
 *
 * The atoms are those of D, restricted to the known samples and renormalised. A turn
 * takes the atom with the largest |⟨dⱼ, r⟩| / ‖Mdⱼ‖, then fits all taken atoms by
 * least squares over the known samples. Since r is zero where samples are missing,
 *
 *     ⟨Mdⱼ, r⟩ = (Dᵀr)ⱼ            one projection per turn, for all signals of a batch
 *     ‖Mdⱼ‖²  = ((D∘D)ᵀ mask)ⱼ     one `analyze` per batch, with D∘D as an explicit base
 *
 * are computed by the kernels, and no Gram matrix per mask is needed. The fit is a QR
 * factorisation on the host (modified Gram–Schmidt), one column per turn: t·n in turn t.
 *
 * An atom with little energy where samples are known (below `leastShare` of what it
 * would have if its energy were spread evenly) is not taken: the known samples hardly
 * determine it, and it could fill the gaps with anything.
 *
 * OLS takes the atom that leaves the smallest error instead: the largest |⟨dⱼ, r⟩| / √νⱼ, where νⱼ is the
 * energy of Mdⱼ outside the span of those taken. With q the newest column of Q and z its part of the
 * signal, Dᵀr falls by z Dᵀq and νⱼ by (Dᵀq)ⱼ²: still one projection per turn, of q instead of r. As in `batchOmp`, it
 * passes over an atom whose direction q = Σ vₜMdₜ has large coefficients, vₜ‖Mdₜ‖ over unit atoms.
 *
 * With no sample missing this is what `Kernels.batchOmp` does. Each signal is coded
 * in units of its own power of two, so that signals of any magnitudes can be mixed.
 */

import { DenseMatrix, SparseColumns } from "../../core/matrix.js";
import { toOwnUnits } from "../../core/units.js";
import { type Dictionary, openDictionary } from "../../dictionaries/dictionary.js";
import {
  type DeviceBase,
  type DeviceMatrix,
  dependenceFloor,
  type Kernels,
  type PursuitName,
  pursuitFloor,
} from "../../kernels/contract.js";
import { Matrix64 } from "../../linalg/matrix64.js";
import type { Model } from "../../model/model.js";

export interface MaskedLimits {
  /** ε² for this many known samples: stop once the squared error over them is at most this. */
  readonly residualEnergy: (known: number) => number;
  /** The most atoms for this many known samples. */
  readonly maxAtoms: (known: number) => number;
  /** How the next atom is taken; by default `omp`. */
  readonly pursuit?: PursuitName | undefined;
}

/** Least energy of an atom over the known samples, as a share of its even share. */
const leastShare = 0.1;

/** Bytes for the factors Q of a batch. */
const factorRoom = 2 ** 26;

export class MaskedPursuit {
  /** Signals at a time. */
  readonly capacity: number;
  readonly #D: DenseMatrix;
  readonly #dictionary: Dictionary;
  readonly #squares: DeviceBase;
  readonly #kernels: Kernels;
  readonly #limits: MaskedLimits;
  readonly #R: DeviceMatrix;
  readonly #P: DeviceMatrix;
  readonly #most: number;
  /** Q of every signal: up to `most` columns of n. */
  readonly #Q: Float32Array;

  private constructor(D: DenseMatrix, dictionary: Dictionary, limits: MaskedLimits, kernels: Kernels) {
    this.#D = D;
    this.#dictionary = dictionary;
    this.#limits = limits;
    this.#kernels = kernels;
    this.#most = Math.max(1, Math.min(D.cols, limits.maxAtoms(D.rows)));
    this.capacity = Math.max(1, Math.min(512, Math.floor(factorRoom / (4 * this.#most * D.rows))));
    this.#Q = new Float32Array(this.capacity * this.#most * D.rows);
    const squares = Float64Array.from(D.data, (value) => value * value);
    this.#squares = kernels.base([new Matrix64(D.rows, D.cols, squares)]);
    this.#R = kernels.matrix(D.rows, this.capacity);
    this.#P = kernels.matrix(D.cols, this.capacity);
  }

  static async create(model: Model, limits: MaskedLimits, kernels: Kernels): Promise<MaskedPursuit> {
    const dictionary = await openDictionary(model, kernels);
    return new MaskedPursuit(await model.atoms(kernels), dictionary, limits, kernels);
  }

  free(): void {
    this.#dictionary.free();
    this.#kernels.free(this.#squares, this.#R, this.#P);
  }

  /**
   * Dx for each column of Y, at all samples, known or not. `known` has a 1 for each known
   * sample, in the order of Y; the others of Y must be 0. At most `capacity` columns.
   */
  async restore(Y: DenseMatrix, known: Uint8Array): Promise<DenseMatrix> {
    const result = new DenseMatrix(Y.rows, Y.cols);
    for (const fit of await this.#pursue(Y, known)) this.#synthesize(fit, result.column(fit.index));
    return result;
  }

  /** The codes x of the columns of Y, as `restore` uses them. */
  async encode(Y: DenseMatrix, known: Uint8Array): Promise<SparseColumns> {
    const X = new SparseColumns(this.#D.cols, Y.cols, this.#most);
    for (const fit of await this.#pursue(Y, known)) {
      const x = coefficientsOf(fit).map((value) => value * fit.unit);
      X.setColumn(fit.index, fit.atoms, x);
    }
    return X;
  }

  async #pursue(Y: DenseMatrix, known: Uint8Array): Promise<readonly Fit[]> {
    const scaled = Y.copy();
    const units = toOwnUnits(scaled.data, scaled.cols);
    const inverse = await this.#restrictedEnergies(known, Y.cols);
    const fits = Array.from({ length: Y.cols }, (_, i) => this.#start(scaled, known, i, units[i]));
    for (const { index, least } of fits) invert(inverse.column(index), least);
    let active = fits.filter((fit) => fit.energy > fit.enough);
    while (active.length > 0) {
      const P = await this.#project(active);
      active = active.filter((fit, a) => {
        const ownInverse = inverse.column(fit.index);
        correlate(fit, P.column(a), ownInverse);
        return this.#turn(fit, ownInverse);
      });
    }
    return fits;
  }

  /** ‖Mdⱼ‖² of every atom (rows) for every mask (columns). */
  async #restrictedEnergies(known: Uint8Array, cols: number): Promise<DenseMatrix> {
    const [mask, energies] = [this.#kernels.head(this.#R, cols), this.#kernels.head(this.#P, cols)];
    await this.#kernels.writeMatrix(mask, new DenseMatrix(this.#D.rows, cols, Float32Array.from(known)));
    await this.#kernels.analyze(this.#squares, mask, energies);
    return this.#kernels.readMatrix(energies);
  }

  /** Dᵀr of every signal that takes more atoms; for OLS, after the first turn, Dᵀq. */
  async #project(active: readonly Fit[]): Promise<DenseMatrix> {
    const vectors = new DenseMatrix(this.#D.rows, active.length);
    active.forEach((fit, a) => {
      const vector = vectors.column(a);
      const q = this.#nextColumn(fit) - this.#D.rows;
      if (!fit.outside || fit.atoms.length === 0) vector.set(fit.residual);
      else fit.samples.forEach((sample, s) => (vector[sample] = this.#Q[q + s]));
    });
    const [R, P] = [this.#kernels.head(this.#R, active.length), this.#kernels.head(this.#P, active.length)];
    await this.#kernels.writeMatrix(R, vectors);
    await this.#dictionary.project(R, P);
    return this.#kernels.readMatrix(P);
  }

  /** Where the next column of Q begins. */
  #nextColumn({ index, atoms }: Fit): number {
    return (index * this.#most + atoms.length) * this.#D.rows;
  }

  #start(Y: DenseMatrix, known: Uint8Array, index: number, unit: number): Fit {
    const n = Y.rows;
    const samples: number[] = [];
    for (let r = 0; r < n; r++) if (known[index * n + r]) samples.push(r);
    const residual = Float64Array.from(Y.column(index));
    const energy = residual.reduce((sum, value) => sum + value * value, 0);
    return {
      index,
      unit,
      samples: Uint32Array.from(samples),
      residual,
      energy,
      enough: this.#limits.residualEnergy(samples.length) / unit / unit,
      most: Math.min(this.#most, Math.max(1, this.#limits.maxAtoms(samples.length))),
      least: (leastShare * samples.length) / n,
      strongest: 0,
      correlations: new Float32Array(0),
      outside: this.#limits.pursuit === "ols" ? new Float32Array(this.#D.cols).fill(1) : undefined,
      atoms: [],
      triangle: [],
      projections: [],
    };
  }

  /** Take one more atom; whether to continue. `inverse` has 1/‖Mdⱼ‖², or 0 for atoms that must not be taken. */
  #turn(fit: Fit, inverse: Float32Array): boolean {
    const found = this.#nextAtom(fit, inverse);
    if (!found) return false;
    const { atom, above, norm } = found;
    const { samples, residual } = fit;
    const Q = this.#Q;
    const q = this.#nextColumn(fit);
    let projection = 0;
    for (let s = 0; s < samples.length; s++) projection += (Q[q + s] /= norm) * residual[samples[s]];
    let energy = 0;
    for (let s = 0; s < samples.length; s++) energy += (residual[samples[s]] -= projection * Q[q + s]) ** 2;
    fit.atoms.push(atom);
    fit.triangle.push([...above, norm]);
    fit.projections.push(projection);
    fit.energy = energy;
    return energy > fit.enough && fit.atoms.length < fit.most;
  }

  /** The best atom that may be taken, with its column of R, whose last entry is `norm`; the next column of Q becomes what it adds, not yet scaled. */
  #nextAtom(fit: Fit, inverse: Float32Array): NextAtom | undefined {
    const { samples, outside } = fit;
    const Q = this.#Q;
    const first = fit.index * this.#most * this.#D.rows;
    const q = this.#nextColumn(fit);
    for (let atom = best(fit, inverse); atom >= 0; atom = best(fit, inverse)) {
      const column = this.#D.column(atom);
      for (let s = 0; s < samples.length; s++) Q[q + s] = column[samples[s]];
      const above = orthogonalize(Q, first, q, this.#D.rows, samples.length);
      const norm = Math.sqrt(dot(Q, q, q, samples.length));
      const isFar = norm * norm * inverse[atom] > dependenceFloor;
      if (isFar && !(outside && isNearSpan(fit, atom, [...above, norm], inverse)))
        return { atom, above, norm };
      if (!outside) return undefined;
      outside[atom] = 0; // OLS passes over it
    }
    return undefined;
  }

  /** Dx. */
  #synthesize(fit: Fit, target: Float32Array): void {
    const x = coefficientsOf(fit);
    for (let t = x.length - 1; t >= 0; t--) {
      const column = this.#D.column(fit.atoms[t]);
      for (let r = 0; r < target.length; r++) target[r] += x[t] * column[r];
    }
    for (let r = 0; r < target.length; r++) target[r] *= fit.unit;
  }
}

/** x of the triangular system R x = Qᵀy, in the units of the signal. */
function coefficientsOf({ triangle, projections }: Fit): number[] {
  return solve(triangle, projections);
}

/** Whether OLS passes over an atom that adds a column to R: its direction is Σ vₜMdₜ with large vₜ‖Mdₜ‖ (`batchOmp` of the kernels). */
function isNearSpan(
  { triangle, atoms }: Fit,
  atom: number,
  column: number[],
  inverse: Float32Array,
): boolean {
  const v = solve([...triangle, column], [...atoms.map(() => 0), 1]);
  const energy = v.reduce((sum, value, t) => sum + (value * value) / inverse[atoms[t] ?? atom], 0);
  return !(1 / energy > dependenceFloor);
}

/** R⁻¹z, R by columns. */
function solve(triangle: readonly (readonly number[])[], z: readonly number[]): number[] {
  const x = z.slice();
  for (let t = x.length - 1; t >= 0; t--) {
    x[t] /= triangle[t][t];
    for (let u = 0; u < t; u++) x[u] -= triangle[t][u] * x[t];
  }
  return x;
}

/** An atom to take. */
interface NextAtom {
  readonly atom: number;
  readonly above: number[];
  readonly norm: number;
}

/** The pursuit of one signal so far. */
interface Fit {
  readonly index: number;
  /** The power of two that the signal was divided by. */
  readonly unit: number;
  /** Its known samples. */
  readonly samples: Uint32Array;
  /** M(y − Dx). */
  readonly residual: Float64Array;
  energy: number;
  readonly enough: number;
  readonly most: number;
  /** Least energy of an atom over the known samples. */
  readonly least: number;
  /** The share of the first atom: what is far below it is rounding. */
  strongest: number;
  /** Dᵀr. */
  correlations: Float32Array;
  /** Of OLS: νⱼ/‖Mdⱼ‖², 1 at the start. */
  readonly outside: Float32Array | undefined;
  readonly atoms: number[];
  /** Columns of R. */
  readonly triangle: number[][];
  /** Qᵀy. */
  readonly projections: number[];
}

/** Invert energies in place; those below `least`, of atoms that must not be taken, become 0. */
function invert(energies: Float32Array, least: number): void {
  for (let j = 0; j < energies.length; j++) energies[j] = energies[j] < least ? 0 : 1 / energies[j];
}

/** The correlations after the last turn: `projected` is Dᵀr, or for OLS, after the first turn, Dᵀq. */
function correlate(fit: Fit, projected: Float32Array, inverse: Float32Array): void {
  const { outside, correlations } = fit;
  const z = fit.projections.at(-1);
  if (!outside || z === undefined) {
    fit.correlations = projected;
    return;
  }
  for (let j = 0; j < projected.length; j++) {
    correlations[j] -= z * projected[j];
    outside[j] -= projected[j] * projected[j] * inverse[j];
  }
}

/** The atom to take next, the first of several; or −1. */
function best(fit: Fit, inverse: Float32Array): number {
  const { correlations, outside, atoms } = fit;
  const least = pursuitFloor ** 2 * fit.strongest;
  let [atom, largest] = [-1, 0];
  for (let j = 0; j < correlations.length; j++) {
    const share = correlations[j] * correlations[j] * inverse[j];
    if (share <= least || (outside && outside[j] <= dependenceFloor)) continue;
    const gain = outside ? share / outside[j] : share;
    if (gain > largest && !atoms.includes(j)) [atom, largest] = [j, gain];
  }
  fit.strongest ||= largest;
  return atom;
}

/** Remove from the column at `q` its parts along those from `first` on, one every `step`; the parts. */
function orthogonalize(Q: Float32Array, first: number, q: number, step: number, length: number): number[] {
  const parts: number[] = [];
  for (let earlier = first; earlier < q; earlier += step) {
    const inner = dot(Q, earlier, q, length);
    for (let s = 0; s < length; s++) Q[q + s] -= inner * Q[earlier + s];
    parts.push(inner);
  }
  return parts;
}

/** The inner product of the columns at `a` and `b`. */
function dot(Q: Float32Array, a: number, b: number, length: number): number {
  let sum = 0;
  for (let s = 0; s < length; s++) sum += Q[a + s] * Q[b + s];
  return sum;
}
