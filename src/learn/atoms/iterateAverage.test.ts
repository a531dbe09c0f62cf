import { describe, expect, test } from "vitest";
import { SparseColumns } from "../../core/matrix.js";
import { syntheticPictures } from "../../data/syntheticPictures.js";
import { createReferenceKernels } from "../../kernels/reference/index.js";
import { modelToBytes } from "../../model/files.js";
import type { Model } from "../../model/model.js";
import { checkpointFromBytes } from "../checkpoints/checkpoint.js";
import { collect, keepEvery } from "../learners/learner.case.js";
import { train } from "../run/train.js";
import type { TrainOptions } from "../run/trainOptions.js";
import { IterateAverage } from "./iterateAverage.js";

function columns(...given: Record<number, number>[]): SparseColumns {
  const A = new SparseColumns(4, given.length, 2);
  given.forEach((column, j) => {
    A.setColumn(j, Object.keys(column).map(Number), Object.values(column));
  });
  return A;
}

const updates = { perEpoch: 2, total: 6 };

test("takes the updates of the last epoch or of the second half of a single one, about fifty of a long one", () => {
  const takenOf = (perEpoch: number, total: number) => {
    const average = new IterateAverage(4, 1, { perEpoch, total });
    return Array.from({ length: total + 1 }, (_, step) => step).filter((step) => average.takes(step));
  };
  expect(takenOf(2, 6)).toEqual([5, 6]);
  expect(takenOf(5, 5)).toEqual([3, 4, 5]);
  expect(takenOf(400, 800).length).toBe(50);
  expect(takenOf(400, 800).at(-1)).toBe(800);
});

test("is the mean of the iterates with the largest entries of each column kept", () => {
  const average = new IterateAverage(4, 2, updates);
  average.add(columns({ 0: 1, 1: 4 }, { 2: 1 }));
  average.add(columns({ 1: 2, 3: -3 }, { 2: 3 }));
  expect(average.mean(columns({}, {}), 2)).toEqual(columns({ 1: 3, 3: -1.5 }, { 2: 2 }));
});

test("forgets atoms that are replaced, and leaves those without a past alone", () => {
  const average = new IterateAverage(4, 2, updates);
  average.add(columns({ 0: 1 }, { 2: 1 }));
  average.forget([0, 1]);
  average.add(columns({ 1: 5 }, { 3: 7 }));
  average.forget([1]);
  expect(average.mean(columns({ 0: 9 }, { 1: 8 }), 2)).toEqual(columns({ 1: 5 }, { 1: 8 }));
});

describe("the record of a run with it", () => {
  const options = {
    ...{ patch: [4, 4], base: "odct:1.5", coding: { sparsity: 2 }, atomSparsity: 3, average: true },
    ...{ examples: 200, epochs: 3, batch: 20, holdout: 60, kernels: createReferenceKernels() },
  } as const satisfies TrainOptions;
  const pictures = syntheticPictures(1, 1, 40);
  const averageOf = (model: Model) => model.meta.options?.average;

  test("says so once the run has come to its end", async () => {
    const run = train(pictures, { ...options, keep: "last" });
    const before: unknown[] = [];
    for await (const { ended } of run) if (!ended) before.push(averageOf(await run.snapshot()));
    expect(before.length).toBeGreaterThan(3);
    expect(new Set(before)).toEqual(new Set([undefined]));
    expect(averageOf(await run.model())).toBe(true);
  });

  test.each<[string, Partial<TrainOptions>]>([
    ["by its time limit", { minutes: 1e-8 }],
    ["for lack of improvement", { patience: 1, testEvery: 20, firstSteps: "paper" }],
  ])("does not say so if the run ended %s", async (_, more) => {
    for (const keep of ["last", "best"] as const) {
      const { reports, model } = await collect(pictures, { ...options, ...more, keep });
      expect(reports.at(-1)!.examples).toBeLessThan(600);
      expect(averageOf(model)).toBeUndefined();
    }
  });

  test("does not say so of a kept dictionary that was tested before the end", async () => {
    const run = train(pictures, { ...options, epochs: 1, firstSteps: "paper" }); // ends worse than it began
    const model = await run.model();
    expect(model.meta.kept).toBeDefined();
    expect(averageOf(model)).toBeUndefined();
  });

  test("says so of a run that resumed, and of one that had ended, and no other run resumes it", async () => {
    const saved: Uint8Array[] = [];
    const kept = { ...options, keep: "last" } as const;
    const { model: whole } = await collect(pictures, { ...kept, checkpoints: keepEvery(7, saved) });
    const all = await Promise.all(saved.map((bytes) => checkpointFromBytes(bytes, "a checkpoint")));
    for (const resume of [all[0], all.at(-1)!]) {
      const { model } = await collect(pictures, { ...kept, resume });
      expect(averageOf(model)).toBe(true);
      expect(modelToBytes(model)).toEqual(modelToBytes(whole));
      expect(() => train(pictures, { ...kept, average: false, resume })).toThrow(
        "train: resume: average must be over epoch 3, as in the checkpoint, got none",
      );
    }
  });
});

test("a run with it is the same until its last update, which leaves the mean", async () => {
  const kernels = createReferenceKernels();
  const options = {
    ...{ patch: [4, 4], base: "odct:1.5", coding: { sparsity: 2 }, atomSparsity: 3, kernels },
    ...{ examples: 200, epochs: 3, batch: 20, holdout: 60 },
  } as const;
  const errors = async (average: boolean) => {
    const found: (number | undefined)[] = [];
    for await (const { testRmse } of train(syntheticPictures(1, 1, 40), { ...options, average }))
      if (testRmse !== undefined) found.push(testRmse);
    return found;
  };
  const [plain, averaged] = [await errors(false), await errors(true)];
  expect(averaged.slice(0, -1)).toEqual(plain.slice(0, -1));
  expect(averaged.at(-1)).not.toBe(plain.at(-1));
});
