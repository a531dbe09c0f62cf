import { describe, expect, test } from "vitest";
import { InputError } from "../../core/errors.js";
import { syntheticPictures } from "../../data/syntheticPictures.js";
import type { Kernels, WindowList } from "../../kernels/contract.js";
import { createReferenceKernels } from "../../kernels/reference/index.js";
import { modelToBytes } from "../../model/files.js";
import type { Model } from "../../model/model.js";
import { collect, patchesOf, picture, times, watchKernels } from "../learners/learner.case.js";
import { DivergedError } from "../learners/learner.js";
import { osdl } from "../learners/osdl.js";
import { learnerNames } from "../learners/registry.js";
import { train } from "./train.js";
import type { TrainReport } from "./trainingLoop.js";
import type { TrainOptions } from "./trainOptions.js";

const data = syntheticPictures(3, 2, 24); // 2 · 20² windows of 5×5
const flat = [picture([24, 24], () => 7)];
const small = {
  patch: [5, 5],
  base: "odct:1",
  atomSparsity: 3,
  coding: { sparsity: 2 },
  batch: 20,
  examples: 210,
  epochs: 1,
  holdout: 30,
  keep: "last",
  reportEvery: 1,
} as const satisfies TrainOptions;

describe("a snapshot", () => {
  const learners = learnerNames.map((learner) => ({ learner }));
  test.each(learners)(
    "of $learner is the dictionary so far, and does not change the run",
    async ({ learner }) => {
      const { atomSparsity: _k, ...rest } = small;
      const options = { ...rest, learner, epochs: 2, kernels: createReferenceKernels() };
      const run = train(data, options);
      const snapshots: Model[] = [];
      for await (const _ of run) snapshots.push(await run.snapshot());
      const model = await run.model();
      expect(snapshots[1].meta.examplesSeen).toBeLessThan(model.meta.examplesSeen);
      const bytes = modelToBytes(model);
      if (learner !== "pca") expect(modelToBytes(snapshots.at(-1)!)).toEqual(bytes); // pca ends with a last decomposition
      expect(modelToBytes(await train(data, options).model())).toEqual(bytes);
    },
  );

  test("is rejected before the run and after it", async () => {
    const message = "TrainingRun.snapshot: works only while the run is being iterated";
    const run = train(data, { ...small, kernels: createReferenceKernels() });
    await run.plan();
    await expect(run.snapshot()).rejects.toThrow(message);
    await run.model();
    await expect(run.snapshot()).rejects.toThrow(message);
  });
});

describe("reports", () => {
  test("come before the first mini-batch and after every one, with epochs and examples counted", async () => {
    const { reports, model } = await collect(data, { ...small, epochs: 2 });
    expect(reports.map(({ step }) => step)).toEqual([...Array(23).keys()]);
    const examples = reports.map((report) => report.examples);
    expect(examples.slice(0, 12)).toEqual([0, 20, 40, 60, 80, 100, 120, 140, 160, 180, 200, 210]);
    expect(examples.slice(12)).toEqual(examples.slice(1, 12).map((count) => count + 210));
    expect(reports.map(({ epoch }) => epoch)).toEqual([0, ...Array(11).fill(1), ...Array(11).fill(2)]);
    expect(reports[0]).toMatchObject({ rmse: Number.NaN, stepSize: 0, atomsUsed: 0, atomsReplaced: 0 });
    for (const { rmse, stepSize, atomsUsed } of reports.slice(1)) {
      expect(rmse).toBeGreaterThan(0);
      expect(stepSize).toBeGreaterThan(0);
      expect(atomsUsed).toBeGreaterThan(0);
      expect(atomsUsed).toBeLessThanOrEqual(25);
    }
    expect(reports.flatMap(({ ended }) => ended ?? [])).toEqual(["epochs"]);
    expect(reports.at(-1)!.ended).toBe("epochs");
    expect(model.meta.examplesSeen).toBe(420);
  });

  test("come every `reportEvery` mini-batches, and at the end", async () => {
    const { reports } = await collect(data, { ...small, holdout: 0, reportEvery: 4 });
    expect(reports.map(({ step }) => step)).toEqual([0, 4, 8, 11]);
  });

  test("come about a hundred times per epoch by default", async () => {
    const { reports } = await collect(data, { ...small, batch: 1, epochs: 2, reportEvery: undefined });
    for (const epoch of [1, 2]) {
      const count = reports.filter((report) => report.epoch === epoch).length;
      expect(count).toBeGreaterThan(50);
      expect(count).toBeLessThanOrEqual(101);
    }
  });

  test("also come after 1, 2, 4, 8… mini-batches of a long epoch", async () => {
    const early = {
      ...small,
      batch: 1,
      examples: 1500,
      holdout: 0,
      atomCare: false,
      reportEvery: undefined,
    } as const;
    const large = syntheticPictures(3, 2, 34); // 2 · 30² windows
    const { reports } = await collect(large, early);
    expect(reports.slice(0, 7).map(({ step }) => step)).toEqual([0, 1, 2, 4, 8, 15, 30]);
  });

  test("give the error of all mini-batches since the report before", async () => {
    const every = await collect(data, { ...small, holdout: 0 });
    const seldom = await collect(data, { ...small, holdout: 0, reportEvery: 100 });
    const counts = every.reports.slice(1).map(({ examples }, i) => examples - every.reports[i].examples);
    const energy = counts.reduce((sum, count, i) => sum + count * every.reports[i + 1].rmse ** 2, 0);
    expect(seldom.reports.at(-1)!.rmse).toBeCloseTo(Math.sqrt(energy / 210), 4);
    expect(modelToBytes(seldom.model)).toEqual(modelToBytes(every.model)); // reports change nothing
  });
});

describe("the end of a run", () => {
  const run = (more: Partial<TrainOptions>, signals = data) => collect(signals, { ...small, ...more });
  const end = ({ reports }: { reports: TrainReport[] }) => {
    expect(reports.slice(0, -1).every(({ ended }) => ended === undefined)).toBe(true);
    return reports.at(-1)!;
  };

  test("comes when the test error has not improved for `patience` measurements", async () => {
    const few = end(await run({ epochs: 50, testEvery: 20, patience: 2 }, flat)); // always zero: never better
    const more = end(await run({ epochs: 50, testEvery: 20, patience: 5 }, flat));
    expect(few.ended).toBe("no improvement");
    expect(few.examples).toBeLessThanOrEqual(60);
    expect(more.ended).toBe("no improvement");
    expect(more.examples - few.examples).toBe(60);
  });

  test("does not come while the test error improves", async () => {
    const { reports } = await run({ examples: 700, epochs: 2, patience: 1, testEvery: 700 });
    const errors = reports.flatMap(({ testRmse }) => testRmse ?? []);
    expect(errors).toEqual([...errors].sort((a, b) => b - a));
    expect(end({ reports })).toMatchObject({ ended: "epochs", examples: 1400 });
  });

  test("comes when the time is up", async () => {
    const { ended, step } = end(await run({ minutes: 1e-8, epochs: 1000, reportEvery: 1000 }));
    expect(ended).toBe("time");
    expect(step).toBe(1);
  });

  test("comes when the caller aborts, with the model so far", async () => {
    const controller = new AbortController();
    const aborted = train(data, { ...small, epochs: 1000, signal: controller.signal });
    const reports: TrainReport[] = [];
    for await (const report of aborted) {
      reports.push(report);
      if (report.step === 3) controller.abort();
    }
    expect(end({ reports })).toMatchObject({ ended: "aborted", step: 4, examples: 80 });
    expect((await aborted.model()).meta.examplesSeen).toBe(80);
  });

  test("comes soon if the caller aborts from a timer, or before the start", async () => {
    const signal = AbortSignal.timeout(150);
    expect(end(await run({ epochs: 1e6, reportEvery: 1e6, signal })).ended).toBe("aborted");
    const { ended, step } = end(await run({ epochs: 1000, signal: AbortSignal.abort() }));
    expect(ended).toBe("aborted");
    expect(step).toBe(0);
  });

  test("leaves the model so far if the caller breaks out of the loop", async () => {
    const broken = train(data, { ...small, epochs: 1000 });
    for await (const { step } of broken) if (step === 5) break;
    const model = await broken.model();
    expect(model.meta.examplesSeen).toBe(100);
    const controller = new AbortController();
    const aborted = train(data, { ...small, epochs: 1000, signal: controller.signal });
    for await (const { step } of aborted) if (step === 4) controller.abort();
    expect(model.A).toEqual((await aborted.model()).A); // two ways to stop at the same mini-batch
  });

  test("is a DivergedError if the error is not finite, and everything is freed", async () => {
    const watched = watchKernels();
    let steps = 0;
    const kernels: Kernels = {
      ...watched.kernels,
      async addSquaredNorm(M, scalars, slot) {
        await watched.kernels.addSquaredNorm(M, scalars, slot);
        if (++steps === 3) {
          const values = await watched.kernels.readMatrix(scalars);
          values.data[slot] = Number.POSITIVE_INFINITY;
          await watched.kernels.writeMatrix(scalars, values);
        }
      },
    };
    const failing = train(data, { ...small, holdout: 0, kernels });
    await expect(failing.model()).rejects.toThrow(
      new DivergedError("train: the error is not finite at step 3"),
    );
    expect(watched.alive()).toBe(0);
    await expect(failing.model()).rejects.toThrow();
  });
});

describe("a run", () => {
  test("trains if only its model is asked for", async () => {
    const iterated = await collect(data, small);
    const run = train(data, small);
    expect(modelToBytes(await run.model())).toEqual(modelToBytes(iterated.model));
    expect(await run.model()).toBe(await run.model());
  });

  test("can be iterated only once", async () => {
    const run = train(data, small);
    for await (const _ of run) break;
    await expect(run[Symbol.asyncIterator]().next()).rejects.toThrow(
      new InputError("TrainingRun: a run can be iterated only once"),
    );
  });

  test("has no model before it has ended", async () => {
    const run = train(data, small);
    for await (const _ of run) {
      await expect(run.model()).rejects.toThrow(
        new InputError("TrainingRun.model: the run has not ended yet, so there is no model"),
      );
      break;
    }
  });

  test("needs data, and checks its options at once", () => {
    expect(() => train([], small)).toThrow(
      new InputError("train: data must hold at least one signal, got none"),
    );
    expect(() => train(data, { ...small, batch: 0 })).toThrow(
      new InputError("train: batch must be an integer of at least 1, got 0"),
    );
  });

  test("records in its model how it was trained", async () => {
    const { model } = await collect(data, { ...small, seed: 9, epochs: 2, momentum: 0.5, removeMean: false });
    expect(model.meta).toMatchObject({
      learner: "osdl",
      seed: 9,
      examplesSeen: 420,
      removeMean: false,
      coding: { sparsity: 2 },
      options: { atomSparsity: 3, batch: 20, epochs: 2, examples: 210, momentum: 0.5 },
    });
  });

  test("keeps the means of examples if asked to", async () => {
    const mean = async (removeMean: boolean) => (await collect(flat, { ...small, removeMean })).reports[1];
    expect(await mean(true)).toMatchObject({ rmse: 0, atomsUsed: 0 });
    expect(await mean(false)).toMatchObject({ atomsUsed: 1 }); // the constant
  });

  test("codes down to an error in the units of the data, whatever they are", async () => {
    for (const factor of [1, 1 / 256]) {
      const coding = { error: 8 * factor };
      const signals = data.map((signal) => times(signal, factor));
      const { reports, model } = await collect(signals, { ...small, coding });
      // over the base, which spans all signals; a dictionary that learns need not, for a while
      expect(reports[0].testRmse).toBeLessThanOrEqual(8 * factor);
      expect(reports[0].testRmse).toBeGreaterThan(4 * factor);
      expect(model.meta.coding).toEqual(coding);
    }
  });
});

describe("the plan", () => {
  test("is adjusted to the data", async () => {
    const { examples, holdout, available, steps, batch } = await train(data, {
      ...small,
      kernels: createReferenceKernels(),
      holdout: undefined,
      examples: 1e9,
      batch: 1e6,
      epochs: 3,
    }).plan();
    expect(available).toBe(800);
    expect(holdout).toBe(80); // 5,000 by default, at most a tenth
    expect(examples).toBe(720);
    expect(batch).toBe(720);
    expect(steps).toBe(3);
  });

  test("holds out as many examples as it is told to, at most half", async () => {
    const plan = (holdout: number) => train(data, { ...small, examples: 1e9, holdout }).plan();
    expect(await plan(300)).toMatchObject({ holdout: 300, examples: 500 });
    expect(await plan(5000)).toMatchObject({ holdout: 400, examples: 400 });
  });

  test("is what the run then does", async () => {
    const run = train(data, { ...small, epochs: 2 });
    const { steps, examples, holdout } = await run.plan();
    let last: TrainReport | undefined;
    for await (const report of run) last = report;
    expect([steps, examples, holdout]).toEqual([22, 210, 30]);
    expect(last).toMatchObject({ step: steps, examples: 2 * examples });
  });

  test("brings the deviation of the median example to ¼ … ½ by a power of two", async () => {
    for (const factor of [1, 3e-6, 1e8]) {
      const signals = data.map((signal) => times(signal, factor));
      const kernels = createReferenceKernels();
      const { scale } = await train(signals, { ...small, examples: 1e9, holdout: 0, kernels }).plan();
      expect(Number.isInteger(Math.log2(scale))).toBe(true);
      const windows = signals.flatMap((signal) => patchesOf(signal, small.patch, 2000));
      const energies = windows.map((window) => energyWithoutMean(window.data)).filter((energy) => energy > 0);
      const median = energies.sort((a, b) => a - b)[energies.length >> 1];
      const deviation = scale * Math.sqrt(median / 25);
      expect(deviation).toBeGreaterThan(0.9 * 0.25); // of other examples than those of the plan
      expect(deviation).toBeLessThan(1.1 * 0.5);
    }
  });
});

describe("test examples", () => {
  /** Kernels that record which windows are extracted. */
  function spy() {
    const kernels = createReferenceKernels();
    const cuts: string[][] = [];
    const extract: Kernels["extract"] = async (store, windows, ...rest) => {
      cuts.push(names(windows));
      await kernels.extract(store, windows, ...rest);
    };
    return { kernels: { ...kernels, extract }, cuts };
  }

  function names({ signal, start }: WindowList): string[] {
    return Array.from(signal, (s, i) => `${s}:${start[i]}`);
  }

  test("are held out: every training example comes once per epoch, no test example ever", async () => {
    const { kernels, cuts } = spy();
    const run = train(data, { ...small, epochs: 2, kernels });
    const epochs: string[][] = [[], []];
    let setUp: string[] = [];
    for await (const { step, epoch } of run) {
      if (step === 0) setUp = cuts.flat();
      else epochs[epoch - 1].push(...cuts[0]); // the mini-batch; a test may follow it
      cuts.length = 0;
    }
    const [first, second] = epochs as [string[], string[]];
    expect(first.length).toBe(210);
    expect(new Set(first).size).toBe(210);
    expect(second).not.toEqual(first);
    expect([...second].sort()).toEqual([...first].sort());
    // before the first mini-batch: training examples, to find the units, and the test examples
    const trained = new Set(first);
    expect(new Set(setUp.filter((name) => !trained.has(name))).size).toBe(30);
  });

  test("are measured before the first mini-batch, every `testEvery` examples, and at the end", async () => {
    const { reports } = await collect(data, { ...small, testEvery: 50 });
    const at = reports.filter(({ testRmse }) => testRmse !== undefined).map(({ examples }) => examples);
    expect(at[0]).toBe(0);
    expect(at.at(-1)).toBe(210);
    at.slice(1, -1).forEach((examples, i) => {
      expect(examples - at[i]).toBeGreaterThanOrEqual(50);
      expect(examples - at[i]).toBeLessThan(50 + small.batch);
    });
    expect(at.length).toBeGreaterThan(4);
  });

  test("are measured once per epoch by default", async () => {
    const { reports } = await collect(data, { ...small, epochs: 3 });
    const at = reports.filter(({ testRmse }) => testRmse !== undefined).map(({ examples }) => examples);
    expect(at).toEqual([0, 210, 420, 630]);
  });

  test("do not change what is learned", async () => {
    const usual = await collect(data, small);
    const often = await collect(data, { ...small, testEvery: 1 });
    expect(often.model.A).toEqual(usual.model.A);
  });

  test("are optional: without them there is no test error", async () => {
    const { reports } = await collect(data, { ...small, holdout: 0 });
    expect(reports.every((report) => !("testRmse" in report))).toBe(true);
  });

  test("come from the test signals if there are any, and then none is held out", async () => {
    const options = { ...small, examples: 1e9, test: flat };
    const plan = await train(data, { ...options, kernels: createReferenceKernels() }).plan();
    expect(plan).toMatchObject({ examples: 800, available: 800, holdout: 30 });
    const { reports } = await collect(data, { ...options, examples: 100 });
    for (const { testRmse, rmse } of [reports[0], reports.at(-1)!]) {
      expect(testRmse).toBe(0); // flat patches without their means
      expect(rmse).not.toBe(0);
    }
  });
});

describe("data in extreme units", () => {
  const relative = async (factor: number) => {
    const signals = data.map((signal) => times(signal, factor));
    const { reports } = await collect(signals, { ...small, examples: 700, epochs: 2 });
    for (const { step, rmse, stepSize } of reports) {
      expect(Number.isFinite(rmse)).toBe(step > 0);
      expect(Number.isFinite(stepSize)).toBe(true);
    }
    const { rmse, testRmse } = reports.at(-1)!;
    return { rmse: rmse / factor, testRmse: testRmse! / factor };
  };

  // Not a power of two: the computation is in units up to twice as large, and every number is rounded differently.
  // The algorithm is nearly independent of units (0.7 % between 0–255 and 0–1 on Lena), not exactly.
  test("lead to the same relative error", async () => {
    const usual = await relative(1);
    for (const factor of [1e-20, 1e20, 1e-36, 1e35]) {
      const { rmse, testRmse } = await relative(factor);
      expect(Math.abs(rmse / usual.rmse - 1)).toBeLessThan(0.1);
      expect(Math.abs(testRmse / usual.testRmse - 1)).toBeLessThan(0.1);
    }
  });
});

function energyWithoutMean(values: Float32Array): number {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  return values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
}

describe("data that train takes", () => {
  const options = {
    atoms: 20,
    examples: 60,
    batch: 30,
    holdout: 5,
    kernels: createReferenceKernels(),
  } as const;
  const [picture] = syntheticPictures(5, 1, 24);

  test("one signal is as good as a list of one", async () => {
    const one = await train(picture, { ...options, patch: [4, 4] }).model();
    const list = await train([picture], { ...options, patch: 4 }).model();
    expect(modelToBytes(one)).toEqual(modelToBytes(list));
  });

  test("one number is a size along every axis, with all channels of colour pictures", async () => {
    const samples = Float32Array.from({ length: 192 }, (_, i) => i % 7);
    const colour = { name: "colour", shape: [8, 8, 3], data: samples };
    expect((await train(colour, { ...options, patch: 4 }).model()).shape).toEqual([4, 4, 3]);
  });

  test("a typed array is a 1-D signal, and so is an array of one axis", async () => {
    const data = Float32Array.from({ length: 99 }, (_, i) => i % 7);
    const typed = await train(data, { ...options, patch: 4 }).model();
    const shaped = await train({ shape: [99], data }, { ...options, patch: [4] }).model();
    expect(typed.shape).toEqual([4]);
    expect(modelToBytes(typed)).toEqual(modelToBytes(shaped));
  });

  test.each([
    [{ sparsity: 4 }, "train: unknown option sparsity; did you mean coding: { sparsity: 4 }?"],
    [{ patchs: [8, 8] }, "train: unknown option patchs; did you mean patch?"],
    [{ seconds: 90 }, "train: unknown option seconds; did you mean minutes: 1.5?"],
    [{ coding: { sparsty: 2 } }, "train: coding: unknown option sparsty; did you mean sparsity?"],
    [{ atomCare: { evry: 2 } }, "train: atomCare: unknown option evry; did you mean every?"],
  ])("refuses %j by name", (more, message) => {
    expect(() => train([picture], { ...options, patch: 4, ...more } as never)).toThrow(
      new InputError(message),
    );
  });

  test("refuses anything else with what it takes", () => {
    for (const patch of [8, [8, 8]]) {
      expect(() => train("photos" as never, { patch })).toThrow(
        /^train: data must be a signal, several signals, a typed array or an array { shape, data }, got "photos"; /,
      );
      expect(() => train([1, 2] as never, { patch })).toThrow(
        /^train: data\[0\] must be a signal, .* got 1$/,
      );
      expect(() => train(null as never, { patch })).toThrow(/^train: data must be a signal, .* got null$/);
      expect(() => train([], { patch })).toThrow(/^train: data must hold at least one signal, got none$/);
    }
  });

  test("a learner of one's own is used under its name", async () => {
    const mine = { ...osdl, name: "mine" };
    const own = await train([picture], { ...options, patch: 4, learner: mine }).model();
    const usual = await train([picture], { ...options, patch: 4 }).model();
    expect(own.meta.learner).toBe("mine");
    expect(own.A).toEqual(usual.A);
  });
});
