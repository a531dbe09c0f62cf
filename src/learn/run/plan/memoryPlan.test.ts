import { describe, expect, test } from "vitest";
import { InputError } from "../../../core/errors.js";
import { createReferenceKernels } from "../../../kernels/reference/index.js";
import { resolveTraining } from "../trainOptions.js";
import { describeMemory, planMemory, requireFits } from "./memoryPlan.js";

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

test("describeMemory names the largest parts", () => {
  expect(describeMemory(planMemory(paper64, 0, createReferenceKernels()))).toMatch(
    /^1\.\d GiB \((?:Gram matrix|momentum|gradient|atom care) 0\.4, .*mini-batch 0\.1/,
  );
});

test("requireFits rejects a run that does not fit, and says how large it is", () => {
  const plan = { total: 5 * 2 ** 30, parts: [{ what: "Gram matrix", bytes: 5 * 2 ** 30 }] };
  expect(() => requireFits("train", plan, 4 * 2 ** 30)).toThrow(
    new InputError("train: the run needs 5.0 GiB (Gram matrix 5.0), but only 4.0 GiB of memory is available"),
  );
  requireFits("train", plan, Infinity);
});
