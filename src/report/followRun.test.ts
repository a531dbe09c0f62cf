import { describe, expect, it } from "vitest";
import type { TrainPlan } from "../learn/run/setup.js";
import type { TrainReport } from "../learn/run/trainingLoop.js";
import { describeDecline, describeEnd, describeNoAverage, type RunProgress } from "./followRun.js";

const plan = { examples: 1000, epochs: 2, testEvery: 1000, holdout: 50, steps: 20, minutes: Infinity };
const planOf = (more: Partial<TrainPlan> = {}) => ({ ...plan, ...more }) as TrainPlan;

describe("the end of a run", () => {
  const end = (testRmse: number | undefined, report: Partial<TrainReport>, testedAt = 2000) =>
    ({
      report: { step: 20, epoch: 2, examples: 2000, rmse: 7, ended: "epochs", ...report },
      ...{ testRmse, testedAt, seconds: 5, from: 0 },
    }) as RunProgress;
  const best = { step: 10, examples: 1000, testRmse: 4, startRmse: 9, bestRmse: 4 };
  const start = { step: 0, examples: 0, testRmse: 4, startRmse: 4, bestRmse: 4 };
  const last = { step: 20, examples: 2000, testRmse: 5, startRmse: 9, bestRmse: 4 };

  it("names the error of its last test", () => {
    expect(describeEnd(end(4, { kept: { ...last, testRmse: 4 } }), planOf())).toBe(
      "test RMSE 4.000, in 0:05",
    );
    expect(describeEnd(end(undefined, {}), planOf())).toBe("RMSE 7.000, in 0:05");
  });

  it("names the error of the best, and when it was tested", () => {
    expect(describeEnd(end(5, { kept: best }), planOf())).toBe(
      "test RMSE 4.000 (the best, tested after 1,000 of 2,000 examples; 5.000 at the end), in 0:05",
    );
    expect(describeDecline(end(5, { kept: best }), planOf())).toBeUndefined(); // better than it began
  });

  it("is reported if it is worse than the start", () => {
    expect(describeDecline(end(5, { kept: start }), planOf())).toBe(
      "the run ended worse than it began: test RMSE 5.000 at the end, 4.000 before the first step; the starting atoms are kept",
    );
    const kept = { ...best, startRmse: 4.5 };
    expect(describeDecline(end(5, { kept }), planOf())).toMatch(/; the best dictionary is kept$/);
  });

  it("is reported if it is worse than the best and kept all the same", () => {
    expect(describeDecline(end(5, { kept: last }), planOf())).toBe(
      "the run ended worse than its best: test RMSE 5.000 at the end, 4.000 at best; the last dictionary is kept",
    );
  });

  it("is reported if its gain is so small that it may be chance", () => {
    const little = end(8.9, { kept: { ...last, testRmse: 8.9, bestRmse: 8.9 } });
    expect(describeDecline(little, planOf({ holdout: 25 }))).toBe(
      "the gain may be chance: test RMSE 8.900 on 25 examples, 9.000 before the first step",
    );
    expect(describeDecline(little, planOf({ holdout: 5000 }))).toBeUndefined();
  });

  it("is reported if it does not have the mean of the atoms that was asked for", () => {
    const average = planOf({ average: true });
    expect(describeNoAverage(end(5, { kept: last }), average)).toBeUndefined();
    expect(describeNoAverage(end(undefined, {}), average)).toBeUndefined(); // without a test set
    expect(describeNoAverage(end(5, { kept: best }), average)).toBe(
      "the mean of the atoms is not kept: an earlier dictionary was better in the tests",
    );
    const early = end(5, { examples: 1500, ended: "time", kept: { ...last, examples: 1500 } });
    expect(describeNoAverage(early, average)).toBe("no mean of the atoms was taken: the run ended early");
    expect(describeNoAverage(early, planOf({ average: false }))).toBeUndefined();
  });

  it("has the age of the last test, if the last model was not tested", () => {
    const { testRmse: _, ...untested } = last;
    const interrupted = end(9, { examples: 500, ended: "aborted", kept: untested }, 0);
    expect(describeEnd(interrupted, planOf())).toBe(
      "RMSE 7.000, test RMSE 9.000 (tested after 0 of 2,000 examples), interrupted after 500 of 2,000 examples, in 0:05",
    );
    expect(describeDecline(interrupted, planOf())).toBeUndefined();
  });
});
