import { describe, expect, test } from "vitest";
import { InputError } from "../core/errors.js";
import { syntheticPictures } from "../data/synthetic.js";
import { createReferenceKernels } from "../kernels/reference/index.js";
import { describeMemory, planMemory, requireFits } from "./memoryPlan.js";
import { train } from "./trainingRun.js";
import { resolveTraining } from "./trainOptions.js";

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

  test("is at least what a run holds at any moment, and not twice as much", async () => {
    const kernels = createReferenceKernels();
    const pictures = syntheticPictures(1, 1, 64);
    const run = train(pictures, {
      patch: [6, 6],
      examples: 400,
      batch: 64,
      holdout: 50,
      atomCare: { every: 2 },
      kernels,
    });
    const { memory } = await run.plan();
    let most = 0;
    const { matrix } = kernels;
    kernels.matrix = (rows, cols) => {
      const handle = matrix(rows, cols);
      most = Math.max(most, kernels.memory.used);
      return handle;
    };
    for await (const _ of run) most = Math.max(most, kernels.memory.used);
    const signals = 4 * 64 * 64; // the reference keeps no copy of them
    expect(most + signals).toBeLessThanOrEqual(memory.total * 1.02); // sets and scalars are not counted
    expect(most + signals).toBeGreaterThan(memory.total / 2);
  });
});

test("describeMemory names what matters", () => {
  expect(describeMemory(planMemory(paper64, 0, createReferenceKernels()))).toMatch(
    /^1\.\d GiB \((?:Gram matrix|momentum|gradient|atom care) 0\.4, .*mini-batch 0\.1/,
  );
});

test("requireFits refuses with the sizes", () => {
  const plan = { total: 5 * 2 ** 30, parts: [{ what: "Gram matrix", bytes: 5 * 2 ** 30 }] };
  expect(() => requireFits("train", plan, 4 * 2 ** 30)).toThrow(
    new InputError(
      "train: memory must be at most 4.0 GiB here, got a run that needs 5.0 GiB (Gram matrix 5.0)",
    ),
  );
  requireFits("train", plan, Infinity);
});
