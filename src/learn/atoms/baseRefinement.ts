/**
 * A base that adapts: the factors of a separable Φ = φ₀ ⊗ φ₁ ⊗ … are refined while A is learned. Not part of the
 * paper, which names it as future work; an option of the learners of D = ΦA.
 *
 * With A and the codes X of a mini-batch fixed, C = AX, and along each axis in turn
 *
 *     S ← βS + Σ ybᵀ,   T ← βT + Σ bbᵀ,   φ ← two sweeps over its columns       (factorSums.ts)
 *
 * with y the lines of the examples along the axis, and b those of C after the other factors, the ones that are already
 * refined included. A is not touched, and columns keep their norms.
 *
 * When it descends. For β = 0 the sums are those of the mini-batch, and no sweep raises ½‖Y − ΦAX‖² over it. With
 * β > 0 the past counts as well, through coefficients of an earlier A, as in ODL.
 *
 * How often. After 1, 2, 3 … 7, 9, 11, 14, 18 … mini-batches, each time about a quarter later: often while the dictionary
 * is far from good, and ever less, so that A settles. A run of 400 mini-batches has 22 rounds, one of 20,000 has 35.
 *
 * Cost     of a round, on the host: n·L_a(L_a/2n_a + 1) multiply-adds per axis for each of at most 256 examples, 0.1 s
 *          at 32×32 and 0.7 s at 64×64 on a core of an EPYC. On the device: AX for these, and all of G anew.
 * Memory   256 examples of L_a·n/n_a numbers on the device.
 */

import { inputError } from "../../core/errors.js";
import type { DenseMatrix } from "../../core/matrix.js";
import { sizeOf } from "../../core/shape.js";
import { type BaseDictionary, baseRows } from "../../dictionaries/base.js";
import type { SparseDictionary } from "../../dictionaries/dictionary.js";
import type { DeviceMatrix, DeviceSparse, Kernels } from "../../kernels/contract.js";
import { Matrix64 } from "../../linalg/matrix64.js";
import { hostPart, readPart, type Savable } from "../checkpoints/checkpointParts.js";
import type { MemoryPart } from "../learners/learner.js";
import { FactorSums } from "./factorSums.js";

/** Examples of a mini-batch that a round looks at: with their many lines, enough for factors of few columns. */
const maxExamples = 256;
/** β: what the past counts in the next round. */
const forgetting = 0.9;
/** Sweeps of a round. */
const sweeps = 2;
/** The most columns of a factor: a sweep takes n_a·L_a² multiply-adds on the host. */
const mostColumns = 1024;

export class BaseRefinement {
  readonly #dictionary: SparseDictionary;
  readonly #kernels: Kernels;
  /** S and T of each axis. */
  readonly #sums: readonly FactorSums[];
  /** Mini-batches when the base was last refined. */
  #refined = 0;

  constructor(dictionary: SparseDictionary, kernels: Kernels) {
    this.#dictionary = dictionary;
    this.#kernels = kernels;
    this.#sums = dictionary.base.factors.map(({ rows, cols }) => new FactorSums(rows, cols));
  }

  /** Whether the base is refined in this mini-batch, counted from 1. */
  isDue(step: number): boolean {
    return step - this.#refined >= Math.max(1, Math.floor(step / 4));
  }

  /**
   * Give the dictionary refined factors, from examples Y with the codes X over the current D. Norms and Gram matrix
   * are not refreshed.
   */
  async refine(step: number, Y: DeviceMatrix, X: DeviceSparse): Promise<void> {
    const kernels = this.#kernels;
    const { base } = this.#dictionary;
    const count = Math.min(Y.cols, maxExamples);
    const examples = await kernels.readMatrix(kernels.head(Y, count));
    const factors = base.factors.slice();
    for (const [axis, sums] of this.#sums.entries()) {
      sums.forget(forgetting);
      sums.add(examples, await this.#lines(axis, factors, kernels.headSparse(X, count)), {
        outer: sizeOf(base.shape.slice(0, axis)),
        inner: sizeOf(base.shape.slice(axis + 1)),
      });
      for (let sweep = 0; sweep < sweeps; sweep++) factors[axis] = sums.sweep(factors[axis]);
    }
    this.#dictionary.exchangeBase(refinedBase(base, factors));
    this.#refined = step;
  }

  /** AX after all factors but that of one axis. */
  async #lines(axis: number, factors: readonly Matrix64[], X: DeviceSparse): Promise<DenseMatrix> {
    const kernels = this.#kernels;
    const others = factors.map((factor, a) => (a === axis ? Matrix64.identity(factor.cols) : factor));
    const phi = kernels.base(others);
    const B = kernels.matrix(phi.rows, X.cols);
    await kernels.reconstruct(phi, this.#dictionary.A, X, B);
    const lines = await kernels.readMatrix(B);
    kernels.free(phi, B);
    return lines;
  }

  /** The factors, their sums, and when they were made; to be restored before the norms and the Gram matrix. */
  get savable(): Savable {
    return {
      parts: () => [
        ...this.#arrays().map(([name, values]) => hostPart(name, values)),
        hostPart("refined", Float64Array.of(this.#refined)),
      ],
      restore: async (saved) => {
        const { base } = this.#dictionary;
        const factors = base.factors.map(({ rows, cols }) => new Matrix64(rows, cols));
        for (const [name, values] of this.#arrays(factors))
          values.set(await readPart(saved, name, "f64", values.length));
        [this.#refined] = await readPart(saved, "refined", "f64", 1);
        if (this.#refined > 0) this.#dictionary.exchangeBase(refinedBase(base, factors));
      },
    };
  }

  /** What is saved of each axis, by name. */
  #arrays(factors = this.#dictionary.base.factors): [string, Float64Array][] {
    return this.#sums.flatMap(({ S, T }, axis): [string, Float64Array][] => [
      [`factor ${axis}`, factors[axis].data],
      [`S of factor ${axis}`, S.data],
      [`T of factor ${axis}`, T.data],
    ]);
  }
}

const suffix = ", refined";

/** The base with other factors; its name shows that it no longer follows from the name alone. */
function refinedBase({ name, shape }: BaseDictionary, factors: readonly Matrix64[]): BaseDictionary {
  return { name: name.endsWith(suffix) ? name : `${name}${suffix}`, shape, factors };
}

/** Reject a base that cannot be refined. */
export function requireRefinable(where: string, { name, shape, factors }: BaseDictionary): void {
  if (factors.length !== shape.length)
    throw inputError(where, "base", "must have a factor for each axis to be refined", name);
  const columns = Math.max(...factors.map(({ cols }) => cols));
  if (columns > mostColumns)
    throw inputError(where, "base", `must have at most ${mostColumns} atoms per axis to be refined`, columns);
}

/** The memory of a round for mini-batches of this many examples: lines, and factors for all axes. */
export function refinementMemory(base: BaseDictionary, batch: number): MemoryPart {
  const n = baseRows(base);
  const lines = Math.max(...base.factors.map(({ rows, cols }) => (n / rows) * cols));
  const factors = base.factors.reduce((sum, { cols }) => sum + 16 * cols * cols, 0);
  return { what: "refining the base", bytes: 4 * Math.min(batch, maxExamples) * lines + factors };
}
