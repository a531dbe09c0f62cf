/**
 * The order of things in a compressed file, written once for both ways. For each block:
 *
 *     its mean              as the difference to the mean of the blocks before it along each axis
 *     how many atoms        in a context of how many those blocks have
 *     which atoms           as a set (atomOdds.ts)
 *     their coefficients    sign and magnitude, in a context of the one before
 *
 * Means and coefficients are whole numbers of a step; what they stand for is said in
 * decompress.ts.
 */

import { InputError } from "../../core/errors.js";
import type { AtomOdds } from "./atomOdds.js";
import { type BitCoder, certainty } from "./rangeCoder.js";
import { SignedNumbers, WholeNumbers } from "./wholeNumbers.js";

/** A block as whole numbers. */
export interface BlockCode {
  /** The mean, in steps of means. */
  readonly mean: number;
  /** Ranks of its atoms, ascending. */
  readonly ranks: ArrayLike<number>;
  /** Coefficients, in steps; none is 0. */
  readonly values: ArrayLike<number>;
}

/** No mean or coefficient has more than so many steps. */
export const mostSteps = 2 ** 24;
/** Contexts of magnitudes: by the one before. */
const classes = 3;
/** Contexts of the number of atoms: by the numbers before. */
const sizes = 12;
/** Initial probabilities of large coefficients come in so many grades. */
export const grades = 32;

export class BlockSyntax {
  readonly #odds: AtomOdds;
  readonly #hasMeans: boolean;
  readonly #means = new SignedNumbers();
  readonly #counts = Array.from({ length: sizes }, () => new WholeNumbers());
  readonly #magnitudes: WholeNumbers[];

  /** `grade`: how likely a magnitude goes on, at first, in parts of `grades`. */
  constructor(odds: AtomOdds, hasMeans: boolean, grade: number) {
    this.#odds = odds;
    this.#hasMeans = hasMeans;
    const longer = Math.round(((grade + 0.5) * certainty) / grades);
    this.#magnitudes = Array.from({ length: classes }, () => new WholeNumbers(longer, 4));
  }

  /** Code a block, given the blocks before it along each axis; the block. */
  code(coder: BitCoder, given: BlockCode, before: readonly BlockCode[]): BlockCode {
    const expected = roundedMean(before.map(({ mean }) => mean));
    const mean = this.#hasMeans
      ? expected + this.#means.code(coder, given.mean - expected, 2 * mostSteps)
      : 0;
    if (Math.abs(mean) > mostSteps) throw new InputError(`a mean must be at most ${mostSteps} steps`);
    const usual = roundedMean(before.map(({ ranks }) => ranks.length));
    const size = this.#counts[Math.min(sizes - 1, 32 - Math.clz32(usual))];
    const count = size.code(coder, given.ranks.length, this.#odds.atoms.length);
    const ranks = this.#odds.code(coder, given.ranks, count);
    return { mean, ranks, values: this.#codeValues(coder, given.values, count) };
  }

  #codeValues(coder: BitCoder, given: ArrayLike<number>, count: number): Int32Array {
    const values = new Int32Array(count);
    let context = 1;
    for (let i = 0; i < count; i++) {
      const value = given[i] ?? 1;
      const more = this.#magnitudes[context].code(coder, Math.abs(value) - 1, mostSteps - 1);
      values[i] = coder.code(value < 0 ? 1 : 0, certainty / 2) === 1 ? -1 - more : 1 + more;
      context = Math.min(classes - 1, more);
    }
    return values;
  }
}

/** 0 for none. */
function roundedMean(values: readonly number[]): number {
  if (values.length === 0) return 0;
  return Math.round(values.reduce((sum, value) => sum + value, 0) / values.length);
}
