/** Times of short work: the median of some rounds, after one that does not count. */

export async function medianSeconds(rounds: number, work: () => Promise<unknown>): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round <= rounds; round++) {
    const start = performance.now();
    await work();
    if (round > 0) times.push((performance.now() - start) / 1000);
  }
  return medianOf(times);
}

export function medianOf(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1];
}
