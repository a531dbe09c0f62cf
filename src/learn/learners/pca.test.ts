import { describe, expect, test } from "vitest";
import { DenseMatrix } from "../../core/matrix.js";
import { Rng } from "../../core/random/rng.js";
import { makeSignal } from "../../core/signal.js";
import { syntheticPictures } from "../../data/syntheticPictures.js";
import { dot, wide } from "../../kernels/conformance/oracle.case.js";
import { Matrix64 } from "../../linalg/matrix64.js";
import { train } from "../run/train.js";
import { collect, learnerCase } from "./learner.case.js";
import { leadingEigenvectors } from "./pca.js";

learnerCase("pca", { sparseFactor: false, recovers: 0, atoms: [36, 20] });

/** Examples of 12 samples whose covariance has directions V and deviations s, s², …. */
function planted(rng: Rng, V: Matrix64, offset = 0) {
  return Array.from({ length: 4000 }, (_, i) => {
    const y = new Float32Array(V.rows).fill(offset);
    for (let j = 0; j < V.cols; j++) {
      const x = rng.normal() * 10 * 0.7 ** j;
      V.column(j).forEach((v, r) => (y[r] += x * v));
    }
    return makeSignal(`example ${i}`, [V.rows], y);
  });
}

/** A random orthonormal matrix, by Gram–Schmidt. */
function orthonormal(rng: Rng, size: number): Matrix64 {
  const V = new Matrix64(size, size);
  for (let j = 0; j < size; j++) {
    const v = Float64Array.from({ length: size }, () => rng.normal());
    for (let i = 0; i < j; i++) {
      const along = dot(v, V.column(i));
      V.column(i).forEach((value, r) => (v[r] -= along * value));
    }
    const length = Math.sqrt(dot(v, v));
    V.column(j).set(v.map((value) => value / length));
  }
  return V;
}

const options = { patch: [12], learner: "pca", base: "identity", holdout: 0, removeMean: false } as const;

describe("pca", () => {
  test("finds the directions of a planted covariance, in the order of their variances", async () => {
    const rng = Rng.from(1);
    const V = orthonormal(rng, 12);
    const { model } = await collect(planted(rng, V), { ...options, atoms: 5, coding: { sparsity: 2 } });
    for (let j = 0; j < 5; j++)
      expect(Math.abs(dot(model.dictionary!.column(j), V.column(j)))).toBeGreaterThan(0.99);
  });

  test("gives the eigenvectors of YYᵀ over all examples of all epochs", async () => {
    const rng = Rng.from(2);
    const data = planted(rng, orthonormal(rng, 12)).slice(0, 300);
    const { model } = await collect(data, { ...options, coding: { sparsity: 2 }, batch: 64 });
    const Y = DenseMatrix.build(12, 300, (r, i) => data[i].data[r]);
    const C = wide(Y).times(wide(Y).transpose());
    const image = C.times(wide(model.dictionary!));
    for (let j = 0; j < 12; j++) {
      const d = model.dictionary!.column(j);
      const lambda = dot(image.column(j), d);
      image.column(j).forEach((value, r) => {
        expect(Math.abs(value - lambda * d[r])).toBeLessThan(1e-4 * C.at(0, 0));
      });
    }
  });

  test("gives an orthonormal dictionary", async () => {
    const { model } = await collect(syntheticPictures(1, 1, 48), {
      ...{ patch: [5, 5], learner: "pca", examples: 500, holdout: 0, coding: { sparsity: 3 } },
    });
    const D = wide(model.dictionary!);
    const G = D.transpose().times(D);
    for (let j = 0; j < G.cols; j++) {
      for (let i = 0; i < G.rows; i++) expect(Math.abs(G.at(i, j) - (i === j ? 1 : 0))).toBeLessThan(1e-6);
    }
  });

  test("P1 no offset: the mean example is not subtracted, and becomes an atom if it is large", async () => {
    const rng = Rng.from(3);
    const data = planted(rng, orthonormal(rng, 12), 100);
    const { model } = await collect(data, { ...options, atoms: 1, coding: { sparsity: 1 } });
    const constant = new Float32Array(12).fill(1 / Math.sqrt(12));
    expect(dot(model.dictionary!.column(0), constant)).toBeGreaterThan(0.999);
  });

  test("rejects more atoms than samples", () => {
    const data = syntheticPictures(1, 1, 32);
    expect(() => train(data, { patch: [4, 4], learner: "pca", atoms: 17 })).toThrow(
      "train: atoms must be at most 16 for pca, the number of samples in a patch, got 17",
    );
  });

  test("leading eigenvectors come first", async () => {
    const C = DenseMatrix.build(3, 3, (i, j) => (i === j ? [1, 9, 4][i] : 0));
    expect([...(await leadingEigenvectors(C, 2)).data]).toEqual([0, 1, 0, 0, 0, 1]);
  });
});
