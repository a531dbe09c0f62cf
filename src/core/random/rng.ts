/**
 * Seeded random numbers: xoshiro128** [Blackman, Vigna 2021], with a small state that
 * can be saved, and generators split off by label.
 *
 * `split("test")` derives a new generator from the *key* of its parent and the label,
 * not from how many numbers the parent has drawn. So a further draw in one part of a
 * program never changes the draws in another, and results depend on the seed alone.
 */

import { type ArgumentType, number, record, requireArgument } from "../arguments/argumentTypes.js";
import { requireInteger } from "../require.js";

/** The state of a generator: its key and four words. */
export interface RngState {
  readonly key: number;
  readonly words: readonly [number, number, number, number];
}

const rngState: ArgumentType = {
  words: "the state of a generator, { key, words }",
  accepts: (value) =>
    record.accepts(value) &&
    Array.isArray((value as RngState).words) &&
    number.accepts((value as RngState).key),
};

export class Rng {
  #key: number;
  #a = 0;
  #b = 0;
  #c = 0;
  #d = 0;

  private constructor(key: number) {
    this.#key = key >>> 0;
    let counter = this.#key;
    const next = () => mix32((counter = (counter + 0x9e3779b9) >>> 0));
    this.#a = next();
    this.#b = next();
    this.#c = next();
    this.#d = next() | 1; // never the all-zero state
  }

  /** A generator from a seed: an integer from 0 to 2^53 − 1. */
  static from(seed: number): Rng {
    requireInteger("Rng.from", "seed", seed, 0);
    const high = Math.floor(seed / 0x100000000);
    return new Rng(mix32((mix32(seed >>> 0) + Math.imul(high, 0x85ebca6b)) >>> 0));
  }

  /** Continue a saved generator. */
  static restore(state: RngState): Rng {
    requireArgument("Rng.restore", "state", state, rngState);
    const rng = new Rng(state.key);
    [rng.#a, rng.#b, rng.#c, rng.#d] = state.words;
    return rng;
  }

  get state(): RngState {
    return { key: this.#key, words: [this.#a, this.#b, this.#c, this.#d] };
  }

  /** An independent generator for a named purpose; the same name gives the same generator. */
  split(label: string | number): Rng {
    let hash = 0x811c9dc5 ^ this.#key;
    for (const char of String(label)) hash = Math.imul(hash ^ (char.codePointAt(0) ?? 0), 0x01000193);
    return new Rng(mix32((hash ^ Math.imul(this.#key, 0xcc9e2d51)) >>> 0));
  }

  /** 32 uniform bits. */
  uint32(): number {
    const result = Math.imul(rotl(Math.imul(this.#b, 5), 7), 9) >>> 0;
    const t = this.#b << 9;
    this.#c ^= this.#a;
    this.#d ^= this.#b;
    this.#b ^= this.#c;
    this.#a ^= this.#d;
    this.#c ^= t;
    this.#d = rotl(this.#d, 11);
    return result;
  }

  /** Uniform in [0, 1), with 53 bits. */
  uniform(): number {
    return ((this.uint32() >>> 5) * 0x4000000 + (this.uint32() >>> 6)) / 0x20000000000000;
  }

  /** A uniform integer in [0, bound), without modulo bias. */
  below(bound: number): number {
    return Math.floor(this.uniform() * bound);
  }

  /** A standard normal number (Box–Muller, one of the pair); its last bit may differ between engines. */
  normal(): number {
    return Math.sqrt(-2 * Math.log(1 - this.uniform())) * Math.cos(2 * Math.PI * this.uniform());
  }

  /** `count` distinct integers in [0, bound), in random order (Floyd's algorithm, then a shuffle). */
  distinct(count: number, bound: number): number[] {
    requireInteger("Rng.distinct", "count", count, 0, bound);
    const chosen = new Set<number>();
    for (let j = bound - count; j < bound; j++) {
      const candidate = this.below(j + 1);
      chosen.add(chosen.has(candidate) ? j : candidate);
    }
    return this.shuffle([...chosen]);
  }

  /** Shuffle in place (Fisher–Yates). */
  shuffle<T>(items: T[]): T[] {
    for (let i = items.length - 1; i > 0; i--) {
      const j = this.below(i + 1);
      [items[i], items[j]] = [items[j], items[i]];
    }
    return items;
  }
}

/** A bijection of 32-bit words in which every output bit depends on every input bit (the finaliser of MurmurHash3). */
export function mix32(x: number): number {
  let h = x;
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}

function rotl(x: number, bits: number): number {
  return (x << bits) | (x >>> (32 - bits));
}

// A random permutation of {0 … size−1} that is computed, not stored.
//
// A Feistel network permutes the smallest square domain 2^b × 2^b that holds
// `size`; a value that falls outside is permuted again until it falls inside
// (cycle walking), which is a bijection of {0 … size−1}. So ten million examples can
// be drawn once each, in random order, from a set of any size, without a table.
//
// Memory O(1); each value costs about `rounds` hashes, at most four times that on average.

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
