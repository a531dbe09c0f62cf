/**
 * A whole set of examples with its codes and residuals, for learners that pass over the
 * same examples again and again. The examples are coded a part at a time, because the
 * correlations of all of them (m × N) would be the largest matrix by far. Nothing of it
 * leaves the device.
 */

import { EventLoopPause } from "../../core/eventLoop.js";
import type { SparseColumns } from "../../core/matrix.js";
import type { DeviceMatrix, DeviceSparse, Kernels } from "../../kernels/contract.js";
import type { Encoder } from "../../pursuit/encoder.js";

/** The codes X of some examples, and R = Y − DX. */
export interface Coded {
  readonly X: DeviceSparse;
  readonly R: DeviceMatrix;
}

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
  async code(Y: DeviceMatrix): Promise<Coded> {
    const encoder = this.#encoder;
    const kernels = this.#kernels;
    const pause = new EventLoopPause();
    const X = kernels.headSparse(this.X, Y.cols);
    for (let from = 0; from < Y.cols; from += encoder.capacity) {
      const y = kernels.head(this.#part, Math.min(encoder.capacity, Y.cols - from));
      await kernels.copyColumns(Y, from, y);
      await kernels.copySparse(await encoder.encode(y), X, from);
      await pause.ifDue();
    }
    return this.#coded(X, Y);
  }

  /** X ← these codes of Y, and R = Y − DX. */
  async setCodes(codes: SparseColumns, Y: DeviceMatrix): Promise<Coded> {
    const X = this.#kernels.headSparse(this.X, codes.cols);
    await this.#kernels.writeSparse(X, codes);
    return this.#coded(X, Y);
  }

  async #coded(X: DeviceSparse, Y: DeviceMatrix): Promise<Coded> {
    const R = this.#kernels.head(this.residual, X.cols);
    await this.#encoder.residual(Y, X, R);
    return { X, R };
  }

  free(): void {
    this.#kernels.free(this.X, this.residual, this.#part);
  }
}
