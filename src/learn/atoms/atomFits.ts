/**
 * Sparse fits of atoms over the base: for unit targets u, the columns of a matrix U,
 *
 *     c ← OLS_k(Φ_I, u),   a ← c/‖Φc‖₂
 *
 * which is the best k-sparse approximation of u that orthogonal least squares finds among the base
 * atoms I. As c is fitted by least squares, ⟨u, Φc⟩ = ‖Φc‖², so that the unit atom d = Φa has
 *
 *     ‖u − d‖² = 2 − 2‖Φc‖₂.
 *
 * `improve` takes a fit only where this is below ‖u − d_old‖²: a greedy pursuit may find a
 * worse approximation than the atom that is there. A part of the atoms at a time; nothing is
 * read back to the host.
 *
 * `approach` takes one step towards u instead, with the cost of a few products with Φ: hard thresholding pursuit [Foucart11], its
 * least squares replaced by one exact line search,
 *
 *     c ← P_k[a + ½w],   w = Φᵀ(u − Φa)                              kernels.thresholdAtoms
 *     v ← Φᵀ(u − Φc) at the places of c                              kernels.takeEntries
 *     c ← c + (‖v‖²/‖Φv‖²) v,   a ← c/‖Φc‖₂, where closer to u       kernels.addEntries, acceptAtoms
 *
 * The base atoms I are all of them, or, in `improve` where that would take long (`fitChoices`), those of the old atom and of the others
 * those most correlated with what it leaves, Φᵀ(u − d_old): half as many as an atom has. Then a fit costs little more than
 * its small systems, and an atom exchanges at most half of its base atoms for others at a time.
 *
 * Shapes   Φ n×L   U n×m   A L×m
 * Cost     k²L/2 per atom, or k²|I|/2 and k³ for the small systems; besides correlations.
 * Memory   the Gram matrix of Φ, L × L, unless the kernels work without, and work for 512 atoms, or those that move together.
 *
 * [Foucart11] S. Foucart. Hard Thresholding Pursuit: an Algorithm for Compressive Sensing. SIAM J. Numer. Anal. 49(6), 2011.
 */

import { DenseMatrix } from "../../core/matrix.js";
import { type BaseDictionary, baseBytes, baseCols, baseRows } from "../../dictionaries/base.js";
import { identityColumns, SparseDictionary } from "../../dictionaries/dictionary.js";
import type { AtomRange, DeviceMatrix, DeviceSparse, Kernels } from "../../kernels/contract.js";
import { codingBytes, Encoder } from "../../pursuit/encoder.js";
import type { MemoryOptions } from "../learners/learner.js";

/** Atoms fitted at a time. */
const maxPart = 512;

/** Entries of the largest matrix of `approach`: it takes more atoms at a time, since each of its many operations is short. */
const mostEntries = 2 ** 24;

/** Above every squared distance of unit vectors. */
const farAway = 5;

/** The step after which `approach` chooses the places of an atom. Atoms and base atoms have unit norm, so it has no units. */
const thresholdStep = 0.5;

export class AtomFits {
  /** Φ as a dictionary of its own. */
  readonly phi: SparseDictionary;
  readonly #pursuit: Encoder;
  /** Targets, their fits, and columns of the identity that pick the atoms at hand. */
  readonly #targets: DeviceMatrix;
  readonly #fits: DeviceMatrix;
  readonly #chosen: DeviceSparse;
  /** Atoms on their way, and their steps. */
  readonly #moved: DeviceSparse;
  readonly #steps: DeviceSparse;
  readonly #energies: DeviceMatrix;
  readonly #left: DeviceMatrix;
  readonly #distances: DeviceMatrix;
  /** |I|; L if a fit chooses among all. */
  readonly #choices: number;
  readonly #together: number;
  /** The correlations of base atoms with what atoms leave. */
  readonly #correlations: DeviceMatrix;
  readonly #kernels: Kernels;

  private constructor(
    phi: SparseDictionary,
    sparsity: number,
    atoms: number,
    kernels: Kernels,
    { choices, together }: Required<FitOptions>,
  ) {
    const capacity = Math.min(atoms, maxPart);
    const part = Math.min(atoms, Math.max(together, maxPart));
    this.phi = phi;
    this.#pursuit = new Encoder(phi, { sparsity, residualEnergy: 0, pursuit: "ols" }, capacity, kernels);
    this.#together = part;
    this.#targets = kernels.matrix(phi.rows, part);
    this.#fits = kernels.matrix(phi.rows, part);
    this.#chosen = kernels.sparse(atoms, part, 1);
    this.#moved = kernels.sparse(phi.cols, part, sparsity);
    this.#steps = kernels.sparse(phi.cols, part, sparsity);
    this.#choices = phi.gram ? choices : phi.cols;
    this.#correlations = kernels.matrix(phi.cols, part);
    this.#energies = kernels.matrix(1, part);
    this.#left = kernels.matrix(1, part);
    this.#distances = kernels.matrix(1, part);
    this.#kernels = kernels;
  }

  /** For `atoms` atoms of at most `sparsity` non-zeros. */
  static async create(
    base: BaseDictionary,
    sparsity: number,
    atoms: number,
    kernels: Kernels,
    options: FitOptions = {},
  ): Promise<AtomFits> {
    const sizes = { n: baseRows(base), L: baseCols(base), k: sparsity, m: atoms };
    const choices = fitChoices({ ...sizes, mostGramAtoms: kernels.mostGramAtoms });
    const phi = await SparseDictionary.ofBase(base, kernels);
    return new AtomFits(phi, sparsity, atoms, kernels, { choices, together: maxPart, ...options });
  }

  /** Atoms of D ← the fits to the unit columns of U that are closer to them. Norms and Gram matrix are not refreshed. */
  async improve(U: DeviceMatrix, D: SparseDictionary, atoms = allOf(U)): Promise<void> {
    await this.phi.followBase(D);
    for (const part of this.#parts(atoms)) {
      const R = await this.#leave(part, U, D);
      await this.#accept(part, await this.#fitNear(part, R, D.A), D.A);
    }
  }

  /** Atoms of D ← one step of hard thresholding pursuit towards the unit columns of U, where that is closer. Not refreshed either. */
  async approach(U: DeviceMatrix, D: SparseDictionary, atoms = allOf(U)): Promise<void> {
    const kernels = this.#kernels;
    await this.phi.followBase(D);
    const { phi, A: identity } = this.phi;
    for (const part of this.#parts(atoms, this.#together)) {
      const { from: first, u } = part;
      const [c, v] = [this.#moved, this.#steps].map((columns) => kernels.headSparse(columns, u.cols));
      const W = kernels.head(this.#correlations, u.cols);
      const energies = kernels.head(this.#energies, u.cols);
      const R = await this.#leave(part, U, D, W);
      await kernels.thresholdAtoms(D.A, { first }, thresholdStep, W, c);
      await kernels.residual(phi, identity, c, u, R, W);
      await kernels.takeEntries(W, c, v);
      await kernels.reconstruct(phi, identity, v, R);
      await kernels.columnEnergies(R, energies);
      await kernels.addEntries(v, energies, c);
      await this.#accept(part, c, D.A);
    }
  }

  /** R ← u − d for the atoms at hand, and their squared distances; W ← ΦᵀR if W is given. */
  async #leave(part: Part, U: DeviceMatrix, D: SparseDictionary, W?: DeviceMatrix): Promise<DeviceMatrix> {
    const kernels = this.#kernels;
    const { from, u, distances } = part;
    await kernels.copyColumns(U, from, u);
    const chosen = kernels.headSparse(this.#chosen, u.cols);
    await kernels.writeSparse(chosen, identityColumns(U.cols, from, u.cols));
    const R = kernels.head(this.#fits, u.cols);
    await kernels.residual(D.phi, D.A, chosen, u, R, W);
    await kernels.columnEnergies(R, distances);
    return R;
  }

  /** Fits to the targets of atoms of A that leave the residuals R. */
  async #fitNear({ from: first, u }: Part, R: DeviceMatrix, A: DeviceSparse): Promise<DeviceSparse> {
    const choices = this.#choices;
    if (choices === this.phi.cols) return this.#pursuit.encode(u);
    const W = this.#kernels.head(this.#correlations, u.cols);
    return this.#pursuit.encodeNear(u, R, A, { first, choices }, W);
  }

  /** Columns of A ← the fits to the unit columns of U; a column stays as it is if its target is zero. */
  async replace(U: DeviceMatrix, A: DeviceSparse): Promise<void> {
    const kernels = this.#kernels;
    for (const part of this.#parts(allOf(U))) {
      const { from, u, distances } = part;
      await kernels.copyColumns(U, from, u);
      await kernels.writeMatrix(
        distances,
        new DenseMatrix(1, u.cols, new Float32Array(u.cols).fill(farAway)),
      );
      await this.#accept(part, await this.#pursuit.encode(u), A);
    }
  }

  async #accept({ from, u, distances }: Part, C: DeviceSparse, A: DeviceSparse): Promise<void> {
    const kernels = this.#kernels;
    const energies = kernels.head(this.#energies, u.cols);
    const left = kernels.head(this.#left, u.cols);
    const fits = kernels.head(this.#fits, u.cols);
    await kernels.reconstruct(this.phi.phi, this.phi.A, C, fits);
    await kernels.columnEnergies(fits, energies);
    await kernels.residual(this.phi.phi, this.phi.A, C, u, fits);
    await kernels.columnEnergies(fits, left);
    await kernels.acceptAtoms(C, energies, left, distances, A, from);
  }

  *#parts({ first, count: atoms }: AtomRange, capacity = this.#pursuit.capacity): Generator<Part> {
    for (let from = first; from < first + atoms; from += capacity) {
      const count = Math.min(capacity, first + atoms - from);
      const head = (M: DeviceMatrix) => this.#kernels.head(M, count);
      yield { from, u: head(this.#targets), distances: head(this.#distances) };
    }
  }

  free(): void {
    this.#kernels.free(this.#targets, this.#fits, this.#chosen, this.#moved, this.#steps, this.#correlations);
    this.#kernels.free(this.#energies, this.#left, this.#distances);
    this.#pursuit.free();
    this.phi.free();
  }
}

function allOf(U: DeviceMatrix): AtomRange {
  return { first: 0, count: U.cols };
}

export interface FitOptions {
  /** |I|: `fitChoices` by default. */
  readonly choices?: number;
  /** Atoms that `approach` takes at a time: as many as are fitted at a time by default. */
  readonly together?: number;
}

/** How many atoms may approach their targets together. */
export function movedTogether(L: number, atoms: number): number {
  return Math.min(atoms, Math.max(maxPart, Math.floor(mostEntries / L)));
}

/** Some of the atoms: the first of them, their targets and their squared distances from these. */
interface Part {
  readonly from: number;
  readonly u: DeviceMatrix;
  readonly distances: DeviceMatrix;
}

/** Multiply-adds of the fits of all atoms, or of an update, for which nobody needs to wait: about a tenth of a second on two cores. */
export const quickFits = 1e9;

/** Samples, base atoms, non-zeros of an atom, atoms, and the most atoms that the kernels keep a Gram matrix for. */
export interface FitSizes {
  readonly n: number;
  readonly L: number;
  readonly k: number;
  readonly m: number;
  readonly mostGramAtoms: number;
}

/**
 * The base atoms that an atom chooses among when it is improved: all of them where the fits of all atoms are quick, or
 * take less than half as long as a dense product of n × m and m × m, which every update has several of; and where Φ has no
 * Gram matrix, from which few atoms could be taken.
 */
export function fitChoices({ n, L, k, m, mostGramAtoms }: FitSizes): number {
  const full = fullFit(L, k);
  return L > mostGramAtoms || m * full <= quickFits || full <= (n * m) / 2
    ? L
    : Math.min(L, k + Math.ceil(k / 2));
}

function fullFit(L: number, k: number): number {
  return (k * k * L) / 2;
}

/** Multiply-adds that take as long as the improvement of an atom; those of small systems take three times as long as others. */
export function fitCost(sizes: FitSizes): number {
  const { L, k } = sizes;
  const choices = fitChoices(sizes);
  return choices === L ? fullFit(L, k) : Math.min(fullFit(L, k), 3 * k * k * (choices / 2 + k));
}

/** The bytes of the fits of `atoms` atoms with k non-zeros, over a Φ of their own, with its Gram matrix or without. */
export function fitBytes(
  { base, mostGramAtoms }: Pick<MemoryOptions, "base" | "mostGramAtoms">,
  k: number,
  atoms: number,
  together = maxPart,
): number {
  const [n, L] = [baseRows(base), baseCols(base)];
  const part = Math.min(atoms, Math.max(together, maxPart));
  const coding = codingBytes(L, Math.min(atoms, maxPart), mostGramAtoms);
  return 4 * (4 * L + part * (2 * n + L + 6 * k + 10)) + coding + baseBytes(base);
}
