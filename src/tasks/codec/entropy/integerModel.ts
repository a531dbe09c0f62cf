/**
 * Adaptive models of integers: the Elias gamma code of x + 1, with a learned probability
 * for each bit of the length (in unary) and for the first digit after the leading 1;
 * further digits are equally likely 0 or 1.
 */

import { InputError } from "../../../core/errors.js";
import { type BitCoder, BitModels, certainty } from "./rangeCoder.js";

/** Largest number of binary digits. */
const maxDigits = 32;

export class IntegerModel {
  readonly #lengths: BitModels;
  readonly #digits = new BitModels(maxDigits);

  /** `longer`: the initial probability (of 65536) that a number has one more digit, as if learned from `seen` bits. */
  constructor(longer = certainty / 2, seen = 1) {
    this.#lengths = new BitModels(maxDigits, longer, seen);
  }

  /** Code an integer from 0 to `limit`, below 2^31; returns it. A file with a larger one is damaged. */
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

/** Integers of either sign: the magnitude, then the sign unless it is 0. */
export class SignedIntegerModel {
  readonly #magnitudes = new IntegerModel();
  readonly #sign = new BitModels(1);

  code(coder: BitCoder, value: number, limit: number): number {
    const magnitude = this.#magnitudes.code(coder, Math.abs(value), limit);
    if (magnitude === 0) return 0;
    return this.#sign.code(coder, 0, value < 0 ? 1 : 0) === 1 ? -magnitude : magnitude;
  }
}
