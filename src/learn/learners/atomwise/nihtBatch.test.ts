import { describe, expect, test } from "vitest";
import { syntheticPictures } from "../../../data/syntheticPictures.js";
import type { TrainReport } from "../../run/trainingLoop.js";
import type { TrainOptions } from "../../run/trainOptions.js";
import { collect, learnerCase } from "../learner.case.js";

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

  test("does not depend on how many examples are coded at a time", async () => {
    const run = async (batch: number) =>
      costs((await collect(syntheticPictures(1, 2, 40), { ...small, epochs: 3, batch })).reports);
    expect(await run(7)).toEqual(await run(400));
  });

  test("D5 codes kept: an example whose new code is worse keeps the one it had", async () => {
    // many atoms a code, where a greedy pursuit is often worse than what was there
    const options = { ...small, coding: { sparsity: 12 }, epochs: 12 };
    const all = costs((await collect(syntheticPictures(4, 2, 40), options)).reports);
    for (let t = 1; t < all.length; t++) expect(all[t]).toBeLessThanOrEqual(all[t - 1] * (1 + 1e-6));
  });

  test("D5 codes kept: a code that is good enough replaces a longer one", async () => {
    const options = { ...small, coding: { error: 12 }, epochs: 6 };
    const { reports } = await collect(syntheticPictures(4, 2, 40), options);
    expect(reports.at(-1)!.rmse).toBeGreaterThan(4); // it does not creep below what is asked for
    expect(reports.at(-1)!.rmse).toBeLessThanOrEqual(12);
  });

  test("D6 few steps: a turn ends, and the next goes on from there", async () => {
    const { reports } = await collect(syntheticPictures(1, 2, 40), { ...small, epochs: 3 });
    const all = costs(reports);
    expect(all[1] - all[2]).toBeGreaterThan(0);
  });

  test("D7 atom care: none unless it is asked for", async () => {
    const { reports, model } = await collect(syntheticPictures(1, 1, 30), { ...small, epochs: 4 });
    expect(reports.every(({ atomsReplaced }) => atomsReplaced === 0)).toBe(true);
    expect(model.meta.options.atomCare).toBe(null);
    const cared = await collect(syntheticPictures(1, 1, 30), { ...small, epochs: 4, atomCare: { every: 1 } });
    expect(cared.reports.some(({ atomsReplaced }) => atomsReplaced > 0)).toBe(true);
  });
});
