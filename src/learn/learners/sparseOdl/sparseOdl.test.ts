import { describe, expect, test } from "vitest";
import { InputError } from "../../../core/errors.js";
import { DenseMatrix } from "../../../core/matrix.js";
import { Rng } from "../../../core/random/rng.js";
import { syntheticPictures } from "../../../data/syntheticPictures.js";
import { createBase } from "../../../dictionaries/base.js";
import { dot, explicitBase, randomDense, wide } from "../../../kernels/conformance/oracle.case.js";
import type { DeviceSparse } from "../../../kernels/contract.js";
import { createCpuKernels } from "../../../kernels/cpu/index.js";
import { createReferenceKernels } from "../../../kernels/reference/index.js";
import { Matrix64 } from "../../../linalg/matrix64.js";
import { modelToBytes } from "../../../model/files.js";
import type { Model } from "../../../model/model.js";
import { fitChoices } from "../../atoms/atomFits.js";
import { checkpointFromBytes } from "../../checkpoints/checkpoint.js";
import { train } from "../../run/train.js";
import type { TrainOptions } from "../../run/trainOptions.js";
import { collect, keepEvery, learnerCase, pursue, randomAtoms, unitAtoms } from "../learner.case.js";
import type { LearnerOptions } from "../learner.js";
import { sparseOdl, sumDecay } from "./sparseOdl.js";

// Its start, from base atoms and examples, is a fifth below that of learners that begin with the base: less is left to gain.
learnerCase("sparse-odl", { sparseFactor: true, recovers: 0.8, planted: { epochs: 20 }, ends: 0.96 });

const [m, k, p, N] = [24, 3, 2, 40] as const;
const base = createBase("odct:1", [4, 4]);
const phi = explicitBase(base.factors);
const n = phi.rows;
const meta = { learner: "sparse-odl", options: {}, seed: 1, examplesSeen: N, removeMean: true, coding: {} };

const options: LearnerOptions = {
  ...{ base, atoms: m, atomSparsity: k, batch: N, coding: { sparsity: p } },
  ...{ momentum: 0, firstSteps: "paper", stepDecay: 1, init: "base", average: false },
};

async function setUp(seed: number, perEpoch = Infinity, examples: number = N) {
  const kernels = createReferenceKernels();
  const rng = Rng.from(seed);
  const A = randomAtoms(rng, phi.cols, m, k);
  const updates = { perEpoch, total: Infinity };
  const learner = await sparseOdl.create({ options, start: A, examples, updates, kernels });
  const put = async (Y: DenseMatrix) => {
    const held = kernels.matrix(Y.rows, Y.cols);
    await kernels.writeMatrix(held, Y);
    return held;
  };
  /** The atoms now, without an update that is pending. */
  const atoms = async () => denseOf(await learner.snapshot!(meta));
  return { kernels, rng, A, learner, put, atoms };
}

function denseOf(model: Model): Matrix64 {
  return phi.times(wide(model.A));
}

/** OMP codes as a matrix. */
function codes(D: Matrix64, Y: DenseMatrix): Matrix64 {
  const X = new Matrix64(D.cols, Y.cols);
  for (let i = 0; i < Y.cols; i++) for (const [atom, x] of pursue(D, Y.column(i), p)) X.column(i)[atom] = x;
  return X;
}

/** The sums of a run as plain matrices: B⁰ = τD⁰ and C⁰ = τI, then one mini-batch after the other. */
class Sums {
  readonly B = new Matrix64(n, m);
  readonly C = new Matrix64(m, m);
  #step = 0;

  add(D: Matrix64, Y: DenseMatrix): void {
    const X = codes(D, Y);
    this.#step += 1;
    const first = this.#step === 1;
    const tau = first ? (4 * dot(X.data, X.data)) / m : 0;
    const beta = first ? 0 : sumDecay(this.#step, (this.#step * N * p) / (m * k));
    const [b, c] = [wide(Y).times(X.transpose()), X.times(X.transpose())];
    this.B.data.forEach((value, i) => (this.B.data[i] = beta * value + tau * D.data[i] + b.data[i]));
    this.C.data.forEach((value, i) => (this.C.data[i] = beta * value + c.data[i]));
    for (let j = 0; j < m; j++) this.C.column(j)[j] += tau;
  }

  /** f(D) = ½ tr(DᵀDC) − tr(DᵀB). */
  cost(D: Matrix64): number {
    return dot(D.transpose().times(D).data, this.C.data) / 2 - dot(D.data, this.B.data);
  }

  /** A sweep over dense unit atoms. */
  descend(from: Matrix64, omega = 1 / (1 + p / 50)): Matrix64 {
    const D = new Matrix64(n, m, from.data.slice());
    for (let j = 0; j < m; j++) {
      const pull = D.times(new Matrix64(m, 1, this.C.column(j).slice()));
      const gradient = D.column(j).map((_, i) => pull.data[i] - this.B.column(j)[i]);
      const u = D.column(j).map((d, i) => d - (omega * gradient[i]) / this.C.column(j)[j]);
      const size = Math.sqrt(dot(u, u));
      D.data.set(
        u.map((value) => value / size),
        j * n,
      );
    }
    return D;
  }
}

/** Examples that a sparse dictionary of other atoms explains. */
function planted(rng: Rng, count: number): DenseMatrix {
  const { D } = unitAtoms(phi, randomAtoms(Rng.from(99), phi.cols, m, k));
  const Y = new DenseMatrix(n, count);
  for (let i = 0; i < count; i++)
    for (const atom of rng.distinct(p, m)) {
      const x = rng.normal();
      D.column(atom).forEach((value, r) => (Y.column(i)[r] += x * value));
    }
  return Y;
}

describe("sparse-odl", () => {
  test("brings every atom as near to the dense atom that lowers the cost as OLS does, or leaves it", async () => {
    const { rng, learner, put, atoms } = await setUp(1);
    const sums = new Sums();
    for (let t = 1; t <= 3; t++) {
      const Y = planted(rng, N);
      const before = await atoms();
      sums.add(before, Y);
      await learner.update(await put(Y));
      const after = await atoms();
      const U = sums.descend(before);
      expect(sums.cost(U)).toBeLessThan(sums.cost(before));
      for (let j = 0; j < m; j++) {
        const distance = (D: Matrix64) => Math.hypot(...D.column(j).map((d, i) => d - U.column(j)[i]));
        expect(distance(after)).toBeLessThanOrEqual(distance(before) + 1e-4); // S3
        expect(dot(after.column(j), after.column(j))).toBeCloseTo(1, 5);
      }
      expect(sums.cost(after)).toBeLessThan(sums.cost(before));
    }
    learner.free();
  });

  test("with few non-zeros per atom, fits and moves a part of the atoms before it sweeps the next", async () => {
    const kernels = createReferenceKernels();
    const rng = Rng.from(11);
    const calls: unknown[] = [];
    /** At each sweep, the largest difference between the atoms that it begins with and ΦA as it is then. */
    const apart: number[] = [];
    let current: DeviceSparse | undefined;
    const { reconstruct, descendAtoms, acceptAtoms } = kernels;
    kernels.reconstruct = async (...args) => {
      current = args[1];
      await reconstruct(...args);
    };
    kernels.descendAtoms = async (...args) => {
      const D = phi.times(wide(await kernels.readSparse(current!)));
      const { data } = await kernels.readMatrix(args[2]);
      apart.push(Math.max(...D.data.map((value, i) => Math.abs(value - data[i]))));
      calls.push(args[4]);
      await descendAtoms(...args);
    };
    kernels.acceptAtoms = async (...args) => {
      calls.push(args[5]);
      await acceptAtoms(...args);
    };
    const many = { ...options, atoms: 200 };
    const start = randomAtoms(rng, phi.cols, many.atoms, k);
    const learner = await sparseOdl.create({ options: many, start, examples: N, kernels });
    const Y = kernels.matrix(n, N);
    await kernels.writeMatrix(Y, planted(rng, N));
    await learner.update(Y);
    const twice = (first: number) => [first, first]; // a fit and a move
    const [one, other] = [
      { first: 0, count: 128 },
      { first: 128, count: 72 },
    ];
    expect(calls).toEqual([one, ...twice(0), other, ...twice(128)]);
    for (const difference of apart) expect(difference).toBeLessThan(1e-6); // a few units of rounding of unit atoms
    learner.free();
  });

  test("S1 start: both base atoms and examples, with a lower error than either alone", async () => {
    const data = syntheticPictures(5, 2, 64);
    const first = async (init: "base" | "examples" | "both") => {
      const more = { learner: "sparse-odl", init, atomSparsity: 6, coding: { sparsity: 3 } } as const;
      const run = train(data, { ...more, patch: [6, 6], base: "cropped:db2", examples: 1500, holdout: 200 });
      for await (const report of run) {
        await run.close();
        return report.testRmse!;
      }
      throw new Error("no report");
    };
    const [both, baseAlone, examples] = [await first("both"), await first("base"), await first("examples")];
    expect(both).toBeLessThan(baseAlone);
    expect(both).toBeLessThan(examples);
  });

  test("S2 weight: one example moves the atom that it uses only part of the way", async () => {
    const { rng, learner, put, atoms } = await setUp(3);
    const before = await atoms();
    const other = randomDense(rng, n, 1);
    const Y = DenseMatrix.build(n, 1, (r) => 2 * before.column(4)[r] + 0.2 * other.data[r]);
    const X = codes(before, Y);
    await learner.update(await put(Y));
    const after = await atoms();
    const used = [...X.data.keys()].filter((j) => X.data[j] !== 0);
    expect(used).toContain(4);
    for (let j = 0; j < m; j++) {
      if (!used.includes(j)) expect(dot(after.column(j), before.column(j))).toBeCloseTo(1, 6);
    }
    const unit = Math.sqrt(dot(Y.data, Y.data));
    expect(dot(after.column(4), Y.data) / unit).toBeLessThan(0.9999);
    learner.free();
  });

  test("S2 weight: a replaced atom is the example as Φ gives it, and has no past", async () => {
    const { rng, learner, put, atoms } = await setUp(4);
    for (let t = 0; t < 3; t++) await learner.update(await put(planted(rng, N)));
    const before = await atoms();
    const target = unitAtoms(phi, randomAtoms(rng, phi.cols, 1, k)).D;
    await learner.replaceable!.replace([5], await put(DenseMatrix.build(n, 1, (r) => 3 * target.data[r])));
    const replaced = await atoms();
    expect(Math.abs(dot(replaced.column(5), target.column(0)))).toBeGreaterThan(0.9);
    // a mini-batch that does not use it does not change it
    const Y = DenseMatrix.build(n, 3, (r, i) => 4 * before.column(i)[r]);
    await learner.update(await put(Y));
    const later = await atoms();
    expect(dot(later.column(5), replaced.column(5))).toBeCloseTo(1, 5);
    learner.free();
  });

  test("S3 closer fits: an atom that no example uses stays", async () => {
    const { learner, put, atoms } = await setUp(6);
    const before = await atoms();
    await learner.update(await put(DenseMatrix.build(n, N, (r, i) => (1 + i) * before.column(i % 4)[r])));
    const after = await atoms();
    for (let j = 4; j < m; j++) expect(dot(after.column(j), before.column(j))).toBeCloseTo(1, 6);
    learner.free();
  });

  test("updates atoms at growing intervals, at the end of each epoch, and for a model", async () => {
    const few = 4; // examples per mini-batch: an update costs as much as coding a few of them
    const { rng, learner, put, atoms } = await setUp(7, 19, few);
    const changed: number[] = [];
    let last = await atoms();
    for (let t = 1; t <= 20; t++) {
      await learner.update(await put(planted(rng, few)));
      const now = await atoms();
      if (now.data.some((value, i) => value !== last.data[i])) changed.push(t);
      last = now;
    }
    expect(changed.slice(0, 12)).toEqual([1, 2, 3, 4, 5, 6, 7, 9, 11, 14, 18, 19]);
    const model = denseOf(await learner.model(meta));
    expect(model.data.some((value, i) => value !== last.data[i])).toBe(true);
    learner.free();
  });

  test("S4 refined base: atoms keep unit norm over the new factors", async () => {
    const kernels = createReferenceKernels();
    const rng = Rng.from(9);
    const start = randomAtoms(rng, phi.cols, m, k);
    const refining = { ...options, refineBase: true };
    const learner = await sparseOdl.create({ options: refining, start, examples: N, kernels });
    const Y = kernels.matrix(n, N);
    for (let step = 0; step < 3; step++) {
      await kernels.writeMatrix(Y, randomDense(rng, n, N));
      await learner.update(Y);
    }
    const model = await learner.model(meta);
    expect(model.base.name).toBe("odct:1, refined");
    const D = explicitBase(model.base.factors).times(wide(model.A));
    for (let j = 0; j < m; j++) {
      expect(model.norms![j]).toBeCloseTo(1, 5);
      expect(dot(D.column(j), D.column(j))).toBeCloseTo(1, 5);
    }
    learner.free();
  });

  test("S5 forgetting: mini-batch s weighs s/t, and less once atoms were used often", () => {
    let fifth = 1; // the weight of mini-batch 5 after 20
    for (let t = 6; t <= 20; t++) fifth *= sumDecay(t, 0.01 * t);
    expect(fifth).toBeCloseTo(5 / 20, 12);
    // half a use per non-zero and mini-batch: two of them after 4, within the last half after 8, within the last third after 12
    const power = (t: number) => Math.log(sumDecay(t, 0.5 * t)) / Math.log(1 - 1 / t);
    expect([4, 8, 12, 24, 96].map(power).map((rho) => Math.round(1e9 * rho) / 1e9)).toEqual([1, 2, 3, 3, 6]);
  });

  test("S5 forgetting: small mini-batches count for as many uses as they have examples", async () => {
    const weights: number[] = [];
    const { kernels, rng, learner, put } = await setUp(12);
    const { addMoments } = kernels;
    kernels.addMoments = async (beta, ...rest) => {
      weights.push(beta);
      await addMoments(beta, ...rest);
    };
    for (const count of [N, 4, 4]) await learner.update(await put(planted(rng, count)));
    const uses = (seen: number) => (seen * p) / (m * k);
    const decays = weights.slice(2); // those of the start and of the first mini-batch are 1
    expect(decays).toEqual([sumDecay(2, uses(N + 4)), sumDecay(3, uses(N + 8))]);
    learner.free();
  });

  test("S2 weight: comes from the first mini-batch that has codes", async () => {
    const { kernels, rng, learner, put, atoms } = await setUp(13);
    const before = await atoms();
    await learner.update(await put(new DenseMatrix(n, N))); // blank
    const after = await atoms();
    for (let j = 0; j < m; j++) expect(dot(after.column(j), before.column(j))).toBeCloseTo(1, 6);
    let added = 0; // columns that were added with a weight: all atoms once
    const { addMoments } = kernels;
    kernels.addMoments = async (beta, Y, X, ...rest) => {
      if (X.cols === m && X.width === 1) added += 1;
      await addMoments(beta, Y, X, ...rest);
    };
    await learner.update(await put(planted(rng, N)));
    await learner.update(await put(planted(rng, N)));
    expect(added).toBe(1);
    learner.free();
  });

  test("S6 step: with all base atoms open, atoms become those of a sweep that goes part of the way", async () => {
    const { kernels, rng, A, put } = await setUp(8);
    const dense = { ...options, atomSparsity: phi.cols };
    const learner = await sparseOdl.create({ options: dense, start: A, examples: N, kernels });
    const before = unitAtoms(phi, A).D;
    const Y = planted(rng, N);
    const sums = new Sums();
    sums.add(before, Y);
    await learner.update(await put(Y));
    const after = denseOf(await learner.snapshot!(meta));
    const apart = (U: Matrix64) => Math.max(...after.data.map((value, i) => Math.abs(value - U.data[i])));
    expect(apart(sums.descend(before))).toBeLessThan(1e-4); // rounding of f32
    expect(apart(sums.descend(before, 1))).toBeGreaterThan(1e-3);
    learner.free();
  });

  test("atoms improved among a few have the same bits on any number of threads, and when resumed", async () => {
    const [size, k] = [16, 60];
    const { factors } = createBase("cropped:sym8", [size, size]);
    const atoms = factors.reduce((product, { cols }) => product * cols, 1);
    expect(fitChoices({ n: size * size, L: atoms, k, m: atoms, mostGramAtoms: Infinity })).toBe(90);
    const learn = async (threads: number, more: Partial<TrainOptions> = {}) => {
      await using kernels = await createCpuKernels({ threads });
      const options = {
        patch: [size, size],
        learner: "sparse-odl",
        atomSparsity: k,
        coding: { sparsity: 3 },
      } as const;
      const run = { examples: 400, batch: 100, epochs: 1, holdout: 20, keep: "last", kernels } as const;
      const { model } = await collect(syntheticPictures(4, 2, 64), { ...options, ...run, ...more });
      return modelToBytes(model);
    };
    const saved: Uint8Array[] = [];
    const whole = await learn(1, { checkpoints: keepEvery(3, saved) });
    expect(await learn(3)).toEqual(whole);
    expect(await learn(2, { resume: await checkpointFromBytes(saved[0], "step 3 of 4") })).toEqual(whole);
  });

  test("starts with unit atoms from a model whose atoms have other norms", async () => {
    const data = syntheticPictures(3, 1, 40);
    const small = {
      patch: [6, 6],
      atomSparsity: 4,
      coding: { sparsity: 2 },
      examples: 400,
      holdout: 50,
      epochs: 1,
    };
    const { model: start } = await collect(data, { ...small, learner: "osdl", keep: "last" });
    expect(Math.max(...start.norms!)).toBeGreaterThan(1.5);
    const { coding, examples, holdout, patch, epochs } = small;
    const further = { coding, examples, holdout, patch, epochs, start, learner: "sparse-odl" } as const;
    const { model } = await collect(data, further);
    for (const norm of model.norms!) expect(norm).toBeCloseTo(1, 4);
  });

  test("ends below OSDL on the same examples, few or many", async () => {
    const data = syntheticPictures(3, 2, 64);
    const setting = {
      patch: [6, 6],
      base: "cropped:db2",
      atomSparsity: 4,
      coding: { sparsity: 2 },
      batch: 64,
      epochs: 1,
    };
    for (const examples of [200, 1500]) {
      const last = async (learner: "osdl" | "sparse-odl") =>
        (await collect(data, { ...setting, examples, learner })).reports.at(-1)!.testRmse!;
      expect(await last("sparse-odl")).toBeLessThan(await last("osdl"));
    }
  });

  test("`both` is refused by learners of explicit atoms", () => {
    const data = syntheticPictures(3, 1, 40);
    for (const learner of ["odl", "ksvd"] as const)
      expect(() => train(data, { patch: [8, 8], learner, init: "both" })).toThrow(
        new InputError(`train: init must be base or examples for ${learner}, got "both"`),
      );
  });
});
