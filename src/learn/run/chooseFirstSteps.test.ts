import { describe, expect, test } from "vitest";
import { syntheticPictures } from "../../data/syntheticPictures.js";
import { createReferenceKernels } from "../../kernels/reference/index.js";
import { modelToBytes } from "../../model/files.js";
import { describePlan } from "../../report/followRun.js";
import { checkpointFromBytes } from "../checkpoints/checkpoint.js";
import { collect, keepEvery } from "../learners/learner.case.js";
import { chooseFirstSteps } from "./chooseFirstSteps.js";
import { train } from "./train.js";
import type { TrainOptions } from "./trainOptions.js";

describe("first steps by default", () => {
  /** 20×20, k = 40, p = 10, 2,500 atoms, batches of 512. */
  const setting = { fixed: undefined, startsFrom: "the base", mayEndEarly: false, atomSparsity: 40 } as const;
  const stepsAfter = (updates: number, usesPerUpdate = 2.048) =>
    chooseFirstSteps({ ...setting, updates, uses: updates * usesPerUpdate });

  test("are the paper's from four uses of an atom per non-zero on, and from twenty updates on", () => {
    expect(stepsAfter(78)).toEqual({
      firstSteps: "short",
      reason: "short first steps: the run uses an atom of 40 non-zeros only about 160 times",
    });
    expect(stepsAfter(79)).toEqual({ firstSteps: "paper", reason: undefined });
    expect(stepsAfter(19, 100).reason).toBe("short first steps: the run has only 19 updates");
    expect(stepsAfter(20, 100).firstSteps).toBe("paper");
  });

  test("are short where the run may end early or starts from a dictionary, whatever its length", () => {
    const long = { ...setting, updates: 10_000, uses: 100_000 };
    const early = chooseFirstSteps({ ...long, mayEndEarly: true });
    expect(early).toEqual({ firstSteps: "short", reason: "short first steps: the run may end early" });
    const continued = chooseFirstSteps({ ...long, startsFrom: "a dictionary" });
    expect(continued.reason).toBe("short first steps: the run starts from a dictionary");
  });

  test("are those that the caller gave, without a reason", () => {
    for (const fixed of ["paper", "short"] as const)
      expect(chooseFirstSteps({ ...setting, fixed, updates: 1, uses: 1, mayEndEarly: true })).toEqual({
        firstSteps: fixed,
        reason: undefined,
      });
  });
});

describe("a run", () => {
  const data = syntheticPictures(3, 2, 24); // 2 · 20² windows of 5×5
  const small = {
    ...{ patch: [5, 5], base: "odct:1", atomSparsity: 3, coding: { sparsity: 2 }, batch: 20, holdout: 30 },
    ...{ examples: 200, epochs: 1, kernels: createReferenceKernels() },
  } as const satisfies TrainOptions;
  const steps = async (more: Partial<TrainOptions>) => {
    const { model } = await collect(data, { ...small, keep: "last", ...more });
    return model.meta.options?.firstSteps ?? "paper";
  };

  test("takes short steps if it has few updates, minutes, patience or another start, and the paper's otherwise", async () => {
    expect(await steps({})).toBe("short");
    expect(await steps({ epochs: 2 })).toBe("paper");
    expect(await steps({ epochs: 2, minutes: 100 })).toBe("short");
    expect(await steps({ epochs: 2, patience: 100 })).toBe("short");
    expect(await steps({ epochs: 2, init: "both" })).toBe("short");
    expect(await steps({ firstSteps: "paper" })).toBe("paper");
    const { model: start } = await collect(data, small);
    const { base: _, ...rest } = small;
    expect((await collect(data, { ...rest, epochs: 2, start })).model.meta.options).toMatchObject({
      firstSteps: "short",
    });
  });

  test("names the reason in its plan, for osdl alone", async () => {
    const plan = async (more: Partial<TrainOptions>) => {
      const run = train(data, { ...small, ...more });
      const text = describePlan(await run.plan());
      await run.close();
      return text;
    };
    expect(await plan({})).toContain("\nshort first steps: the run has only 10 updates\n");
    expect(await plan({ epochs: 2 })).not.toContain("first steps");
    expect(await plan({ learner: "niht" })).not.toContain("first steps");
  });

  test("that resumes with more epochs keeps the steps it began with", async () => {
    const saved: Uint8Array[] = [];
    const begun = { ...small, atomCare: false } as const;
    await collect(data, { ...begun, checkpoints: keepEvery(4, saved) });
    const resume = await checkpointFromBytes(saved[0], "step 4 of 10");
    const longer = { ...begun, epochs: 3 };
    const resumed = await collect(data, { ...longer, resume });
    const whole = await collect(data, { ...longer, firstSteps: "short" });
    expect(modelToBytes(resumed.model)).toEqual(modelToBytes(whole.model));
    expect(() => train(data, { ...longer, firstSteps: "paper", resume })).toThrow(
      "train: resume: firstSteps must be short, as in the checkpoint, got paper",
    );
  });
});
