import { expect, test } from "vitest";
import { createBase } from "../../../dictionaries/base.js";
import { Matrix64, normalizeColumns } from "../../../linalg/matrix64.js";
import { hasEqualColumns } from "./equalColumns.js";
import { factorCoherence } from "./sedilCost.js";

const factorOf = (name: string, size: number) => createBase(name, [size]).factors[0];

test.each(["cropped:sym8", "cropped:haar", "cropped:db4", "separable:sym8", "odct:1", "odct:2", "identity"])(
  "a factor of %s has equal columns where the cost is infinite",
  (name) => {
    for (const size of [1, 2, 3, 5, 8, 16, 31, 33, 47, 48, 50, 64, 65, 80]) {
      const factor = factorOf(name, size);
      expect([size, hasEqualColumns(factor)]).toEqual([size, factorCoherence(factor) === Infinity]);
    }
  },
);

test("columns are equal up to their sign and the last bits, and no further", () => {
  const withColumn = (change: (x: number) => number) => {
    const a = [0.3, -0.4, 0.5, 0.1];
    return normalizeColumns(
      "columns",
      new Matrix64(4, 3, Float64Array.from([...a, 1, 0, 0, 0, ...a.map(change)])),
    );
  };
  expect(hasEqualColumns(withColumn((x) => x))).toBe(true);
  expect(hasEqualColumns(withColumn((x) => -x))).toBe(true);
  expect(hasEqualColumns(withColumn((x) => (x === 0.1 ? x + 2 ** -53 : x)))).toBe(true);
  expect(hasEqualColumns(withColumn((x) => (x === 0.1 ? x + 1e-6 : x)))).toBe(false);
  expect(hasEqualColumns(withColumn((x) => (x === 0.1 ? -x : x)))).toBe(false);
});

test("the bases that are named instead of another have none", () => {
  for (let size = 1; size <= 130; size++) {
    expect(hasEqualColumns(factorOf("odct:1", size))).toBe(false);
    if (size !== 2) expect(hasEqualColumns(factorOf("odct:2", size))).toBe(false);
  }
  expect(hasEqualColumns(factorOf("odct:2", 2))).toBe(true);
});
