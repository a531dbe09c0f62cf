/**
 * The cost of SeDiL and its derivatives, for factors φ₀, φ₁, … and codes X:
 *
 *     f(φ, X) = 1/(2N) ‖ΦX − Y‖²_F + λ/N Σ ln(1 + ρx²) − κ Σₐ Σ_{i<j} ln(1 − ⟨φₐᵢ, φₐⱼ⟩²)
 *
 *     ∂f/∂X  = 1/N [ΦᵀR + 2λρx/(1 + ρx²)]                        R = ΦX − Y
 *     ∂f/∂φₐ = 1/N R₍ₐ₎ T₍ₐ₎ᵀ + 2κ φₐ K,  Kᵢⱼ = c/(1 − c²), c = ⟨φₐᵢ, φₐⱼ⟩, i ≠ j
 *
 * where T is X synthesised along all axes but a, and ₍ₐ₎ unfolds along axis a. The kernels
 * compute the products with Φ and of R with T; sums, and everything small, are f64 on the host.
 */

import { DenseMatrix } from "../../../core/matrix.js";
import type { DeviceBase, DeviceMatrix, Kernels } from "../../../kernels/contract.js";
import { LogSum } from "../../../linalg/logSum.js";
import { Matrix64 } from "../../../linalg/matrix64.js";
import type { SedilPoint } from "./sphereProduct.js";

export interface SedilWeights {
  /** λ: the weight of the log-sparsity of codes. */
  readonly sparsity: number;
  /** ρ: how sharply it separates zero from non-zero. */
  readonly sharpness: number;
  /** κ: the weight of the coherence of the columns of a factor. */
  readonly coherence: number;
}

/** The largest difference of residuals on the same examples, as a share of their norm: well above the rounding of any kernels. */
const sameExamples = 1e-3;

export class SedilCost {
  readonly weights: SedilWeights;
  readonly #Y: DenseMatrix;
  readonly #kernels: Kernels;
  /** Codes and signals on the device. */
  readonly #codes: DeviceMatrix;
  readonly #signals: DeviceMatrix;

  constructor(Y: DenseMatrix, atoms: number, weights: SedilWeights, kernels: Kernels) {
    this.weights = weights;
    this.#Y = Y;
    this.#kernels = kernels;
    this.#codes = kernels.matrix(atoms, Y.cols);
    this.#signals = kernels.matrix(Y.rows, Y.cols);
  }

  /** f, and the residuals ΦX − Y behind it. Infinity if two columns of a factor are the same. */
  async value({ factors, X }: SedilPoint): Promise<{ cost: number; R: DenseMatrix }> {
    const kernels = this.#kernels;
    const base = kernels.base(factors);
    await kernels.writeMatrix(this.#codes, X);
    await kernels.synthesize(base, this.#codes, this.#signals);
    const R = await kernels.readMatrix(this.#signals);
    kernels.free(base);
    let energy = 0;
    for (let i = 0; i < R.data.length; i++) {
      R.data[i] -= this.#Y.data[i];
      energy += R.data[i] ** 2;
    }
    const { sparsity, sharpness, coherence } = this.weights;
    const overlap = factors.reduce((sum, factor) => sum + factorCoherence(factor), 0);
    return {
      cost: (energy / 2 + sparsity * logSparsity(X.data, sharpness)) / this.#Y.cols + coherence * overlap,
      R,
    };
  }

  /** Whether a point has these residuals on the examples of this cost; if not, they are of other examples. */
  async hasResiduals(point: SedilPoint, R: DenseMatrix): Promise<boolean> {
    if (R.cols !== this.#Y.cols) return false;
    const { data } = (await this.value(point)).R;
    let [change, energy] = [0, 0];
    for (let i = 0; i < data.length; i++) {
      change += (data[i] - R.data[i]) ** 2;
      energy += this.#Y.data[i] ** 2;
    }
    return Math.sqrt(change) <= sameExamples * Math.sqrt(energy);
  }

  /** The Euclidean derivatives at a point with residuals R; the one of X is multiplied by N. */
  async gradient({ factors, X }: SedilPoint, R: DenseMatrix): Promise<SedilPoint> {
    const kernels = this.#kernels;
    const base = kernels.base(factors);
    await kernels.writeMatrix(this.#signals, R);
    await kernels.analyze(base, this.#signals, this.#codes);
    const G = await kernels.readMatrix(this.#codes);
    kernels.free(base);
    const { sparsity, sharpness } = this.weights;
    for (let i = 0; i < G.data.length; i++) {
      const x = X.data[i];
      G.data[i] += (2 * sparsity * sharpness * x) / (1 + sharpness * x * x);
    }
    await kernels.writeMatrix(this.#codes, X);
    const slopes: Matrix64[] = [];
    for (let axis = 0; axis < factors.length; axis++) slopes.push(await this.#slope(factors, axis, R));
    return { factors: slopes, X: G };
  }

  /** ∂f/∂φₐ, with the codes of the point on the device. */
  async #slope(factors: readonly Matrix64[], axis: number, R: DenseMatrix): Promise<Matrix64> {
    const factor = factors[axis];
    const others = factors.map((other, b) => (b === axis ? Matrix64.identity(factor.cols) : other));
    const T = await this.#synthesize(others);
    const sizes = factors.map(({ rows }) => rows);
    const slope = await this.#correlate(
      unfold(R, sizes, axis),
      unfold(T, sizes.with(axis, factor.cols), axis),
    );
    const { coherence } = this.weights;
    const overlap = coherenceSlope(factor);
    for (let i = 0; i < slope.data.length; i++)
      slope.data[i] = slope.data[i] / R.cols + coherence * overlap.data[i];
    return slope;
  }

  /** AᵀB. */
  async #correlate(A: DenseMatrix, B: DenseMatrix): Promise<Matrix64> {
    const kernels = this.#kernels;
    const a = kernels.matrix(A.rows, A.cols);
    const b = kernels.matrix(B.rows, B.cols);
    const product = kernels.matrix(A.cols, B.cols);
    await kernels.writeMatrix(a, A);
    await kernels.writeMatrix(b, B);
    await kernels.correlate(a, b, product);
    const { data } = await kernels.readMatrix(product);
    kernels.free(a, b, product);
    return new Matrix64(A.cols, B.cols, Float64Array.from(data));
  }

  async #synthesize(factors: readonly Matrix64[]): Promise<DenseMatrix> {
    const kernels = this.#kernels;
    const base: DeviceBase = kernels.base(factors);
    const T = kernels.matrix(base.rows, this.#codes.cols);
    await kernels.synthesize(base, this.#codes, T);
    const host = await kernels.readMatrix(T);
    kernels.free(base, T);
    return host;
  }

  free(): void {
    this.#kernels.free(this.#codes, this.#signals);
  }
}

/** Σ ln(1 + ρx²), eight terms at a time. */
function logSparsity(x: Float32Array, sharpness: number): number {
  const logs = new LogSum();
  for (let from = 0; from < x.length; from += 8) {
    const to = Math.min(from + 8, x.length);
    let product = 1;
    for (let i = from; i < to; i++) product *= 1 + sharpness * x[i] * x[i];
    logs.add(product);
  }
  return logs.value;
}

/** M₍ₐ₎ᵀ: one column per index along axis a; its rows run over the other axes and the columns of M. */
export function unfold(M: DenseMatrix, sizes: readonly number[], axis: number): DenseMatrix {
  const n = sizes[axis];
  const outer = sizes.slice(0, axis).reduce((product, size) => product * size, 1) * M.cols;
  const inner = sizes.slice(axis + 1).reduce((product, size) => product * size, 1);
  const result = new DenseMatrix(outer * inner, n);
  for (let r = 0; r < n; r++) {
    const column = result.column(r);
    for (let o = 0; o < outer; o++) {
      const from = (o * n + r) * inner;
      for (let i = 0; i < inner; i++) column[o * inner + i] = M.data[from + i];
    }
  }
  return result;
}

/** −Σ_{i<j} ln(1 − ⟨dᵢ, dⱼ⟩²); Infinity for equal columns. */
export function factorCoherence(factor: Matrix64): number {
  const G = factor.transpose().times(factor);
  const logs = new LogSum();
  for (let j = 0; j < G.cols; j++) {
    for (let i = 0; i < j; i++) logs.add(Math.max(0, 1 - G.at(i, j) ** 2));
  }
  return -logs.value;
}

/** Its derivative: 2 D K with Kᵢⱼ = c/(1 − c²) off the diagonal. */
export function coherenceSlope(factor: Matrix64): Matrix64 {
  const K = factor.transpose().times(factor);
  for (let j = 0; j < K.cols; j++) {
    for (let i = 0; i < K.rows; i++) {
      const c = K.at(i, j);
      K.data[j * K.rows + i] = i === j ? 0 : (2 * c) / Math.max(Number.EPSILON, 1 - c * c);
    }
  }
  return factor.times(K);
}
