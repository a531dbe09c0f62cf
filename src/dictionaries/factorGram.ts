/**
 * ‖Φv‖² of vectors v of few entries, on the host, through the Gram matrices of the
 * factors of Φ = φ₀ ⊗ φ₁ ⊗ …:
 *
 *     ‖Φv‖² = Σ_s Σ_t v_s v_t ∏ₐ Gₐ[s_a, t_a],   Gₐ = φₐᵀφₐ,
 *
 * s_a the index along axis a of entry s. Cost: s²/2 products an axis for s entries,
 * whatever the size of Φ: for few of them less than the way to a device and back.
 */

import type { Matrix64 } from "../linalg/matrix64.js";
import type { BaseDictionary } from "./base.js";

/** Entries of all Gram matrices together, at most: an explicit base of thousands of atoms is not for this. */
const mostEntries = 2 ** 20;
/** Entries of a vector, at most: with more, a transform is the shorter way. */
const mostOfVector = 128;

/** Whether vectors of so many entries are few enough, and the factors small enough. */
export function suitsFactorGram({ factors }: BaseDictionary, entries: number): boolean {
  return entries <= mostOfVector && factors.reduce((sum, { cols }) => sum + cols ** 2, 0) <= mostEntries;
}

export class FactorGram {
  readonly #grams: readonly Matrix64[];
  /** Where each axis of an entry stands in its Gram matrix: a column, and a row. */
  readonly #index: Uint32Array;

  constructor({ factors }: BaseDictionary) {
    this.#grams = factors.map((factor) => factor.transpose().times(factor));
    this.#index = new Uint32Array(factors.length * mostOfVector);
  }

  /** ‖Φv‖² of the vector with these values at these rows. */
  energy(rows: ArrayLike<number>, values: ArrayLike<number>): number {
    const count = rows.length;
    this.#locate(rows);
    let [diagonal, pairs] = [0, 0];
    for (let s = 0; s < count; s++) {
      let along = 0;
      for (let t = 0; t < s; t++) along += values[t] * this.#entry(s, t);
      diagonal += values[s] * values[s] * this.#entry(s, s);
      pairs += values[s] * along;
    }
    return Math.max(0, diagonal + 2 * pairs);
  }

  /** The indices of each entry along the axes, the last axis the fastest. */
  #locate(rows: ArrayLike<number>): void {
    for (let s = 0; s < rows.length; s++) {
      let left = rows[s];
      for (let axis = this.#grams.length - 1; axis >= 0; axis--) {
        const size = this.#grams[axis].cols;
        const above = Math.floor(left / size);
        this.#index[axis * mostOfVector + s] = left - above * size;
        left = above;
      }
    }
  }

  /** ∏ₐ Gₐ of two entries. */
  #entry(s: number, t: number): number {
    let product = 1;
    for (let axis = 0; axis < this.#grams.length; axis++) {
      const { rows, data } = this.#grams[axis];
      const at = axis * mostOfVector;
      product *= data[this.#index[at + s] * rows + this.#index[at + t]];
    }
    return product;
  }
}
