import { describe, expect, test } from "vitest";
import { cosine } from "./odct.js";

describe("cosine", () => {
  test("is the cosine of quarter turns, within the rounding of its argument", () => {
    for (const L of [1, 2, 3, 7, 16, 100, 128]) {
      for (let a = 0; a <= 9 * L; a++) {
        const x = (Math.PI / 2) * (a / L);
        // x itself is rounded, by up to half a unit in the last place, and so is π/2.
        expect(Math.abs(cosine(a, L) - Math.cos(x)), `${a}/${L}`).toBeLessThanOrEqual(
          (1 + x) * Number.EPSILON,
        );
      }
    }
  });

  test("is exact at its zeros and extremes, and symmetric about them", () => {
    for (const L of [1, 5, 64]) {
      expect([0, 1, 2, 3, 4].map((turns) => cosine(turns * L, L) + 0)).toEqual([1, 0, -1, 0, 1]);
      for (let a = 0; a <= L; a++) {
        expect(cosine(2 * L - a, L) + cosine(a, L)).toBe(0);
        expect(cosine(4 * L - a, L) - cosine(a, L)).toBe(0);
      }
    }
  });
});
