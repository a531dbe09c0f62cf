import { describe, expect, test } from "vitest";
import { Rng } from "../core/random/rng.js";
import { Matrix64 } from "./matrix64.js";
import { symmetricEigen } from "./symmetricEigen.js";

function random(n: number, seed: number): Matrix64 {
  const rng = Rng.from(seed);
  const S = new Matrix64(n, n);
  for (let j = 0; j < n; j++) {
    for (let i = 0; i <= j; i++) S.data[j * n + i] = S.data[i * n + j] = rng.normal();
  }
  return S;
}

async function expectDecomposes(S: Matrix64): Promise<void> {
  const { values, vectors: V } = await symmetricEigen(S);
  const n = S.rows;
  const size = S.data.reduce((sum, value) => sum + value * value, 0) ** 0.5;
  const tolerance = 16 * Math.max(1, n) * Number.EPSILON;
  const unity = V.transpose().times(V);
  const image = S.times(V);
  for (let j = 0; j < n; j++) {
    if (j > 0) expect(values[j]).toBeLessThanOrEqual(values[j - 1]);
    for (let i = 0; i < n; i++) {
      expect(Math.abs(unity.at(i, j) - (i === j ? 1 : 0))).toBeLessThanOrEqual(tolerance);
      expect(Math.abs(image.at(i, j) - values[j] * V.at(i, j))).toBeLessThanOrEqual(tolerance * size);
    }
    const column = [...V.column(j)];
    const peak = column.reduce((most, value) => (Math.abs(value) > Math.abs(most) ? value : most), 0);
    expect(peak).toBeGreaterThan(0);
  }
}

describe("symmetricEigen", () => {
  test.each([0, 1, 2, 3, 7, 40])("decomposes random matrices of size %i", async (n) => {
    for (let seed = 1; seed <= 3; seed++) await expectDecomposes(random(n, seed));
  });

  test("decomposes the identity, zero, rank one and diagonal matrices", async () => {
    await expectDecomposes(Matrix64.identity(6));
    await expectDecomposes(new Matrix64(5, 5));
    const ones = new Matrix64(8, 8, new Float64Array(64).fill(1));
    await expectDecomposes(ones);
    expect((await symmetricEigen(ones)).values[0]).toBeCloseTo(8, 12);
    const diagonal = Matrix64.identity(4);
    [3, -1, 0, 7].forEach((value, i) => (diagonal.data[5 * i] = value));
    await expectDecomposes(diagonal);
    expect([...(await symmetricEigen(diagonal)).values]).toEqual([7, 3, 0, -1]);
  });

  test("finds the eigenvalues 2 − 2cos(kπ/(n + 1)) of the second difference, and their sines", async () => {
    const n = 12;
    const S = new Matrix64(n, n);
    for (let i = 0; i < n; i++) {
      S.data[i * n + i] = 2;
      if (i + 1 < n) S.data[i * n + i + 1] = S.data[(i + 1) * n + i] = -1;
    }
    const { values, vectors } = await symmetricEigen(S);
    for (let j = 0; j < n; j++) {
      const angle = ((n - j) * Math.PI) / (n + 1);
      expect(values[j]).toBeCloseTo(2 - 2 * Math.cos(angle), 12);
      const sine = Array.from({ length: n }, (_, i) => Math.sin((i + 1) * angle) * Math.sqrt(2 / (n + 1)));
      const product = sine.reduce((sum, value, i) => sum + value * vectors.at(i, j), 0);
      expect(Math.abs(product)).toBeCloseTo(1, 12);
    }
  });

  test("is accurate at magnitudes of 1e-150 and 1e150, and for eigenvalues of very different magnitudes", async () => {
    for (const factor of [1e-150, 1e150]) {
      const S = random(9, 4);
      const scaled = new Matrix64(
        9,
        9,
        S.data.map((value) => value * factor),
      );
      const a = (await symmetricEigen(S)).values;
      const b = (await symmetricEigen(scaled)).values;
      a.forEach((value, j) => expect(Math.abs(b[j] / factor - value)).toBeLessThan(1e-13));
    }
    const graded = random(10, 5);
    graded.data.forEach((_, i) => (graded.data[i] *= 10 ** -((i % 10) + Math.floor(i / 10))));
    await expectDecomposes(graded);
  });

  test("converges when nearly everything is rounding: one large eigenvalue, and noise in the last bits of f32", async () => {
    const rng = Rng.from(6);
    const S = new Matrix64(36, 36);
    for (let j = 0; j < 36; j++) {
      for (let i = 0; i <= j; i++)
        S.data[j * 36 + i] = S.data[i * 36 + j] = 350952192 + (i < 30 && j < 30 ? 32 : 32 * rng.below(2));
    }
    await expectDecomposes(S);
  });

  test("rejects matrices that are not square, and does not hang on values that are not finite", async () => {
    await expect(symmetricEigen(new Matrix64(2, 3))).rejects.toThrow(
      "symmetricEigen: the matrix must be square, got 2 × 3",
    );
    const S = Matrix64.identity(3);
    S.data[1] = S.data[3] = Number.NaN;
    await expect(symmetricEigen(S)).rejects.toThrow(/no convergence/);
  });
});
