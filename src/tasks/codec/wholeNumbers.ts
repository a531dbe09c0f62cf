/**
 * Whole numbers as adaptive bits: x + 1 in binary, first how many digits it has, in
 * unary, each step in a context of its own, then the digits behind the first 1. The
 * first of them is learned for each length, the others are taken as even.
 */

import { InputError } from "../../core/errors.js";
import { type BitCoder, BitModels, certainty } from "./rangeCoder.js";

const most = 32;

export class WholeNumbers {
  readonly #lengths: BitModels;
  readonly #digits = new BitModels(most);

  /** `longer`: at first, the probability that a number goes on after each digit, of 65536. */
  constructor(longer = certainty / 2, seen = 1) {
    this.#lengths = new BitModels(most, longer, seen);
  }

  /** A number from 0 to `limit`, below 2^31. A file that claims more is damaged. */
  code(coder: BitCoder, value: number, limit: number): number {
    const digits = 31 - Math.clz32(value + 1);
    let length = 0;
    while (this.#lengths.code(coder, length, length < digits ? 1 : 0) === 1) {
      length += 1;
      if (2 ** length > limit + 1) throw new InputError(`a number must be at most ${limit}`);
    }
    let coded = 1;
    for (let i = length - 1; i >= 0; i--) {
      const bit = ((value + 1) >>> i) & 1;
      const even = i < length - 1;
      coded = coded * 2 + (even ? coder.code(bit, certainty / 2) : this.#digits.code(coder, length, bit));
    }
    if (coded - 1 > limit) throw new InputError(`a number must be at most ${limit}`);
    return coded - 1;
  }
}

/** Numbers of either sign: the magnitude, then the sign where there is one. */
export class SignedNumbers {
  readonly #magnitudes = new WholeNumbers();
  readonly #sign = new BitModels(1);

  code(coder: BitCoder, value: number, limit: number): number {
    const magnitude = this.#magnitudes.code(coder, Math.abs(value), limit);
    if (magnitude === 0) return 0;
    return this.#sign.code(coder, 0, value < 0 ? 1 : 0) === 1 ? -magnitude : magnitude;
  }
}
