/**
 * Σ ln vᵢ of positive numbers as the logarithm of their product, with a separate
 * exponent: one multiplication per term, and the same bits in every JavaScript engine,
 * which `Math.log` does not promise.
 */

import { exponentOf } from "../core/units.js";

const large = 2 ** 500;

export class LogSum {
  /** The product is mantissa × large^exponent. */
  #mantissa = 1;
  #exponent = 0;

  /** Add ln v, v from 2⁻⁵⁰⁰ to 2⁵⁰⁰, or 0. */
  add(v: number): void {
    this.#mantissa *= v;
    if (this.#mantissa > large) {
      this.#mantissa /= large;
      this.#exponent += 500;
    } else if (this.#mantissa < 1 / large && this.#mantissa > 0) {
      this.#mantissa *= large;
      this.#exponent -= 500;
    }
  }

  /** The sum; −Infinity once a 0 was added. */
  get value(): number {
    if (!(this.#mantissa > 0)) return this.#mantissa === 0 ? -Infinity : Number.NaN;
    if (this.#mantissa === Infinity) return Infinity;
    const e = exponentOf(this.#mantissa);
    return Math.LN2 * (this.#exponent + e) + lnNearOne(this.#mantissa / 2 ** e);
  }
}

/** ln v for v in [1, 2): 2 artanh((v − 1)/(v + 1)); twenty terms of its series are enough for f64. */
function lnNearOne(v: number): number {
  const z = (v - 1) / (v + 1);
  const square = z * z;
  let sum = 0;
  let power = z;
  for (let k = 1; k < 40; k += 2) {
    sum += power / k;
    power *= square;
  }
  return 2 * sum;
}
