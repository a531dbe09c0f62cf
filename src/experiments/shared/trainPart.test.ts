import { expect, test } from "vitest";
import { syntheticPictures } from "../../data/syntheticPictures.js";
import { createReferenceKernels } from "../../kernels/reference/index.js";
import { train } from "../../learn/run/train.js";
import type { TrainOptions } from "../../learn/run/trainOptions.js";
import { modelToBytes } from "../../model/files.js";
import { memoryParts } from "./memoryParts.case.js";
import { type TrainedModel, trainPart } from "./trainPart.js";

const kernels = createReferenceKernels();
const pictures = syntheticPictures(1, 1, 32);
const options: TrainOptions = {
  ...{ patch: [4, 4], base: "odct:1.5", coding: { sparsity: 2 }, atomSparsity: 3 },
  ...{ examples: 120, epochs: 3, batch: 20, holdout: 40, reportEvery: 1 },
};

const withoutTimes = ({ model, record }: TrainedModel) => ({
  bytes: modelToBytes(model),
  updates: record.updates,
  points: record.points.map(({ seconds: _, ...others }) => others),
});

test("a training notes its test errors, and is trained once", async () => {
  const parts = memoryParts();
  const first = await trainPart({ kernels, parts }, "osdl", pictures, options);
  expect(first.record).toMatchObject({ examples: 120, tested: 40, updates: 18 });
  expect(first.record.points.map(({ examples }) => examples)).toEqual([0, 120, 240, 360]);
  expect(first.record.learningSeconds).toBeLessThanOrEqual(first.record.seconds);
  const showTraining = () => Promise.reject(new Error("trained again"));
  const again = await trainPart({ kernels, parts, showTraining }, "osdl", pictures, options);
  expect(again.record).toEqual(first.record);
  expect(modelToBytes(again.model)).toEqual(modelToBytes(first.model));
});

test("a training takes the steps of the paper, which are not those of a short run by default", async () => {
  const { model } = await trainPart({ kernels }, "osdl", pictures, options);
  const steps = async (firstSteps: TrainOptions["firstSteps"]) =>
    modelToBytes(await train(pictures, { ...options, init: "base", kernels, firstSteps }).model());
  expect(modelToBytes(model)).toEqual(await steps("paper"));
  expect(await steps(undefined)).toEqual(await steps("short"));
  expect(await steps("short")).not.toEqual(await steps("paper"));
});

test.each([1, 6, 8])(
  "a training that is aborted after %i updates resumes with the same result",
  async (last) => {
    const whole = await trainPart({ kernels }, "osdl", pictures, options);
    const parts = memoryParts();
    const abort = new AbortController();
    const showTraining = async (_: unknown, reports: AsyncIterable<{ step: number }>) => {
      for await (const { step } of reports) if (step === last) abort.abort();
    };
    await trainPart({ kernels, parts, signal: abort.signal, showTraining }, "osdl", pictures, options);
    expect(parts.stored.has("osdl.npz")).toBe(false);
    const resumed = await trainPart({ kernels, parts }, "osdl", pictures, options);
    expect(withoutTimes(resumed)).toEqual(withoutTimes(whole));
    expect(parts.stored.get("osdl.checkpoint")?.length).toBe(0); // of no more use
  },
);

test("a training may end when its points say so", async () => {
  const isDone = (points: readonly unknown[]) => points.length === 2;
  const { record } = await trainPart({ kernels }, "osdl", pictures, options, { isDone });
  expect(record).toMatchObject({ updates: 6 });
  expect(record.points.length).toBe(2);
});
