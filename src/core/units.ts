/**
 * Units of samples. Scaling by a power of two does not change the bits of a mantissa, so
 * data in any units can be brought into the range where f32 sums of squares are safe.
 * Nothing here loops until a number is reached: NaN and infinity have answers, too.
 */

/** The largest number of f32, about 3.4e38. */
export const maxFloat32 = (2 - 2 ** -23) * 2 ** 127;

/** The largest absolute value; 0 for an empty list. */
export function largestMagnitude(values: ArrayLike<number>): number {
  let largest = 0;
  for (let i = 0; i < values.length; i++) largest = Math.max(largest, Math.abs(values[i]));
  return largest;
}

/**
 * The same of every column of f32 numbers, in one quick pass; infinity or NaN for a column that has one.
 */
export function largestMagnitudes(data: Float32Array, columns: number): Float32Array {
  const bits = new Int32Array(data.buffer, data.byteOffset, data.length);
  const rows = data.length / columns;
  const largest = new Int32Array(columns);
  for (let j = 0, i = 0; j < columns; j++) {
    let most = 0;
    for (const end = (j + 1) * rows; i < end; i++) {
      const magnitude = bits[i] & 0x7fffffff; // magnitudes are ordered as their bits
      if (magnitude > most) most = magnitude;
    }
    largest[j] = most;
  }
  return new Float32Array(largest.buffer);
}

/** e with 2^e ≤ x < 2^(e+1), for a finite x above 0. */
export function exponentOf(x: number): number {
  const e = Math.floor(Math.log2(x)); // the logarithm is rounded: it may be one off
  if (2 ** e > x) return e - 1;
  return 2 ** (e + 1) <= x ? e + 1 : e;
}

/** The largest power of two that is at most x: 2^1023 for infinity; 1 for 0, NaN and what is below 0. */
export function powerBelow(x: number): number {
  if (!(x > 0)) return 1;
  return x === Infinity ? 2 ** 1023 : 2 ** exponentOf(x);
}

/**
 * Divide each column of a matrix by the power of two below its largest magnitude, in place; returns these powers. The
 * sums of squares of every column are then in the range of f32, whatever the magnitudes of the others.
 */
export function toOwnUnits(data: Float32Array, columns: number): Float64Array {
  return Float64Array.from({ length: columns }, (_, j) => {
    const rows = data.length / columns;
    const column = data.subarray(j * rows, (j + 1) * rows);
    const unit = powerBelow(largestMagnitude(column));
    for (let r = 0; r < rows; r++) column[r] /= unit;
    return unit;
  });
}

/** How many magnitudes have each exponent of f32. Zeros, NaN and infinity are not counted. */
export class MagnitudeCounts {
  /** Numbers from 2^(e − 127) on, by e; 0 for the subnormal ones. */
  readonly #counts = new Float64Array(255);
  #total = 0;

  add(values: Float32Array): void {
    const bits = new Uint32Array(values.buffer, values.byteOffset, values.length);
    for (let i = 0; i < bits.length; i++) {
      const magnitude = bits[i] & 0x7fffffff;
      if (magnitude === 0 || magnitude >= 0x7f800000) continue;
      this.#counts[magnitude >>> 23] += 1;
      this.#total += 1;
    }
  }

  /** The power of two below the magnitude that this share of all is at most; 1 if all are zero. */
  quantile(share: number): number {
    const wanted = Math.min(share * this.#total, this.#total - 1); // one alone never decides
    let seen = 0;
    for (let e = 0; e < this.#counts.length; e++) {
      seen += this.#counts[e];
      if (seen > 0 && seen >= wanted) return 2 ** (Math.max(e, 1) - 127);
    }
    return 1;
  }
}
