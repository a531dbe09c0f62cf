import { describe, expect, test } from "vitest";
import { InputError } from "../../../core/errors.js";
import { syntheticPictures } from "../../../data/syntheticPictures.js";
import { createReferenceKernels } from "../../../kernels/reference/index.js";
import type { LearnerName } from "../../learners/registry.js";
import { train } from "../train.js";
import { resolveTraining, type TrainOptions } from "../trainOptions.js";
import { describeMemory, type MemoryPlan, planMemory, requireFits } from "./memoryPlan.js";

const paper64 = resolveTraining({ patch: [64, 64], atomSparsity: 600, coding: { sparsity: 60 } });

describe("planMemory", () => {
  test("counts the dense matrices of 64×64 patches: 400 MB each", () => {
    const { parts, total } = planMemory(paper64, 1e6, createReferenceKernels());
    for (const what of ["Gram matrix", "momentum", "gradient"]) {
      expect(parts.find((part) => part.what === what)!.bytes).toBe(4e8);
    }
    expect(total).toBe(parts.reduce((sum, { bytes }) => sum + bytes, 0));
    expect(total).toBeLessThan(4 * 2 ** 30);
  });
});

describe("the plan of a run", () => {
  const data = syntheticPictures(1, 2, 64);
  const usual = { patch: 8, base: "cropped:db2", coding: { sparsity: 2 }, examples: 600, batch: 100 };

  const cases: [string, LearnerName, Partial<TrainOptions>][] = [
    ["base atoms and examples, fewer than the base has", "osdl", { init: "both", atoms: 60 }],
    ["base atoms and examples, more than the base has", "osdl", { init: "both", atoms: 300 }],
    ["base atoms and examples, larger patches", "sparse-odl", { patch: 12, base: "cropped:sym8" }],
    ["the base atoms used most", "sparse-odl", { init: "base", atoms: 60 }],
  ];
  test.each(cases)("is close to what is used where it starts from %s", async (_, learner, more) => {
    const kernels = createReferenceKernels();
    let most = 0;
    const look = () => void (most = Math.max(most, kernels.memory.used));
    const run = train(data, { ...usual, kernels, learner, holdout: 40, onReading: look, ...more });
    const { memory } = await run.plan();
    for await (const _ of run) look();
    expect(most).toBeLessThan(1.03 * memory.total); // a few vectors are not planned
    expect(most).toBeGreaterThan(0.9 * memory.total);
    expect(kernels.memory.used).toBe(0);
  });

  test("has the mean of the atoms on the host alone", async () => {
    const run = train(data, { ...usual, kernels: createReferenceKernels(), average: true });
    const { memory, hostMemory } = await run.plan();
    await run.close();
    const names = ({ parts }: MemoryPlan) => parts.map(({ what }) => what);
    expect(names(hostMemory)).toContain("average of atoms");
    expect(names(memory)).not.toContain("average of atoms");
  });
});

test("describeMemory names the largest parts", () => {
  expect(describeMemory(planMemory(paper64, 0, createReferenceKernels()))).toMatch(
    /^1\.\d GiB \((?:Gram matrix|momentum|gradient|atom care) 0\.4, .*mini-batch 0\.1/,
  );
});

test("requireFits rejects a run that does not fit, and says how large it is", () => {
  const plan = { total: 5 * 2 ** 30, parts: [{ what: "Gram matrix", bytes: 5 * 2 ** 30 }] };
  expect(() => requireFits("train", plan, 4 * 2 ** 30)).toThrow(
    new InputError("train: the run needs 5.0 GiB (Gram matrix 5.0), but the device holds at most 4.0 GiB"),
  );
  requireFits("train", plan, Infinity);
});
