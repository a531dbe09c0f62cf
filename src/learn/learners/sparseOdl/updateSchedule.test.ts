import { expect, test } from "vitest";
import { baseCols, createBase } from "../../../dictionaries/base.js";
import { defaultSparsity } from "../../../pursuit/encoder.js";
import type { LearnerOptions } from "../learner.js";
import { updateIntervals, updateKind } from "./updateSchedule.js";

const base = createBase("odct:1", [4, 4]);

const options: LearnerOptions = {
  ...{ base, atoms: 24, atomSparsity: 3, batch: 40, coding: { sparsity: 2 } },
  ...{ momentum: 0, firstSteps: "paper", stepDecay: 1, init: "base", average: false },
};

test("moves and fits: which of them an update is, and how often", () => {
  const intervals = (size: number, atomSparsity: number, sparsity: number) => {
    const square = createBase("cropped:sym8", [size, size]);
    const atoms = square.factors.reduce((product, { cols }) => product * cols, 1);
    return updateIntervals(
      { ...options, base: square, atoms, atomSparsity, coding: { sparsity } },
      512,
      Infinity,
    );
  };
  expect(intervals(12, 7, 4).moves).toBeUndefined(); // a fit costs less than a sweep
  const { moves, fits } = intervals(12, 36, 4);
  expect(moves!.longest).toBeLessThan(fits!.longest / 5);
  expect(moves!.shortest).toBe(1); // quick
  const many = intervals(32, 250, 60);
  expect(many.fits).toBeUndefined(); // a fit costs hundreds of mini-batches
  expect(many.moves!.shortest).toBe(Math.ceil(many.moves!.longest / 6));
  expect(updateIntervals({ ...options, atomSparsity: 1 }, 1e6, Infinity)).toEqual({
    moves: undefined,
    fits: { shortest: 1, longest: 1 },
  });

  const schedule = { moves: { shortest: 2, longest: 5 }, fits: { shortest: 30, longest: 30 } };
  const last = { updated: 0, fitted: 0 };
  const kinds = Array.from({ length: 70 }, (_, i) => {
    const kind = updateKind(i + 1, last, { ...schedule, perEpoch: Infinity, total: 70 });
    if (kind) last.updated = i + 1;
    if (kind === "fit") last.fitted = i + 1;
    return kind;
  });
  const steps = (wanted: string) => [...kinds.keys()].filter((i) => kinds[i] === wanted).map((i) => i + 1);
  expect(steps("fit")).toEqual([30, 70]); // 60 is soon at the end
  expect(steps("move").slice(0, 10)).toEqual([2, 4, 6, 8, 10, 13, 17, 22, 27, 35]);
  expect(steps("move").filter((step) => step > 30)).toEqual([35, 40, 45, 50, 55, 60, 65]);
  const alone = { moves: { shortest: 5, longest: 5 }, fits: undefined, perEpoch: Infinity, total: 18 };
  const moved = [15, 16, 17, 18].map((step) => updateKind(step, { updated: 15, fitted: 0 }, alone));
  expect(moved, "the last one counts").toEqual([undefined, undefined, undefined, "move"]);
});

test("updates wait for the shortest interval, then each time longer, and near the end for the end", () => {
  const updates = (
    { longest = 232, perEpoch = Infinity, total = Infinity }: Record<string, number>,
    steps: number,
  ) => {
    const list: number[] = [];
    const schedule = { moves: undefined, fits: { shortest: 29, longest }, perEpoch, total };
    for (let step = 1; step <= steps; step++) {
      const fitted = list.at(-1) ?? 0;
      if (updateKind(step, { updated: fitted, fitted }, schedule) === "fit") list.push(step);
    }
    return list;
  };
  expect(updates({}, 1000)).toEqual([29, 58, 87, 116, 154, 205, 273, 363, 483, 643, 857]);
  expect(updates({ total: 195 }, 195)).toEqual([29, 58, 87, 116, 154, 195]);
  expect(updates({ total: 100 }, 100)).toEqual([29, 58, 100]); // not after 87
  expect(updates({ total: 5 }, 5)).toEqual([5]);
  expect(updates({ perEpoch: 20, total: 60 }, 60)).toEqual([20, 40, 60]);
  expect(updates({ perEpoch: 300, longest: 40 }, 330)).toEqual([29, 58, 87, 116, 154, 194, 234, 274, 300]);
});

test("codes that end at an error are taken to be as long as those of the default", () => {
  const square = createBase("cropped:sym8", [32, 32]);
  const sized = { ...options, base: square, atoms: baseCols(square), atomSparsity: 250 };
  const limited = updateIntervals({ ...sized, coding: { error: 0.1 } }, 512, Infinity);
  const usual = updateIntervals({ ...sized, coding: { sparsity: defaultSparsity(1024) } }, 512, Infinity);
  expect(limited).toEqual(usual);
  expect(limited.moves?.longest).toBeGreaterThan(1);
});
