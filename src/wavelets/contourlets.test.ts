import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { InputError } from "../core/errors.js";
import { Rng } from "../core/random/rng.js";
import { Fourier } from "../linalg/fft.js";
import {
  contourlets,
  croppedContourlets,
  defaultDirections,
  forwardContourlet,
  inverseContourlet,
} from "./contourlets.js";
import { DirectionalBank } from "./directionalBank.js";
import {
  analysisTaps,
  expand,
  pyramidAnalysis,
  pyramidSynthesis,
  synthesisTaps,
  type Torus,
  torus,
} from "./laplacianPyramid.js";
import { unitRoundoff } from "./rounding.case.js";

function random(rows: number, columns: number, seed: number): Torus {
  const rng = Rng.from(seed);
  return { ...torus(rows, columns), data: Float64Array.from({ length: rows * columns }, () => rng.normal()) };
}

const farthest = (a: Torus, b: Torus) =>
  a.data.reduce((most, value, i) => Math.max(most, Math.abs(value - b.data[i])), 0);

/** Sizes and directions that fit them: J levels, at each a power of two. */
const cases = fc.array(fc.constantFrom(1, 2, 4, 8), { minLength: 1, maxLength: 3 }).chain((directions) =>
  fc.record({
    directions: fc.constant(directions),
    rows: fc.constantFrom(1, 2, 3).map((odd) => odd * 4 * 2 ** (directions.length - 1)),
    columns: fc.constantFrom(1, 2).map((odd) => odd * 4 * 2 ** (directions.length - 1)),
    seed: fc.nat(1000),
  }),
);

describe("the Laplacian pyramid", () => {
  test("has biorthogonal filters of gain √2: Σ h_k g_{k+2m} is 1 for m = 0, else 0", () => {
    const tap = (taps: readonly number[], k: number) => taps[Math.abs(k)] ?? 0;
    for (let m = -4; m <= 4; m++) {
      let sum = 0;
      for (let k = -4; k <= 4; k++) sum += tap(analysisTaps, k) * tap(synthesisTaps, k + 2 * m);
      expect(Math.abs(sum - (m === 0 ? 1 : 0))).toBeLessThanOrEqual(9 * unitRoundoff);
    }
    for (const taps of [analysisTaps, synthesisTaps]) {
      const total = taps.reduce((sum, value, t) => sum + (t === 0 ? 1 : 2) * value, 0);
      const alternating = taps.reduce((sum, value, t) => sum + (t === 0 ? 1 : 2) * (-1) ** t * value, 0);
      expect(Math.abs(total - Math.SQRT2)).toBeLessThanOrEqual(9 * unitRoundoff);
      expect(Math.abs(alternating)).toBeLessThanOrEqual(9 * unitRoundoff);
    }
  });

  test("reconstructs, also pictures smaller than its filters", () => {
    for (const [rows, columns] of [
      [2, 2],
      [4, 6],
      [16, 10],
      [32, 32],
    ] as const) {
      const picture = random(rows, columns, 1);
      expect(farthest(pyramidSynthesis(pyramidAnalysis(picture)), picture)).toBeLessThan(1e-13);
    }
  });

  test("removes from details what the coarse picture can represent: (I − GH)Gc = 0", () => {
    const made = expand(random(6, 8, 2));
    expect(farthest(pyramidAnalysis(made).detail, torus(12, 16))).toBeLessThan(1e-13);
    const synthesis = pyramidSynthesis({ coarse: torus(6, 8), detail: made });
    expect(farthest(synthesis, torus(12, 16))).toBeLessThan(1e-13);
  });
});

describe("the directional bank", () => {
  test("reconstructs, and has as many coefficients as samples", () => {
    for (const [rows, columns, levels] of [
      [4, 4, 0],
      [2, 6, 1],
      [6, 10, 2],
      [12, 8, 3],
      [32, 32, 4],
    ] as const) {
      const bank = new DirectionalBank(rows, columns, levels);
      const picture = random(rows, columns, levels);
      const bands = bank.analyze(picture);
      expect(bands.length).toBe(2 ** levels);
      for (const { points } of bands) expect(points.length).toBe((rows * columns) / 2 ** levels);
      for (const band of bands) {
        const elsewhere = band.picture.data.filter((_, i) => !band.points.includes(i));
        expect(elsewhere.every((value) => value === 0)).toBe(true);
      }
      const again = bank.synthesize(bands.map((band) => band.picture));
      expect(farthest(again, picture)).toBeLessThan(1e-13);
    }
  });

  // Energy of the spectrum of an atom inside the wedge that its place in the order stands for.
  test.each([1, 2, 3, 4])("of %i levels has bands of one direction each", (levels) => {
    const size = 64;
    const count = 2 ** levels;
    const bank = new DirectionalBank(size, size, levels);
    const fourier = new Fourier([size, size]);
    for (let band = 0; band < count; band++) {
      const bands = Array.from({ length: count }, () => torus(size, size));
      bands[band].data[0] = 1;
      const { data } = bank.synthesize(bands);
      const spectrum = { re: Float64Array.from(data), im: new Float64Array(data.length) };
      fourier.forward(spectrum);
      let inside = 0;
      let total = 0;
      for (let u = 1 - size / 2; u < size / 2; u++) {
        for (let v = 1 - size / 2; v < size / 2; v++) {
          const at = ((u + size) % size) * size + ((v + size) % size);
          const energy = spectrum.re[at] ** 2 + spectrum.im[at] ** 2;
          total += energy;
          if (isInWedge(u, v, band, count)) inside += energy;
        }
      }
      expect(inside / total).toBeGreaterThan(0.6); // an ideal filter has 1, noise 1/count
    }
  });

  function isInWedge(u: number, v: number, band: number, count: number): boolean {
    const [leading, other] = band < count / 2 ? [u, v] : [v, u];
    if (Math.abs(other) > Math.abs(leading)) return false;
    const width = 2 / (count / 2);
    const from = -1 + (band % (count / 2)) * width;
    return other / leading >= from && other / leading <= from + width;
  }
});

describe("the transform", () => {
  test("reconstructs any picture to 1e-10", () => {
    fc.assert(
      fc.property(cases, ({ rows, columns, directions, seed }) => {
        const picture = random(rows, columns, seed);
        const again = inverseContourlet(forwardContourlet(picture, directions));
        expect(farthest(again, picture)).toBeLessThan(1e-10);
      }),
      { numRuns: 40 },
    );
    const large = random(64, 64, 3);
    const coefficients = forwardContourlet(large, defaultDirections([64, 64]));
    expect(farthest(inverseContourlet(coefficients), large)).toBeLessThan(1e-10);
  });

  test("of a constant has only the coarse picture", () => {
    const { details } = forwardContourlet({ ...torus(16, 16), data: new Float64Array(256).fill(7) }, [4, 8]);
    for (const { picture } of details.flat()) expect(farthest(picture, torus(16, 16))).toBeLessThan(1e-12);
  });
});

describe("contourlets as a dictionary", () => {
  test("have the synthesis of each unit coefficient as columns, scaled to unit norm", () => {
    fc.assert(
      fc.property(cases, ({ rows, columns, directions }) => {
        const phi = contourlets([rows, columns], directions);
        const { coarse, details } = forwardContourlet(torus(rows, columns), directions);
        const all = Uint32Array.from(coarse.data, (_, i) => i);
        const bands = [{ points: all, picture: coarse }, ...details.flat()];
        expect(phi.cols).toBe(bands.reduce((sum, { points }) => sum + points.length, 0));
        // of each band the first atom, and the last in the order of columns, whose parities are the largest
        let column = 0;
        for (const { points, picture } of bands) {
          picture.data[0] = 1;
          const { data } = inverseContourlet({ coarse, details });
          picture.data[0] = 0;
          const norm = Math.hypot(...data);
          data.forEach((value, i) => {
            expect(Math.abs(value / norm - phi.column(column)[i])).toBeLessThan(1e-13);
          });
          column += points.length;
        }
      }),
      { numRuns: 15 },
    );
  });

  // Φ diag(norms) of the coefficients of a picture is the picture: every column in its right place.
  test.each([
    [8, 8, [1]],
    [8, 12, [2]],
    [16, 8, [1, 4]],
    [16, 16, [2, 8]],
  ] as const)("%i × %i with directions %o synthesise as the transform does", (rows, columns, directions) => {
    const phi = contourlets([rows, columns], directions);
    const picture = random(rows, columns, 4);
    const coefficients = forwardContourlet(picture, directions);
    const { coarse, details } = coefficients;
    const zero = forwardContourlet(torus(rows, columns), directions);
    const all = Uint32Array.from(coarse.data, (_, i) => i);
    const bands = [{ points: all, picture: coarse }, ...details.flat()];
    const empty = [zero.coarse, ...zero.details.flat().map((band) => band.picture)];
    const sum = new Float64Array(rows * columns);
    let column = 0;
    bands.forEach(({ points, picture: values }, b) => {
      const width = values.columns;
      const parity = (p: number) => 2 * (Math.floor(p / width) % 2) + ((p % width) % 2);
      const order = b === 0 ? [...points] : [...points].sort((p, q) => parity(p) - parity(q) || p - q);
      for (const point of order) {
        empty[b].data[point] = 1;
        const norm = Math.hypot(...inverseContourlet(zero).data);
        empty[b].data[point] = 0;
        const atom = phi.column(column++);
        for (let i = 0; i < sum.length; i++) sum[i] += values.data[point] * norm * atom[i];
      }
    });
    expect(farthest({ ...picture, data: sum }, picture)).toBeLessThan(1e-12);
  });

  test("have the redundancy of the pyramid, 1.33", () => {
    expect(contourlets([32, 32]).cols / 1024).toBeCloseTo(1.333, 3);
    expect(contourlets([16, 16], [4, 8]).cols).toBe(256 + 64 + 16);
    expect(contourlets([12, 20]).cols).toBe(240 + 60 + 15);
  });

  test("have redundancy 5.33 at 32×32 if cropped, with unit columns that span all pictures", () => {
    const phi = croppedContourlets([32, 32]);
    expect(phi.cols / 1024).toBeCloseTo(5.333, 3);
    for (let j = 0; j < phi.cols; j++)
      expect(Math.abs(Math.hypot(...phi.column(j)) - 1)).toBeLessThanOrEqual((1024 + 4) * unitRoundoff);
  });

  test("are windows of the contourlets of a larger picture if cropped", () => {
    const whole = contourlets([16, 8], [4, 4]);
    const window = croppedContourlets([5, 3], [4, 4]);
    const crop = (atom: Float64Array) =>
      Float64Array.from({ length: 15 }, (_, i) => atom[(5 + Math.floor(i / 3)) * 8 + 2 + (i % 3)]);
    let kept = 0;
    for (let j = 0; j < whole.cols; j++) {
      const expected = crop(whole.column(j));
      const norm = Math.hypot(...expected);
      if (norm === 0) continue;
      window.column(kept++).forEach((value, i) => {
        expect(Math.abs(value - expected[i] / norm)).toBeLessThan(1e-10);
      });
    }
    expect(kept).toBe(window.cols);
  });

  test("double their directions at every second level", () => {
    expect(defaultDirections([64, 64])).toEqual([4, 4, 8, 8, 16, 16]);
    expect(defaultDirections([32, 8])).toEqual([4, 4, 8]);
    for (const size of [2, 4, 8, 16, 12, 40]) expect(() => contourlets([size, size])).not.toThrow();
    for (const size of [1, 2, 3, 7, 9]) expect(() => croppedContourlets([size, 5])).not.toThrow();
  });

  test("are rejected for shapes and directions that do not fit", () => {
    expect(() => contourlets([31, 32])).toThrow(
      new InputError("contourlets need sizes divisible by 2, got 31x32; cropped contourlets take any"),
    );
    expect(() => contourlets([8, 8], [8, 8, 8, 8])).toThrow(/need sizes divisible by 32, got 8x8/);
    expect(() => contourlets([8, 8], [3])).toThrow(
      new InputError("directions of contourlets must be powers of 2, one per level, got 3"),
    );
    expect(() => contourlets([8])).toThrow(new InputError("contourlets need a patch of 2 axes, got 8"));
    expect(() => croppedContourlets([4, 4, 4])).toThrow(InputError);
  });
});
