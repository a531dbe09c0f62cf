/**
 * Units of samples. Scaling by a power of two does not change the bits of a mantissa, so
 * data in any units can be brought into the range where f32 sums of squares are safe.
 */

/** The largest absolute value; 0 for an empty list. */
export function largestMagnitude(values: ArrayLike<number>): number {
  let largest = 0;
  for (let i = 0; i < values.length; i++) largest = Math.max(largest, Math.abs(values[i]));
  return largest;
}

/** The largest power of two that is at most x; 1 for 0. */
export function powerBelow(x: number): number {
  if (!(x > 0)) return 1;
  let power = 2 ** Math.floor(Math.log2(x)); // the logarithm is rounded: it may be one off
  while (power > x) power /= 2;
  while (power * 2 <= x) power *= 2;
  return power;
}
