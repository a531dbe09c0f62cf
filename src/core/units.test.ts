import fc from "fast-check";
import { expect, test } from "vitest";
import { largestMagnitude, powerBelow } from "./units.js";

test("largestMagnitude considers both signs, and is 0 for an empty list", () => {
  expect(largestMagnitude(Float32Array.of(1, -3, 2))).toBe(3);
  expect(largestMagnitude([])).toBe(0);
  expect(largestMagnitude(new Float32Array(3))).toBe(0);
});

test("powerBelow is the power of two in (x/2, x], for every f32 number", () => {
  const positive = fc.float({ min: 0, minExcluded: true, noNaN: true, noDefaultInfinity: true });
  fc.assert(
    fc.property(positive, (x) => {
      const power = powerBelow(x);
      expect(Number.isInteger(Math.log2(power))).toBe(true);
      expect(power).toBeLessThanOrEqual(x);
      expect(power * 2).toBeGreaterThan(x);
      expect((x / power) * power).toBe(x); // scaling there and back changes nothing
    }),
    {
      examples: [
        [1],
        [2],
        [2 ** -149],
        [2 ** 127],
        [Math.fround(2 - 2 ** -23)],
        [Math.fround(2 ** 100 * (1 - 2 ** -24))],
      ],
    },
  );
  expect(powerBelow(0)).toBe(1);
});
