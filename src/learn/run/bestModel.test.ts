import { afterEach, describe, expect, test, vi } from "vitest";
import { syntheticPictures } from "../../data/syntheticPictures.js";
import { createReferenceKernels } from "../../kernels/reference/index.js";
import { modelFromBytes, modelToBytes } from "../../model/files.js";
import type { Model } from "../../model/model.js";
import { checkpointFromBytes } from "../checkpoints/checkpoint.js";
import { collect, keepEvery } from "../learners/learner.case.js";
import { BestModel } from "./bestModel.js";
import { train } from "./train.js";
import type { TrainReport } from "./trainingLoop.js";
import type { TrainOptions } from "./trainOptions.js";

const data = syntheticPictures(3, 2, 24); // 2 · 20² windows of 5×5
/** With the paper's first steps, OSDL is worse than its start for ten updates, best after 16, and ends a little worse after 22. */
const small = {
  patch: [5, 5],
  base: "odct:1",
  atomSparsity: 3,
  coding: { sparsity: 2 },
  batch: 20,
  examples: 210,
  epochs: 2,
  holdout: 30,
  reportEvery: 1,
  testEvery: 1,
  firstSteps: "paper",
  kernels: createReferenceKernels(),
} as const satisfies TrainOptions;

/** A run with the dictionary at every report. */
async function watched(more: Partial<TrainOptions> = {}) {
  const run = train(data, { ...small, ...more });
  const [reports, snapshots]: [TrainReport[], Model[]] = [[], []];
  for await (const report of run) {
    reports.push(report);
    snapshots.push(await run.snapshot());
  }
  return { reports, snapshots, model: await run.model(), last: reports.at(-1)! };
}

/** One run that several tests share. */
let shared: ReturnType<typeof watched> | undefined;
const usual = () => (shared ??= watched());

const errorsOf = (reports: readonly TrainReport[]) => reports.map(({ testRmse }) => testRmse ?? Infinity);

describe("a run", () => {
  test("ends with the best model tested, and its record says which that is", async () => {
    const { reports, snapshots, model, last } = await usual();
    const errors = errorsOf(reports);
    const best = errors.lastIndexOf(Math.min(...errors));
    expect(best).toBeGreaterThan(0);
    expect(best).toBeLessThan(22);
    expect(model.A).toEqual(snapshots[best].A);
    expect(model.meta).toEqual({ ...snapshots[best].meta, kept: { step: best, of: 22 } });
    expect(modelFromBytes(modelToBytes(model), "a file").meta).toEqual(model.meta);
    const { examples } = reports[best];
    const kept = {
      step: best,
      examples,
      testRmse: errors[best],
      startRmse: errors[0],
      bestRmse: errors[best],
    };
    expect(last.kept).toEqual(kept);
    expect(reports.slice(0, -1).every((report) => report.kept === undefined)).toBe(true);
  });

  test("ends with its last model if asked to, and still reports its best error", async () => {
    const { reports, snapshots, model, last } = await watched({ keep: "last" });
    expect(modelToBytes(model)).toEqual(modelToBytes(snapshots[22]));
    const errors = errorsOf(reports);
    expect(last.kept).toMatchObject({ step: 22, testRmse: errors[22], bestRmse: Math.min(...errors) });
  });

  test("that only got worse ends with its starting atoms", async () => {
    const { reports, snapshots, model, last } = await watched({ epochs: 1 });
    expect(last.testRmse).toBeGreaterThan(reports[0].testRmse!);
    expect(model.A).toEqual(snapshots[0].A);
    expect(model.meta).toMatchObject({ examplesSeen: 0, kept: { step: 0, of: 11 } });
  });

  test("that ends with its best has no more in its record than one without a test", async () => {
    const { model, last } = await watched({ learner: "sparse-odl", firstSteps: undefined });
    expect(last.kept?.step).toBe(22);
    expect(model.meta).not.toHaveProperty("kept");
  });

  test("without a test set ends with its last model", async () => {
    const { last, model } = await watched({ holdout: 0, testEvery: undefined, epochs: 1 });
    expect(last).not.toHaveProperty("kept");
    expect(model.meta.examplesSeen).toBe(210);
  });

  test("resumes from a checkpoint with the best model in it, with the same bytes", async () => {
    const saved: Uint8Array[] = [];
    const whole = await collect(data, { ...small, checkpoints: keepEvery(3, saved) });
    const parts: boolean[] = [];
    for (const bytes of saved) {
      const resume = await checkpointFromBytes(bytes, "a.tlc");
      parts.push(resume.has("best model"));
      const { reports, model } = await collect(data, { ...small, resume });
      expect(modelToBytes(model)).toEqual(modelToBytes(whole.model));
      expect(reports.at(-1)).toEqual(whole.reports.at(-1));
    }
    expect(parts).toContain(true);
    expect(parts.slice(0, 3)).toEqual([true, true, true]); // the start, until there is a better one
  });

  test("resumes from a checkpoint that kept the last model, and keeps the best from there on", async () => {
    const saved: Uint8Array[] = [];
    await collect(data, { ...small, keep: "last", checkpoints: keepEvery(18, saved) });
    const resume = await checkpointFromBytes(saved[0], "a.tlc");
    const { reports, model } = await collect(data, { ...small, resume });
    const errors = errorsOf(reports);
    expect(model.meta.kept?.step ?? 22).toBe(19 + errors.lastIndexOf(Math.min(...errors)));
  });
});

describe("a dictionary that changes between two tests after the same update", () => {
  const [before, after] = [{} as Model, {} as Model];
  const test5 = (testRmse: number) => ({ step: 5, examples: 100, testRmse });

  test.each([
    ["worse: the one before it is the best", 5.2, before, 5],
    ["better: it is the best", 4.9, undefined, 4.9],
  ])("is %s", async (_, testRmse, model, best) => {
    const record = new BestModel(true);
    record.note(test5(5));
    await record.beforeChange(5, async () => before);
    record.note(test5(testRmse));
    expect(record.earlier?.model).toBe(model);
    expect(record.record.best?.testRmse).toBe(best);
    await record.beforeChange(5, async () => after); // before the next update
    expect(record.earlier?.model).toBe(model ?? after);
  });
});

describe("a run that ends early", () => {
  afterEach(() => {
    vi.restoreAllMocks();
  });

  /** Aborted after four updates, with no test since the start. */
  const interrupted = () => interruptedAt(4, { ...small, testEvery: 1000 });

  test("by an interruption is tested, and keeps the better of its start and its end", async () => {
    const { reports } = await usual();
    const { last, model } = await interrupted();
    expect(last).toMatchObject({ step: 4, ended: "aborted", testRmse: reports[4].testRmse });
    expect(last.kept).toMatchObject({ step: 0, testRmse: reports[0].testRmse });
    expect(model.meta).toMatchObject({ examplesSeen: 0, kept: { step: 0, of: 4 } });
  });

  test("by an interruption is not tested if that takes long: the last model is kept", async () => {
    let now = 0;
    vi.spyOn(performance, "now").mockImplementation(() => (now += 20_000));
    const { last, model } = await interrupted();
    expect(last).toMatchObject({ step: 4, ended: "aborted", kept: { step: 4, examples: 80 } });
    expect(last).not.toHaveProperty("testRmse");
    expect(model.meta.examplesSeen).toBe(80);
    expect(model.meta).not.toHaveProperty("kept");
  });

  test("by its time limit is tested", async () => {
    const { reports, model } = await collect(data, { ...small, testEvery: 1000, minutes: 1e-8 });
    expect(reports.at(-1)).toMatchObject({ step: 1, ended: "time", testRmse: expect.any(Number) });
    expect(model.meta.kept).toEqual({ step: 0, of: 1 });
  });

  test("by its caller is tested before its model is chosen", async () => {
    const run = train(data, { ...small, testEvery: 1000 });
    for await (const { step } of run) if (step === 5) break;
    expect((await run.model()).meta.kept).toEqual({ step: 0, of: 5 });
  });

  test("puts everything it has learned into the dictionary first, with sparse-odl", async () => {
    const learner = "sparse-odl";
    const { snapshots } = await watched({ learner, firstSteps: undefined });
    const { last, model } = await interruptedAt(8, {
      ...small,
      learner,
      firstSteps: undefined,
      testEvery: 1000,
      keep: "last",
    }); // its atoms were updated after 7 mini-batches, and would be after 9
    expect(model.A).not.toEqual(snapshots[8].A);
    expect(last.testRmse).toBeDefined();
  });
});

async function interruptedAt(step: number, options: TrainOptions) {
  const controller = new AbortController();
  const run = train(data, { ...options, signal: controller.signal });
  let last: TrainReport | undefined;
  for await (const report of run) {
    if (report.step === step - 1) controller.abort();
    last = report;
  }
  return { last: last!, model: await run.model() };
}
