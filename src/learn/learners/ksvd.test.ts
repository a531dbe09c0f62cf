import { describe, expect, test } from "vitest";
import { DenseMatrix, SparseColumns } from "../../core/matrix.js";
import { Rng } from "../../core/random/rng.js";
import { makeSignal } from "../../core/signal.js";
import { createBase } from "../../dictionaries/base.js";
import { dot, randomDense, randomUnitDictionary, wide } from "../../kernels/conformance/oracle.case.js";
import { createReferenceKernels } from "../../kernels/reference/index.js";
import { Matrix64 } from "../../linalg/matrix64.js";
import { ksvd } from "./ksvd.js";
import { collect, learnerCase, pursue } from "./learner.case.js";

learnerCase("ksvd", {
  options: { examples: 1200, epochs: 3 },
  sparseFactor: false,
  recovers: 0.8,
  planted: { epochs: 30, atomCare: { every: 1, maxCoherence: 0.95 } },
});

const [n, m, p, N] = [9, 14, 2, 50] as const;
const base = createBase("identity", [3, 3]);
const meta = { learner: "ksvd", options: {}, seed: 1, examplesSeen: N, removeMean: true, coding: {} };

async function setUp(seed: number) {
  const kernels = createReferenceKernels();
  const rng = Rng.from(seed);
  const { D } = randomUnitDictionary(rng, n, m);
  const Y = randomDense(rng, n, N);
  const sizes = { base, atoms: m, atomSparsity: 1, batch: 16 };
  const options = {
    ...sizes,
    coding: { sparsity: p },
    momentum: 0,
    firstSteps: "paper" as const,
    stepDecay: 1,
    init: "examples" as const,
    average: false,
  };
  const start = new SparseColumns(n, m, 0);
  const learner = await ksvd.create({ options, start, atoms: async () => D, examples: N, kernels });
  const held = kernels.matrix(n, N);
  await kernels.writeMatrix(held, Y);
  const atoms = async () => (await learner.model(meta)).dictionary!;
  return { D, Y, learner, held, atoms, kernels };
}

/** OMP codes as a matrix. */
function codes(D: Matrix64, Y: DenseMatrix): Matrix64 {
  const X = new Matrix64(D.cols, Y.cols);
  for (let i = 0; i < Y.cols; i++) for (const [atom, x] of pursue(D, Y.column(i), p)) X.column(i)[atom] = x;
  return X;
}

function energyLeft(D: Matrix64, X: Matrix64, Y: DenseMatrix): number {
  const fitted = D.times(X);
  return Y.data.reduce((sum, y, i) => sum + (y - fitted.data[i]) ** 2, 0);
}

/** One iteration as published, with explicit matrices: atoms in turn, each with its row of X. */
function published(D0: DenseMatrix, Y: DenseMatrix): { D: Matrix64; X: Matrix64 } {
  const D = wide(D0);
  const X = codes(D, Y);
  for (let j = 0; j < m; j++) {
    const users = [...Array(N).keys()].filter((i) => X.at(j, i) !== 0);
    const errors = users.map((i) =>
      Float64Array.from({ length: n }, (_, r) => {
        let e = Y.at(r, i);
        for (let a = 0; a < m; a++) if (a !== j) e -= D.at(r, a) * X.at(a, i);
        return e;
      }),
    );
    const direction = new Float64Array(n);
    errors.forEach((e, u) => e.forEach((value, r) => (direction[r] += value * X.at(j, users[u]))));
    const size = Math.sqrt(dot(direction, direction));
    if (size === 0) continue;
    D.column(j).set(direction.map((value) => value / size));
    errors.forEach((e, u) => (X.column(users[u])[j] = dot(e, D.column(j))));
  }
  return { D, X };
}

describe("ksvd", () => {
  test("is one iteration as published: atoms in turn, each with its coefficients", async () => {
    const { D, Y, learner, held, atoms } = await setUp(1);
    await learner.update(held);
    const expected = published(D, Y);
    const found = await atoms();
    for (let i = 0; i < found.data.length; i++)
      expect(Math.abs(found.data[i] - expected.D.data[i])).toBeLessThan(1e-4);
    learner.free();
  });

  test("lowers the error of the current codes with every pass over the atoms", async () => {
    const { Y, learner, held, atoms } = await setUp(2);
    for (let t = 0; t < 4; t++) {
      const before = await atoms();
      const start = energyLeft(wide(before), codes(wide(before), Y), Y);
      const { D, X } = published(before, Y);
      expect(energyLeft(D, X, Y)).toBeLessThanOrEqual(start);
      await learner.update(held);
      const rmse = (await learner.report()).rmse;
      expect(rmse).toBeCloseTo(Math.sqrt(start / Y.data.length), 5);
    }
    learner.free();
  });

  test("K1 idle atoms: an atom that no example uses does not change until atom care replaces it", async () => {
    const { D, learner, held, atoms, kernels } = await setUp(3);
    const Y = DenseMatrix.build(n, N, (r, i) => 3 * D.at(r, i % 5)); // five atoms are enough
    await kernels.writeMatrix(held, Y);
    await learner.update(held);
    expect((await learner.report()).atomsUsed).toBe(5);
    expect((await atoms()).slice(5, m).data).toEqual(D.slice(5, m).data);
    const example = kernels.matrix(n, 1);
    await kernels.writeMatrix(
      example,
      DenseMatrix.build(n, 1, (r) => r),
    );
    await learner.replaceable!.replace([9], example);
    const size = Math.sqrt(dot(Y.column(0), Y.column(0)));
    expect(size).toBeGreaterThan(0);
    const unit = Array.from({ length: n }, (_, r) => r / Math.sqrt(204));
    expect(dot((await atoms()).column(9), unit)).toBeCloseTo(1, 6);
    learner.free();
  });

  test("recovers 90 % of a planted 20×50 dictionary on average within 80 iterations, as in its own paper", async () => {
    let recovered = 0;
    for (let trial = 1; trial <= 10; trial++) recovered += await recoveredShare(trial);
    expect(recovered / 10).toBeGreaterThanOrEqual(0.9);
  });
});

/** The share of 50 random atoms found (|⟨d, d̂⟩| > 0.99) from 1,500 signals of 3 atoms each, without noise. */
async function recoveredShare(trial: number): Promise<number> {
  const [rows, atoms, signals] = [20, 50, 1500];
  const rng = Rng.from(trial).split("planted");
  const { D } = randomUnitDictionary(rng, rows, atoms);
  const data = Array.from({ length: signals }, (_, i) => {
    const y = new Float32Array(rows);
    for (const atom of rng.distinct(3, atoms)) {
      const x = rng.normal();
      D.column(atom).forEach((value, r) => (y[r] += x * value));
    }
    return makeSignal(`signal ${i}`, [rows], y);
  });
  const { model } = await collect(data, {
    ...{ patch: [rows], learner: "ksvd", base: "identity", atoms, coding: { sparsity: 3 }, seed: trial },
    ...{ examples: signals, epochs: 80, holdout: 0, removeMean: false, reportEvery: 80 },
  });
  const found = model.dictionary!;
  const nearest = (d: Float32Array) =>
    Math.max(...Array.from({ length: atoms }, (_, j) => Math.abs(dot(found.column(j), d))));
  const hits = Array.from({ length: atoms }, (_, j) => nearest(D.column(j))).filter((near) => near > 0.99);
  return hits.length / atoms;
}
