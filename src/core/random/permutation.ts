/**
 * A random permutation of {0 … size−1} that is computed, not stored.
 *
 * A Feistel network permutes the smallest square domain 2^b × 2^b that holds
 * `size`; a value that falls outside is permuted again until it falls inside
 * (cycle walking), which is a bijection of {0 … size−1}. So ten million examples can
 * be drawn once each, in random order, from a set of any size, without a table.
 *
 * Memory O(1); each value costs about `rounds` hashes, at most four times that on average.
 */

import { requireInteger } from "../require.js";
import { mix32, type Rng } from "./rng.js";

const rounds = 8;

export class Permutation {
  readonly size: number;
  readonly #keys: Int32Array;
  /** 2^b: the side of the square domain. */
  readonly #side: number;

  constructor(size: number, rng: Rng) {
    this.size = requireInteger("Permutation", "size", size, 0, 2 ** 52);
    let bits = 1;
    while (4 ** bits < size) bits++;
    this.#side = 2 ** bits;
    this.#keys = Int32Array.from({ length: rounds }, () => rng.uint32());
  }

  /** The image of `index`. */
  at(index: number): number {
    requireInteger("Permutation.at", "index", index, 0, this.size - 1);
    let value = index;
    do value = this.#scramble(value);
    while (value >= this.size);
    return value;
  }

  #scramble(value: number): number {
    const mask = this.#side - 1;
    const keys = this.#keys;
    let right = value & mask;
    let left = (value - right) / this.#side;
    for (let round = 0; round < rounds; round++) {
      const mixed = (left ^ mix32((right + keys[round]) | 0)) & mask;
      left = right;
      right = mixed;
    }
    return left * this.#side + right;
  }
}
