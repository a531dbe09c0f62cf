/**
 * A run gives other tasks a turn, whatever it does: signals, timers and pages must not wait until an
 * update ends. The clock that decides when a pause is due runs very fast here, so that small runs show
 * what large ones do; how long other tasks had to wait is measured in real time.
 */

import { afterEach, expect, it, vi } from "vitest";
import { syntheticPictures } from "../../data/syntheticPictures.js";
import type { Kernels } from "../../kernels/contract.js";
import { createCpuKernels } from "../../kernels/cpu/index.js";
import { type LearnerName, learnerNames } from "../learners/registry.js";
import { train } from "./train.js";

const pictures = syntheticPictures(5, 2, 64);

/** The longest part of a run without a turn of the event loop, as a share of all of it; and the turns. */
async function longestBlock(
  learner: LearnerName,
  kernels: Kernels,
): Promise<{ share: number; turns: number }> {
  const seconds = () => Number(process.hrtime.bigint()) / 1e9;
  const start = seconds();
  let [last, longest, turns, running] = [start, 0, 0, true];
  const look = () => {
    const now = seconds();
    longest = Math.max(longest, now - last);
    last = now;
    turns++;
  };
  const tick = () => {
    look();
    if (running) setImmediate(tick);
  };
  setImmediate(tick);
  const plan = { examples: 600, epochs: 1, batch: 300, holdout: 100, coding: { sparsity: 12 } };
  await train(pictures, { patch: [16, 16], base: "odct:1", learner, kernels, ...plan }).model();
  running = false;
  look();
  return { share: longest / (seconds() - start), turns };
}

afterEach(() => vi.restoreAllMocks());

/** A machine that is busy may stop a run anywhere for a while: the best of a few runs counts. */
const trials = 6;

it.each(learnerNames)("%s lets other tasks run, on one thread", async (learner) => {
  const kernels = await createCpuKernels({ threads: 1 });
  let time = 0;
  vi.spyOn(performance, "now").mockImplementation(() => (time += 1000));
  let best = { share: 1, turns: 0 };
  for (let trial = 0; trial < trials && best.share > 0.25; trial++) {
    const found = await longestBlock(learner, kernels);
    if (found.share < best.share) best = found;
  }
  expect(best.turns).toBeGreaterThan(20);
  expect(best.share).toBeLessThan(0.5);
  await kernels.close();
});
