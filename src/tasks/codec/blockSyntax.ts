/**
 * How a block is coded; the same code writes and reads. For each block:
 *
 *     its mean              as a difference from the mean of the blocks before it along each axis
 *     how many atoms        in the context of the numbers of atoms of those blocks
 *     which atoms           as a set (atomSetModel.ts)
 *     their coefficients    sign and magnitude, in the context of the previous coefficient
 *
 * Means and coefficients are integers, in steps; blockLayout.ts turns them into samples.
 */

import { InputError } from "../../core/errors.js";
import type { AtomSetModel } from "./entropy/atomSetModel.js";
import { IntegerModel, SignedIntegerModel } from "./entropy/integerModel.js";
import { type BitCoder, certainty } from "./entropy/rangeCoder.js";

/** A block as integers. */
export interface BlockCode {
  /** The mean, in steps of means. */
  readonly mean: number;
  /** Ranks of its atoms, ascending. */
  readonly ranks: ArrayLike<number>;
  /** Coefficients, in steps; none is 0. */
  readonly values: ArrayLike<number>;
}

/** Largest mean or coefficient, in steps. */
export const maxQuantized = 2 ** 24;
/** Number of contexts of magnitudes, chosen by the previous magnitude. */
const magnitudeContexts = 3;
/** Number of contexts of the number of atoms, chosen by the neighbouring blocks. */
const countContexts = 12;
/** Number of grades of the initial probability of large coefficients. */
export const grades = 32;

export class BlockSyntax {
  readonly #atomSets: AtomSetModel;
  readonly #hasMeans: boolean;
  readonly #means = new SignedIntegerModel();
  readonly #counts = Array.from({ length: countContexts }, () => new IntegerModel());
  readonly #magnitudes: IntegerModel[];

  /** `grade` (of `grades`): the initial probability that a magnitude has one more digit. */
  constructor(atomSets: AtomSetModel, hasMeans: boolean, grade: number) {
    this.#atomSets = atomSets;
    this.#hasMeans = hasMeans;
    const longer = Math.round(((grade + 0.5) * certainty) / grades);
    this.#magnitudes = Array.from({ length: magnitudeContexts }, () => new IntegerModel(longer, 4));
  }

  /** Code a block, given the blocks before it along each axis. Returns the block; a reader ignores `given`. */
  code(coder: BitCoder, given: BlockCode, before: readonly BlockCode[]): BlockCode {
    const expected = roundedMean(before.map(({ mean }) => mean));
    const mean = this.#hasMeans
      ? expected + this.#means.code(coder, given.mean - expected, 2 * maxQuantized)
      : 0;
    if (Math.abs(mean) > maxQuantized) throw new InputError(`a mean must be at most ${maxQuantized} steps`);
    const usual = roundedMean(before.map(({ ranks }) => ranks.length));
    const counts = this.#counts[Math.min(countContexts - 1, 32 - Math.clz32(usual))];
    const count = counts.code(coder, given.ranks.length, this.#atomSets.atoms.length);
    const ranks = this.#atomSets.code(coder, given.ranks, count);
    return { mean, ranks, values: this.#codeValues(coder, given.values, count) };
  }

  #codeValues(coder: BitCoder, given: ArrayLike<number>, count: number): Int32Array {
    const values = new Int32Array(count);
    let context = 1;
    for (let i = 0; i < count; i++) {
      const value = given[i] ?? 1;
      const more = this.#magnitudes[context].code(coder, Math.abs(value) - 1, maxQuantized - 1);
      values[i] = coder.code(value < 0 ? 1 : 0, certainty / 2) === 1 ? -1 - more : 1 + more;
      context = Math.min(magnitudeContexts - 1, more);
    }
    return values;
  }
}

/** The rounded mean; 0 for an empty list. */
function roundedMean(values: readonly number[]): number {
  if (values.length === 0) return 0;
  return Math.round(values.reduce((sum, value) => sum + value, 0) / values.length);
}
