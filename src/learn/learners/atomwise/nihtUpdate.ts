/**
 * The atom-wise update by Normalised Iterative Hard Thresholding: equations (9) and (10).
 *
 * For an atom with f(aⱼ) = ½‖Eⱼ − ℋⱼaⱼ‖²_F, ℋⱼa = Φaxⱼᵀ, so that ‖ℋⱼa‖² = ‖Φa‖²‖xⱼ‖²,
 *
 *     ∇f(aⱼ) = −ΦᵀRxⱼ
 *     ηⱼ     = ‖∇f(aⱼ)_Sⱼ‖² / ‖ℋⱼ∇f(aⱼ)_Sⱼ‖²,   Sⱼ the support of aⱼ         (10)
 *     âⱼ     = P_k[aⱼ − ηⱼ∇f(aⱼ)]                                            (9)
 *
 * Where âⱼ has the support of aⱼ, ηⱼ is the best step there is. Where it has not, ηⱼ is
 * made smaller until ηⱼ ≤ (1 − c)‖âⱼ − aⱼ‖² / ‖ℋⱼ(âⱼ − aⱼ)‖², which guarantees that f
 * falls [Blumensath10]. Gradients come from the kernels, for a whole group of atoms at a
 * time, and so do ‖Φv‖² where v has many entries; those of few, and supports, are found here.
 *
 * Departures from the text, each with a test of the same name in niht.test.ts:
 *   D1 sign        Under (9) the text calls H*(E − Ha) the gradient; that is −∇f.
 *   D2 no support  Where the gradient is zero on the support, or there is none, (10) says 0/0;
 *                  Sⱼ then is the support of P_k[∇f(aⱼ)], as at the start of [Blumensath10].
 *   D3 decay first The step is divided by 1 + t/T before the search, so that the step that is
 *                  taken is the one that was checked.
 *
 * [Blumensath10] T. Blumensath, M. E. Davies. Normalized iterative hard thresholding:
 *                guaranteed stability and performance. IEEE JSTSP 4(2), 2010.
 */

import { SparseColumns } from "../../../core/matrix.js";
import { baseCols, baseRows } from "../../../dictionaries/base.js";
import { FactorGram, suitsFactorGram } from "../../../dictionaries/factorGram.js";
import type { SparseDictionary } from "../../../dictionaries/sparseDictionary.js";
import type { DeviceMatrix, DeviceSparse, Kernels } from "../../../kernels/contract.js";
import type { LearnerOptions, MemoryPart } from "../learner.js";
import { type AtomGroup, mostAtOnce } from "./atomSweep.js";
import { largestRows } from "./hardThreshold.js";

/** c of the condition, and what a step is multiplied by where it does not meet it. */
const margin = 0.01;
const shrinking = 0.5;
/** Steps that are tried: an atom that finds none stays as it is. */
const tries = 30;

export interface NihtOptions {
  /** k. */
  readonly atomSparsity: number;
  /** Times that (9) is applied to an atom, at most. */
  readonly iterations: number;
  /** Steps are divided by this: 1 + t/T. */
  readonly decay: number;
  /** An atom that moves by less than this part of its norm has converged. */
  readonly tolerance: number;
}

/** One atom under way. */
interface Moving {
  /** Its place in the group, and ‖xⱼ‖². */
  readonly at: number;
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

export class NihtUpdate {
  /** The steps ηⱼ of the last group, one an atom; 0 where it stayed. */
  steps = new Float64Array();
  readonly #dictionary: SparseDictionary;
  readonly #kernels: Kernels;
  readonly #identity: DeviceSparse;
  readonly #sparse: DeviceSparse;
  readonly #gradient: DeviceMatrix;
  readonly #moved: DeviceMatrix;
  readonly #energies: DeviceMatrix;
  /** For steps and changes, where they have few enough entries. */
  readonly #gram: FactorGram | undefined;

  private constructor(dictionary: SparseDictionary, atomSparsity: number, kernels: Kernels) {
    const { rows: n, cols: m, phi } = dictionary;
    const room = Math.min(m, mostAtOnce);
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
  ): Promise<NihtUpdate> {
    const update = new NihtUpdate(dictionary, atomSparsity, kernels);
    await kernels.writeSparse(update.#identity, SparseColumns.identity(dictionary.phi.cols, 1));
    return update;
  }

  /** The new columns of A of a group. */
  async columns(group: AtomGroup, options: NihtOptions): Promise<SparseColumns> {
    const { columns, energies } = group;
    const fresh = columns.copy();
    this.steps = new Float64Array(columns.cols);
    const gradients = await this.#analyze(group.pull);
    const dense = columns.toDense();
    let moving = Array.from({ length: columns.cols }, (_, at): Moving => {
      const a = dense.column(at);
      const rows = supportOf(columns, at);
      const gradient = gradients.column(at);
      const next = { rows, values: [] };
      return { at, energy: energies[at], a, rows, gradient, candidates: nothing, step: 0, next };
    });
    for (let iteration = 1; moving.length > 0; iteration++) {
      const accepted = await this.#step(moving, options);
      for (const atom of accepted) {
        fresh.setColumn(atom.at, atom.next.rows, atom.next.values);
        if (iteration === 1) this.steps[atom.at] = atom.step;
      }
      if (iteration === options.iterations) break;
      moving = accepted.filter((atom) => movesBy(atom) > options.tolerance);
      await this.#move(moving);
    }
    return fresh;
  }

  /** A step for each of some atoms: those that found one, with `step` and `next` set. */
  async #step(atoms: readonly Moving[], { atomSparsity: k, decay }: NihtOptions): Promise<Moving[]> {
    const started = await this.#firstSteps(atoms, k);
    for (const atom of started) atom.step /= decay; // D3
    const accepted: Moving[] = [];
    let searching = started;
    for (let t = 0; t < tries && searching.length > 0; t++) {
      for (const atom of searching) atom.next = threshold(atom, k);
      const changed = searching.filter(({ rows, next }) => !sameRows(rows, next.rows));
      const changes = changed.map(changeOf);
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
      const rivals = rivalsOf(atom, k);
      atom.candidates = Uint32Array.from([...atom.rows, ...rivals]).sort();
      return onSupport(atom, rivals);
    });
    const energies = await this.#synthesizedEnergies(parts);
    return atoms.filter((atom, i) => {
      const energy = squaredNorm(parts[i].values);
      if (!(energy > 0 && energies[i] > 0 && atom.energy > 0)) return false;
      atom.step = energy / (energies[i] * atom.energy);
      return Number.isFinite(atom.step);
    });
  }

  /** Take the steps that were found: aⱼ ← âⱼ, and ∇f(âⱼ) = ∇f(aⱼ) + ΦᵀΦ(âⱼ − aⱼ)‖xⱼ‖². */
  async #move(atoms: readonly Moving[]): Promise<void> {
    if (atoms.length === 0) return;
    const moved = await this.#synthesize(atoms.map(changeOf));
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
    const [kernels, target] = [this.#kernels, this.#kernels.head(this.#gradient, M.cols)];
    await kernels.analyze(this.#dictionary.phi, M, target);
    return kernels.readMatrix(target);
  }

  /** Φv of sparse vectors. */
  async #synthesize(vectors: readonly Entries[]): Promise<DeviceMatrix> {
    const [kernels, { phi }] = [this.#kernels, this.#dictionary];
    const columns = new SparseColumns(phi.cols, vectors.length, this.#sparse.width);
    vectors.forEach(({ rows, values }, i) => columns.setColumn(i, rows, values));
    const [C, M] = [
      kernels.headSparse(this.#sparse, vectors.length),
      kernels.head(this.#moved, vectors.length),
    ];
    await kernels.writeSparse(C, columns);
    await kernels.reconstruct(phi, this.#identity, C, M);
    return M;
  }

  /** ‖Φv‖² of sparse vectors. */
  async #synthesizedEnergies(vectors: readonly Entries[]): Promise<ArrayLike<number>> {
    const gram = this.#gram;
    if (gram) return vectors.map(({ rows, values }) => gram.energy(rows, values));
    if (vectors.length === 0) return [];
    const [kernels, e] = [this.#kernels, this.#kernels.head(this.#energies, vectors.length)];
    await kernels.columnEnergies(await this.#synthesize(vectors), e);
    return (await kernels.readMatrix(e)).data;
  }

  free(): void {
    this.#kernels.free(this.#identity, this.#sparse, this.#gradient, this.#moved, this.#energies);
  }
}

/** What it takes. */
export function nihtMemory({ base, atoms: m, atomSparsity: k }: LearnerOptions): MemoryPart {
  const [n, L, room] = [baseRows(base), baseCols(base), Math.min(m, mostAtOnce)];
  return { what: "gradients", bytes: 4 * (room * (L + n + 4 * k + 2) + 3 * L) };
}

const nothing = new Uint32Array();

/** Room for a vector, from call to call. */
let room = new Float32Array(0);

function roomFor(length: number): Float32Array {
  if (room.length < length) room = new Float32Array(length);
  return room.subarray(0, length);
}

/**
 * The k largest of ∇f(aⱼ) outside the support of aⱼ, or fewer. There aⱼ − η∇f(aⱼ) is −η∇f(aⱼ), whose order no η
 * changes: what is not among these is in no P_k[aⱼ − η∇f(aⱼ)].
 */
function rivalsOf({ rows, gradient }: Moving, k: number): number[] {
  const outside = roomFor(gradient.length);
  outside.set(gradient);
  for (const row of rows) outside[row] = 0;
  return largestRows(outside, k);
}

/** ∇f(aⱼ) on the support of aⱼ; where it is zero there, on that of P_k[∇f(aⱼ)] (D2). */
function onSupport({ rows, gradient }: Moving, rivals: readonly number[]): Entries {
  const values = rows.map((row) => gradient[row]);
  if (squaredNorm(values) > 0) return { rows, values };
  return { rows: rivals, values: rivals.map((row) => gradient[row]) };
}

/** The rows of a column that are not zero, ascending. */
function supportOf({ indices, values, counts, width }: SparseColumns, j: number): number[] {
  const rows: number[] = [];
  for (let s = j * width; s < j * width + counts[j]; s++) if (values[s] !== 0) rows.push(indices[s]);
  return rows.sort((a, b) => a - b);
}

/** P_k[aⱼ − ηⱼ∇f(aⱼ)], of which only the candidates are looked at. */
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
function changeOf({ a, rows, next }: Moving): Entries {
  const kept = new Set(next.rows);
  const gone = rows.filter((row) => !kept.has(row));
  return {
    rows: [...next.rows, ...gone],
    values: [...next.values.map((value, s) => value - a[next.rows[s]]), ...gone.map((row) => -a[row])],
  };
}

/** ‖âⱼ − aⱼ‖ / ‖âⱼ‖. */
function movesBy(atom: Moving): number {
  const size = squaredNorm(atom.next.values);
  return size === 0 ? 0 : Math.sqrt(squaredNorm(changeOf(atom).values) / size);
}

function squaredNorm(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value * value, 0);
}

function sameRows(a: readonly number[], b: readonly number[]): boolean {
  return a.length === b.length && a.every((row, s) => row === b[s]);
}
