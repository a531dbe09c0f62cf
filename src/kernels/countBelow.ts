/** How many of ascending numbers are below a bound. */
export function countBelow(numbers: Uint32Array, bound: number): number {
  let [low, high] = [0, numbers.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (numbers[middle] < bound) low = middle + 1;
    else high = middle;
  }
  return low;
}
