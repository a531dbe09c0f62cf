/** Data that can no longer be read in the middle of a run, and come back. */

import { expect, test } from "vitest";
import { InputError } from "../../core/errors.js";
import type { SparseColumns } from "../../core/matrix.js";
import { type SignalSource, sourceOf } from "../../data/sampling/signalSource.js";
import { syntheticPictures } from "../../data/syntheticPictures.js";
import { createReferenceKernels } from "../../kernels/reference/index.js";
import { modelToBytes } from "../../model/files.js";
import { checkpointFromBytes } from "../checkpoints/checkpoint.js";
import { collect, keepEvery } from "../learners/learner.case.js";
import { train } from "./train.js";
import type { TrainReport } from "./trainingLoop.js";
import type { TrainOptions } from "./trainOptions.js";

const source = sourceOf(syntheticPictures(3, 9, 20));
const options = {
  patch: [4, 4],
  base: "odct:1",
  atomSparsity: 3,
  coding: { sparsity: 2 },
  examples: 200,
  batch: 1, // so that none has examples of two groups, of which one may be lost
  holdout: 40,
  epochs: 2,
  testEvery: 70,
  reportEvery: 9,
  groupSamples: 3 * 400, // three pictures at a time
  kernels: createReferenceKernels(),
} as const satisfies TrainOptions;

/** A source that is gone from the n-th read on: the run reads three units per group, one group ahead. */
function vanishing(reads: number): SignalSource {
  let count = 0;
  return {
    ...source,
    async read(unit, into) {
      if (count++ >= reads) throw new InputError(`${source.units[unit].name}: cannot be read`);
      await source.read(unit, into);
    },
  };
}

/** Reads of whole groups: what is lost is lost between two of them. */
const atStart = 9; // for the units and the windows held out
test.each([12, 15, 18])(
  "the run ends with a checkpoint and what it has learned, and continues as if nothing had happened (%i reads)",
  async (reads) => {
    const plain = await collect(source, options);
    const saved: Uint8Array[] = [];
    const run = train(vanishing(atStart + reads), { ...options, checkpoints: keepEvery(Infinity, saved) });
    const first: TrainReport[] = [];
    const all = async () => {
      for await (const report of run) first.push(report);
    };
    await expect(all()).rejects.toThrow(InputError);
    await expect(run.model()).rejects.toThrow("the run failed");
    const model = await run.snapshot();
    const resume = await checkpointFromBytes(saved.at(-1)!, "a.tlc");
    expect(saved.length).toBe(1);
    expect(model.meta.examplesSeen).toBe(resume.header.position.examples);
    expect(model.meta.examplesSeen).toBeGreaterThan(0);
    expect(model.meta.examplesSeen).toBeLessThan(400);
    const rest = await collect(source, { ...options, resume });
    expect([...first, ...rest.reports]).toEqual(plain.reports);
    expect(modelToBytes(rest.model)).toEqual(modelToBytes(plain.model));
  },
);

test("a run that is interrupted while nothing can be read reads it again when it is resumed", async () => {
  const plain = await collect(source, options);
  const controller = new AbortController();
  const saved: Uint8Array[] = [];
  const first = await collect(vanishing(atStart + 15), {
    ...options,
    signal: controller.signal,
    onUnreadable: () => controller.abort(),
    checkpoints: keepEvery(Infinity, saved),
  });
  const resume = await checkpointFromBytes(saved.at(-1)!, "a.tlc");
  expect(first.reports.at(-1)).toMatchObject({ ended: "aborted" });
  expect(first.model.meta.examplesSeen).toBe(resume.header.position.examples);
  const rest = await collect(source, { ...options, resume });
  expect([...first.reports.slice(0, -1), ...rest.reports]).toEqual(plain.reports);
  expect(modelToBytes(rest.model)).toEqual(modelToBytes(plain.model));
});

/** A source with one unit that cannot be read again, once the run has begun. */
function withLostUnit(lost: number): SignalSource {
  let count = 0;
  return {
    ...source,
    async read(unit, into) {
      if (count++ >= atStart && unit === lost)
        throw new InputError(`${source.units[unit].name}: cannot be read`);
      await source.read(unit, into);
    },
  };
}

test("a run that skips mini-batches ends as any other: with the mean of its atoms, with all sums in the atoms", async () => {
  const learn = async (more: Partial<TrainOptions>) => {
    const skipped: string[] = [];
    const onUnreadable = (message: string) => void skipped.push(message);
    const found = await collect(withLostUnit(4), { ...options, keep: "last", onUnreadable, ...more });
    expect(skipped.length).toBeGreaterThan(0);
    const end = found.reports.at(-1)!;
    expect([end.examples, end.ended]).toEqual([400, "epochs"]);
    expect(end.step).toBeLessThan(400);
    return found;
  };
  const [plain, averaged] = [await learn({}), await learn({ average: true })];
  expect(averaged.model.A).not.toEqual(plain.model.A);
  expect(averaged.reports.slice(0, -1)).toEqual(plain.reports.slice(0, -1));

  const kernels = createReferenceKernels();
  const calls: string[] = [];
  for (const name of ["addMoments", "descendAtoms"] as const) {
    const work = kernels[name] as (...given: unknown[]) => Promise<void>;
    Object.assign(kernels, {
      [name]: (...given: unknown[]) => {
        calls.push(name);
        return work(...given);
      },
    });
  }
  await learn({ learner: "sparse-odl", kernels });
  expect(calls.at(-1)).toBe("descendAtoms");
});

test("what a run does at its end is tested beside the dictionary before it, and the better of the two is kept", async () => {
  const saved: Uint8Array[] = [];
  const settings: TrainOptions = {
    ...{ ...options, seed: 2, average: true, keep: "best" as const, testEvery: 399 },
    onUnreadable: () => {},
  };
  const run = train(withLostUnit(6), { ...settings, checkpoints: keepEvery(Infinity, saved) });
  const tests: { step: number; testRmse: number; A: SparseColumns }[] = [];
  for await (const { step, testRmse } of run)
    if (testRmse !== undefined) tests.push({ step, testRmse, A: (await run.snapshot()).A });
  const [start, before, mean] = tests;
  expect(tests.length).toBe(3);
  expect(mean.step).toBe(before.step); // the last examples could not be read
  expect(before.testRmse).toBeLessThan(Math.min(start.testRmse, mean.testRmse));
  const model = await run.model();
  expect(model.A).toEqual(before.A);
  expect(model.A).not.toEqual(mean.A);
  const resume = await checkpointFromBytes(saved.at(-1)!, "a.tlc");
  const again = await collect(source, { ...settings, resume });
  expect(modelToBytes(again.model)).toEqual(modelToBytes(model));
});
