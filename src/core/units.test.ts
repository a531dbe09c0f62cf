import fc from "fast-check";
import { expect, test } from "vitest";
import {
  exponentOf,
  largestMagnitude,
  largestMagnitudes,
  MagnitudeCounts,
  maxFloat32,
  powerBelow,
  toOwnUnits,
} from "./units.js";

test("largestMagnitude considers both signs, and is 0 for an empty list", () => {
  expect(largestMagnitude(Float32Array.of(1, -3, 2))).toBe(3);
  expect(largestMagnitude([])).toBe(0);
  expect(largestMagnitude(new Float32Array(3))).toBe(0);
});

test("largestMagnitudes gives the same for every column, and shows what is not finite", () => {
  const columns = [1, -3, 2, -0, 0, 0, 1e-45, 0, -1e-45, 3e38, -Infinity, 1, Number.NaN, Infinity, 0];
  const found = largestMagnitudes(Float32Array.from(columns), 5);
  expect([...found]).toEqual([3, 0, Math.fround(1e-45), Infinity, Number.NaN]);
  expect(largestMagnitudes(new Float32Array(), 0)).toHaveLength(0);
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

test("powerBelow and exponentOf have an answer for every f64 number", () => {
  fc.assert(
    fc.property(fc.double({ noNaN: true }), (x) => {
      const power = powerBelow(x);
      if (!(x > 0)) expect(power).toBe(1);
      else if (x === Infinity) expect(power).toBe(2 ** 1023);
      else {
        expect(power).toBe(2 ** exponentOf(x));
        expect(power <= x && x / power < 2).toBe(true);
      }
    }),
    { examples: [[Number.MAX_VALUE], [Number.MIN_VALUE], [2 ** -1022], [Infinity], [-Infinity], [-1], [0]] },
  );
  expect(powerBelow(Number.NaN)).toBe(1);
});

test("maxFloat32 is the largest number of f32", () => {
  expect(Math.fround(maxFloat32)).toBe(maxFloat32);
  expect(Math.fround(maxFloat32 * (1 + 2 ** -24))).toBe(Infinity);
});

test("toOwnUnits brings every column to [1, 2) without rounding, zeros stay", () => {
  const column = fc.array(fc.float({ noNaN: true, noDefaultInfinity: true }), { minLength: 3, maxLength: 3 });
  fc.assert(
    fc.property(fc.array(column, { minLength: 1, maxLength: 5 }), (columns) => {
      const data = Float32Array.from(columns.flat());
      const given = data.slice();
      const units = toOwnUnits(data, columns.length);
      columns.forEach((values, j) => {
        const largest = largestMagnitude(data.subarray(3 * j, 3 * j + 3));
        expect(largest === 0 ? values.every((v) => v === 0) : largest >= 1 && largest < 2).toBe(true);
        // entries far below the largest may become subnormal: nothing else is rounded
        data.subarray(3 * j, 3 * j + 3).forEach((value, i) => {
          if (Math.abs(value) > 2 ** -100) expect(value * units[j]).toBe(given[3 * j + i]);
        });
      });
    }),
  );
});

test("MagnitudeCounts finds quantiles that one number alone never decides", () => {
  const counts = new MagnitudeCounts();
  expect(counts.quantile(0.5)).toBe(1);
  counts.add(Float32Array.of(0, Number.NaN, Infinity, 3, -3, 3, 3.3e38));
  expect(counts.quantile(0.5)).toBe(2);
  expect(counts.quantile(1)).toBe(2);
  counts.add(Float32Array.of(1e-45));
  expect(counts.quantile(0)).toBe(2 ** -126);
});
