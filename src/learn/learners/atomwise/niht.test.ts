import { describe, expect, test } from "vitest";
import type { DenseMatrix, SparseColumns } from "../../../core/matrix.js";
import { Rng } from "../../../core/random/rng.js";
import { syntheticPictures } from "../../../data/syntheticPictures.js";
import { createBase } from "../../../dictionaries/base.js";
import { SparseDictionary } from "../../../dictionaries/dictionary.js";
import { dot, explicitBase, randomDense, wide } from "../../../kernels/conformance/oracle.case.js";
import { createReferenceKernels } from "../../../kernels/reference/index.js";
import { collect, learnerCase, randomAtoms, watchKernels } from "../learner.case.js";
import type { AtomGroup } from "./atomSweep.js";
import { type NihtLearner, niht } from "./niht.js";
import { type NihtOptions, NihtSolver } from "./nihtSolver.js";

learnerCase("niht", { sparseFactor: true, recovers: 0.8 });

const base = createBase("odct:2", [4, 4]);
const phi = explicitBase(base.factors);
const [n, L] = [phi.rows, phi.cols];
const [m, k] = [12, 4] as const;
const once: NihtOptions = { atomSparsity: k, iterations: 1, decay: 1, tolerance: 0 };

/** Atoms and their targets ẑⱼ = Eⱼxⱼ/‖xⱼ‖², so that f(aⱼ) = ½‖xⱼ‖²‖ẑⱼ − Φaⱼ‖² and a constant. */
async function setUp(A = randomAtoms(Rng.from(3), L, m, k), targets = randomDense(Rng.from(5), n, m)) {
  const watched = watchKernels();
  const { kernels } = watched;
  const dictionary = await SparseDictionary.create(base, A, kernels, k);
  const solver = await NihtSolver.create(dictionary, k, kernels);
  const energies = Float64Array.from({ length: m }, (_, j) => 1 + j / 4);
  const D = phi.times(wide(A));
  const pull = kernels.matrix(n, m); // −Rxⱼ = (Φaⱼ − ẑⱼ)‖xⱼ‖²
  const host = targets.copy();
  host.data.forEach((z, i) => (host.data[i] = (D.data[i] - z) * energies[Math.floor(i / n)]));
  await kernels.writeMatrix(pull, host);
  const atoms = Uint32Array.from({ length: m }, (_, j) => j);
  const group: AtomGroup = { atoms, energies, pull, columns: A, targets: async () => {} };
  const cost = (columns: SparseColumns, j: number) => misfit(columns, targets, j) * energies[j];
  return { watched, kernels, solver, group, energies, cost, targets };
}

/** ½‖ẑⱼ − Φaⱼ‖². */
function misfit(A: SparseColumns, targets: DenseMatrix, j: number): number {
  const d = phi.times(wide(A)).column(j);
  return d.reduce((sum, value, l) => sum + (targets.at(l, j) - value) ** 2, 0) / 2;
}

const support = (A: SparseColumns, j: number) =>
  [...A.indices.subarray(j * A.width, j * A.width + A.counts[j])].sort((a, b) => a - b);

/** ∇f(aⱼ) = Φᵀ(Φaⱼ − ẑⱼ)‖xⱼ‖², in f64. */
function gradientOf(A: SparseColumns, targets: DenseMatrix, j: number, energy: number): Float64Array {
  const d = phi.times(wide(A)).column(j);
  const error = d.map((value, l) => (value - targets.at(l, j)) * energy);
  return Float64Array.from({ length: L }, (_, l) => dot(phi.column(l), error));
}

/** (10): ‖∇_S‖² / ‖Φ∇_S‖²‖xⱼ‖². */
function stepOf(gradient: Float64Array, rows: readonly number[], energy: number): number {
  const moved = new Float64Array(n);
  for (const row of rows) phi.column(row).forEach((value, l) => (moved[l] += value * gradient[row]));
  return rows.reduce((sum, row) => sum + gradient[row] ** 2, 0) / (dot(moved, moved) * energy);
}

describe("NihtSolver", () => {
  test("takes the step of (10), which is the best possible one, if the support stays", async () => {
    const rng = Rng.from(8);
    const A = randomAtoms(rng, L, m, k);
    // targets near the atoms, in the span of their base atoms: the support has no reason to change
    const near = A.copy();
    near.values.forEach((value, s) => (near.values[s] = value * (1 + 0.01 * rng.normal())));
    const targets = randomDense(rng, n, m, 0);
    targets.data.set(phi.times(wide(near)).data);
    const { solver, group, energies, cost } = await setUp(A, targets);
    const fresh = await solver.columns(group, once);
    for (let j = 0; j < m; j++) {
      expect(support(fresh, j)).toEqual(support(A, j));
      const gradient = gradientOf(A, targets, j, energies[j]);
      const step = stepOf(gradient, support(A, j), energies[j]);
      expect(solver.steps[j] / step).toBeCloseTo(1, 3);
      for (const factor of [0.9, 1.1]) {
        const other = A.copy();
        for (let s = j * k; s < (j + 1) * k; s++)
          other.values[s] = A.values[s] - factor * step * gradient[A.indices[s]];
        expect(cost(fresh, j)).toBeLessThan(cost(other, j));
      }
    }
  });

  test("shortens the step if the support changes, until f falls", async () => {
    let shortened = 0;
    for (let seed = 0; seed < 6; seed++) {
      const A = randomAtoms(Rng.from(seed), L, m, k);
      const targets = randomDense(Rng.from(100 + seed), n, m, 3);
      const { solver, group, energies, cost } = await setUp(A, targets);
      const fresh = await solver.columns(group, once);
      for (let j = 0; j < m; j++) {
        const full = stepOf(gradientOf(A, targets, j, energies[j]), support(A, j), energies[j]);
        expect(solver.steps[j]).toBeLessThanOrEqual(full * (1 + 1e-5));
        if (solver.steps[j] < 0.9 * full) shortened++;
        expect(cost(fresh, j)).toBeLessThanOrEqual(cost(A, j) * (1 + 1e-6));
        expect(fresh.counts[j]).toBeLessThanOrEqual(k);
      }
    }
    expect(shortened).toBeGreaterThan(0);
  });

  test("iterates until an atom hardly moves, and ends no worse than after one step", async () => {
    const A = randomAtoms(Rng.from(3), L, m, k);
    const targets = randomDense(Rng.from(5), n, m);
    const one = await setUp(A, targets);
    const first = await one.solver.columns(one.group, once);
    const many = await setUp(A, targets);
    const last = await many.solver.columns(many.group, { ...once, iterations: 200, tolerance: 1e-4 });
    for (let j = 0; j < m; j++) {
      expect(many.cost(last, j)).toBeLessThanOrEqual(one.cost(first, j) * (1 + 1e-6));
      // a fixed point of (9): the gradient on the support is almost zero
      const gradient = gradientOf(last, targets, j, many.energies[j]);
      const left = Math.hypot(...support(last, j).map((row) => gradient[row]));
      const begun = gradientOf(A, targets, j, many.energies[j]);
      expect(left).toBeLessThan(0.02 * Math.hypot(...support(A, j).map((row) => begun[row])));
    }
  });

  test("does not change atoms without a gradient or without a coefficient", async () => {
    const A = randomAtoms(Rng.from(3), L, m, k);
    const { solver, group, kernels } = await setUp(A);
    const pull = await kernels.readMatrix(group.pull);
    pull.column(2).fill(0);
    await kernels.writeMatrix(group.pull, pull);
    group.energies[5] = 0;
    const fresh = await solver.columns(group, once);
    for (const j of [2, 5]) {
      expect(solver.steps[j]).toBe(0);
      expect(fresh.slice(j, j + 1).toDense()).toEqual(A.slice(j, j + 1).toDense());
    }
  });

  test("frees everything it allocated", async () => {
    const { watched, solver, group, kernels } = await setUp();
    const held = watched.alive();
    await solver.columns(group, { ...once, iterations: 3 });
    expect(watched.alive()).toBe(held);
    solver.free();
    kernels.free(group.pull);
    expect(watched.alive()).toBe(held - 6);
  });
});

describe("departures", () => {
  test("D1 sign: atoms move against ∇f, and along H*(E − Ha), which the text calls the gradient", async () => {
    const A = randomAtoms(Rng.from(3), L, m, k);
    const { solver, group, energies, targets } = await setUp(A);
    const fresh = await solver.columns(group, once);
    for (let j = 0; j < m; j++) {
      if (solver.steps[j] === 0) continue;
      const change = wide(fresh)
        .column(j)
        .map((value, l) => value - wide(A).at(l, j));
      expect(dot(change, gradientOf(A, targets, j, energies[j]))).toBeLessThan(0);
    }
  });

  test("D2 no support: a zero atom takes the support of P_k[∇f]", async () => {
    const A = randomAtoms(Rng.from(3), L, m, k);
    A.setColumn(4, [], []);
    const { solver, group, energies, targets, cost } = await setUp(A);
    const fresh = await solver.columns(group, once);
    const gradient = gradientOf(A, targets, 4, energies[4]);
    const largest = [...gradient.keys()]
      .sort((a, b) => Math.abs(gradient[b]) - Math.abs(gradient[a]))
      .slice(0, k)
      .sort((a, b) => a - b);
    expect(support(fresh, 4)).toEqual(largest);
    expect(cost(fresh, 4)).toBeLessThan(cost(A, 4));
  });

  test("D3 decay first: the step is divided by 1 + t/T, and the step taken meets the condition", async () => {
    const A = randomAtoms(Rng.from(3), L, m, k);
    const whole = await setUp(A);
    const half = await setUp(A);
    await whole.solver.columns(whole.group, once);
    const fresh = await half.solver.columns(half.group, { ...once, decay: 2 });
    for (let j = 0; j < m; j++) {
      const { energies, targets, cost } = half;
      const full = stepOf(gradientOf(A, targets, j, energies[j]), support(A, j), energies[j]);
      expect(half.solver.steps[j]).toBeLessThanOrEqual((full / 2) * (1 + 1e-5));
      expect(cost(fresh, j)).toBeLessThanOrEqual(cost(A, j) * (1 + 1e-6));
    }
  });

  test("D4 unit atoms: an update does not depend on the norms of atoms, and leaves unit atoms", async () => {
    const kernels = createReferenceKernels();
    const A = randomAtoms(Rng.from(3), L, m, k);
    const scaled = A.copy();
    for (let s = 0; s < scaled.values.length; s++) scaled.values[s] *= 2 ** (Math.floor(s / k) - 6);
    const held = kernels.matrix(n, 8);
    await kernels.writeMatrix(held, randomDense(Rng.from(9), n, 8));
    const sizes = { base, atoms: m, atomSparsity: k, batch: 8 };
    const options = {
      ...sizes,
      coding: { sparsity: 2 },
      momentum: 0,
      firstSteps: "paper" as const,
      stepDecay: 10,
      init: "examples" as const,
      average: false,
    };
    const meta = { learner: "niht", options: {}, seed: 1, examplesSeen: 8, removeMean: true, coding: {} };
    const atoms: DenseMatrix[] = [];
    for (const start of [A, scaled]) {
      const learner = await niht.create({ options, start, examples: 8, kernels });
      await learner.update(held);
      const { dictionary } = (learner as NihtLearner).state;
      const scales = (await kernels.readMatrix(dictionary.scale)).data;
      const used = (await learner.report()).atomsUsed;
      expect(scales.filter((scale) => Math.abs(scale - 1) < 1e-5).length).toBeGreaterThanOrEqual(used);
      const model = await learner.model(meta);
      atoms.push(await model.atoms(kernels));
      learner.free();
    }
    atoms[0].data.forEach((value, i) => expect(value).toBeCloseTo(atoms[1].data[i], 4));
  });
});

test("the steps of niht shrink by 1 + t/T", async () => {
  const options = { patch: [5, 5], base: "odct:1", atomSparsity: 3, coding: { sparsity: 2 } } as const;
  const run = async (stepDecay: number) => {
    const more = {
      learner: "niht",
      batch: 50,
      examples: 500,
      holdout: 0,
      reportEvery: 1,
      stepDecay,
    } as const;
    const { reports } = await collect(syntheticPictures(1, 1, 40), { ...options, ...more });
    return reports.slice(1).map(({ stepSize }) => stepSize);
  };
  const [slow, fast] = [await run(1e9), await run(0.1)];
  expect(fast[0]).toBe(slow[0]); // t = 0
  expect(fast.at(-1)!).toBeLessThan(slow.at(-1)! / 10);
});
