import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { InputError } from "../core/errors.js";
import { Matrix64 } from "../linalg/matrix64.js";
import { isOrthogonal, type Wavelet, wavelet, waveletNames } from "./filters.js";
import { sum, sumOfSizes, transformRounding, unitRoundoff } from "./rounding.case.js";
import {
  analyzePeriodic,
  forwardPeriodic,
  inversePeriodic,
  maxLevels,
  periodicSynthesisMatrix,
  synthesizePeriodic,
} from "./transform.js";

const norm = (x: Float64Array) => Math.hypot(...x);
const minus = (x: Float64Array, y: Float64Array) => x.map((value, i) => value - y[i]);
const dot = (x: Float64Array, y: Float64Array) => sum(x.map((value, i) => value * y[i]));

const orthogonalNames = waveletNames.filter((name) => isOrthogonal(wavelet(name)));
const biorthogonalNames = waveletNames.filter((name) => /^r?bio/.test(name));
const orthogonalWavelets = fc.constantFrom(...orthogonalNames).map((name) => wavelet(name));
const vectorOf = (length: number) =>
  fc
    .array(fc.integer({ min: -1000, max: 1000 }), { minLength: length, maxLength: length })
    .map((values) => Float64Array.from(values));

/** An odd part times 2^levels: from signals shorter than the filter to longer ones. */
const cases = fc
  .tuple(fc.integer({ min: 0, max: 6 }), fc.constantFrom(1, 3, 5))
  .chain(([levels, odd]) =>
    fc.tuple(
      fc.constant(levels),
      vectorOf(odd * 2 ** levels),
      vectorOf(odd * 2 ** levels),
      orthogonalWavelets,
    ),
  );

describe("forwardPeriodic and inversePeriodic", () => {
  test("reconstruct perfectly, in both orders", () => {
    fc.assert(
      fc.property(cases, ([levels, x, , w]) => {
        const tolerance = 2 * transformRounding(w, levels) * norm(x);
        const there = inversePeriodic(forwardPeriodic(x, w, levels), w, levels);
        const back = forwardPeriodic(inversePeriodic(x, w, levels), w, levels);
        expect(norm(minus(there, x))).toBeLessThanOrEqual(tolerance);
        expect(norm(minus(back, x))).toBeLessThanOrEqual(tolerance);
      }),
    );
  });

  test("preserve energy (Parseval)", () => {
    fc.assert(
      fc.property(cases, ([levels, x, , w]) => {
        const tolerance = (transformRounding(w, levels) + x.length * unitRoundoff) * norm(x);
        expect(Math.abs(norm(forwardPeriodic(x, w, levels)) - norm(x))).toBeLessThanOrEqual(tolerance);
      }),
    );
  });

  test("are transposes: ⟨Wx, y⟩ = ⟨x, Wᵀy⟩", () => {
    fc.assert(
      fc.property(cases, ([levels, x, y, w]) => {
        const tolerance =
          (2 * transformRounding(w, levels) + 2 * x.length * unitRoundoff) * norm(x) * norm(y);
        const difference = dot(forwardPeriodic(x, w, levels), y) - dot(x, inversePeriodic(y, w, levels));
        expect(Math.abs(difference)).toBeLessThanOrEqual(tolerance);
      }),
    );
  });

  test("shift with the signal: a shift of 2^J samples moves every coefficient of level J by one place", () => {
    fc.assert(
      fc.property(vectorOf(48), fc.integer({ min: 1, max: 4 }), orthogonalWavelets, (x, levels, w) => {
        const coarse = forwardPeriodic(x, w, levels).subarray(0, 48 / 2 ** levels);
        const moved = forwardPeriodic(rotate(x, 2 ** levels), w, levels).subarray(0, 48 / 2 ** levels);
        expect(moved).toEqual(rotate(coarse, 1));
      }),
    );
  });

  test("map a constant to the coarsest approximation only", () => {
    fc.assert(
      fc.property(orthogonalWavelets, fc.integer({ min: 1, max: 6 }), (w, levels) => {
        const x = new Float64Array(3 * 2 ** levels).fill(1);
        const expected = x.map((_, i) => (i < 3 ? 2 ** (levels / 2) : 0));
        const error = minus(forwardPeriodic(x, w, levels), expected);
        expect(norm(error)).toBeLessThanOrEqual(transformRounding(w, levels) * norm(x));
      }),
    );
  });

  test("with 0 levels change nothing", () => {
    const x = Float64Array.of(3, 1, 4);
    expect(forwardPeriodic(x, wavelet("sym8"), 0)).toEqual(x);
    expect(inversePeriodic(x, wavelet("sym8"), 0)).toEqual(x);
  });

  test("do not change their input", () => {
    const x = Float64Array.of(3, 1, 4, 1);
    forwardPeriodic(x, wavelet("db2"), 2);
    inversePeriodic(x, wavelet("db2"), 2);
    expect(x).toEqual(Float64Array.of(3, 1, 4, 1));
  });
});

describe("one level", () => {
  test("of haar takes scaled sums and differences of neighbours", () => {
    const { approximation, detail } = analyzePeriodic([1, 3, 10, 4], wavelet("haar"));
    const expected = [4, 14, -2, 6].map((value) => value * Math.SQRT1_2);
    [...approximation, ...detail].forEach((value, i) => {
      expect(value).toBeCloseTo(expected[i], 14);
    });
  });

  test("of synthesis puts tap t of h at sample t − (K/2 − 1)", () => {
    const w = wavelet("sym8");
    const signal = synthesizePeriodic(
      { approximation: Float64Array.of(1, ...new Array(15).fill(0)), detail: new Float64Array(16) },
      w,
    );
    w.lowpass.forEach((tap, t) => {
      expect(signal.at((t - 7) % 32)).toBe(tap);
    });
  });

  test("is repeated on the approximation by several levels", () => {
    const w = wavelet("coif2");
    const x = Float64Array.from({ length: 24 }, (_, i) => Math.sin(i * i));
    const first = analyzePeriodic(x, w);
    const second = analyzePeriodic(first.approximation, w);
    const expected = Float64Array.of(...second.approximation, ...second.detail, ...first.detail);
    expect(forwardPeriodic(x, w, 2)).toEqual(expected);
  });

  test("annihilates polynomials of degree below N away from the ends", () => {
    const w = wavelet("db4");
    const x = Float64Array.from({ length: 64 }, (_, i) => (i / 64) ** 3);
    const { detail } = analyzePeriodic(x, w);
    for (const value of detail.subarray(4, 28)) {
      expect(Math.abs(value)).toBeLessThanOrEqual(transformRounding(w, 1) * norm(x));
    }
  });
});

describe("the transform rejects", () => {
  const haar = wavelet("haar");

  test("more levels than the length can be halved", () => {
    expect(() => forwardPeriodic(new Float64Array(12), haar, 3)).toThrow(
      new InputError("forwardPeriodic: levels of length 12 must be an integer from 0 to 2, got 3"),
    );
    expect(() => inversePeriodic(new Float64Array(7), haar, 1)).toThrow(
      new InputError("inversePeriodic: levels of length 7 must be an integer from 0 to 0, got 1"),
    );
    expect(() => forwardPeriodic([1, 2], haar, 0.5)).toThrow(InputError);
  });

  test("empty signals and bands of different lengths", () => {
    expect(() => forwardPeriodic([], haar, 0)).toThrow(
      new InputError("forwardPeriodic: length must be an integer of at least 1, got 0"),
    );
    expect(() => maxLevels(0)).toThrow(InputError);
    expect(() =>
      synthesizePeriodic({ approximation: new Float64Array(2), detail: new Float64Array(3) }, haar),
    ).toThrow(new InputError("synthesizePeriodic: detail must have 2 coefficients, got 3"));
  });
});

test("maxLevels is the exponent of 2", () => {
  expect([1, 2, 3, 12, 64, 96, 1000].map(maxLevels)).toEqual([0, 1, 0, 2, 6, 5, 3]);
});

/** x moved `by` places to the right, around the end. */
function rotate(x: Float64Array, by: number): Float64Array {
  return x.map((_, i) => x[(i - by + x.length) % x.length]);
}

const lengths = [1, 2, 4, 6, 12, 16, 32, 40, 64];

/** The largest |entry| of a − b. */
function distance(a: Matrix64, b: Matrix64): number {
  return a.data.reduce((worst, value, i) => Math.max(worst, Math.abs(value - b.data[i])), 0);
}

describe.each(orthogonalNames)("the synthesis matrix of %s", (name) => {
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

test("Wc is the inverse transform, and Wᵀx the forward transform", () => {
  const vectors = fc.array(fc.integer({ min: -100, max: 100 }), { minLength: 24, maxLength: 24 });
  fc.assert(
    fc.property(
      vectors,
      fc.constantFrom(...orthogonalNames),
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

describe("biorthogonal wavelets", () => {
  /**
   * A level sums at most 2K terms per sample, whose sizes are below S = Σ|h| + Σ|g| times the largest; later levels make
   * earlier errors larger by S at most. Both ways of J levels are off by at most 2J · 2(K + 1) u (S S̃)^J, and u for the taps.
   */
  const bound = (w: Wavelet, levels: number): number => {
    const size = ({ lowpass, highpass }: Wavelet["analysis"] & object) =>
      sumOfSizes(lowpass) + sumOfSizes(highpass);
    return 4 * (levels + 1) * (w.lowpass.length + 2) * unitRoundoff * (size(w) * size(w.analysis!)) ** levels;
  };

  test.each(biorthogonalNames)("%s: synthesis undoes analysis, and analysis synthesis", (name) => {
    const w = wavelet(name);
    for (const length of [2, 4, 8, 12, 24, 48]) {
      for (let levels = 0; levels <= Math.min(3, maxLevels(length)); levels++) {
        const x = Float64Array.from({ length }, (_, i) => Math.sin(i * i + 1));
        const there = inversePeriodic(forwardPeriodic(x, w, levels), w, levels);
        const back = forwardPeriodic(inversePeriodic(x, w, levels), w, levels);
        const worst = Math.max(...minus(there, x).map(Math.abs), ...minus(back, x).map(Math.abs));
        expect(worst, `${length} samples, ${levels} levels`).toBeLessThanOrEqual(bound(w, levels));
      }
    }
  });

  test.each(biorthogonalNames)("%s: the transposed synthesis matrix is the analysis of its dual", (name) => {
    const w = wavelet(name);
    const dual = wavelet(
      name.startsWith("bior") ? name.replace("bior", "rbio") : name.replace("rbio", "bior"),
    );
    const x = Float64Array.from({ length: 24 }, (_, i) => Math.sin(i * i + 1));
    const W = periodicSynthesisMatrix(24, w, 3);
    const transposed = W.transpose().times(new Matrix64(24, 1, x));
    expect(distance(transposed, new Matrix64(24, 1, forwardPeriodic(x, dual, 3)))).toBeLessThanOrEqual(
      bound(w, 3),
    );
  });

  test("dmey is inverted to a few thousandths per level", () => {
    const x = Float64Array.from({ length: 64 }, (_, i) => Math.sin(i * i + 1));
    const back = inversePeriodic(forwardPeriodic(x, wavelet("dmey"), 2), wavelet("dmey"), 2);
    expect(norm(minus(back, x))).toBeLessThan(2 * 4e-3 * norm(x));
    expect(norm(minus(back, x))).toBeGreaterThan(1e-6 * norm(x));
  });
});

test("the synthesis matrix of haar at length 4 has its columns in the documented order", () => {
  const W = periodicSynthesisMatrix(4, wavelet("haar"), 2);
  const r = Math.SQRT1_2;
  const expected = [0.5, 0.5, 0.5, 0.5, 0.5, 0.5, -0.5, -0.5, r, -r, 0, 0, 0, 0, r, -r];
  expect(distance(W, new Matrix64(4, 4, Float64Array.from(expected)))).toBeLessThanOrEqual(4 * unitRoundoff);
});

test("entries of the synthesis matrix outside the support of an atom are exactly 0", () => {
  const W = periodicSynthesisMatrix(64, wavelet("sym8"), 2);
  const nonZeros = (j: number) => W.column(j).filter((value) => value !== 0).length;
  expect(nonZeros(63)).toBe(16); // K
  expect(nonZeros(16)).toBe(46); // 2(K − 1) + K
});

test("a synthesis matrix of 0 levels is the identity, and too many levels are rejected", () => {
  expect(periodicSynthesisMatrix(5, wavelet("db3"), 0)).toEqual(Matrix64.identity(5));
  expect(() => periodicSynthesisMatrix(6, wavelet("db3"), 2)).toThrow(
    new InputError("periodicSynthesisMatrix: levels of length 6 must be an integer from 0 to 1, got 2"),
  );
});
