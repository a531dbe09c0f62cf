/** Training on kernels that keep no Gram matrix, as at sizes where it would not fit. */

import { afterAll, describe, expect, test } from "vitest";
import { syntheticPictures } from "../../data/syntheticPictures.js";
import type { Kernels } from "../../kernels/contract.js";
import { createCpuKernels } from "../../kernels/cpu/index.js";
import { createReferenceKernels } from "../../kernels/reference/index.js";
import { modelToBytes } from "../../model/files.js";
import { describePlan } from "../../report/followRun.js";
import { checkpointFromBytes } from "../checkpoints/checkpoint.js";
import { collect, keepEvery } from "../learners/learner.case.js";
import type { LearnerName } from "../learners/registry.js";
import { planMemory } from "./plan/memoryPlan.js";
import { freeTraining, setUpTraining } from "./setup.js";
import { train } from "./train.js";
import { resolveTraining, type TrainOptions } from "./trainOptions.js";

const data = syntheticPictures(3, 2, 64);
const cpu = await createCpuKernels({ threads: 2 });
const bare = await createCpuKernels({ threads: 2, mostGramAtoms: 20 });
afterAll(async () => {
  await cpu.close();
  await bare.close();
});

/** 40 atoms over 81 base atoms: the start, the learner and atom care all code over more than 20 atoms. */
const small = {
  patch: [6, 6],
  base: "odct:1.5",
  atoms: 40,
  atomSparsity: 5,
  coding: { sparsity: 3 },
  batch: 64,
  examples: 1280,
  holdout: 200,
  atomCare: { every: 5, minUse: 0.6 },
} as const satisfies TrainOptions;

const learn = (kernels: Kernels, more: Partial<TrainOptions> = {}) =>
  collect(data, { ...small, kernels, ...more });

const meta = { learner: "", options: {}, seed: 1, examplesSeen: 0, removeMean: true, coding: small.coding };

/** The base atoms in each starting atom. */
async function startingAtoms(kernels: Kernels, learner: LearnerName): Promise<Uint32Array> {
  const setup = await setUpTraining(data, undefined, resolveTraining({ ...small, learner }), kernels);
  const { A } = await setup.learner.model(meta);
  await freeTraining(setup);
  return A.indices;
}

describe.each(["osdl", "sparse-odl", "sparse-ksvd"] as const)("%s without a Gram matrix", (learner) => {
  test("starts from the same atoms, and ends as close to the data", async () => {
    expect(await startingAtoms(bare, learner)).toEqual(await startingAtoms(cpu, learner));
    const few = { learner, ...(learner === "sparse-ksvd" ? { epochs: 2 } : {}) };
    const ends = [await learn(cpu, few), await learn(bare, few)].map(
      ({ reports }) => reports.at(-1)!.testRmse!,
    );
    expect(Math.abs(ends[1] / ends[0] - 1)).toBeLessThan(0.02);
  });
});

test("a run resumes to the same bytes, also on kernels that keep a Gram matrix", async () => {
  const saved: Uint8Array[] = [];
  const whole = await learn(bare, { checkpoints: keepEvery(7, saved) });
  const resume = await checkpointFromBytes(saved[0], "step 7 of 20");
  expect(modelToBytes((await learn(bare, { resume })).model)).toEqual(modelToBytes(whole.model));
  const other = await learn(cpu, { resume });
  expect(Math.abs(other.reports.at(-1)!.testRmse! / whole.reports.at(-1)!.testRmse! - 1)).toBeLessThan(0.02);
});

test("the plan has no Gram matrix, says so, and holds", async () => {
  const kernels = createReferenceKernels({ mostGramAtoms: 20 });
  const run = train(data, { ...small, examples: 320, kernels });
  let most = 0;
  for await (const _ of run) most = Math.max(most, kernels.memory.used);
  const plan = await run.plan();
  expect(describePlan(plan)).toContain("at most 3 atoms, without a Gram matrix\n");
  expect(plan.memory.parts.map(({ what }) => what)).not.toContain("Gram matrix");
  expect(most).toBeGreaterThan(plan.memory.total / 2);
  expect(most).toBeLessThan(1.05 * plan.memory.total);
});

describe("planMemory beyond 64×64", () => {
  const gib = 2 ** 30;
  const planned = (options: Partial<TrainOptions>, mostGramAtoms: number) => {
    const resolved = resolveTraining({ patch: [128, 128], coding: { sparsity: 100 }, ...options });
    return planMemory(resolved, 2e7, { mostGramAtoms, workspace: () => 0 });
  };

  test("128×128 with 4,096 atoms leaves room in 4 GiB", () => {
    for (const atomCare of [undefined, false] as const) {
      const { total, parts } = planned(
        { atoms: 4096, batch: 512, ...(atomCare === false ? { atomCare } : {}) },
        16_384,
      );
      expect(total).toBeLessThan(2.5 * gib);
      const care = parts.find(({ what }) => what === "atom care")!.bytes;
      expect(care).toBeLessThan(atomCare === false ? 1 : 0.2 * gib);
    }
  });

  test("starting atoms count as far as they take more than learning", () => {
    const { parts } = planned({ atoms: 512, batch: 64, atomCare: false }, 40_000);
    const start = parts.find(({ what }) => what === "starting atoms")!.bytes;
    expect(start).toBeGreaterThan(gib); // the Gram matrix of the base, before there is a learner
    expect(parts.find(({ what }) => what === "atom care")!.bytes).toBe(0);
  });
});
