/**
 * Sparse coding of batches over D = ΦA: X ← SparseCode(Y, Φ, A, G) of Algorithm 2.
 *
 *     Z ← Φᵀ Y,   P ← D̂ᵀ Y = diag(s) Aᵀ Z,   X̂ ← Batch-OMP(G, P),   X ← diag(s) X̂
 *
 * The pursuit sees unit atoms D̂ = D diag(s); the codes it returns are over D.
 * The workspace is made once and serves batches up to its capacity.
 */

import { requireInteger, requireSameRows } from "../core/require.js";
import type { SparseDictionary } from "../dictionaries/sparseDictionary.js";
import type { DeviceMatrix, DeviceSparse, Kernels, PursuitLimits } from "../kernels/contract.js";

export class Encoder {
  readonly dictionary: SparseDictionary;
  readonly limits: PursuitLimits;
  /** The most examples at a time. */
  readonly capacity: number;
  /** Coefficients over Φ, L × capacity: scratch that callers may use between calls. */
  readonly coefficients: DeviceMatrix;
  readonly #codes: DeviceSparse;
  readonly #correlations: DeviceMatrix;
  readonly #energies: DeviceMatrix;
  readonly #kernels: Kernels;

  constructor(dictionary: SparseDictionary, limits: PursuitLimits, capacity: number, kernels: Kernels) {
    this.dictionary = dictionary;
    this.limits = limits;
    this.capacity = capacity;
    this.coefficients = kernels.matrix(dictionary.phi.cols, capacity);
    this.#codes = kernels.sparse(dictionary.cols, capacity, limits.sparsity);
    this.#correlations = kernels.matrix(dictionary.cols, capacity);
    this.#energies = kernels.matrix(1, capacity);
    this.#kernels = kernels;
  }

  /** Codes of the columns of Y. They stay valid until the next call. */
  async encode(Y: DeviceMatrix): Promise<DeviceSparse> {
    const kernels = this.#kernels;
    const { phi, A, scale, gram } = this.dictionary;
    requireSameRows("Encoder.encode", "Y", Y, "Φ", phi);
    requireInteger("Encoder.encode", "number of examples", Y.cols, 0, this.capacity);
    const Z = kernels.head(this.coefficients, Y.cols);
    const P = kernels.head(this.#correlations, Y.cols);
    const energies = kernels.head(this.#energies, Y.cols);
    const X = kernels.headSparse(this.#codes, Y.cols);
    await kernels.analyze(phi, Y, Z);
    await kernels.correlate(A, Z, scale, P);
    await kernels.columnEnergies(Y, energies);
    await kernels.batchOmp(gram, P, energies, this.limits, X);
    await kernels.scaleRows(scale, X);
    return X;
  }

  /** R ← Y − DX. R may be Y. */
  async residual(Y: DeviceMatrix, X: DeviceSparse, R: DeviceMatrix): Promise<void> {
    const C = this.#kernels.head(this.coefficients, X.cols);
    await this.#kernels.combine(this.dictionary.A, X, C);
    await this.#kernels.residual(this.dictionary.phi, C, Y, R);
  }

  free(): void {
    this.#kernels.free(this.coefficients, this.#codes, this.#correlations, this.#energies);
  }
}
