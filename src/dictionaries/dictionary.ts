/**
 * Dictionaries on the device: what a pursuit needs of any dictionary, and its two kinds.
 *
 *   SparseDictionary     D = ΦA, a sparse matrix A over a base Φ
 *   ExplicitDictionary   any n × m matrix D
 *
 * The pursuit works with unit atoms D̂ = D diag(s), s = 1/‖dⱼ‖, and their Gram matrix
 * G = D̂ᵀD̂; its codes are then scaled back to D. Where G is too large for the kernels (more
 * than `mostGramAtoms`), it works with the atoms themselves.
 *
 * Shapes   Φ n×L   A L×m   D n×m   s m×1   G m×m (dense: 400 MB at m = 10,000)
 */

import {
  base as baseType,
  dictionaryParts,
  kernels as kernelsType,
  matrix,
  requireArgument,
  requireArguments,
  sparseColumns,
} from "../core/arguments/argumentTypes.js";
import { InputError } from "../core/errors.js";
import { type DenseMatrix, SparseColumns } from "../core/matrix.js";
import { requireInteger } from "../core/require.js";
import { requireShape, type Shape, sizeOf } from "../core/shape.js";
import type {
  DeviceBase,
  DeviceMatrix,
  DeviceSet,
  DeviceSparse,
  Kernels,
  PursuitLimits,
} from "../kernels/contract.js";
import { Matrix64 } from "../linalg/matrix64.js";
import { type BaseDictionary, baseCols, baseRows } from "./base.js";

/** A dictionary on the device. */
export interface Dictionary {
  /** The shape of the signals. */
  readonly shape: Shape;
  /** n: samples of a signal. */
  readonly rows: number;
  /** m: atoms. */
  readonly cols: number;
  /** G = D̂ᵀD̂ of the unit atoms; undefined for a dictionary that is coded with `pursue`. */
  readonly gram: DeviceMatrix | undefined;
  /** P ← D̂ᵀY: the correlations with unit atoms. */
  project(Y: DeviceMatrix, P: DeviceMatrix): Promise<void>;
  /** X ← codes of Y over the unit atoms, without G: `Kernels.ompFromAtoms`. */
  pursue?(
    Y: DeviceMatrix,
    energies: DeviceMatrix,
    limits: PursuitLimits,
    X: DeviceSparse,
    path?: DeviceMatrix,
  ): Promise<void>;
  /** coherenceⱼ (m × 1) ← max over i < j of |⟨d̂ᵢ, d̂ⱼ⟩|. */
  coherence(coherence: DeviceMatrix): Promise<void>;
  /** Codes over the unit atoms become codes over D, in place. */
  fromUnitAtoms(X: DeviceSparse): Promise<void>;
  /** R ← Y − DX. R may be Y. */
  residual(Y: DeviceMatrix, X: DeviceSparse, R: DeviceMatrix): Promise<void>;
  free(): void;
}

/** A dictionary on the host: a base alone, D = ΦA, or an explicit matrix. */
export interface DictionaryParts {
  readonly base: BaseDictionary;
  readonly A?: SparseColumns | undefined;
  /** D itself. If given, only the shape of `base` is used. */
  readonly dictionary?: DenseMatrix | undefined;
}

/**
 * The double-sparsity dictionary D = ΦA [Rubinstein, Zibulevsky, Elad 2010]: A, the
 * inverse norms of its atoms, and the Gram matrix of the unit atoms, updated by columns.
 *
 * A is not normalised: its columns grow during training, which adapts the step of
 * equation (13).
 */
export class SparseDictionary implements Dictionary {
  /** n: samples of a signal. */
  readonly rows: number;
  /** m: atoms. */
  readonly cols: number;
  readonly A: DeviceSparse;
  /** 1/‖Φaⱼ‖₂, or 0 for a zero atom. */
  readonly scale: DeviceMatrix;
  readonly gram: DeviceMatrix | undefined;
  readonly #kernels: Kernels;
  #base: BaseDictionary;
  #phi: DeviceBase;

  private constructor(base: BaseDictionary, atoms: number, width: number, kernels: Kernels) {
    this.#base = base;
    this.#phi = kernels.base(base.factors);
    this.rows = baseRows(base);
    this.cols = atoms;
    this.A = kernels.sparse(baseCols(base), atoms, width);
    this.scale = kernels.matrix(atoms, 1);
    this.gram = atoms <= kernels.mostGramAtoms ? kernels.matrix(atoms, atoms) : undefined;
    this.#kernels = kernels;
  }

  /** D = ΦA with room for `width` non-zeros in each column of A; by default as many as A has. */
  static async create(
    base: BaseDictionary,
    A: SparseColumns,
    kernels: Kernels,
    width: number = A?.width,
  ): Promise<SparseDictionary> {
    requireArguments("SparseDictionary", {
      base: [base, baseType],
      A: [A, sparseColumns],
      kernels: [kernels, kernelsType],
    });
    requireInteger("SparseDictionary", "width", width, 0);
    if (A.rows !== baseCols(base)) {
      throw new InputError(
        `SparseDictionary: A must have a row for each of the ${baseCols(base)} base atoms, got ${A.rows}`,
      );
    }
    const dictionary = new SparseDictionary(base, A.cols, width, kernels);
    await dictionary.replace(A);
    return dictionary;
  }

  /** The base as a dictionary of its own: A is the identity. */
  static async ofBase(base: BaseDictionary, kernels: Kernels): Promise<SparseDictionary> {
    requireArgument("SparseDictionary", "base", base, baseType);
    return SparseDictionary.create(base, SparseColumns.identity(baseCols(base), 1), kernels);
  }

  get base(): BaseDictionary {
    return this.#base;
  }

  get phi(): DeviceBase {
    return this.#phi;
  }

  get shape(): Shape {
    return this.base.shape;
  }

  /** Another Φ of the same sizes. Norms and Gram matrix are those of the old one until `refreshAll`. */
  exchangeBase(base: BaseDictionary): void {
    this.#kernels.free(this.#phi);
    this.#phi = this.#kernels.base(base.factors);
    this.#base = base;
  }

  /** The Φ of another dictionary, with norms and Gram matrix, unless it is the same already. */
  async followBase({ base }: SparseDictionary): Promise<void> {
    if (base === this.#base) return;
    this.exchangeBase(base);
    await this.refreshAll();
  }

  async project(Y: DeviceMatrix, P: DeviceMatrix): Promise<void> {
    await this.#kernels.project(this.phi, this.A, this.scale, Y, P);
  }

  async pursue(
    Y: DeviceMatrix,
    energies: DeviceMatrix,
    limits: PursuitLimits,
    X: DeviceSparse,
    path?: DeviceMatrix,
  ): Promise<void> {
    await this.#kernels.ompFromAtoms(this.phi, this.A, this.scale, Y, energies, limits, X, path);
  }

  /** Without G, a part of its columns at a time. */
  async coherence(coherence: DeviceMatrix): Promise<void> {
    const { rows: n, cols: m } = this;
    const kernels = this.#kernels;
    if (this.gram) return kernels.coherence(this.gram, coherence);
    const part = Math.min(m, atomsAtOnce);
    const [E, Z, G] = [kernels.sparse(m, part, 1), kernels.matrix(n, part), kernels.matrix(m, part)];
    for (let first = 0; first < m; first += part) {
      const count = Math.min(part, m - first);
      const [e, z, g] = [kernels.headSparse(E, count), kernels.head(Z, count), kernels.head(G, count)];
      await kernels.writeSparse(e, identityColumns(m, first, count));
      await kernels.scaleRows(this.scale, e);
      await kernels.reconstruct(this.phi, this.A, e, z);
      await this.project(z, g);
      await kernels.coherence(g, coherence, first);
    }
    kernels.free(E, Z, G);
  }

  async fromUnitAtoms(X: DeviceSparse): Promise<void> {
    await this.#kernels.scaleRows(this.scale, X);
  }

  /** R ← Y − DX, which may be Y; and W ← ΦᵀR, where W is given. */
  async residual(Y: DeviceMatrix, X: DeviceSparse, R: DeviceMatrix, W?: DeviceMatrix): Promise<void> {
    await this.#kernels.residual(this.phi, this.A, X, Y, R, W);
  }

  /** Replace all of A. */
  async replace(A: SparseColumns): Promise<void> {
    await this.#kernels.writeSparse(this.A, A);
    await this.refreshAll();
  }

  /** Compute scales and Gram matrix of all atoms. */
  async refreshAll(): Promise<void> {
    await this.refreshAtoms(Uint32Array.from({ length: this.cols }, (_, j) => j));
  }

  /** Bring scales and Gram matrix up to date after the atoms of S changed. */
  async refresh(S: DeviceSet): Promise<void> {
    await this.#kernels.refreshGram(this.phi, this.A, S, this.gram ?? null, this.scale);
  }

  /** The same for a list of atoms. */
  async refreshAtoms(atoms: Uint32Array): Promise<void> {
    const S = this.#kernels.set(this.cols);
    await this.#kernels.writeSet(S, atoms);
    await this.refresh(S);
    this.#kernels.free(S);
  }

  free(): void {
    this.#kernels.free(this.phi, this.A, this.scale, ...(this.gram ? [this.gram] : []));
  }
}

/** Atoms whose columns of the Gram matrix are computed at a time, where it is not kept. */
export const atomsAtOnce = 128;

/** Columns [from, from + count) of the identity of this size. */
export function identityColumns(size: number, from: number, count: number): SparseColumns {
  const rows = Uint32Array.from({ length: count }, (_, i) => from + i);
  const [ones, counts] = [new Float32Array(count).fill(1), new Uint32Array(count).fill(1)];
  return new SparseColumns(size, count, 1, rows, ones, counts);
}

/**
 * An explicit dictionary D with unit columns, and its Gram matrix: what ODL, K-SVD and
 * PCA learn. Each `refresh` computes G anew, a dense product of n·m²/2 multiply-adds,
 * since these learners change all atoms at a time.
 */
export class ExplicitDictionary implements Dictionary {
  readonly shape: Shape;
  readonly rows: number;
  readonly cols: number;
  /** D: unit atoms, or zero ones. */
  readonly atoms: DeviceMatrix;
  readonly gram: DeviceMatrix;
  readonly #kernels: Kernels;

  private constructor(shape: Shape, atoms: number, kernels: Kernels) {
    this.shape = shape;
    this.rows = sizeOf(shape);
    this.cols = atoms;
    this.atoms = kernels.matrix(this.rows, atoms);
    this.gram = kernels.matrix(atoms, atoms);
    this.#kernels = kernels;
  }

  /** The columns of D have unit norm, or are zero. */
  static async create(shape: Shape, D: DenseMatrix, kernels: Kernels): Promise<ExplicitDictionary> {
    requireArguments("ExplicitDictionary", { D: [D, matrix], kernels: [kernels, kernelsType] });
    requireShape("ExplicitDictionary", "shape", shape);
    if (D.rows !== sizeOf(shape)) {
      throw new InputError(
        `ExplicitDictionary: atoms must have ${sizeOf(shape)} samples, like the signals, got ${D.rows}`,
      );
    }
    const dictionary = new ExplicitDictionary(shape, D.cols, kernels);
    await kernels.writeMatrix(dictionary.atoms, D);
    await dictionary.refresh();
    return dictionary;
  }

  /** Bring the Gram matrix up to date after atoms changed. */
  async refresh(): Promise<void> {
    await this.#kernels.correlate(this.atoms, this.atoms, this.gram);
  }

  async project(Y: DeviceMatrix, P: DeviceMatrix): Promise<void> {
    await this.#kernels.correlate(this.atoms, Y, P);
  }

  async coherence(coherence: DeviceMatrix): Promise<void> {
    await this.#kernels.coherence(this.gram, coherence);
  }

  /** Nothing to do: the atoms have unit norm. */
  async fromUnitAtoms(): Promise<void> {}

  async residual(Y: DeviceMatrix, X: DeviceSparse, R: DeviceMatrix): Promise<void> {
    await this.#kernels.remainder(this.atoms, X, Y, R);
  }

  free(): void {
    this.#kernels.free(this.atoms, this.gram);
  }
}

/** An explicit dictionary as a base: Φ = D, for code that expects Φ and A (= I). */
export function explicitBase(shape: Shape, D: DenseMatrix): BaseDictionary {
  let factors: readonly Matrix64[] | undefined;
  return {
    name: "explicit",
    shape,
    get factors() {
      factors ??= [new Matrix64(D.rows, D.cols, Float64Array.from(D.data))]; // made on first use
      return factors;
    },
  };
}

/** Scale columns to unit norm, in place; zero columns stay zero. */
export function unitColumns(D: DenseMatrix): DenseMatrix {
  for (let j = 0; j < D.cols; j++) {
    const column = D.column(j);
    const energy = column.reduce((sum, value) => sum + value * value, 0);
    if (energy > 0) for (let r = 0; r < column.length; r++) column[r] /= Math.sqrt(energy);
  }
  return D;
}

/** Bring a dictionary from the host to the device. */
export async function openDictionary(parts: DictionaryParts, kernels: Kernels): Promise<Dictionary> {
  requireArguments("openDictionary", { parts: [parts, dictionaryParts], kernels: [kernels, kernelsType] });
  const { base, A, dictionary } = parts;
  if (dictionary && dictionary.cols > kernels.mostGramAtoms)
    return SparseDictionary.ofBase(explicitBase(base.shape, dictionary), kernels);
  if (dictionary) return ExplicitDictionary.create(base.shape, dictionary, kernels);
  return A ? SparseDictionary.create(base, A, kernels) : SparseDictionary.ofBase(base, kernels);
}
