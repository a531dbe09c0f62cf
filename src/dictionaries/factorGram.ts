/**
 * ‖Φv‖² of vectors v of few entries, on the host, through the Gram matrices of the
 * factors of Φ = φ₀ ⊗ φ₁ ⊗ …:
 *
 *     ‖Φv‖² = Σ_s Σ_t v_s v_t ∏ₐ Gₐ[s_a, t_a],   Gₐ = φₐᵀφₐ,
 *
 * where s_a is the index of entry s along axis a.
 *
 * Cost   s²/2 products per axis for s entries, whatever the size of Φ: for few entries
 *        less than a transfer to the device and back.
 */

import type { Matrix64 } from "../linalg/matrix64.js";
import type { BaseDictionary } from "./base.js";

/** Largest total size of the Gram matrices: too small for an explicit base of thousands of atoms. */
const maxGramEntries = 2 ** 20;
/** Largest number of entries of a vector: with more, a transform is faster. */
const maxVectorEntries = 128;

/** Whether vectors have few enough entries, and the factors are small enough. */
export function suitsFactorGram({ factors }: BaseDictionary, entries: number): boolean {
  const gramEntries = factors.reduce((sum, { cols }) => sum + cols ** 2, 0);
  return entries <= maxVectorEntries && gramEntries <= maxGramEntries;
}

export class FactorGram {
  readonly #grams: readonly Matrix64[];
  /** The index of each entry along each axis. */
  readonly #index: Uint32Array;

  constructor({ factors }: BaseDictionary) {
    this.#grams = factors.map((factor) => factor.transpose().times(factor));
    this.#index = new Uint32Array(factors.length * maxVectorEntries);
  }

  /** ‖Φv‖² of the vector with these values at these rows. */
  energy(rows: ArrayLike<number>, values: ArrayLike<number>): number {
    const count = rows.length;
    this.#locate(rows);
    let diagonal = 0;
    let pairs = 0;
    for (let s = 0; s < count; s++) {
      let along = 0;
      for (let t = 0; t < s; t++) along += values[t] * this.#entry(s, t);
      diagonal += values[s] * values[s] * this.#entry(s, s);
      pairs += values[s] * along;
    }
    return Math.max(0, diagonal + 2 * pairs);
  }

  /** Find the index of each entry along each axis; the last axis varies fastest. */
  #locate(rows: ArrayLike<number>): void {
    for (let s = 0; s < rows.length; s++) {
      let left = rows[s];
      for (let axis = this.#grams.length - 1; axis >= 0; axis--) {
        const size = this.#grams[axis].cols;
        const above = Math.floor(left / size);
        this.#index[axis * maxVectorEntries + s] = left - above * size;
        left = above;
      }
    }
  }

  /** ∏ₐ Gₐ of two entries. */
  #entry(s: number, t: number): number {
    let product = 1;
    for (let axis = 0; axis < this.#grams.length; axis++) {
      const { rows, data } = this.#grams[axis];
      const at = axis * maxVectorEntries;
      product *= data[this.#index[at + s] * rows + this.#index[at + t]];
    }
    return product;
  }
}
