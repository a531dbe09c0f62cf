import { expect, test } from "vitest";
import { DenseMatrix } from "../../core/matrix.js";
import { Rng } from "../../core/random/rng.js";
import { randomDense } from "../../kernels/conformance/oracle.case.js";
import { createReferenceKernels } from "../../kernels/reference/index.js";
import { leadingSubspace } from "./leadingSubspace.js";
import { leadingEigenvectors } from "./pca.js";

const kernels = createReferenceKernels();
const dot = (x: Float32Array, y: Float32Array) => x.reduce((sum, value, i) => sum + value * y[i], 0);

/** Σ ⟨v, Cv⟩: the energy of C in the span of V. */
function energyIn(C: DenseMatrix, V: DenseMatrix): number {
  let sum = 0;
  for (let j = 0; j < V.cols; j++) {
    const v = V.column(j);
    for (let i = 0; i < C.cols; i++) sum += v[i] * dot(C.column(i), v);
  }
  return sum;
}

function expectOrthonormal(V: DenseMatrix, bound: number): void {
  for (let i = 0; i < V.cols; i++)
    for (let j = 0; j < V.cols; j++)
      expect(Math.abs(dot(V.column(i), V.column(j)) - (i === j ? 1 : 0))).toBeLessThan(bound);
}

test("finds orthonormal leading eigenvectors of a decaying spectrum", async () => {
  const n = 60;
  const Y = randomDense(Rng.from(3), n, 200);
  for (let i = 0; i < n; i++) for (let c = 0; c < Y.cols; c++) Y.data[c * n + i] /= 1 + i / 3;
  const C = kernels.matrix(n, n);
  const y = kernels.matrix(n, 200);
  await kernels.writeMatrix(y, Y);
  await kernels.addOuter(y, C);
  const host = await kernels.readMatrix(C);
  const used = kernels.memory.used;
  const [found, exact] = [await leadingSubspace(C, 10, kernels), await leadingEigenvectors(host, 10)];
  expect(kernels.memory.used).toBe(used);
  expectOrthonormal(found, 1e-5);
  expect(energyIn(host, found)).toBeGreaterThan(energyIn(host, exact) * (1 - 1e-3));
  for (let j = 0; j < 4; j++) expect(dot(found.column(j), exact.column(j)) ** 2).toBeGreaterThan(1 - 1e-4);
});

test("finds the whole range of a matrix of low rank", async () => {
  const C = kernels.matrix(20, 20);
  const y = kernels.matrix(20, 3);
  await kernels.writeMatrix(
    y,
    DenseMatrix.build(20, 3, (i, j) => (i % 3 === j ? 1 + j : 0)),
  );
  await kernels.addOuter(y, C);
  const V = await leadingSubspace(C, 3, kernels);
  expect(energyIn(await kernels.readMatrix(C), V)).toBeCloseTo(7 + 4 * 7 + 9 * 6, 3);
});

test.each([0, 1, 5])(
  "gives orthonormal columns, the same each time, of a matrix of rank %i",
  async (rank) => {
    const C = kernels.matrix(64, 64);
    if (rank > 0) {
      const y = kernels.matrix(64, rank);
      await kernels.writeMatrix(y, randomDense(Rng.from(3), 64, rank));
      await kernels.addOuter(y, C);
    }
    const V = await leadingSubspace(C, 12, kernels);
    expectOrthonormal(V, 1e-4);
    const host = await kernels.readMatrix(C);
    const trace = Array.from({ length: 64 }, (_, i) => host.at(i, i)).reduce((sum, value) => sum + value);
    expect(Math.abs(energyIn(host, V.slice(0, rank)) - trace)).toBeLessThanOrEqual(1e-5 * trace); // its range first
    expect(await leadingSubspace(C, 12, kernels)).toEqual(V);
  },
);
