/**
 * Sparse K-SVD [Rubinstein10]: the batch method for the double-sparsity model D = ΦA
 * that §V of [Sulam16] compares OSDL with.
 *
 * One update is one iteration over the whole set Y:
 *
 *     X ← SparseCode(Y, Φ, A)                                  CodedSet.encode
 *     for each atom j, with the examples I that use it:
 *         E  = Y_I − Σ_{i≠j} Φaᵢx_{i,I}                        AtomSweep
 *         z  = E xⱼ / ‖xⱼ‖
 *         aⱼ = argmin ‖z − Φa‖  s.t. ‖a‖₀ ≤ k, by OMP          sparseAtoms
 *         aⱼ ← aⱼ / ‖Φaⱼ‖
 *         xⱼ = Eᵀ Φaⱼ                                          kernels.exchangeAtoms
 *
 * Each atom sees the residual as those before it left it. Atoms that no example uses
 * together go at once, which is the same (independentAtoms.ts).
 *
 * Shapes   Φ n×L   A L×m   Y n×N   X m×N
 * Cost     N codes, then a scan of the N p entries of X for each group of atoms.
 * Memory   Y and R are dense, n × N; ΦᵀΦ (L × L) is kept for the pursuit of atoms.
 *
 * Departures from the text, each with a test of the same name in sparseKsvd.test.ts:
 *   D1 zero target  Where E xⱼ is zero, or nothing of it is in the range of Φ, the atom
 *                   stays as it is.
 *   D2 idle atoms   Atoms that no example uses are left to atom care, once an iteration.
 *
 * [Rubinstein10] R. Rubinstein, M. Zibulevsky, M. Elad. Double sparsity: learning sparse
 *                dictionaries for sparse signal approximation. IEEE TSP 58(3), 2010.
 * [Sulam16]      J. Sulam, B. Ophir, M. Zibulevsky, M. Elad. Trainlets: Dictionary Learning
 *                in High Dimensions. IEEE TSP 64(12), 2016.
 */

import { SparseColumns } from "../../../core/matrix.js";
import { baseCols, baseRows } from "../../../dictionaries/base.js";
import { SparseDictionary } from "../../../dictionaries/sparseDictionary.js";
import type { DeviceMatrix } from "../../../kernels/contract.js";
import { Encoder } from "../../../pursuit/encoder.js";
import type { LearnerKind, LearnerSetting } from "../learner.js";
import { type AtomGroup, mostAtOnce, putColumn } from "./atomSweep.js";
import { AtomwiseLearner, type AtomwiseParts, atomwiseMemory, atomwiseParts } from "./atomwiseLearner.js";
import { CodedSet } from "./codedSet.js";

/** Sparse K-SVD as the training loop sees it. */
export const sparseKsvd: LearnerKind = {
  summary: "Sparse K-SVD: atom by atom over the whole set",
  takes: "whole set",
  own: ["atomSparsity"],
  defaults: { epochs: 10, careEvery: 1 },

  memory(options, examples) {
    const { base, atoms: m, atomSparsity: k } = options;
    const [n, L] = [baseRows(base), baseCols(base)];
    const pursuit = 4 * (L * (L + 4) + Math.min(m, mostAtOnce) * (L + n + 2 * k + 3));
    return [
      ...atomwiseMemory(options, examples, options.batch),
      { what: "pursuit of atoms", bytes: pursuit },
    ];
  },

  create: (setting) => SparseKsvd.create(setting),
};

class SparseKsvd extends AtomwiseLearner {
  protected readonly residual: DeviceMatrix;
  readonly #set: CodedSet;
  /** Φ as a dictionary of its own, and what codes the targets of atoms over it. */
  readonly #base: SparseDictionary;
  readonly #pursuit: Encoder;
  readonly #targets: DeviceMatrix;
  readonly #energies: DeviceMatrix;

  static async create(setting: LearnerSetting): Promise<SparseKsvd> {
    const base = await SparseDictionary.ofBase(setting.options.base, setting.kernels);
    return new SparseKsvd(await atomwiseParts(setting), base);
  }

  private constructor(parts: AtomwiseParts, base: SparseDictionary) {
    const { options, examples, kernels } = parts.setting;
    super(parts, options.batch);
    const room = Math.min(options.atoms, mostAtOnce);
    this.#set = new CodedSet(this.encoder, examples, kernels);
    this.residual = this.#set.residual;
    this.#base = base;
    this.#pursuit = new Encoder(base, { sparsity: options.atomSparsity, residualEnergy: 0 }, room, kernels);
    this.#targets = kernels.matrix(base.rows, room);
    this.#energies = kernels.matrix(1, room);
  }

  async update(Y: DeviceMatrix): Promise<void> {
    const { kernels } = this;
    const { codes } = await this.#set.encode(Y);
    await this.#set.take(codes, Y);
    const [X, R] = [kernels.headSparse(this.#set.X, Y.cols), kernels.head(this.#set.residual, Y.cols)];
    await this.tally(X, R);
    const { atoms } = await this.sweep.run(X, R, (group) => this.#sparseAtoms(group), true);
    this.took(atoms.length);
  }

  /** k-sparse codes over Φ of the targets Exⱼ = Rxⱼᵀ + Φaⱼ‖xⱼ‖², of unit norm. */
  async #sparseAtoms({ columns, targets }: AtomGroup): Promise<SparseColumns> {
    const [kernels, count] = [this.kernels, columns.cols];
    const { phi, A: identity } = this.#base;
    const [T, e] = [kernels.head(this.#targets, count), kernels.head(this.#energies, count)];
    await targets(T); // −Exⱼ: the sign is turned back below
    const C = await this.#pursuit.encode(T);
    const coded = kernels.readSparse(C);
    await kernels.reconstruct(phi, identity, C, T);
    await kernels.columnEnergies(T, e);
    const [codes, { data: found }] = await Promise.all([coded, kernels.readMatrix(e)]); // one way back
    const fresh = new SparseColumns(columns.rows, count, columns.width);
    for (let at = 0; at < count; at++) {
      if (found[at] === 0)
        putColumn(columns, at, fresh, at); // D1
      else setScaled(fresh, at, codes, -1 / Math.sqrt(found[at]));
    }
    return fresh;
  }

  override free(): void {
    this.#pursuit.free();
    this.#base.free();
    this.#set.free();
    this.kernels.free(this.#targets, this.#energies);
    super.free();
  }
}

/** Column j of `target` ← that of `source` times a factor, rows ascending. */
function setScaled(target: SparseColumns, j: number, source: SparseColumns, factor: number): void {
  const slots = Array.from({ length: source.counts[j] }, (_, s) => j * source.width + s);
  slots.sort((a, b) => source.indices[a] - source.indices[b]);
  target.setColumn(
    j,
    slots.map((s) => source.indices[s]),
    slots.map((s) => source.values[s] * factor),
  );
}
