import { describe, expect, test } from "vitest";
import { InputError } from "../core/errors.js";
import { wavelet, waveletNames } from "./filters.js";
import { sum, sumOfSizes, unitRoundoff } from "./rounding.case.js";

/** |Σ terms − value| within rounding: each term is a product of at most three rounded factors. */
function expectSum(terms: readonly number[], value: number): void {
  const tolerance = (terms.length + 4) * unitRoundoff * sumOfSizes(terms);
  expect(Math.abs(sum(terms) - value)).toBeLessThanOrEqual(tolerance);
}

/** h_k h_{k+shift}, for all k. */
function shiftedProducts(h: Float64Array, other: Float64Array, shift: number): number[] {
  return Array.from(h, (value, k) => value * (other[k + shift] ?? 0));
}

/** (k − centre)^p f_k, for all k. */
function momentTerms(f: Float64Array, power: number, centre = 0): number[] {
  return Array.from(f, (value, k) => value * (k - centre) ** power);
}

const numberOf = (name: string) => (name === "haar" ? 1 : Number(name.match(/\d+$/)![0]));
const isCoiflet = (name: string) => name.startsWith("coif");

test("the names are those of the four families", () => {
  const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, i) => from + i);
  expect(waveletNames).toEqual([
    "haar",
    ...range(1, 20).map((N) => `db${N}`),
    ...range(2, 20).map((N) => `sym${N}`),
    ...range(1, 5).map((N) => `coif${N}`),
  ]);
});

describe.each(waveletNames)("%s", (name) => {
  const { lowpass: h, highpass: g } = wavelet(name);
  const N = numberOf(name);
  const vanishing = isCoiflet(name) ? 2 * N : N;

  test("has 2N taps, or 6N if it is a coiflet", () => {
    expect(h.length).toBe(isCoiflet(name) ? 6 * N : 2 * N);
    expect(g.length).toBe(h.length);
  });

  test("has Σ h = √2", () => expectSum([...h], Math.SQRT2));

  test("has g_k = (−1)^k h_{K−1−k}", () => {
    g.forEach((value, k) => {
      expect(value).toBe((-1) ** k * h[h.length - 1 - k]);
    });
  });

  test("has orthonormal even shifts of h and g", () => {
    for (let shift = -h.length; shift <= h.length; shift += 2) {
      expectSum(shiftedProducts(h, h, shift), shift === 0 ? 1 : 0);
      expectSum(shiftedProducts(g, g, shift), shift === 0 ? 1 : 0);
      expectSum(shiftedProducts(h, g, shift), 0);
    }
  });

  test(`has ${vanishing} vanishing moments`, () => {
    for (let p = 0; p < vanishing; p++) expectSum(momentTerms(g, p), 0);
  });
});

describe.each(waveletNames.filter(isCoiflet))("%s", (name) => {
  test("has vanishing moments of the scaling function about tap 2N", () => {
    const N = numberOf(name);
    for (let p = 1; p < 2 * N; p++) expectSum(momentTerms(wavelet(name).lowpass, p, 2 * N), 0);
  });
});

describe.each(waveletNames.filter((name) => name.startsWith("sym")))("%s", (name) => {
  const h = wavelet(name).lowpass;
  const extremal = wavelet(name.replace("sym", "db")).lowpass;

  test("has the autocorrelation, and so the |ĥ|, of its dbN", () => {
    for (let shift = 0; shift < h.length; shift++) {
      const products = shiftedProducts(h, h, shift);
      expectSum([...products, ...shiftedProducts(extremal, extremal, shift).map((term) => -term)], 0);
    }
  });

  test("has its energy no earlier than its dbN, which has minimum phase", () => {
    const energy = (f: Float64Array, taps: number) => sum(f.slice(0, taps).map((value) => value * value));
    for (let taps = 1; taps <= h.length; taps++) {
      expect(energy(h, taps)).toBeLessThanOrEqual(energy(extremal, taps) + (h.length + 4) * unitRoundoff);
    }
  });
});

test("db1 is haar, and sym2 and sym3 are db2 and db3", () => {
  for (const [a, b] of [["db1", "haar"] as const, ["sym2", "db2"] as const, ["sym3", "db3"] as const]) {
    expect(wavelet(a).lowpass).toEqual(wavelet(b).lowpass);
  }
});

test("db2 has its closed form (1 ± √3)/(4√2), (3 ± √3)/(4√2)", () => {
  const signed = [1, 3, 3, 1].map((whole, k) => [whole, k < 2 ? Math.sqrt(3) : -Math.sqrt(3)] as const);
  wavelet("db2").lowpass.forEach((tap, k) => {
    const [whole, root] = signed[k];
    const tolerance = (5 * unitRoundoff * (whole + Math.abs(root))) / (4 * Math.SQRT2); // five roundings
    expect(Math.abs(tap - (whole + root) / (4 * Math.SQRT2))).toBeLessThanOrEqual(tolerance);
  });
});

test("an unknown name is rejected with a list of the known ones", () => {
  const message = 'unknown wavelet "sym9x"; known: haar, db1…db20, sym2…sym20, coif1…coif5';
  expect(() => wavelet("sym9x")).toThrow(new InputError(`wavelet: ${message}`));
  for (const name of ["", "db21", "db0", "sym1", "coif6", "Haar", "constructor", "__proto__"]) {
    expect(() => wavelet(name)).toThrow(InputError);
  }
});
