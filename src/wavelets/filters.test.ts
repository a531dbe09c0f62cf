import { describe, expect, test } from "vitest";
import { InputError } from "../core/errors.js";
import { isOrthogonal, wavelet, waveletNames } from "./filters.js";
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

const orthogonalNames = waveletNames.filter((name) => isOrthogonal(wavelet(name)));
const biorthogonalNames = waveletNames.filter((name) => /^r?bio/.test(name));

/** Nr.Nd of the biorthogonal wavelets. */
const orders = [
  ...["1.1", "1.3", "1.5", "2.2", "2.4", "2.6", "2.8", "3.1", "3.3", "3.5", "3.7", "3.9"],
  ...["4.4", "5.5", "6.8"],
];

test("the names are those of the families", () => {
  const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, i) => from + i);
  expect(waveletNames).toEqual([
    "haar",
    ...range(1, 20).map((N) => `db${N}`),
    ...range(2, 20).map((N) => `sym${N}`),
    ...range(1, 5).map((N) => `coif${N}`),
    ...orders.map((order) => `bior${order}`),
    ...orders.map((order) => `rbio${order}`),
    "dmey",
  ]);
});

describe.each(orthogonalNames)("%s", (name) => {
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

describe.each(biorthogonalNames)("%s", (name) => {
  const { lowpass: h, highpass: g, analysis } = wavelet(name);
  const { lowpass: dualH, highpass: dualG } = analysis!;
  const K = h.length;

  test("has Σ h = Σ h̃ = √2, and four filters of the same even length", () => {
    for (const filter of [h, dualH]) expectSum([...filter], Math.SQRT2);
    expect([K % 2, g.length, dualH.length, dualG.length]).toEqual([0, K, K, K]);
  });

  test("has even shifts of its filters biorthogonal", () => {
    for (let shift = -K; shift <= K; shift += 2) {
      expectSum(shiftedProducts(h, dualH, shift), shift === 0 ? 1 : 0);
      expectSum(shiftedProducts(g, dualG, shift), shift === 0 ? 1 : 0);
      expectSum(shiftedProducts(h, dualG, shift), 0);
      expectSum(shiftedProducts(g, dualH, shift), 0);
    }
  });

  test("has as many vanishing moments as its name says", () => {
    const [Nr, Nd] = name === "bior5.5" || name === "rbio5.5" ? [6, 4] : name.slice(4).split(".").map(Number);
    const [moments, dualMoments] = name.startsWith("bior") ? [Nd, Nr] : [Nr, Nd];
    for (let p = 0; p < moments; p++) expectSum(momentTerms(g, p), 0);
    for (let p = 0; p < dualMoments; p++) expectSum(momentTerms(dualG, p), 0);
    expect(Math.abs(sum(momentTerms(g, moments, K / 2)))).toBeGreaterThan(1e-3);
  });

  test("has symmetric scaling filters", () => {
    for (const filter of [h, dualH]) {
      const taps = [...filter].slice(filter.findIndex((tap) => tap !== 0));
      while (taps.at(-1) === 0) taps.pop();
      expect(taps).toEqual([...taps].reverse());
    }
  });
});

test("rbio has the filters of bior, with analysis and synthesis exchanged", () => {
  for (const order of orders) {
    const [bior, rbio] = [wavelet(`bior${order}`), wavelet(`rbio${order}`)];
    expect([rbio.lowpass, rbio.highpass]).toEqual([bior.analysis?.lowpass, bior.analysis?.highpass]);
    expect([rbio.analysis?.lowpass, rbio.analysis?.highpass]).toEqual([bior.lowpass, bior.highpass]);
  }
});

test("bior1.1 is haar, and bior2.2 has the hat function and the filters 1, 2, 1 and −1, 2, 6, 2, −1", () => {
  expect(wavelet("bior1.1").lowpass).toEqual(wavelet("haar").lowpass);
  const { lowpass, analysis } = wavelet("bior2.2");
  const scaled = (filter: Float64Array, unit: number) =>
    Array.from(filter, (tap) => Math.round((tap / unit) * 1e12) / 1e12);
  expect(scaled(lowpass, Math.SQRT2 / 4)).toEqual([0, 1, 2, 1, 0, 0]);
  expect(scaled(analysis!.lowpass, Math.SQRT2 / 8)).toEqual([-1, 2, 6, 2, -1, 0]);
});

test("dmey is nearly orthogonal", () => {
  const { lowpass: h, highpass: g, analysis } = wavelet("dmey");
  expect([h.length, analysis?.lowpass, analysis?.highpass]).toEqual([62, h, g]);
  for (let shift = -62; shift <= 62; shift += 2) {
    const product = sum(shiftedProducts(h, h, shift));
    expect(Math.abs(product - (shift === 0 ? 1 : 0))).toBeLessThan(3e-3);
  }
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
  const message =
    'unknown wavelet "sym9x"; known: haar, db1…db20, sym2…sym20, coif1…coif5, bior1.1…bior6.8, rbio1.1…rbio6.8, dmey';
  expect(() => wavelet("sym9x")).toThrow(new InputError(`wavelet: ${message}`));
  for (const name of [
    "",
    "db21",
    "db0",
    "sym1",
    "coif6",
    "bior1.2",
    "bior",
    "Haar",
    "constructor",
    "__proto__",
  ]) {
    expect(() => wavelet(name)).toThrow(InputError);
  }
});
