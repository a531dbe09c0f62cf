import { describe, expect, test } from "vitest";
import { Rng } from "../../../core/random/rng.js";
import { syntheticPictures } from "../../../data/syntheticPictures.js";
import { baseCols, baseRows, createBase } from "../../../dictionaries/base.js";
import { randomDense } from "../../../kernels/conformance/oracle.case.js";
import type { TrainReport } from "../../run/trainingLoop.js";
import type { TrainOptions } from "../../run/trainOptions.js";
import { collect, learnerCase, randomAtoms, watchKernels } from "../learner.case.js";
import { createNihtBatch, nihtBatchSteps, nihtBatchUpdate } from "./nihtBatch.js";

learnerCase("niht-batch", {
  sparseFactor: true,
  recovers: 0.8,
  planted: { epochs: 30, atomCare: { every: 3, maxCoherence: 0.95 } },
});

const small: TrainOptions = {
  patch: [6, 6],
  base: "cropped:db2",
  atomSparsity: 4,
  coding: { sparsity: 3 },
  learner: "niht-batch",
  examples: 400,
  epochs: 20,
  holdout: 0,
};

const costs = (reports: readonly TrainReport[]) => reports.slice(1).map(({ rmse }) => rmse ** 2);

describe("niht-batch", () => {
  test.each([1, 2, 3])("never raises its cost over 20 iterations (seed %i)", async (seed) => {
    const { reports } = await collect(syntheticPictures(seed, 2, 40), { ...small, seed });
    const all = costs(reports);
    expect(all.length).toBe(20);
    for (let t = 1; t < all.length; t++) expect(all[t]).toBeLessThanOrEqual(all[t - 1] * (1 + 1e-6));
    expect(all.at(-1)).toBeLessThan(0.7 * all[0]);
  });

  test("does not depend on the number of examples coded at a time", async () => {
    const run = async (batch: number) =>
      costs((await collect(syntheticPictures(1, 2, 40), { ...small, epochs: 3, batch })).reports);
    expect(await run(7)).toEqual(await run(400));
  });

  test("D5 codes kept: an example whose new code is worse keeps the one it had", async () => {
    // many atoms per code, where a greedy pursuit is often worse than the previous code
    const options = { ...small, coding: { sparsity: 12 }, epochs: 12 };
    const all = costs((await collect(syntheticPictures(4, 2, 40), options)).reports);
    for (let t = 1; t < all.length; t++) expect(all[t]).toBeLessThanOrEqual(all[t - 1] * (1 + 1e-6));
  });

  test("D5 codes kept: a code that is good enough replaces a longer one", async () => {
    const options = { ...small, coding: { error: 12 }, epochs: 6 };
    const { reports } = await collect(syntheticPictures(4, 2, 40), options);
    expect(reports.at(-1)!.rmse).toBeGreaterThan(4); // it does not go far below what is asked for
    expect(reports.at(-1)!.rmse).toBeLessThanOrEqual(12);
  });

  test("D6 few steps: (9) is applied at most 10 times per atom and update, and the next update continues", async () => {
    const { reports } = await collect(syntheticPictures(1, 2, 40), { ...small, epochs: 3 });
    const all = costs(reports);
    expect(all[1] - all[2]).toBeGreaterThan(0);
    const applied = await applicationsPerGroup();
    expect(applied.length).toBeGreaterThan(1);
    expect(Math.max(...applied)).toBe(nihtBatchSteps.iterations); // some atoms would take more
    expect(nihtBatchSteps.iterations).toBe(10);
  });

  test("D7 atom care: off by default", async () => {
    const { reports, model } = await collect(syntheticPictures(1, 1, 30), { ...small, epochs: 4 });
    expect(reports.every(({ atomsReplaced }) => atomsReplaced === 0)).toBe(true);
    expect(model.meta.options.atomCare).toBe(null);
    const cared = await collect(syntheticPictures(1, 1, 30), { ...small, epochs: 4, atomCare: { every: 1 } });
    expect(cared.reports.some(({ atomsReplaced }) => atomsReplaced > 0)).toBe(true);
  });
});

/** How often (9) is applied to each group of atoms in one update: each time takes one product with Φᵀ. */
async function applicationsPerGroup(): Promise<number[]> {
  const base = createBase("odct:2", [4, 4]);
  const [m, k, N] = [12, 4, 60] as const;
  const { kernels, calls } = watchKernels();
  const sizes = { base, atoms: m, atomSparsity: k, batch: N };
  const options = {
    ...sizes,
    coding: { sparsity: 2 },
    momentum: 0,
    firstSteps: "paper" as const,
    stepDecay: 1,
    init: "examples" as const,
    average: false,
  };
  const start = randomAtoms(Rng.from(3), baseCols(base), m, k);
  const state = await createNihtBatch({ options, start, examples: N, kernels });
  const Y = kernels.matrix(baseRows(base), N);
  await kernels.writeMatrix(Y, randomDense(Rng.from(5), Y.rows, N));
  const applications: number[] = [];
  const { solver } = state;
  const columns = solver.columns.bind(solver);
  solver.columns = async (group, nihtOptions) => {
    const from = calls.length;
    const updated = await columns(group, nihtOptions);
    applications.push(calls.slice(from).filter((name) => name === "analyze").length);
    return updated;
  };
  await nihtBatchUpdate(state, Y, kernels);
  return applications;
}
