/**
 * An independent check of src/wavelets: PyWavelets has the same filters, the same cropped bases, and the same atoms
 * under each treatment of borders.
 *
 * Its tables are correct to the last digit or two, except for the symlets, which are off by up to 1.5e-11, and for bior4.4,
 * bior5.5 and bior6.8, off by up to 1e-12; the tolerances allow for that.
 */

import { beforeAll, describe, expect, test } from "vitest";
import type { Matrix64 } from "../src/linalg/matrix64.js";
import { borderModes } from "../src/wavelets/borders.js";
import { forwardCascade } from "../src/wavelets/cascade.js";
import { croppedWavelets } from "../src/wavelets/cropped.js";
import { wavelet, waveletNames } from "../src/wavelets/filters.js";
import { axisWavelets } from "../src/wavelets/waveletDictionary.js";
import { requirePython, runPython } from "./python/python.js";

interface Answer {
  readonly filters: Record<string, [number[], number[]]>;
  readonly bases: Record<string, Record<string, number[][]>>;
  readonly cascades: Record<string, number[]>;
  readonly borders: Record<string, Record<string, Record<string, number[][]>>>;
}

const names = ["haar", "db2", "db4", "sym8", "db13", "rbio3.3", "bior4.4", "dmey"];
const sizes = [8, 12, 16, 20, 31, 32, 64];
/** A 16×16 picture without symmetry. */
const picture = Float64Array.from({ length: 256 }, (_, i) => Math.sin(i * i) + (i % 16) / 8);
const python = requirePython(["pywt", "numpy"]);

describe.skipIf(python.path === undefined)(`PyWavelets${python.note}`, () => {
  let answer: Answer;
  beforeAll(() => {
    const rows = Array.from({ length: 16 }, (_, y) => Array.from(picture.subarray(16 * y, 16 * (y + 1))));
    const request = { filters: waveletNames, bases: names, sizes, picture: rows };
    answer = runPython(python.path!, "bases.py", request) as Answer;
  });

  test("has the same filters, with taps in the same order", () => {
    for (const name of waveletNames) {
      const { lowpass, highpass } = wavelet(name);
      const [recLo, recHi] = answer.filters[name];
      const coarse = /^(bior|rbio)[456]/.test(name) ? 1e-12 : Number.EPSILON / 2;
      const tolerance = name.startsWith("sym") ? 2e-11 : coarse;
      expect(farthest(lowpass, recLo), name).toBeLessThanOrEqual(tolerance);
      expect(farthest(highpass, recHi), name).toBeLessThanOrEqual(tolerance);
    }
  });

  describe.each(names)("%s", (name) => {
    test("has the same coefficients in the usual 2-D transform, up to order and sign", () => {
      const ours = forwardCascade(picture, [16, 16], wavelet(name)).map(Math.abs).sort();
      expect(farthest(ours, answer.cascades[name])).toBeLessThanOrEqual(1e-9);
    });

    test.each([8, 12, 31, 32, 64])("has the same atoms under all treatments of borders, n = %i", (n) => {
      for (const mode of borderModes) {
        if (mode === "periodic" && n === 12) continue; // we stop at 3 samples to stay orthonormal, PyWavelets does not
        const theirs = answer.borders[mode === "periodic" ? "periodization" : mode][name][n];
        const ours = axisWavelets(n, wavelet(name), mode);
        expect(ours.cols, mode).toBe(theirs.length);
        expect(mismatch(ours, theirs), mode).toBeLessThanOrEqual(1e-9);
      }
    });

    test.each(sizes)("has the same cropped base for n = %i, up to order and sign of the columns", (n) => {
      const ours = croppedWavelets(n, wavelet(name));
      const theirs = answer.bases[name][n];
      expect(ours.cols).toBe(theirs.length);
      expect(mismatch(ours, theirs)).toBeLessThanOrEqual(1e-9);
    });
  });
});

/** The largest difference, with each of our columns paired with the closest of theirs that is left. */
function mismatch(ours: Matrix64, theirs: readonly number[][]): number {
  const free = new Set(theirs);
  let worst = 0;
  for (let j = 0; j < ours.cols; j++) {
    const column = ours.column(j);
    const distances = [...free].map((other) => ({ other, distance: upToSign(column, other) }));
    const closest = distances.reduce((a, b) => (b.distance < a.distance ? b : a));
    free.delete(closest.other);
    worst = Math.max(worst, closest.distance);
  }
  return worst;
}

function upToSign(a: Float64Array, b: readonly number[]): number {
  const flipped = b.map((value) => -value);
  return Math.min(farthest(a, b), farthest(a, flipped));
}

/** max |aᵢ − bᵢ|; infinite if the lengths differ. */
function farthest(a: Float64Array, b: readonly number[]): number {
  if (a.length !== b.length) return Infinity;
  return a.reduce((worst, value, i) => Math.max(worst, Math.abs(value - b[i])), 0);
}
