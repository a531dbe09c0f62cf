import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { syntheticPictures } from "../data/syntheticPictures.js";
import { createReferenceKernels } from "../kernels/reference/index.js";
import type { TrainPlan } from "../learn/run/setup.js";
import { train } from "../learn/run/train.js";
import type { TrainReport } from "../learn/run/trainingLoop.js";
import type { TrainOptions } from "../learn/run/trainOptions.js";
import { describeTime, expectedSeconds, measurePace, PaceMeter, planQuickly } from "./runPace.js";

const plan = {
  ...{ examples: 1000, epochs: 2, testEvery: 1000, holdout: 50, steps: 20, minutes: Infinity },
  done: { examples: 0, seconds: 0 },
};
const planOf = (more: Partial<TrainPlan> = {}) => ({ ...plan, ...more }) as TrainPlan;

describe("PaceMeter", () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ["performance"] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  const report = (step: number, testRmse?: number) => ({ step, testRmse }) as TrainReport;
  const pass = (seconds: number) => vi.advanceTimersByTime(1000 * seconds);

  it("leaves out the first update and the time of tests, and reports once", () => {
    const meter = new PaceMeter();
    pass(3); // the first test
    expect(meter.add(report(0, 9))).toBe(false);
    pass(5); // compiles
    expect(meter.add(report(1))).toBe(false);
    expect(meter.pace).toBeUndefined();
    pass(0.5);
    expect(meter.add(report(2))).toBe(false);
    expect(meter.pace).toEqual({ step: 0.5, test: 3, measured: 1 });
    pass(4);
    expect(meter.add(report(4, 8))).toBe(true);
    expect(meter.pace).toEqual({ step: 0.5, test: 3, measured: 3 });
    pass(10);
    expect(meter.add(report(7))).toBe(false);
    expect(meter.pace?.measured).toBe(3);
  });

  it("takes no update of a run that resumes for a test", () => {
    const meter = new PaceMeter();
    pass(8); // four updates
    expect(meter.add(report(14))).toBe(false);
    pass(2);
    expect(meter.add(report(15))).toBe(true);
    expect(meter.pace).toEqual({ step: 2, test: 0, measured: 1 });
  });
});

describe("the time of a run", () => {
  const pace = { step: 2, test: 5, measured: 3 };

  it("is that of all updates and tests, including the first test", () => {
    expect(expectedSeconds(planOf(), pace)).toBe(20 * 2 + 3 * 5);
    expect(expectedSeconds(planOf({ holdout: 0 }), pace)).toBe(40);
    expect(expectedSeconds(planOf({ done: { examples: 500, seconds: 9 } }), pace)).toBe(15 * 2 + 2 * 5); // what is left
    expect(describeTime(planOf(), pace)).toBe("time: about 0:55 (measured on 3 steps)");
  });

  it("is its limit, if that comes first", () => {
    expect(describeTime(planOf({ minutes: 0.5 }), pace)).toBe(
      "time: about 0:30, the limit (measured on 3 steps)",
    );
    const resumed = planOf({ minutes: 0.5, done: { examples: 500, seconds: 20 } }); // the limit is of all parts together
    expect(describeTime(resumed, pace)).toBe("time: about 0:10, the limit (measured on 3 steps)");
  });

  it("is unknown if there was nothing to measure", () => {
    expect(describeTime(planOf(), undefined)).toBe("time: too short to measure");
  });
});

describe("a run that is planned and measured without being made", () => {
  const pictures = syntheticPictures(1, 2, 48);
  const kernels = createReferenceKernels();
  /** Counts the pursuits: atoms to start from are found by coding examples. */
  const pursuits = vi.spyOn(kernels, "batchOmp");
  const options = (more: Partial<TrainOptions>): TrainOptions => ({
    ...{ patch: 6, base: "cropped:db2", coding: { sparsity: 2 } },
    ...{ examples: 800, batch: 100, holdout: 40, seed: 1, kernels },
    ...more,
  });

  it.each<[string, Partial<TrainOptions>]>([
    ["fewer atoms than the base has", { atoms: 60 }],
    ["base atoms and examples", { atoms: 150, init: "both" }],
    ["the base", {}],
    ["a learner that takes the whole set", { learner: "sparse-ksvd", atoms: 60 }],
    ["dense atoms", { learner: "odl", atoms: 60 }],
    ["dense atoms from the base", { learner: "odl", atoms: 60, init: "base" }],
    ["components", { learner: "pca" }],
  ])("%s: has the plan of the run, and finds no atoms to start from", async (_, more) => {
    const run = train(pictures, options(more));
    const whole = await run.plan();
    await run.close();
    pursuits.mockClear();
    const quick = await planQuickly(train(pictures, options(more)), pictures, options(more));
    expect(pursuits).not.toHaveBeenCalled();
    const compared = ({ kind: _, start: __, ...rest }: TrainPlan) => rest;
    expect(compared(quick)).toEqual(compared(whole));
    const pace = (await measurePace(pictures, options(more), quick))!;
    expect(pace.step).toBeGreaterThan(0);
    expect(pace.test).toBeGreaterThan(0);
  });

  it("counts no time of setting up", async () => {
    const quick = await planQuickly(train(pictures, options({})), pictures, options({}));
    vi.useFakeTimers({ toFake: ["performance"] });
    const takes = (seconds: number) => vi.advanceTimersByTime(1000 * seconds);
    const [signals, moveAtoms] = [kernels.signals, kernels.moveAtoms];
    const slow = [
      vi.spyOn(kernels, "signals").mockImplementation((...given) => {
        takes(3600); // while it is set up
        return signals.apply(kernels, given);
      }),
      vi.spyOn(kernels, "moveAtoms").mockImplementation((...given) => {
        takes(0.5);
        return moveAtoms.apply(kernels, given);
      }),
    ];
    const pace = (await measurePace(pictures, options({}), quick))!;
    expect(slow[0]).toHaveBeenCalled();
    for (const spy of slow) spy.mockRestore();
    vi.useRealTimers();
    expect(pace).toEqual({ step: 0.5, test: 0, measured: 2 });
  });
});
