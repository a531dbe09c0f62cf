/**
 * Units of samples. Scaling by a power of two changes no bit of a mantissa, so data
 * in any units can be brought into the range where f32 sums of squares are safe.
 */

export function largestMagnitude(values: ArrayLike<number>): number {
  let largest = 0;
  for (let i = 0; i < values.length; i++) largest = Math.max(largest, Math.abs(values[i]!));
  return largest;
}

/** The largest power of two that is not above x; 1 for 0. */
export function powerBelow(x: number): number {
  return x > 0 ? 2 ** Math.floor(Math.log2(x)) : 1;
}
