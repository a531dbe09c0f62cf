import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { TrainPlan } from "../learn/run/setup.js";
import type { TrainReport } from "../learn/run/trainingLoop.js";
import { describeTime, expectedSeconds, PaceMeter } from "./followRun.js";

const plan = { examples: 1000, epochs: 2, testEvery: 1000, holdout: 50, steps: 20, minutes: Infinity };
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
});

describe("the time of a run", () => {
  const pace = { step: 2, test: 5, measured: 3 };

  it("is that of all updates and tests, including the first test", () => {
    expect(expectedSeconds(planOf(), pace)).toBe(20 * 2 + 3 * 5);
    expect(expectedSeconds(planOf({ holdout: 0 }), pace)).toBe(40);
    expect(describeTime(planOf(), pace)).toBe("time: about 0:55 (measured on 3 steps)");
  });

  it("is its limit, if that comes first", () => {
    expect(describeTime(planOf({ minutes: 0.5 }), pace)).toBe(
      "time: about 0:30, the limit (measured on 3 steps)",
    );
  });

  it("is unknown if there was nothing to measure", () => {
    expect(describeTime(planOf(), undefined)).toBe("time: too short to measure");
  });
});
