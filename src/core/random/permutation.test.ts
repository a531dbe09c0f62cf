import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { InputError } from "../errors.js";
import { Permutation, Rng } from "./rng.js";

const all = (size: number, seed: number): number[] => {
  const permutation = new Permutation(size, Rng.from(seed));
  return Array.from({ length: size }, (_, i) => permutation.at(i));
};
const identity = (size: number) => Array.from({ length: size }, (_, i) => i);
const powers = [2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12].flatMap((b) => [2 ** b - 1, 2 ** b, 2 ** b + 1]);

describe("Permutation", () => {
  test.each([0, 1, 2, 3, ...powers, 1000])("maps {0 … %i − 1} onto itself, for any key", (size) => {
    for (const seed of [1, 2, 3]) {
      expect(all(size, seed).sort((a, b) => a - b)).toEqual(identity(size));
    }
  });

  test("is the same for the same key, and different for different keys", () => {
    fc.assert(
      fc.property(fc.nat(), fc.nat(), fc.integer({ min: 20, max: 300 }), (a, b, size) => {
        expect(all(size, a)).toEqual(all(size, a));
        if (a !== b) expect(all(size, a)).not.toEqual(all(size, b));
      }),
      { numRuns: 50 },
    );
  });

  test("leaves no order: few fixed points, few neighbours that stay neighbours, no trend", () => {
    for (const size of [1000, 1024, 5000]) {
      const images = all(size, 11);
      // each about a Poisson variable of mean 1 for a random permutation: above 12 with a chance below 1e-10
      expect(images.filter((image, i) => image === i).length).toBeLessThanOrEqual(12);
      expect(images.filter((image, i) => image === images[i - 1] + 1).length).toBeLessThanOrEqual(12);
      expect(images.filter((image, i) => image === images[i - 1] - 1).length).toBeLessThanOrEqual(12);
      const centre = (size - 1) / 2;
      const variance = (size * size - 1) / 12;
      const moment = (lag: number) =>
        images
          .slice(lag)
          .reduce((sum, image, i) => sum + (image - centre) * ((lag ? images[i] : i) - centre), 0);
      // a rank correlation has the standard deviation 1/√(size − 1): six of them
      expect(Math.abs(moment(0)) / (size * variance)).toBeLessThanOrEqual(6 / Math.sqrt(size - 1));
      expect(Math.abs(moment(1)) / (size * variance)).toBeLessThanOrEqual(6 / Math.sqrt(size - 1));
    }
  });

  test("sends an index to every place equally often, over many keys", () => {
    for (const size of [2, 3, 5, 17]) {
      const counts = new Float64Array(size);
      const keys = 600 * size;
      for (let seed = 0; seed < keys; seed++) counts[new Permutation(size, Rng.from(seed)).at(size - 1)] += 1;
      const statistic = counts.reduce((sum, count) => sum + (count - 600) ** 2 / 600, 0);
      const d = size - 1;
      const x = 19; // [Laurent, Massart 2000, lemma 1]: exceeded with a chance of e⁻¹⁹
      expect(statistic).toBeLessThanOrEqual(d + 2 * Math.sqrt(d * x) + 2 * x);
    }
  });

  test("works on sets far too large for a table", () => {
    for (const size of [10_000_000, 2 ** 32 + 1, 2 ** 52 - 1, 2 ** 52]) {
      const permutation = new Permutation(size, Rng.from(1));
      const ends = Array.from({ length: 500 }, (_, i) => [i, size - 1 - i]).flat();
      const images = ends.map((index) => permutation.at(index));
      expect(new Set(images).size).toBe(images.length);
      expect(images.every((image) => Number.isSafeInteger(image) && image >= 0 && image < size)).toBe(true);
      const mean = images.reduce((sum, image) => sum + image / size, 0) / images.length;
      expect(Math.abs(mean - 0.5)).toBeLessThanOrEqual(6 / Math.sqrt(12 * images.length));
    }
  });

  test("rejects indices and sizes out of range", () => {
    const permutation = new Permutation(5, Rng.from(1));
    expect(() => permutation.at(5)).toThrow(
      new InputError("Permutation.at: index must be an integer from 0 to 4, got 5"),
    );
    expect(() => permutation.at(-1)).toThrow(InputError);
    expect(() => permutation.at(0.5)).toThrow(InputError);
    expect(() => new Permutation(0, Rng.from(1)).at(0)).toThrow(InputError);
    expect(() => new Permutation(-1, Rng.from(1))).toThrow(InputError);
  });
});
