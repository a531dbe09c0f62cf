import { describe, expect, test } from "vitest";
import { DenseMatrix, SparseColumns } from "../../core/matrix.js";
import { Rng } from "../../core/random/rng.js";
import { syntheticPictures } from "../../data/syntheticPictures.js";
import { createBase } from "../../dictionaries/base.js";
import { dot, randomDense, randomUnitDictionary, wide } from "../../kernels/conformance/oracle.case.js";
import { createReferenceKernels } from "../../kernels/reference/index.js";
import { Matrix64 } from "../../linalg/matrix64.js";
import { collect, learnerCase, pursue } from "./learner.case.js";
import { forgetting, odl } from "./odl.js";

// It starts from examples, with an error a fifth below that of the base: less is left to gain.
learnerCase("odl", { sparseFactor: false, recovers: 0.8, planted: { epochs: 20 }, ends: 0.96 });

const [n, m, p, N] = [16, 24, 2, 60] as const;
const base = createBase("identity", [4, 4]);
const meta = { learner: "odl", options: {}, seed: 1, examplesSeen: N, removeMean: true, coding: {} };

async function setUp(seed: number) {
  const kernels = createReferenceKernels();
  const rng = Rng.from(seed);
  const { D } = randomUnitDictionary(rng, n, m);
  const sizes = { base, atoms: m, atomSparsity: 1, batch: N };
  const options = {
    ...sizes,
    coding: { sparsity: p },
    momentum: 0,
    firstSteps: "paper" as const,
    stepDecay: 1,
    init: "examples" as const,
    average: false,
  };
  const setting = { options, start: new SparseColumns(n, m, 0) };
  const learner = await odl.create({ ...setting, atoms: async () => D, examples: N, kernels });
  const put = async (Y: DenseMatrix) => {
    const held = kernels.matrix(Y.rows, Y.cols);
    await kernels.writeMatrix(held, Y);
    return held;
  };
  const atoms = async () => (await learner.model(meta)).dictionary!;
  return { kernels, rng, D, learner, put, atoms };
}

/** OMP codes as a matrix. */
function codes(D: DenseMatrix, Y: DenseMatrix): Matrix64 {
  const X = new Matrix64(D.cols, Y.cols);
  for (let i = 0; i < Y.cols; i++) {
    for (const [atom, x] of pursue(wide(D), Y.column(i), p)) X.column(i)[atom] = x;
  }
  return X;
}

/** ½ tr(DᵀDC) − tr(DᵀB): the cost that Algorithm 2 descends, up to a constant. */
function surrogate(D: DenseMatrix, B: Matrix64, C: Matrix64): number {
  const G = wide(D).transpose().times(wide(D));
  return dot(G.data, C.data) / 2 - dot(wide(D).data, B.data);
}

describe("odl", () => {
  test("forgets as in §3.4.3: first nearly all of the past, later hardly any of it", () => {
    expect(forgetting(1, 512)).toBeCloseTo(1 / 513, 12);
    expect(forgetting(2, 512)).toBeCloseTo(513 / 1025, 12);
    expect(forgetting(511, 512)).toBeLessThan(forgetting(512, 512) + 1e-12);
    let last = 0;
    for (let t = 1; t < 2000; t++) {
      const beta = forgetting(t, 512);
      expect(beta).toBeGreaterThanOrEqual(last);
      expect(beta).toBeLessThan(1);
      last = beta;
    }
    expect(forgetting(7, 1)).toBeCloseTo(7 / 8, 12); // one example at a time: βₜ = t/(t + 1)
  });

  test("lowers the quadratic cost of its past in every mini-batch", async () => {
    const { kernels, rng, learner, put, atoms } = await setUp(1);
    const [B, C] = [new Matrix64(n, m), new Matrix64(m, m)];
    for (let t = 1; t <= 5; t++) {
      const Y = randomDense(rng, n, N);
      const before = await atoms();
      const X = codes(before, Y);
      const beta = forgetting(t, N);
      const [b, c] = [wide(Y).times(X.transpose()), X.times(X.transpose())];
      B.data.forEach((value, i) => (B.data[i] = beta * value + b.data[i]));
      C.data.forEach((value, i) => (C.data[i] = beta * value + c.data[i]));
      await learner.update(await put(Y));
      const after = await atoms();
      expect(surrogate(after, B, C)).toBeLessThan(surrogate(before, B, C));
    }
    learner.free();
    await kernels.close();
  });

  test("O1 OMP: codes have at most p atoms, and the residual is that of OMP", async () => {
    const { rng, D, learner, put } = await setUp(2);
    const Y = randomDense(rng, n, N);
    await learner.update(await put(Y));
    const X = codes(D, Y);
    const fitted = wide(D).times(X);
    const energy = Y.data.reduce((sum, y, i) => sum + (y - fitted.data[i]) ** 2, 0);
    expect((await learner.report()).rmse).toBeCloseTo(Math.sqrt(energy / Y.data.length), 5);
    learner.free();
  });

  test("O2 unit sphere: every atom has unit norm after every update", async () => {
    const { rng, learner, put, atoms } = await setUp(3);
    for (let t = 0; t < 4; t++) {
      await learner.update(await put(randomDense(rng, n, N)));
      const D = await atoms();
      for (let j = 0; j < m; j++) expect(Math.abs(dot(D.column(j), D.column(j)) - 1)).toBeLessThan(1e-6);
    }
    learner.free();
  });

  test("O3 new atoms: a replaced atom is the example, and does not return to what the old one was", async () => {
    const { rng, learner, put, atoms } = await setUp(4);
    for (let t = 0; t < 3; t++) await learner.update(await put(randomDense(rng, n, N)));
    const example = randomDense(rng, n, 1);
    await learner.replaceable!.replace([5], await put(example));
    const size = Math.sqrt(dot(example.data, example.data));
    const unit = example.data.map((value) => value / size);
    expect(dot((await atoms()).column(5), unit)).toBeCloseTo(1, 6);
    // a mini-batch that does not use it does not change it: it has no past
    const D = await atoms();
    const Y = DenseMatrix.build(n, 3, (r, i) => 4 * D.at(r, i));
    await learner.update(await put(Y));
    expect((await atoms()).column(5)).toEqual(D.column(5));
    learner.free();
  });

  test("ends with a lower error than OSDL with few non-zeros per atom on the same examples, as in figure 5", async () => {
    const data = syntheticPictures(3, 2, 64);
    const options = { patch: [8, 8], coding: { sparsity: 3 }, batch: 128, examples: 3000, epochs: 2 };
    const last = async (more: object) =>
      (await collect(data, { ...options, ...more })).reports.at(-1)!.testRmse!;
    expect(await last({ learner: "odl" })).toBeLessThan(await last({ learner: "osdl", atomSparsity: 3 }));
  });
});
