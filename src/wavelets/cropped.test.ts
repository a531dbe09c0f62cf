import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { InputError } from "../core/errors.js";
import { Matrix64 } from "../linalg/matrix64.js";
import { croppedWavelets, croppingOf, extensionOf } from "./cropped.js";
import { wavelet, waveletNames } from "./filters.js";
import { transformRounding, unitRoundoff } from "./rounding.case.js";
import { maxLevels, periodicSynthesisMatrix } from "./transform.js";

const someWavelets = fc.constantFrom("haar", "db2", "db7", "db13", "db20", "sym8", "coif3");
const sizes = fc.integer({ min: 2, max: 40 });

// The paper's redundancies, 1.75 for 32 and (100/64)² = 2.44 for 64×64, and the counts of other wavelets.
test.each([
  ["sym8", 8, 16],
  ["sym8", 12, 30],
  ["sym8", 16, 32],
  ["sym8", 20, 50],
  ["sym8", 32, 56],
  ["sym8", 64, 100],
  ["haar", 32, 34],
  ["db2", 32, 42],
  ["db4", 32, 50],
  ["sym4", 32, 50],
  ["db7", 32, 54],
  ["db13", 32, 60],
])("%s and n = %i give the paper's %i atoms", (name, n, atoms) => {
  const phi = croppedWavelets(n, wavelet(name));
  expect([phi.rows, phi.cols]).toEqual([n, atoms]);
});

describe("croppedWavelets", () => {
  test("has finite columns of unit norm", () => {
    fc.assert(
      fc.property(sizes, someWavelets, (n, name) => {
        const phi = croppedWavelets(n, wavelet(name));
        expect(phi.data.every(Number.isFinite)).toBe(true);
        for (let j = 0; j < phi.cols; j++) {
          expect(Math.abs(Math.hypot(...phi.column(j)) - 1)).toBeLessThanOrEqual((n + 4) * unitRoundoff);
        }
      }),
    );
  });

  test("spans ℝⁿ: Φ 𝒲⁻² Φᵀ = Pᵀ W_s W_sᵀ P = I", () => {
    fc.assert(
      fc.property(sizes, someWavelets, (n, name) => {
        const w = wavelet(name);
        const cropping = croppingOf(n, w);
        const { length, columnScales } = cropping;
        const cropped = croppedWavelets(n, w);
        cropped.data.forEach((value, i) => {
          cropped.data[i] = value / columnScales[Math.floor(i / n)];
        });
        const product = cropped.times(cropped.transpose());
        const identity = Matrix64.identity(n);
        const tolerance =
          2 * Math.sqrt(length) * transformRounding(w, maxLevels(length)) + length * unitRoundoff;
        product.data.forEach((value, i) => {
          expect(Math.abs(value - identity.data[i])).toBeLessThanOrEqual(tolerance);
        });
      }),
    );
  });

  // An entry of W_s is a sum of products of taps; its rounding error is below c·u of the sum of their sizes, which
  // is the entry of the matrix made with |h| and |g|. Columns of which every such sum is zero miss the window; all
  // others must stand far above rounding, however small they are (db20 has one of norm 7e-23 at n = 200).
  test("omits exactly the atoms that miss the window", () => {
    for (const name of waveletNames) {
      const w = wavelet(name);
      const sizesOf = { name, lowpass: w.lowpass.map(Math.abs), highpass: w.highpass.map(Math.abs) };
      for (const n of [2, 3, 8, 13, 20, 31, 32, 64, 100]) {
        const { length, firstRow, synthesis, keptColumns } = croppingOf(n, w);
        const sums = periodicSynthesisMatrix(length, sizesOf, maxLevels(length));
        const inWindow = (W: Matrix64, j: number) =>
          Math.hypot(...W.column(j).subarray(firstRow, firstRow + n));
        const meeting = Array.from({ length }, (_, j) => j).filter((j) => inWindow(sums, j) > 0);
        expect(keptColumns).toEqual(meeting);
        for (const j of keptColumns) expect(inWindow(synthesis, j) / inWindow(sums, j)).toBeGreaterThan(1e-4);
      }
    }
  });

  test("has the constant as its first atom", () => {
    const column = croppedWavelets(20, wavelet("sym8")).column(0);
    for (const value of column) expect(value).toBeCloseTo(1 / Math.sqrt(20), 13);
  });

  test("D1 one sample: n = 1 gives [1]", () => {
    for (const name of waveletNames) {
      const phi = croppedWavelets(1, wavelet(name));
      expect([phi.rows, phi.cols, phi.at(0, 0)]).toEqual([1, 1, 1]);
    }
  });

  test("rejects sizes that are not positive integers", () => {
    for (const n of [0, -1, 2.5, Number.NaN]) {
      expect(() => croppedWavelets(n, wavelet("haar"))).toThrow(
        new InputError(`croppedWavelets: n must be an integer of at least 1, got ${n}`),
      );
    }
  });
});

describe("croppingOf", () => {
  test("has L = 2^(⌈log₂ n⌉ + 1) and the window in the middle", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 70 }), (n) => {
        const { length, firstRow, rows } = croppingOf(n, wavelet("haar"));
        expect(length).toBe(2 ** (Math.ceil(Math.log2(n)) + 1));
        expect(rows).toBe(n);
        const after = length - n - firstRow;
        expect(after - firstRow === 0 || after - firstRow === 1).toBe(true);
      }),
    );
  });

  test("extends a signal: the window of f̄ = W_s 𝒲 g is Φ₁ᶜ g, and W_sᵀ f̄ is as sparse as g", () => {
    const w = wavelet("sym8");
    const cropping = croppingOf(12, w);
    const { length, firstRow, synthesis, keptColumns } = cropping;
    const phi = croppedWavelets(12, w);
    const code = { indices: [0, 3, 7, 20], values: [2, -1, 0.5, 3] };
    const extended = extensionOf(cropping, code);
    expect(extended.length).toBe(length);
    const g = new Matrix64(phi.cols, 1);
    code.indices.forEach((j, s) => {
      g.data[j] = code.values[s];
    });
    const tolerance = (phi.cols + 2) * unitRoundoff * Math.sqrt(phi.cols) * Math.hypot(...g.data);
    phi.times(g).data.forEach((value, i) => {
      expect(Math.abs(value - extended[firstRow + i])).toBeLessThanOrEqual(tolerance);
    });
    const coefficients = synthesis.transpose().times(new Matrix64(length, 1, extended)).data;
    const used = [...coefficients.keys()].filter((j) => Math.abs(coefficients[j]) > 1e-9);
    expect(used).toEqual(code.indices.map((j) => keptColumns[j]));
    expect(() => extensionOf(cropping, { indices: [phi.cols], values: [1] })).toThrow(InputError);
  });
});
