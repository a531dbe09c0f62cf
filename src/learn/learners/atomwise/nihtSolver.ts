/**
 * The atom-wise update by Normalised Iterative Hard Thresholding: equations (9) and (10).
 *
 * For an atom with f(aⱼ) = ½‖Eⱼ − ℋⱼaⱼ‖²_F, ℋⱼa = Φaxⱼᵀ, so that ‖ℋⱼa‖² = ‖Φa‖²‖xⱼ‖²,
 *
 *     ∇f(aⱼ) = −ΦᵀRxⱼ
 *     ηⱼ     = ‖∇f(aⱼ)_Sⱼ‖² / ‖ℋⱼ∇f(aⱼ)_Sⱼ‖²,   Sⱼ the support of aⱼ         (10)
 *     âⱼ     = P_k[aⱼ − ηⱼ∇f(aⱼ)]                                            (9)
 *
 * Where âⱼ has the support of aⱼ, ηⱼ is the best possible step. Elsewhere ηⱼ is reduced
 * until ηⱼ ≤ (1 − c)‖âⱼ − aⱼ‖² / ‖ℋⱼ(âⱼ − aⱼ)‖², which guarantees that f falls
 * [Blumensath10]. The kernels compute gradients, for a whole group of atoms at a time, and
 * ‖Φv‖² of vectors with many entries; supports, and ‖Φv‖² of few entries, are found here.
 *
 * Departures from the text, each with a test of the same name in niht.test.ts:
 *   D1 sign        Under (9) the text calls H*(E − Ha) the gradient; that is −∇f.
 *   D2 no support  Where the gradient is zero on the support, or the support is empty, (10)
 *                  is 0/0; then Sⱼ is the support of P_k[∇f(aⱼ)], as at the start of
 *                  [Blumensath10].
 *   D3 decay first The step is divided by 1 + t/T before the search, so that the step taken
 *                  is the step that was checked.
 *
 * [Blumensath10] T. Blumensath, M. E. Davies. Normalized iterative hard thresholding:
 *                guaranteed stability and performance. IEEE JSTSP 4(2), 2010.
 */

import { SparseColumns } from "../../../core/matrix.js";
import { baseCols, baseRows } from "../../../dictionaries/base.js";
import type { SparseDictionary } from "../../../dictionaries/dictionary.js";
import { FactorGram, suitsFactorGram } from "../../../dictionaries/factorGram.js";
import type { DeviceMatrix, DeviceSparse, Kernels } from "../../../kernels/contract.js";
import type { LearnerOptions, MemoryPart } from "../learner.js";
import { type AtomGroup, type AtomSweep, maxGroupSize, type SweepResult } from "./atomSweep.js";
import { largestRows } from "./hardThreshold.js";

/** c of the condition, and the factor for a step that does not meet it. */
const margin = 0.01;
const shrinking = 0.5;
/** How many steps are tried; an atom for which none is accepted stays as it is. */
const maxTries = 30;

export interface NihtOptions {
  /** k. */
  readonly atomSparsity: number;
  /** How often (9) is applied to an atom, at most. */
  readonly iterations: number;
  /** Steps are divided by this: 1 + t/T. */
  readonly decay: number;
  /** An atom that moves by less than this fraction of its norm has converged. */
  readonly tolerance: number;
}

/** An atom that is being updated. */
interface Moving {
  /** Its position in the group. */
  readonly at: number;
  /** ‖xⱼ‖². */
  readonly energy: number;
  /** aⱼ, dense. */
  readonly a: Float32Array;
  /** Its support, ascending. */
  rows: number[];
  /** ∇f(aⱼ). */
  readonly gradient: Float32Array;
  /** The rows that P_k[aⱼ − ηⱼ∇f(aⱼ)] can have for any ηⱼ, ascending. */
  candidates: Uint32Array;
  step: number;
  /** P_k[aⱼ − ηⱼ∇f(aⱼ)]: its support and values. */
  next: { readonly rows: number[]; readonly values: number[] };
}

type Entries = { readonly rows: readonly number[]; readonly values: readonly number[] };

export class NihtSolver {
  /** The first steps ηⱼ of the last group, one per atom; 0 for an atom that stayed. */
  steps = new Float64Array();
  readonly #dictionary: SparseDictionary;
  readonly #kernels: Kernels;
  readonly #identity: DeviceSparse;
  readonly #sparse: DeviceSparse;
  readonly #gradient: DeviceMatrix;
  readonly #moved: DeviceMatrix;
  readonly #energies: DeviceMatrix;
  /** ΦᵀΦ, if vectors have few enough entries for it to be faster than the kernels. */
  readonly #gram: FactorGram | undefined;

  private constructor(dictionary: SparseDictionary, atomSparsity: number, kernels: Kernels) {
    const { rows: n, cols: m, phi } = dictionary;
    const room = Math.min(m, maxGroupSize);
    this.#dictionary = dictionary;
    this.#kernels = kernels;
    this.#identity = kernels.sparse(phi.cols, phi.cols, 1);
    this.#sparse = kernels.sparse(phi.cols, room, Math.min(phi.cols, 2 * atomSparsity));
    this.#gradient = kernels.matrix(phi.cols, room);
    this.#moved = kernels.matrix(n, room);
    this.#energies = kernels.matrix(1, room);
    if (suitsFactorGram(dictionary.base, this.#sparse.width)) this.#gram = new FactorGram(dictionary.base);
  }

  static async create(
    dictionary: SparseDictionary,
    atomSparsity: number,
    kernels: Kernels,
  ): Promise<NihtSolver> {
    const solver = new NihtSolver(dictionary, atomSparsity, kernels);
    await kernels.writeSparse(solver.#identity, SparseColumns.identity(dictionary.phi.cols, 1));
    return solver;
  }

  /** Update every atom that X uses by (9), X fixed; R is kept up to date. Also returns the first step of each atom. */
  async sweep(
    sweep: AtomSweep,
    X: DeviceSparse,
    R: DeviceMatrix,
    options: NihtOptions,
  ): Promise<SweepResult & { readonly steps: readonly number[] }> {
    const steps: number[] = [];
    const update = async (group: AtomGroup) => {
      const columns = await this.columns(group, options);
      steps.push(...this.steps);
      return columns;
    };
    return { ...(await sweep.run(X, R, update, "keep")), steps };
  }

  /** The new columns of A of a group. */
  async columns(group: AtomGroup, options: NihtOptions): Promise<SparseColumns> {
    const { columns, energies } = group;
    const updated = columns.copy();
    this.steps = new Float64Array(columns.cols);
    const gradients = await this.#analyze(group.pull);
    const dense = columns.toDense();
    let moving = Array.from({ length: columns.cols }, (_, at): Moving => {
      const a = dense.column(at);
      const rows = findSupport(columns, at);
      const gradient = gradients.column(at);
      const next = { rows, values: [] };
      return { at, energy: energies[at], a, rows, gradient, candidates: new Uint32Array(), step: 0, next };
    });
    for (let iteration = 1; moving.length > 0; iteration++) {
      const accepted = await this.#step(moving, options);
      for (const atom of accepted) {
        updated.setColumn(atom.at, atom.next.rows, atom.next.values);
        if (iteration === 1) this.steps[atom.at] = atom.step;
      }
      if (iteration === options.iterations) break;
      moving = accepted.filter((atom) => relativeChange(atom) > options.tolerance);
      await this.#move(moving);
    }
    return updated;
  }

  /** Find a step for each atom. Returns the atoms for which one was accepted, with `step` and `next` set. */
  async #step(atoms: readonly Moving[], { atomSparsity: k, decay }: NihtOptions): Promise<Moving[]> {
    const started = await this.#firstSteps(atoms, k);
    for (const atom of started) atom.step /= decay; // D3
    const accepted: Moving[] = [];
    let searching = started;
    for (let t = 0; t < maxTries && searching.length > 0; t++) {
      for (const atom of searching) atom.next = threshold(atom, k);
      const changed = searching.filter(({ rows, next }) => !sameRows(rows, next.rows));
      const changes = changed.map(difference);
      const energies = await this.#synthesizedEnergies(changes);
      const failed = new Set(
        changed.filter((atom, i) => {
          const bound = ((1 - margin) * squaredNorm(changes[i].values)) / (energies[i] * atom.energy);
          return !(energies[i] === 0 || atom.step <= bound);
        }),
      );
      accepted.push(...searching.filter((atom) => !failed.has(atom)));
      for (const atom of failed) atom.step *= shrinking;
      searching = [...failed];
    }
    return accepted.sort((a, b) => a.at - b.at);
  }

  /** (10) for each atom that has a gradient. */
  async #firstSteps(atoms: readonly Moving[], k: number): Promise<Moving[]> {
    const parts = atoms.map((atom) => {
      const rivals = findRivals(atom, k);
      atom.candidates = Uint32Array.from([...atom.rows, ...rivals]).sort();
      return gradientOnSupport(atom, rivals);
    });
    const energies = await this.#synthesizedEnergies(parts);
    return atoms.filter((atom, i) => {
      const energy = squaredNorm(parts[i].values);
      if (!(energy > 0 && energies[i] > 0 && atom.energy > 0)) return false;
      atom.step = energy / (energies[i] * atom.energy);
      return Number.isFinite(atom.step);
    });
  }

  /** Take the accepted steps: aⱼ ← âⱼ, and ∇f(âⱼ) = ∇f(aⱼ) + ΦᵀΦ(âⱼ − aⱼ)‖xⱼ‖². */
  async #move(atoms: readonly Moving[]): Promise<void> {
    if (atoms.length === 0) return;
    const moved = await this.#synthesize(atoms.map(difference));
    const changes = await this.#analyze(moved);
    atoms.forEach((atom, i) => {
      const change = changes.column(i);
      for (let l = 0; l < change.length; l++) atom.gradient[l] += atom.energy * change[l];
      atom.a.fill(0);
      atom.next.rows.forEach((row, s) => (atom.a[row] = atom.next.values[s]));
      atom.rows = atom.next.rows;
    });
  }

  /** ΦᵀM on the host. */
  async #analyze(M: DeviceMatrix) {
    const kernels = this.#kernels;
    const target = kernels.head(this.#gradient, M.cols);
    await kernels.analyze(this.#dictionary.phi, M, target);
    return kernels.readMatrix(target);
  }

  /** Φv of sparse vectors. */
  async #synthesize(vectors: readonly Entries[]): Promise<DeviceMatrix> {
    const kernels = this.#kernels;
    const { phi } = this.#dictionary;
    const columns = new SparseColumns(phi.cols, vectors.length, this.#sparse.width);
    vectors.forEach(({ rows, values }, i) => columns.setColumn(i, rows, values));
    const C = kernels.headSparse(this.#sparse, vectors.length);
    const M = kernels.head(this.#moved, vectors.length);
    await kernels.writeSparse(C, columns);
    await kernels.reconstruct(phi, this.#identity, C, M);
    return M;
  }

  /** ‖Φv‖² of sparse vectors. */
  async #synthesizedEnergies(vectors: readonly Entries[]): Promise<ArrayLike<number>> {
    const gram = this.#gram;
    if (gram) return vectors.map(({ rows, values }) => gram.energy(rows, values));
    if (vectors.length === 0) return [];
    const kernels = this.#kernels;
    const e = kernels.head(this.#energies, vectors.length);
    await kernels.columnEnergies(await this.#synthesize(vectors), e);
    return (await kernels.readMatrix(e)).data;
  }

  free(): void {
    this.#kernels.free(this.#identity, this.#sparse, this.#gradient, this.#moved, this.#energies);
  }
}

export function meanStep(steps: readonly number[]): number {
  return steps.length === 0 ? 0 : steps.reduce((sum, step) => sum + step, 0) / steps.length;
}

/** The memory of a solver. */
export function nihtMemory({ base, atoms: m, atomSparsity: k }: LearnerOptions): MemoryPart {
  const n = baseRows(base);
  const L = baseCols(base);
  const room = Math.min(m, maxGroupSize);
  return { what: "gradients", bytes: 4 * (room * (L + n + 4 * k + 2) + 3 * L) };
}

/** Room for a vector, reused. */
let room = new Float32Array(0);

function roomFor(length: number): Float32Array {
  if (room.length < length) room = new Float32Array(length);
  return room.subarray(0, length);
}

/**
 * The k largest entries of ∇f(aⱼ) outside the support of aⱼ, or fewer. There aⱼ − η∇f(aⱼ) is −η∇f(aⱼ), whose order
 * does not depend on η: no other row outside the support can be in P_k[aⱼ − η∇f(aⱼ)].
 */
function findRivals({ rows, gradient }: Moving, k: number): number[] {
  const outside = roomFor(gradient.length);
  outside.set(gradient);
  for (const row of rows) outside[row] = 0;
  return largestRows(outside, k);
}

/** ∇f(aⱼ) on the support of aⱼ; if it is zero there, on that of P_k[∇f(aⱼ)] (D2). */
function gradientOnSupport({ rows, gradient }: Moving, rivals: readonly number[]): Entries {
  const values = rows.map((row) => gradient[row]);
  if (squaredNorm(values) > 0) return { rows, values };
  return { rows: rivals, values: rivals.map((row) => gradient[row]) };
}

/** The rows of a column that are not zero, ascending. */
function findSupport({ indices, values, counts, width }: SparseColumns, j: number): number[] {
  const rows: number[] = [];
  for (let s = j * width; s < j * width + counts[j]; s++) if (values[s] !== 0) rows.push(indices[s]);
  return rows.sort((a, b) => a - b);
}

/** P_k[aⱼ − ηⱼ∇f(aⱼ)], which only the candidates can be in. */
function threshold({ a, gradient, candidates, step }: Moving, k: number): Moving["next"] {
  const moved = roomFor(candidates.length);
  for (let c = 0; c < candidates.length; c++) {
    const row = candidates[c];
    moved[c] = a[row] - step * gradient[row];
  }
  const kept = largestRows(moved, k);
  return { rows: kept.map((c) => candidates[c]), values: kept.map((c) => moved[c]) };
}

/** âⱼ − aⱼ. */
function difference({ a, rows, next }: Moving): Entries {
  const kept = new Set(next.rows);
  const gone = rows.filter((row) => !kept.has(row));
  return {
    rows: [...next.rows, ...gone],
    values: [...next.values.map((value, s) => value - a[next.rows[s]]), ...gone.map((row) => -a[row])],
  };
}

/** ‖âⱼ − aⱼ‖ / ‖âⱼ‖. */
function relativeChange(atom: Moving): number {
  const size = squaredNorm(atom.next.values);
  return size === 0 ? 0 : Math.sqrt(squaredNorm(difference(atom).values) / size);
}

function squaredNorm(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value * value, 0);
}

function sameRows(a: readonly number[], b: readonly number[]): boolean {
  return a.length === b.length && a.every((row, s) => row === b[s]);
}
