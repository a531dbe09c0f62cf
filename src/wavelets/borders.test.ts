import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Rng } from "../core/random/rng.js";
import { sizeOf } from "../core/shape.js";
import { kron, Matrix64 } from "../linalg/matrix64.js";
import {
  analyzeBorders,
  analyzeLevels,
  borderAtoms,
  borderLevels,
  borderModes,
  extendedSample,
  levelAtoms,
} from "./borders.js";
import { forwardCascade } from "./cascade.js";
import { wavelet } from "./filters.js";
import { transformRounding } from "./rounding.case.js";
import { maxLevels, periodicSynthesisMatrix } from "./transform.js";
import { axisWavelets, cascadeWavelets } from "./waveletDictionary.js";

const names = fc.constantFrom("haar", "db2", "sym8", "coif1");
const modes = fc.constantFrom(...borderModes);

function random(seed: number, length: number): Float64Array {
  const rng = Rng.from(seed);
  return Float64Array.from({ length }, () => rng.normal());
}

function expectOrthonormal(phi: Matrix64, bound: number): void {
  expect(phi.cols).toBe(phi.rows);
  const gram = phi.transpose().times(phi);
  const identity = Matrix64.identity(phi.cols);
  gram.data.forEach((value, i) => {
    expect(Math.abs(value - identity.data[i])).toBeLessThanOrEqual(bound);
  });
}

describe("borders", () => {
  test("extend a signal of three samples", () => {
    const around = (mode: (typeof borderModes)[number]) =>
      Array.from({ length: 11 }, (_, i) => extendedSample([1, 2, 3], i - 4, mode));
    expect(around("periodic")).toEqual([1, 2, 3, 3, 1, 2, 3, 3, 1, 2, 3]);
    expect(around("symmetric")).toEqual([3, 3, 2, 1, 1, 2, 3, 3, 2, 1, 1]);
    expect(around("zero")).toEqual([0, 0, 0, 0, 1, 2, 3, 0, 0, 0, 0]);
  });

  test("synthesis undoes analysis in every mode, at odd and even lengths", () => {
    fc.assert(
      fc.property(fc.integer({ min: 2, max: 40 }), names, modes, fc.nat(99), (n, name, mode, seed) => {
        const x = random(seed, n);
        const { approximation, detail } = analyzeBorders(x, wavelet(name), mode);
        const { scaling, wavelets } = levelAtoms(n, wavelet(name), 1, mode);
        const column = (values: Float64Array) => new Matrix64(values.length, 1, values);
        const low = scaling[0].times(column(approximation)).data;
        const high = wavelets[0].times(column(detail)).data;
        x.forEach((value, i) => {
          expect(Math.abs(low[i] + high[i] - value)).toBeLessThan(1e-12);
        });
      }),
    );
  });

  test("a signal is the sum of the atoms of any number of levels, each times its coefficient", () => {
    fc.assert(
      fc.property(fc.integer({ min: 2, max: 40 }), names, modes, fc.nat(4), (n, name, mode, levels) => {
        const x = random(n, n);
        const z = analyzeLevels(x, wavelet(name), levels, mode);
        const atoms = borderAtoms(n, wavelet(name), levels, mode);
        expect(atoms.length).toBe(z.length);
        x.forEach((value, t) => {
          const sum = atoms.reduce((total, atom, j) => total + z[j] * atom[t], 0);
          expect(Math.abs(sum - value)).toBeLessThan(1e-11);
        });
      }),
    );
  });

  test("symmetric and zero have the same atoms, a tight frame: WWᵀ = I", () => {
    for (const n of [5, 8, 31, 32]) {
      const { scaling, wavelets } = levelAtoms(n, wavelet("sym4"), 2, "zero");
      expect(levelAtoms(n, wavelet("sym4"), 2, "symmetric")).toEqual({ scaling, wavelets });
      const sum = [scaling[1], wavelets[1], wavelets[0]]
        .map((atoms) => atoms.times(atoms.transpose()))
        .reduce(
          (total, part) =>
            new Matrix64(
              n,
              n,
              total.data.map((value, i) => value + part.data[i]),
            ),
        );
      const identity = Matrix64.identity(n);
      sum.data.forEach((value, i) => {
        expect(Math.abs(value - identity.data[i])).toBeLessThan(1e-12);
      });
    }
  });

  test("determine how deep a transform goes", () => {
    const depth = (n: number, mode: (typeof borderModes)[number]) => borderLevels(n, wavelet("sym8"), mode);
    expect([1, 2, 3, 12, 13, 31, 32].map((n) => depth(n, "periodic"))).toEqual([0, 1, 2, 2, 4, 5, 5]);
    expect([1, 2, 30, 59, 60, 64, 120].map((n) => depth(n, "zero"))).toEqual([0, 1, 1, 1, 2, 2, 3]);
    expect(borderLevels(32, wavelet("haar"), "symmetric")).toBe(5);
  });
});

describe("axisWavelets", () => {
  test("are the atoms of the orthogonal transform for periodic signals of even length", () => {
    for (const n of [2, 6, 12, 32]) {
      for (const name of ["haar", "sym8"]) {
        const ours = axisWavelets(n, wavelet(name));
        const W = periodicSynthesisMatrix(n, wavelet(name), maxLevels(n));
        ours.data.forEach((value, i) => {
          expect(Math.abs(value - W.data[i])).toBeLessThan(1e-13);
        });
      }
    }
  });

  test("have all levels and a few more atoms than samples for odd lengths, and span all signals", () => {
    for (const n of [3, 5, 7, 13, 31, 33]) {
      const phi = axisWavelets(n, wavelet("sym4"));
      expect(phi.cols).toBeGreaterThan(n);
      expect(phi.cols).toBeLessThanOrEqual(n + Math.ceil(Math.log2(n)));
      expect(rankOf(phi)).toBe(n);
    }
  });
});

describe("cascadeWavelets", () => {
  const shapes = fc.array(fc.integer({ min: 1, max: 6 }), { minLength: 1, maxLength: 3 });

  test("have unit norm and span all signals, in every mode and shape", () => {
    fc.assert(
      fc.property(shapes, fc.constantFrom("haar", "db2", "sym4"), modes, (shape, name, mode) => {
        const phi = cascadeWavelets(shape, wavelet(name), mode);
        expect(phi.rows).toBe(sizeOf(shape));
        for (let j = 0; j < phi.cols; j++)
          expect(Math.abs(Math.hypot(...phi.column(j)) - 1)).toBeLessThan(1e-14 * phi.rows);
        expect(rankOf(phi)).toBe(phi.rows);
      }),
      { numRuns: 40 },
    );
  });

  test.each([[[8, 8]], [[4, 12]], [[2, 4, 6]]])(
    "of shape %o are orthonormal, and the transform is their transpose",
    (shape) => {
      const filters = wavelet("db3");
      const phi = cascadeWavelets(shape, filters);
      expectOrthonormal(phi, 10 * Math.sqrt(phi.rows) * transformRounding(filters, 3));
      const x = random(5, phi.rows);
      const byMatrix = phi.transpose().times(new Matrix64(phi.rows, 1, x)).data;
      const sorted = (values: Float64Array) => values.map(Math.abs).sort();
      const byTransform = sorted(forwardCascade(x, shape, filters));
      sorted(byMatrix).forEach((value, i) => {
        expect(Math.abs(value - byTransform[i])).toBeLessThan(1e-12);
      });
    },
  );

  test("of one level are separable", () => {
    const W = periodicSynthesisMatrix(6, wavelet("haar"), 1);
    const both = kron(W, W);
    const phi = cascadeWavelets([6, 6], wavelet("haar"));
    const columns = (M: Matrix64) =>
      Array.from({ length: M.cols }, (_, j) => String(M.column(j).map(Math.fround))).sort();
    expect(columns(phi)).toEqual(columns(both));
  });

  test("are slightly redundant for other borders", () => {
    const at32 = (name: string) => cascadeWavelets([32, 32], wavelet(name), "symmetric").cols / 1024;
    expect(at32("haar")).toBe(1);
    expect(at32("db2")).toBeGreaterThan(1);
    expect(at32("db2")).toBeLessThan(1.5);
  });
});

/** The rank by Gram–Schmidt with pivoting; columns have unit norm. */
function rankOf(phi: Matrix64): number {
  const columns = Array.from({ length: phi.cols }, (_, j) => Float64Array.from(phi.column(j)));
  let rank = 0;
  for (;;) {
    const norms = columns.map((column) => Math.hypot(...column));
    const pivot = norms.indexOf(Math.max(...norms));
    if (columns.length === 0 || !(norms[pivot] > 1e-6)) return rank;
    const q = columns.splice(pivot, 1)[0].map((value) => value / norms[pivot]);
    rank++;
    for (const column of columns) {
      const along = column.reduce((sum, value, i) => sum + value * q[i], 0);
      for (let i = 0; i < q.length; i++) column[i] -= along * q[i];
    }
  }
}
