import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { InputError } from "../core/errors.js";
import { Matrix64 } from "../linalg/matrix64.js";
import { wavelet, waveletNames } from "./filters.js";
import { transformRounding, unitRoundoff } from "./rounding.case.js";
import { periodicSynthesisMatrix } from "./synthesisMatrix.js";
import { forwardPeriodic, inversePeriodic, maxLevels } from "./transform.js";

const lengths = [1, 2, 4, 6, 12, 16, 32, 40, 64];

/** The largest |entry| of a − b. */
function distance(a: Matrix64, b: Matrix64): number {
  return a.data.reduce((worst, value, i) => Math.max(worst, Math.abs(value - b.data[i])), 0);
}

describe.each(waveletNames)("the synthesis matrix of %s", (name) => {
  const w = wavelet(name);

  test("has orthonormal columns", () => {
    for (const length of lengths) {
      const levels = maxLevels(length);
      const W = periodicSynthesisMatrix(length, w, levels);
      const tolerance = 2 * transformRounding(w, levels) + length * unitRoundoff;
      expect(distance(W.transpose().times(W), Matrix64.identity(length))).toBeLessThanOrEqual(tolerance);
    }
  });

  test("has the inverse transform of unit vector j as column j", () => {
    for (const length of lengths) {
      for (let levels = 0; levels <= maxLevels(length); levels++) {
        const W = periodicSynthesisMatrix(length, w, levels);
        const tolerance = 2 * transformRounding(w, levels); // sums that wrap are taken in another order
        for (let j = 0; j < length; j++) {
          const column = inversePeriodic(Matrix64.identity(length).column(j), w, levels);
          column.forEach((value, i) => {
            if (!(Math.abs(value - W.at(i, j)) <= tolerance)) expect(W.at(i, j), `(${i}, ${j})`).toBe(value);
          });
        }
      }
    }
  });
});

test("W·c is the inverse transform, and Wᵀx the forward one", () => {
  const vectors = fc.array(fc.integer({ min: -100, max: 100 }), { minLength: 24, maxLength: 24 });
  fc.assert(
    fc.property(
      vectors,
      fc.constantFrom(...waveletNames),
      fc.integer({ min: 0, max: 3 }),
      (x, name, levels) => {
        const w = wavelet(name);
        const W = periodicSynthesisMatrix(24, w, levels);
        const column = new Matrix64(24, 1, Float64Array.from(x));
        const inverse = new Matrix64(24, 1, inversePeriodic(x, w, levels));
        const forward = new Matrix64(24, 1, forwardPeriodic(x, w, levels));
        const sizes = Math.sqrt(24) * Math.hypot(...x); // Σ|entry||x| ≤ √n ‖x‖ times the error of an entry
        const tolerance = 2 * (transformRounding(w, levels) + 24 * unitRoundoff) * sizes;
        expect(distance(W.times(column), inverse)).toBeLessThanOrEqual(tolerance);
        expect(distance(W.transpose().times(column), forward)).toBeLessThanOrEqual(tolerance);
      },
    ),
  );
});

test("haar of length 4 has its columns in the documented order", () => {
  const W = periodicSynthesisMatrix(4, wavelet("haar"), 2);
  const r = Math.SQRT1_2;
  const expected = [0.5, 0.5, 0.5, 0.5, 0.5, 0.5, -0.5, -0.5, r, -r, 0, 0, 0, 0, r, -r];
  expect(distance(W, new Matrix64(4, 4, Float64Array.from(expected)))).toBeLessThanOrEqual(4 * unitRoundoff);
});

test("entries outside the support of an atom are exactly 0", () => {
  const W = periodicSynthesisMatrix(64, wavelet("sym8"), 2);
  const nonZeros = (j: number) => W.column(j).filter((value) => value !== 0).length;
  expect(nonZeros(63)).toBe(16); // K
  expect(nonZeros(16)).toBe(46); // 2(K − 1) + K
});

test("0 levels give the identity, and levels beyond the length are refused", () => {
  expect(periodicSynthesisMatrix(5, wavelet("db3"), 0)).toEqual(Matrix64.identity(5));
  expect(() => periodicSynthesisMatrix(6, wavelet("db3"), 2)).toThrow(
    new InputError("periodicSynthesisMatrix: levels of length 6 must be an integer from 0 to 1, got 2"),
  );
});
