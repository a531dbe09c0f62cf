import { describe, expect, test } from "vitest";
import { chiSquareProbability, chiSquareQuantile } from "./chiSquare.js";

describe("χ²", () => {
  // printed tables of the distribution
  test.each([
    [0.95, 1, 3.841458820694124],
    [0.95, 2, 5.991464547107979],
    [0.99, 10, 23.209251158954356],
    [0.5, 4, 3.356693980033321],
    [0.05, 30, 18.492660981953467],
    [0.95, 100, 124.34211340400407],
  ])("has the quantile %f of %i degrees at %f", (probability, n, x) => {
    expect(chiSquareQuantile(probability, n) / x).toBeCloseTo(1, 11);
  });

  test("with 2 degrees is exponential: 1 − exp(−x/2)", () => {
    for (const x of [1e-6, 0.3, 1, 3.9, 4.1, 20, 60])
      expect(chiSquareProbability(x, 2)).toBeCloseTo(1 - Math.exp(-x / 2), 14);
  });

  test("is inverted by its quantile, for any patch size", () => {
    for (const n of [1, 3, 64, 256, 1024, 4096, 100_000])
      for (const probability of [0.001, 0.5, 0.93, 0.999])
        expect(chiSquareProbability(chiSquareQuantile(probability, n), n)).toBeCloseTo(probability, 9);
  });

  test("makes C = √(χ²/n) fall towards 1 as the patch grows", () => {
    const C = (n: number) => Math.sqrt(chiSquareQuantile(0.93, n) / n);
    expect(C(64)).toBeCloseTo(1.1278513, 6);
    expect(C(256)).toBeCloseTo(1.0645999, 6);
    expect(C(1024)).toBeCloseTo(1.0324588, 6);
  });

  test("rejects values that are not probabilities", () => {
    expect(() => chiSquareQuantile(1, 4)).toThrow(
      "chiSquareQuantile: probability must be a number between 0 and 1, got 1",
    );
    expect(() => chiSquareQuantile(0.5, 0)).toThrow(
      "degrees of freedom must be an integer of at least 1, got 0",
    );
  });
});
