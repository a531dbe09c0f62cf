/**
 * Models and codes as a Python user reads them: `scipy.sparse.load_npz` reads A and X,
 * `np.kron(phi_0, phi_1) @ A`, or `phi @ A`, is the dictionary, and D X + mean the signals.
 */

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { Rng } from "../src/core/random/rng.js";
import type { Shape } from "../src/core/shape.js";
import { makeNpy, writeNpy } from "../src/data/formats/npy.js";
import { PatchSampler } from "../src/data/sampling/patchSampler.js";
import { syntheticPictures } from "../src/data/syntheticPictures.js";
import { baseCols, createBase } from "../src/dictionaries/base.js";
import { SparseDictionary } from "../src/dictionaries/dictionary.js";
import { randomDense, randomSparse } from "../src/kernels/conformance/oracle.case.js";
import { unitRoundoff as u } from "../src/kernels/conformance/tolerance.js";
import { createReferenceKernels } from "../src/kernels/reference/index.js";
import { train } from "../src/learn/run/train.js";
import { codesToBytes, modelToBytes } from "../src/model/files.js";
import { Model, type ModelMeta } from "../src/model/model.js";
import { version } from "../src/model/version.js";
import { requirePython, runPython } from "./python/python.js";

/** What model.py returns. */
interface Answer {
  readonly format: string;
  readonly dtype: string;
  readonly A: number[][];
  readonly D: number[][];
  readonly norms: number[];
  readonly meta: Record<string, unknown>;
  readonly signals: number[][];
}

const python = requirePython(["numpy", "scipy.sparse"]);
const folder = mkdtempSync(join(tmpdir(), "trainlets-model-"));
afterAll(() => rmSync(folder, { recursive: true }));

const meta: ModelMeta = {
  learner: "osdl",
  options: { atomSparsity: 4 },
  seed: 3,
  examplesSeen: 512,
  removeMean: true,
  coding: { sparsity: 5 },
};

describe.skipIf(!python.path)(`models with numpy and scipy${python.note}`, () => {
  test.each<[string, Shape]>([
    ["cropped:sym8", [10]],
    ["cropped:sym4", [5, 6]],
    ["odct:1.5", [3, 4, 2]],
    ["wavelet:db2:symmetric", [5, 6]],
    ["cropped-contourlet", [5, 4]],
  ])("numpy reads the same atoms, codes and signals: %s of shape %o", async (name, shape) => {
    const kernels = createReferenceKernels();
    const base = createBase(name, shape);
    const rng = Rng.from(1);
    const A = randomSparse(rng, baseCols(base), 70, 4, () => rng.normal() * 100);
    for (let j = 0; j < A.cols; j++) if (A.counts[j] === 0) A.setColumn(j, [j % A.rows], [1]);
    const model = await Model.of(await SparseDictionary.create(base, A, kernels), meta, kernels);
    const n = shape.reduce((product, size) => product * size);
    const Y = randomDense(rng, n, 40, 10);
    const codes = await model.encode(Y, undefined, kernels);
    const back = await model.decode(codes, kernels);
    const paths = { model: join(folder, `${name}.npz`), codes: join(folder, `${name} codes.npz`) };
    writeFileSync(paths.model, modelToBytes(model));
    writeFileSync(
      paths.codes,
      codesToBytes(codes, { dictionary: "00000000", patch: shape, stride: shape, shapes: [] }),
    );

    const answer = runPython(python.path!, "model.py", paths) as Answer;
    expect([answer.format, answer.dtype]).toEqual(["csc", "<f4"]);
    expect(answer.A.flat()).toEqual(rowMajor(model.A.toDense()));
    expect(answer.meta).toMatchObject({
      format: "trainlets-model",
      version,
      patch: shape,
      base: name,
      ...meta,
    });
    answer.norms.forEach((norm, j) => {
      // A is rounded to f32 twice, its scale and itself: ‖Φδa‖ ≤ 2u Σ|a|, as base atoms have unit norm
      const size = answer.A.reduce((sum, row) => sum + Math.abs(row[j]), 0);
      expect(Math.abs(norm - 1)).toBeLessThanOrEqual(3 * u * (1 + size));
    });
    const atoms = rowMajor(await model.atoms(kernels));
    answer.D.flat().forEach((value, i) => {
      expect(Math.abs(value - atoms[i])).toBeLessThanOrEqual(u * Math.abs(value) + 1e-12); // ours, rounded to f32
    });
    const signals = rowMajor(back);
    answer.signals.flat().forEach((value, i) => {
      // ours: DX rounded to f32, then its sum with the mean
      const mean = Math.abs(codes.means[i % 40]);
      expect(Math.abs(value - signals[i])).toBeLessThanOrEqual(4 * u * (Math.abs(value) + mean));
    });
  });
});

/** Row by row, as numpy's tolist returns it. */
function rowMajor(matrix: { rows: number; cols: number; at(i: number, j: number): number }): number[] {
  return Array.from({ length: matrix.rows * matrix.cols }, (_, i) =>
    matrix.at(Math.floor(i / matrix.cols), i % matrix.cols),
  );
}

const numpy = requirePython(["numpy"]);

describe.skipIf(!numpy.path)(`explicit dictionaries with numpy${numpy.note}`, () => {
  test("numpy reads a dictionary of pca, and finds the same eigenvectors", async () => {
    const kernels = createReferenceKernels();
    const data = syntheticPictures(1, 1, 60);
    const options = { patch: [4, 5], learner: "pca", holdout: 0, coding: { sparsity: 3 }, kernels } as const;
    const model = await train(data, { ...options, examples: 1000, epochs: 1, batch: 250 }).model();
    // the covariance of the same examples, in f64
    const sampler = new PatchSampler(data, { patch: [4, 5], holdout: 0, examples: 1000 }, Rng.from(1));
    const store = kernels.signals(data);
    const Y = kernels.matrix(20, 1000);
    const means = kernels.matrix(1, 1000);
    await kernels.extract(store, sampler.trainingWindows(0, 0, 1000), [4, 5], Y, means);
    const host = await kernels.readMatrix(Y);
    const C = new Float64Array(400);
    for (let i = 0; i < 1000; i++)
      for (let a = 0; a < 20; a++)
        for (let b = 0; b < 20; b++) C[20 * a + b] += host.at(a, i) * host.at(b, i);
    const paths = { model: join(folder, "pca.npz"), covariance: join(folder, "covariance.npy") };
    writeFileSync(paths.model, modelToBytes(model));
    writeFileSync(paths.covariance, writeNpy(makeNpy([20, 20], C)));
    const answer = runPython(numpy.path!, "explicit.py", paths) as {
      readonly D: number[][];
      readonly norms: number[];
      readonly values: number[];
      readonly vectors: number[][];
    };
    expect(answer.D.flat()).toEqual(rowMajor(model.dictionary!));
    for (const norm of answer.norms) expect(Math.abs(norm - 1)).toBeLessThan(1e-6);
    for (let j = 0; j < 19; j++) {
      // the last eigenvector is the constant, whose eigenvalue is 0
      const product = answer.vectors.reduce((sum, row, r) => sum + row[j] * model.dictionary!.at(r, j), 0);
      expect(Math.abs(product), `eigenvector ${j}`).toBeGreaterThan(0.999);
    }
  });
});
