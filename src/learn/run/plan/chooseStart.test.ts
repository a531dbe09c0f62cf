import { describe, expect, test } from "vitest";
import { syntheticPictures } from "../../../data/syntheticPictures.js";
import { createReferenceKernels } from "../../../kernels/reference/index.js";
import { modelToBytes } from "../../../model/files.js";
import { describePlan } from "../../../report/followRun.js";
import { checkpointFromBytes } from "../../checkpoints/checkpoint.js";
import { collect, keepEvery } from "../../learners/learner.case.js";
import { train } from "../train.js";
import type { TrainOptions } from "../trainOptions.js";
import { chooseStart, type StartSituation } from "./chooseStart.js";

describe("first steps by default", () => {
  /** 20×20, k = 40, p = 10, 2,500 atoms, batches of 512. */
  const setting: Omit<StartSituation, "updates" | "examples" | "uses"> = {
    ...{ fixed: undefined, startsFrom: "the base", init: "base", canChoose: false, mayEndEarly: false },
    ...{ samples: 400, atomSparsity: 40, sparsity: 10 },
  };
  const stepsAfter = (updates: number, usesPerUpdate = 2.048) =>
    chooseStart({ ...setting, updates, examples: 100_000, uses: updates * usesPerUpdate });

  test("are the paper's from four uses of an atom per non-zero on, and from twenty updates on", () => {
    expect(stepsAfter(78)).toEqual({
      firstSteps: "short",
      init: "base",
      reason: "short first steps: the run uses an atom of 40 non-zeros only about 160 times",
    });
    expect(stepsAfter(79)).toEqual({ firstSteps: "paper", init: "base", reason: undefined });
    expect(stepsAfter(19, 100).reason).toBe("short first steps: the run has only 19 updates");
    expect(stepsAfter(20, 100).firstSteps).toBe("paper");
  });

  test("are the paper's from n p examples on", () => {
    const stepsFrom = (examples: number) =>
      chooseStart({ ...setting, samples: 4096, sparsity: 100, updates: 1000, uses: 10_000, examples });
    expect(stepsFrom(409_599).reason).toBe(
      "short first steps: the run sees only 409,599 examples, of 4,096 samples and coded by 100 atoms",
    );
    expect(stepsFrom(409_600).firstSteps).toBe("paper");
  });

  test("come with base atoms and examples where these may be chosen", () => {
    const short = { ...setting, updates: 10, examples: 100_000, uses: 20, canChoose: true } as const;
    expect(chooseStart(short)).toEqual({
      firstSteps: "short",
      init: "both",
      reason: "short first steps from base atoms and examples: the run has only 10 updates",
    });
    expect(chooseStart({ ...short, updates: 1000, uses: 2000 }).init).toBe("base");
    expect(chooseStart({ ...short, fixed: "short" }).init).toBe("base");
    expect(chooseStart({ ...short, startsFrom: "examples", init: "examples" }).init).toBe("examples");
  });

  test("are short where the run may end early or starts from a dictionary, whatever its length", () => {
    const long = { ...setting, updates: 10_000, examples: 1_000_000, uses: 100_000 };
    const early = chooseStart({ ...long, mayEndEarly: true });
    expect(early.reason).toBe("short first steps: the run may end early");
    const continued = chooseStart({ ...long, startsFrom: "a dictionary" });
    expect(continued.reason).toBe("short first steps: the run starts from a dictionary");
  });

  test("are those that the caller gave, without a reason", () => {
    for (const fixed of ["paper", "short"] as const)
      expect(chooseStart({ ...setting, fixed, updates: 1, examples: 1, uses: 1, mayEndEarly: true })).toEqual(
        {
          firstSteps: fixed,
          init: "base",
          reason: undefined,
        },
      );
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

  test("that is short starts from base atoms and examples, if it sees twice as many examples as that takes", async () => {
    const many = syntheticPictures(3, 8, 40); // 8 · 36² windows
    const options = { ...small, examples: 9000, batch: 600, keep: "last" } as const;
    const start = async (more: Partial<TrainOptions>) => {
      const { model } = await collect(many, { ...options, ...more });
      return model.meta.options?.init ?? "base";
    };
    expect(await start({})).toBe("both"); // 15 updates; 25 and 4,096 examples for the start
    expect(await start({ examples: 8000 })).toBe("base");
    expect(await start({ init: "base" })).toBe("base");
    expect(await start({ firstSteps: "short" })).toBe("base");
    expect(await start({ epochs: 2 })).toBe("base"); // not short
  });

  test("that resumes keeps the atoms it began with, whatever would be chosen now", async () => {
    const many = syntheticPictures(3, 8, 40);
    const begun = { ...small, examples: 9000, batch: 600, atomCare: false, keep: "last" } as const;
    const saved: Uint8Array[] = [];
    const whole = await collect(many, { ...begun, checkpoints: keepEvery(6, saved) });
    const resume = await checkpointFromBytes(saved[0], "step 6 of 15");
    expect(resume.header.settings).toMatchObject({ firstSteps: "short", init: "both" });
    const resumed = await collect(many, { ...begun, resume });
    expect(modelToBytes(resumed.model)).toEqual(modelToBytes(whole.model));
    const longer = await collect(many, { ...begun, epochs: 2, resume });
    expect(longer.model.meta.options).toMatchObject({ firstSteps: "short", init: "both" });
    expect(() => train(many, { ...begun, init: "base", resume })).toThrow(
      "train: resume: init must be both, as in the checkpoint, got base",
    );
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
