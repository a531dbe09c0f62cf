import { expect, test } from "vitest";
import { Rng } from "../../../core/random/rng.js";
import { largestRows } from "./hardThreshold.js";

test("largestRows keeps the k largest magnitudes, of equal ones the lower rows, and no zeros", () => {
  expect(largestRows(Float32Array.of(1, -3, 2, 3, 0), 2)).toEqual([1, 3]);
  expect(largestRows(Float32Array.of(2, -2, 2, 1), 2)).toEqual([0, 1]);
  expect(largestRows(Float32Array.of(0, 5, 0), 3)).toEqual([1]);
  expect(largestRows(Float32Array.of(0, 0), 1)).toEqual([]);
  expect(largestRows(Float32Array.of(4, 3), 9)).toEqual([0, 1]);
  const rng = Rng.from(1);
  for (let draw = 0; draw < 200; draw++) {
    const values = Float32Array.from({ length: 1 + rng.below(60) }, () =>
      draw % 2 ? rng.normal() : rng.below(5) - 2,
    );
    const k = 1 + rng.below(values.length);
    const ranked = [...values.keys()].sort((a, b) => Math.abs(values[b]) - Math.abs(values[a]) || a - b);
    const expected = ranked.slice(0, k).filter((row) => values[row] !== 0);
    expect(largestRows(values, k)).toEqual(expected.sort((a, b) => a - b));
  }
});

test("largestRows distinguishes magnitudes over the whole range of floats, also in a subarray", () => {
  const values = Float32Array.of(9, 1e-45, -3.4e38, 1e-38, -1, 1 + 2 ** -23, 0, 2).subarray(1);
  expect(largestRows(values, 1)).toEqual([1]);
  expect(largestRows(values, 3)).toEqual([1, 4, 6]);
  expect(largestRows(values, 4)).toEqual([1, 3, 4, 6]);
  expect(largestRows(values, 6)).toEqual([0, 1, 2, 3, 4, 6]);
});
