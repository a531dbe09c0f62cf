/** Orthogonal least squares by its definition: every other choice of an atom, fitted by least squares, leaves at least as much. */

import { afterAll, describe, expect, test } from "vitest";
import { DenseMatrix, type SparseColumns } from "../core/matrix.js";
import { Rng } from "../core/random/rng.js";
import { syntheticPictures } from "../data/syntheticPictures.js";
import { createBase } from "../dictionaries/base.js";
import {
  dot,
  explicitBase,
  gramOf,
  randomDense,
  randomUnitDictionary,
} from "../kernels/conformance/oracle.case.js";
import type { Kernels, PursuitName } from "../kernels/contract.js";
import { createCpuKernels } from "../kernels/cpu/index.js";
import { createReferenceKernels } from "../kernels/reference/index.js";
import { train } from "../learn/run/train.js";
import { modelFromBytes, modelToBytes } from "../model/files.js";
import { Model } from "../model/model.js";

const reference = createReferenceKernels();
const cpu = await createCpuKernels({ threads: 1 });
afterAll(() => cpu.close());

/** The least ‖y − D_I x‖² over x, from the normal equations of the atoms I. */
function errorOf(D: DenseMatrix, y: Float32Array, atoms: readonly number[]): number {
  const rows = atoms.map((a) => [...atoms.map((b) => dot(D.column(a), D.column(b))), dot(D.column(a), y)]);
  let error = dot(y, y);
  rows.forEach((row, c) => {
    error -= row[atoms.length] ** 2 / row[c];
    for (const other of rows.slice(c + 1)) {
      const weight = other[c] / row[c];
      for (let j = c; j < other.length; j++) other[j] -= weight * row[j];
    }
  });
  return error;
}

async function code(kernels: Kernels, D: DenseMatrix, Y: DenseMatrix, p: number, pursuit: PursuitName) {
  const hold = async (matrix: DenseMatrix) => {
    const handle = kernels.matrix(matrix.rows, matrix.cols);
    await kernels.writeMatrix(handle, matrix);
    return handle;
  };
  const P = DenseMatrix.build(D.cols, Y.cols, (j, i) => dot(D.column(j), Y.column(i)));
  const energies = DenseMatrix.build(1, Y.cols, (_, i) => dot(Y.column(i), Y.column(i)));
  const held = [await hold(gramOf(D)), await hold(P), await hold(energies)] as const;
  const [X, path] = [kernels.sparse(D.cols, Y.cols, p), kernels.matrix(p, Y.cols)];
  await kernels.batchOmp(...held, { sparsity: p, residualEnergy: 0, pursuit }, X, path);
  const result = { X: await kernels.readSparse(X), path: await kernels.readMatrix(path) };
  kernels.free(...held, X, path);
  return result;
}

const atomsOf = (X: SparseColumns, i: number) => [
  ...X.indices.subarray(i * X.width, i * X.width + X.counts[i]),
];

describe.each([
  ["reference", reference],
  ["cpu", cpu],
] as const)("ols on %s", (_, kernels) => {
  const rng = Rng.from(7);
  const { D } = randomUnitDictionary(rng, 9, 24);
  const Y = randomDense(rng, 9, 12);

  test("leaves no more than any other choice would, at every turn", async () => {
    const { X, path } = await code(kernels, D, Y, 5, "ols");
    for (let i = 0; i < Y.cols; i++) {
      const atoms = atomsOf(X, i);
      expect(atoms).toHaveLength(5);
      for (let t = 0; t < atoms.length; t++) {
        const left = errorOf(D, Y.column(i), atoms.slice(0, t + 1));
        const slack = 1e-5 * dot(Y.column(i), Y.column(i));
        expect(Math.abs(path.at(t, i) - left)).toBeLessThan(slack);
        for (let j = 0; j < D.cols; j++) {
          if (atoms.slice(0, t).includes(j)) continue;
          expect(left).toBeLessThan(errorOf(D, Y.column(i), [...atoms.slice(0, t), j]) + slack);
        }
      }
    }
  });

  test("begins as omp does, and after two atoms never leaves more", async () => {
    const [ols, omp] = [await code(kernels, D, Y, 2, "ols"), await code(kernels, D, Y, 2, "omp")];
    for (let i = 0; i < Y.cols; i++) {
      expect(ols.X.indices[2 * i]).toBe(omp.X.indices[2 * i]);
      expect(ols.path.at(1, i)).toBeLessThanOrEqual(omp.path.at(1, i) * (1 + 1e-5));
    }
  });
});

test("ols gives the same bits on any number of threads", async () => {
  const rng = Rng.from(8);
  const { D } = randomUnitDictionary(rng, 24, 150);
  const Y = randomDense(rng, 24, 90);
  const one = await code(cpu, D, Y, 7, "ols");
  for (const threads of [2, 4]) {
    const kernels = await createCpuKernels({ threads });
    expect(await code(kernels, D, Y, 7, "ols")).toEqual(one);
    await kernels.close();
  }
});

describe("a model that was learned with ols", () => {
  const options = { patch: [4, 4], base: "odct:1.5", atomSparsity: 3, batch: 64, holdout: 20, seed: 3 };
  const learn = (pursuit?: PursuitName) =>
    train(syntheticPictures(2, 1, 40), {
      ...options,
      examples: 256,
      epochs: 1,
      coding: { sparsity: 3, pursuit },
      kernels: reference,
    }).model();

  test("records it in its file, and codes with it by default", async () => {
    const [ols, omp] = [await learn("ols"), await learn()];
    expect(modelToBytes(ols)).not.toEqual(modelToBytes(omp));
    const read = modelFromBytes(modelToBytes(ols), "ols.npz");
    expect(read.meta.coding).toEqual({ sparsity: 3, pursuit: "ols" });
    const Y = randomDense(Rng.from(4), 16, 20);
    const own = await read.encode(Y, undefined, reference);
    expect(await read.encode(Y, { sparsity: 3 }, reference)).toEqual(own);
    expect(await read.encode(Y, { sparsity: 3, pursuit: "ols" }, reference)).toEqual(own);
    expect(await read.encode(Y, { sparsity: 3, pursuit: "omp" }, reference)).not.toEqual(own);
  });
});

test("ols of a model leaves less than omp, at equal sparsity, over a coherent base", async () => {
  const base = createBase("cropped:sym4", [6, 6]);
  const D = explicitBase(base.factors);
  const model = Model.from(new DenseMatrix(D.rows, D.cols, Float32Array.from(D.data)), [6, 6]);
  const [picture] = syntheticPictures(5, 1, 64);
  const Y = DenseMatrix.build(36, 50, (r, i) => picture.data[(i + Math.floor(r / 6)) * 64 + i + (r % 6)]);
  const errors = await Promise.all(
    (["omp", "ols"] as const).map(async (pursuit) => {
      const back = await model.decode(await model.encode(Y, { sparsity: 5, pursuit }, cpu), cpu);
      return back.data.reduce((sum, value, i) => sum + (value - Y.data[i]) ** 2, 0);
    }),
  );
  expect(errors[1]).toBeLessThan(errors[0]);
});
