import { describe, expect, test } from "vitest";
import { Rng } from "../../core/random/rng.js";
import { dot, randomDense, wide } from "../../kernels/conformance/oracle.case.js";
import { Matrix64 } from "../../linalg/matrix64.js";
import { FactorSums } from "./factorSums.js";

const [rows, cols] = [5, 8] as const;

/** Sums of random lines of an axis between two others, the lines one by one, and a random factor. */
function problem(seed: number, lines = 40) {
  const rng = Rng.from(seed);
  const [outer, inner] = [2, 3];
  const examples = Math.ceil(lines / outer / inner);
  const Y = randomDense(rng, outer * rows * inner, examples);
  const B = randomDense(rng, outer * cols * inner, examples);
  const sums = new FactorSums(rows, cols);
  sums.add(Y, B, { outer, inner });
  const place = (size: number, o: number, i: number, q: number) => (o * size + i) * inner + q;
  const pairs: { y: Float64Array; b: Float64Array }[] = [];
  for (let e = 0; e < examples; e++)
    for (let o = 0; o < outer; o++)
      for (let q = 0; q < inner; q++) {
        const y = Float64Array.from({ length: rows }, (_, i) => Y.column(e)[place(rows, o, i, q)]);
        const b = Float64Array.from({ length: cols }, (_, i) => B.column(e)[place(cols, o, i, q)]);
        pairs.push({ y, b });
      }
  return { rng, sums, pairs, phi: wide(randomDense(rng, rows, cols)) };
}

/** ½ Σ‖y − φb‖², line by line. */
function errorOf(phi: Matrix64, pairs: readonly { y: Float64Array; b: Float64Array }[]): number {
  return pairs.reduce((sum, { y, b }) => {
    const fit = phi.times(new Matrix64(cols, 1, b)).data;
    return sum + y.reduce((part, value, i) => part + (value - fit[i]) ** 2, 0) / 2;
  }, 0);
}

describe("the sums of a factor", () => {
  test("give the error of all lines, up to their energy", () => {
    const { sums, pairs, phi } = problem(1);
    const energy = pairs.reduce((sum, { y }) => sum + dot(y, y) / 2, 0);
    expect(sums.cost(phi) + energy).toBeCloseTo(errorOf(phi, pairs), 10);
  });

  test("a sweep never raises the error of the lines, and keeps the norms of the columns", () => {
    for (let seed = 1; seed <= 20; seed++) {
      const { sums, pairs, phi } = problem(seed, 6 * seed);
      let [factor, error] = [phi, errorOf(phi, pairs)];
      for (let turn = 0; turn < 4; turn++) {
        factor = sums.sweep(factor);
        const after = errorOf(factor, pairs);
        expect(after).toBeLessThanOrEqual(error * (1 + 1e-12));
        error = after;
        for (let j = 0; j < cols; j++)
          expect(dot(factor.column(j), factor.column(j))).toBeCloseTo(dot(phi.column(j), phi.column(j)), 10);
      }
      expect(error).toBeLessThan(errorOf(phi, pairs));
    }
  });

  test("many sweeps find the factor that made the lines", () => {
    const { rng, pairs, phi } = problem(3, 120);
    const made = pairs.map(({ b }) => ({ y: phi.times(new Matrix64(cols, 1, b)).data, b }));
    const sums = new FactorSums(rows, cols);
    for (const { y, b } of made) {
      const [Y, B] = [randomDense(rng, rows, 1), randomDense(rng, cols, 1)];
      Y.data.set(y);
      B.data.set(b);
      sums.add(Y, B, { outer: 1, inner: 1 });
    }
    const length = (column: Float64Array) => Math.sqrt(dot(column, column));
    let factor = wide(randomDense(rng, rows, cols));
    for (let j = 0; j < cols; j++) {
      const factorLength = length(factor.column(j));
      factor.column(j).forEach((value, i, column) => {
        column[i] = (value / factorLength) * length(phi.column(j));
      });
    }
    for (let turn = 0; turn < 300; turn++) factor = sums.sweep(factor);
    for (let i = 0; i < phi.data.length; i++) expect(factor.data[i]).toBeCloseTo(phi.data[i], 4);
  });

  test("a column that no line uses stays as it is, and the past fades", () => {
    const { sums, phi } = problem(2);
    const T = sums.T.data.slice();
    sums.forget(0.25);
    expect(sums.T.data).toEqual(T.map((value) => value / 4));
    for (let j = 0; j < cols; j++) {
      sums.T.data[2 * cols + j] = 0;
      sums.T.data[j * cols + 2] = 0;
    }
    expect(sums.sweep(phi).column(2)).toEqual(phi.column(2));
    expect(new FactorSums(rows, cols).sweep(phi)).toEqual(phi);
  });
});
