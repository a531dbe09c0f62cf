/**
 * Sparse coding of batches over a dictionary: for D = ΦA, X ← SparseCode(Y, Φ, A, G)
 * of Algorithm 2.
 *
 *     P ← D̂ᵀ Y,   X̂ ← Batch-OMP(G, P),   X ← diag(s) X̂
 *
 * The pursuit sees unit atoms D̂ = D diag(s); the codes it returns are over D. The
 * atoms of an explicit dictionary have unit norm, so there s is 1.
 * The workspace is made once and serves batches up to its capacity.
 */

import { requireInteger, requireSameRows } from "../core/require.js";
import type { Shape } from "../core/shape.js";
import type { Dictionary } from "../dictionaries/dictionary.js";
import type { DeviceMatrix, DeviceSparse, Kernels, PursuitLimits } from "../kernels/contract.js";

/** Codes batches of examples over a dictionary, whatever that is made of. */
export interface BatchEncoder {
  /** The shape of the examples. */
  readonly shape: Shape;
  /** The most examples at a time. */
  readonly capacity: number;
  /** Codes of the columns of Y, valid until the next call; `path` as in `Kernels.batchOmp`. */
  encode(Y: DeviceMatrix, path?: DeviceMatrix): Promise<DeviceSparse>;
  /** R ← Y − DX. R may be Y. */
  residual(Y: DeviceMatrix, X: DeviceSparse, R: DeviceMatrix): Promise<void>;
}

export class Encoder<D extends Dictionary = Dictionary> implements BatchEncoder {
  readonly dictionary: D;
  readonly limits: PursuitLimits;
  readonly capacity: number;
  readonly #codes: DeviceSparse;
  readonly #correlations: DeviceMatrix;
  readonly #energies: DeviceMatrix;
  readonly #kernels: Kernels;

  constructor(dictionary: D, limits: PursuitLimits, capacity: number, kernels: Kernels) {
    this.dictionary = dictionary;
    this.limits = limits;
    this.capacity = capacity;
    this.#codes = kernels.sparse(dictionary.cols, capacity, limits.sparsity);
    this.#correlations = kernels.matrix(dictionary.cols, capacity);
    this.#energies = kernels.matrix(1, capacity);
    this.#kernels = kernels;
  }

  get shape(): Shape {
    return this.dictionary.shape;
  }

  async encode(Y: DeviceMatrix, path?: DeviceMatrix): Promise<DeviceSparse> {
    const kernels = this.#kernels;
    const { dictionary } = this;
    requireSameRows("Encoder.encode", "Y", Y, "D", dictionary);
    requireInteger("Encoder.encode", "number of examples", Y.cols, 0, this.capacity);
    const P = kernels.head(this.#correlations, Y.cols);
    const energies = kernels.head(this.#energies, Y.cols);
    const X = kernels.headSparse(this.#codes, Y.cols);
    await dictionary.project(Y, P);
    await kernels.columnEnergies(Y, energies);
    await kernels.batchOmp(dictionary.gram, P, energies, this.limits, X, path);
    await dictionary.fromUnitAtoms(X);
    return X;
  }

  async residual(Y: DeviceMatrix, X: DeviceSparse, R: DeviceMatrix): Promise<void> {
    await this.dictionary.residual(Y, X, R);
  }

  free(): void {
    this.#kernels.free(this.#codes, this.#correlations, this.#energies);
  }
}
