/**
 * A whole set of examples with its codes and residuals, for learners that pass over the
 * same examples again and again. The examples are coded a part at a time, because the
 * correlations of all of them (m × N) would be the largest matrix by far.
 */

import { SparseColumns } from "../../core/matrix.js";
import type { DeviceMatrix, DeviceSparse, Kernels } from "../../kernels/contract.js";
import type { Encoder } from "../../pursuit/encoder.js";

export class CodedSet {
  /** The codes, m × N. */
  readonly X: DeviceSparse;
  /** R = Y − DX, n × N. */
  readonly residual: DeviceMatrix;
  readonly #encoder: Encoder;
  readonly #part: DeviceMatrix;
  readonly #kernels: Kernels;

  /** Room for `examples`, coded as many at a time as the encoder holds. */
  constructor(encoder: Encoder, examples: number, kernels: Kernels) {
    const { rows: n, cols: m } = encoder.dictionary;
    this.X = kernels.sparse(m, examples, encoder.limits.sparsity);
    this.residual = kernels.matrix(n, examples);
    this.#encoder = encoder;
    this.#part = kernels.matrix(n, encoder.capacity);
    this.#kernels = kernels;
  }

  /** X ← SparseCode(Y, D), and R = Y − DX. */
  async code(Y: DeviceMatrix): Promise<{ X: DeviceSparse; R: DeviceMatrix }> {
    const { codes } = await this.encode(Y);
    return this.setCodes(codes, Y);
  }

  /** Codes of the columns of Y over the current dictionary, and the energies ‖y − Dx‖² they leave. */
  async encode(Y: DeviceMatrix): Promise<{ codes: SparseColumns; energies: Float32Array }> {
    const encoder = this.#encoder;
    const kernels = this.#kernels;
    const { sparsity } = encoder.limits;
    const codes = new SparseColumns(encoder.dictionary.cols, Y.cols, sparsity);
    const energies = new Float32Array(Y.cols);
    const left = kernels.matrix(1, encoder.capacity);
    for (let from = 0; from < Y.cols; from += encoder.capacity) {
      const count = Math.min(encoder.capacity, Y.cols - from);
      const y = kernels.head(this.#part, count);
      const e = kernels.head(left, count);
      await kernels.copyColumns(Y, from, y);
      const X = await encoder.encode(y);
      await encoder.residual(y, X, y);
      await kernels.columnEnergies(y, e);
      const part = await kernels.readSparse(X);
      codes.indices.set(part.indices, from * sparsity);
      codes.values.set(part.values, from * sparsity);
      codes.counts.set(part.counts, from);
      energies.set((await kernels.readMatrix(e)).data, from);
    }
    kernels.free(left);
    return { codes, energies };
  }

  /** X ← these codes of Y, and R = Y − DX. */
  async setCodes(codes: SparseColumns, Y: DeviceMatrix): Promise<{ X: DeviceSparse; R: DeviceMatrix }> {
    const X = this.#kernels.headSparse(this.X, codes.cols);
    const R = this.#kernels.head(this.residual, codes.cols);
    await this.#kernels.writeSparse(X, codes);
    await this.#encoder.residual(Y, X, R);
    return { X, R };
  }

  free(): void {
    this.#kernels.free(this.X, this.residual, this.#part);
  }
}
