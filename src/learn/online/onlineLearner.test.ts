import { describe, expect, test } from "vitest";
import { InputError } from "../../core/errors.js";
import { DenseMatrix } from "../../core/matrix.js";
import { makeSignal, type Signal } from "../../core/signal.js";
import { syntheticPictures } from "../../data/syntheticPictures.js";
import { createCpuKernels } from "../../kernels/cpu/index.js";
import { createReferenceKernels } from "../../kernels/reference/index.js";
import { modelToBytes } from "../../model/files.js";
import { checkpointFromBytes } from "../checkpoints/checkpoint.js";
import { keepEvery } from "../learners/learner.case.js";
import { learnerNames, learners } from "../learners/registry.js";
import { train } from "../run/train.js";
import { openLearner } from "./onlineLearner.js";
import type { OnlineOptions } from "./onlineOptions.js";

const pictures = syntheticPictures(3, 5, 24);
const [testPicture, ...stream] = pictures;
const kernels = createReferenceKernels();
const small = {
  patch: [4, 4],
  base: "odct:1",
  coding: { sparsity: 2 },
  batch: 40,
  examples: 100,
  atomCare: false,
  kernels,
} as const satisfies OnlineOptions;

/** Non-overlapping windows as columns. */
function examplesOf({ data, shape: [rows, cols] }: Signal): DenseMatrix {
  const across = cols / 4;
  return DenseMatrix.build(16, (rows / 4) * across, (i, j) => {
    const [top, left] = [4 * Math.floor(j / across), 4 * (j % across)];
    return data[(top + Math.floor(i / 4)) * cols + left + (i % 4)];
  });
}

async function learned(batches: readonly (Signal | DenseMatrix)[], more: Partial<OnlineOptions> = {}) {
  const learner = openLearner({ ...small, ...more });
  const reports = [];
  for (const batch of batches) reports.push(await learner.partialFit(batch));
  return { reports, model: await learner.model() };
}

describe("a learner of batches", () => {
  test("learns from one batch what train learns from the same signals in one epoch", async () => {
    const more = { learner: "osdl", atomSparsity: 3, firstSteps: "paper", keep: "last" } as const;
    const { reports, model } = await learned([stream[0]], more);
    const run = train(stream[0], { ...small, ...more, epochs: 1, holdout: 0 });
    const whole = await run.model();
    expect(model.A).toEqual(whole.A);
    expect(model.meta).toEqual(whole.meta);
    expect(reports).toMatchObject([{ step: 3, epoch: 1, examples: 100, atomsUsed: expect.any(Number) }]);
    expect(kernels.memory.used).toBe(0);
  });

  test.each(learnerNames.filter((name) => learners[name].takes === "mini-batches"))(
    "learns by %s from matrices and signals alike, and ends with the best of its tests",
    async (learner) => {
      const batches = [examplesOf(stream[0]), stream[1], examplesOf(stream[2]), stream[3]];
      const { reports, model } = await learned(batches, { learner, test: testPicture, testEvery: 1 });
      expect(reports.map(({ examples }) => examples)).toEqual([36, 136, 172, 272]);
      expect(reports.map(({ epoch }) => epoch)).toEqual([1, 2, 3, 4]);
      for (const { rmse, testRmse } of reports) expect([rmse, testRmse].every(Number.isFinite)).toBe(true);
      const last = reports[3];
      const better = reports.filter(({ testRmse = Infinity }) => testRmse < last.testRmse!);
      const best = better.toSorted((a, b) => a.testRmse! - b.testRmse!)[0];
      if (best)
        expect(model.meta.kept).toEqual({
          step: expect.toSatisfy((step) => step === 0 || step === best.step),
          of: last.step,
        });
      else expect(model.meta.kept?.step ?? last.step).toSatisfy((step) => step === 0 || step === last.step);
      expect(kernels.memory.used).toBe(0);
    },
  );

  test("learns from every column of a matrix", async () => {
    const Y = examplesOf(stream[0]);
    const asSignals = Array.from({ length: Y.cols }, (_, j) =>
      makeSignal(`${j}`, [4, 4], Y.column(j).slice()),
    );
    const learner = openLearner(small);
    await learner.partialFit(asSignals);
    const model = await learner.model();
    expect((await learned([Y])).model.A).toEqual(model.A);
  });

  test.each(["osdl", "odl", "sparse-odl"] as const)("resumes %s with the same result", async (learner) => {
    const more = { learner, atomCare: { every: 2 }, test: testPicture, testEvery: 150 } as const;
    const saved: Uint8Array[] = [];
    const whole = await learned(stream, more);
    await learned(stream.slice(0, 2), { ...more, checkpoints: keepEvery(Infinity, saved) });
    const resume = await checkpointFromBytes(saved[0], "a.tlc");
    const again = openLearner({ ...small, ...more, resume });
    expect([again.batches, again.examples, again.step]).toEqual([2, 200, 6]);
    const reports = [];
    for (const batch of stream.slice(again.batches)) reports.push(await again.partialFit(batch));
    expect(reports).toEqual(whole.reports.slice(2));
    expect(modelToBytes(await again.model())).toEqual(modelToBytes(whole.model));
  });

  test("gives the same bits on one thread and on two", async () => {
    const files = [];
    for (const threads of [1, 2]) {
      const cpu = await createCpuKernels({ threads });
      files.push(modelToBytes((await learned(stream, { kernels: cpu })).model));
      await cpu.close();
    }
    expect(files[1]).toEqual(files[0]);
  });

  test("tests every so often by itself, and when asked; a snapshot changes nothing", async () => {
    const plain = await learned(stream.slice(0, 2), { test: testPicture, testEvery: 150 });
    const learner = openLearner({ ...small, test: testPicture, testEvery: 150 });
    const calls = stream.slice(0, 2).map((batch) => learner.partialFit(batch)); // in turn, without waiting
    const snapshot = await learner.snapshot();
    const [first, second] = await Promise.all(calls);
    expect(first.testRmse).toBeUndefined();
    expect(second.testRmse).toBe(await learner.test());
    expect(snapshot.meta.examplesSeen).toBe(200);
    expect(modelToBytes(await learner.model())).toEqual(modelToBytes(plain.model));
    expect(await learner.model()).toBe(await learner.model());
  });

  test("refuses what it cannot do, and continues after a batch that it cannot use", async () => {
    expect(() => openLearner({ ...small, learner: "ksvd" })).toThrow(
      new InputError(
        'openLearner: learner must be one that takes mini-batches, not the whole set, got "ksvd"',
      ),
    );
    expect(() => openLearner({ ...small, epochs: 2 } as never)).toThrow(
      new InputError("openLearner: epochs is an option of train only"),
    );
    expect(() => openLearner({ ...small, patch: 4 } as never)).toThrow(/^openLearner: patch must be /);
    expect(() => openLearner({ ...small, momentun: 1 } as never)).toThrow(
      /^openLearner: unknown option momentun/,
    );
    const learner = openLearner(small);
    await expect(learner.snapshot()).rejects.toThrow("OnlineLearner.snapshot: no batch has come yet");
    await expect(learner.partialFit(new DenseMatrix(15, 2))).rejects.toThrow(
      "OnlineLearner.partialFit: batch must have 16 rows, the samples of an example, got 15",
    );
    await expect(learner.partialFit("photos" as never)).rejects.toThrow(
      /^OnlineLearner.partialFit: batch must be a matrix/,
    );
    const extreme = makeSignal("spike", [4, 4], new Float32Array(16).fill(1e30));
    await learner.partialFit(stream[0]);
    await expect(learner.partialFit(extreme)).rejects.toThrow(/^OnlineLearner.partialFit: .*1e\+?30/);
    await expect(learner.test()).rejects.toThrow("there is no test set");
    await expect(learner.save()).rejects.toThrow("needs the option checkpoints");
    expect((await learner.partialFit(stream[1])).examples).toBe(200);
    await learner.close();
    await expect(learner.partialFit(stream[1])).rejects.toThrow(
      "OnlineLearner.partialFit: the learner was closed",
    );
    expect(kernels.memory.used).toBe(0);
  });

  test("a first batch that it cannot use leaves no trace", async () => {
    const data = Float32Array.from(stream[0].data);
    data[5] = 3e38;
    const learner = openLearner({ ...small, test: testPicture });
    await expect(learner.partialFit(makeSignal("spike", stream[0].shape, data))).rejects.toThrow(
      /^OnlineLearner.partialFit: .*spike/,
    );
    expect(kernels.memory.used).toBe(0);
    const reports = [await learner.partialFit(stream[1])];
    const model = await learner.model();
    const alone = await learned([stream[1]], { test: testPicture });
    expect(reports).toEqual(alone.reports);
    expect(modelToBytes(model)).toEqual(modelToBytes(alone.model));
  });

  test("refuses checkpoints of other options, and those of train", async () => {
    const saved: Uint8Array[] = [];
    const checkpoints = keepEvery(Infinity, saved);
    await learned(stream.slice(0, 1), { checkpoints });
    await train(stream[0], { ...small, epochs: 1, checkpoints }).model();
    const [own, other] = await Promise.all(saved.map((bytes) => checkpointFromBytes(bytes, "a.tlc")));
    expect(() => openLearner({ ...small, seed: 2, resume: own })).toThrow(
      /^openLearner: resume: seed must be 1/,
    );
    expect(() => openLearner({ ...small, firstSteps: "short", resume: other })).toThrow(
      /^openLearner: resume: /,
    );
    expect(() => train(stream[0], { ...small, epochs: 1, resume: own })).toThrow(
      /the data must be batches as they come/,
    );
  });
});
