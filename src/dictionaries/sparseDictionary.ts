/**
 * The double-sparsity dictionary D = ΦA [Rubinstein, Zibulevsky, Elad 2010] where
 * the kernels compute: A, the inverse norms of its atoms, and the Gram matrix of
 * the unit atoms, kept up to date by columns.
 *
 * A is not normalised: its columns grow while it learns, which is what adapts the
 * step of equation (13). The pursuit sees unit atoms dⱼ = Φaⱼ / ‖Φaⱼ‖, and codes
 * over them are scaled back by `scale`.
 *
 * Shapes   Φ n×L   A L×m   scale m×1   G m×m (dense: 400 MB at m = 10,000)
 */

import { InputError } from "../core/errors.js";
import { SparseColumns } from "../core/matrix.js";
import type { Shape } from "../core/shape.js";
import type { DeviceBase, DeviceMatrix, DeviceSet, DeviceSparse, Kernels } from "../kernels/contract.js";
import { type BaseDictionary, baseCols, baseRows } from "./base.js";
import type { Dictionary } from "./dictionary.js";

export class SparseDictionary implements Dictionary {
  readonly base: BaseDictionary;
  /** n: samples of a signal. */
  readonly rows: number;
  /** m: atoms. */
  readonly cols: number;
  readonly phi: DeviceBase;
  readonly A: DeviceSparse;
  /** 1/‖Φaⱼ‖₂, or 0 for a zero atom. */
  readonly scale: DeviceMatrix;
  /** G = D̂ᵀD̂ of the unit atoms. */
  readonly gram: DeviceMatrix;
  readonly #kernels: Kernels;

  private constructor(base: BaseDictionary, atoms: number, width: number, kernels: Kernels) {
    this.base = base;
    this.rows = baseRows(base);
    this.cols = atoms;
    this.phi = kernels.base(base.factors);
    this.A = kernels.sparse(baseCols(base), atoms, width);
    this.scale = kernels.matrix(atoms, 1);
    this.gram = kernels.matrix(atoms, atoms);
    this.#kernels = kernels;
  }

  /** D = ΦA with room for `width` non-zeros in each column of A (as many as A has, unless told). */
  static async create(
    base: BaseDictionary,
    A: SparseColumns,
    kernels: Kernels,
    width: number = A.width,
  ): Promise<SparseDictionary> {
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
    return SparseDictionary.create(base, SparseColumns.identity(baseCols(base), 1), kernels);
  }

  get shape(): Shape {
    return this.base.shape;
  }

  async project(Y: DeviceMatrix, P: DeviceMatrix): Promise<void> {
    await this.#kernels.project(this.phi, this.A, this.scale, Y, P);
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
    await this.refreshAtoms(Uint32Array.from({ length: this.cols }, (_, j) => j));
  }

  /** Bring scales and Gram matrix up to date after the atoms of S changed. */
  async refresh(S: DeviceSet): Promise<void> {
    await this.#kernels.refreshGram(this.phi, this.A, S, this.gram, this.scale);
  }

  /** The same for a list of atoms. */
  async refreshAtoms(atoms: Uint32Array): Promise<void> {
    const S = this.#kernels.set(this.cols);
    await this.#kernels.writeSet(S, atoms);
    await this.refresh(S);
    this.#kernels.free(S);
  }

  free(): void {
    this.#kernels.free(this.phi, this.A, this.scale, this.gram);
  }
}
