import { describe, expect, test } from "vitest";
import { Rng } from "../core/random/rng.js";
import { LogSum } from "./logSum.js";

describe("LogSum", () => {
  test.each([0, 1, 7, 5000])("is the sum of %i logarithms", (count) => {
    const rng = Rng.from(count);
    for (const size of [-40, 0, 40]) {
      const sum = new LogSum();
      let expected = 0;
      for (let i = 0; i < count; i++) {
        const v = 10 ** (size + 10 * (rng.uniform() - 0.5));
        sum.add(v);
        expected += Math.log(v);
      }
      expect(Math.abs(sum.value - expected)).toBeLessThanOrEqual(1e-13 * (1 + Math.abs(expected)));
    }
  });

  test("is −Infinity with a zero, and NaN with NaN", () => {
    const sum = new LogSum();
    sum.add(0);
    sum.add(3);
    expect(sum.value).toBe(-Infinity);
    sum.add(Number.NaN);
    expect(sum.value).toBeNaN();
  });
});
