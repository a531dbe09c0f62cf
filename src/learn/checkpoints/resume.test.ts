import { describe, expect, test } from "vitest";
import { InputError } from "../../core/errors.js";
import type { SparseColumns } from "../../core/matrix.js";
import { makeSignal } from "../../core/signal.js";
import { contentsOf, type DataContents } from "../../data/sampling/dataContents.js";
import { type SignalSource, sourceOf } from "../../data/sampling/signalSource.js";
import { syntheticPictures } from "../../data/syntheticPictures.js";
import type { DeviceMatrix, Kernels } from "../../kernels/contract.js";
import { createCpuKernels } from "../../kernels/cpu/index.js";
import { createReferenceKernels } from "../../kernels/reference/index.js";
import { modelToBytes } from "../../model/files.js";
import { collect, keepEvery } from "../learners/learner.case.js";
import { DivergedError } from "../learners/learner.js";
import { type LearnerName, learnerNames, learners } from "../learners/registry.js";
import { requireSameSettings } from "../run/runSettings.js";
import { train } from "../run/train.js";
import type { TrainOptions } from "../run/trainOptions.js";
import { type Checkpoint, checkpointFromBytes } from "./checkpoint.js";
import type { RunSettings } from "./checkpointHeader.js";

const data = syntheticPictures(3, 2, 24); // 2 · 20² windows of 5×5
const small = {
  patch: [5, 5],
  base: "odct:1",
  atomSparsity: 3,
  coding: { sparsity: 2 },
  batch: 20,
  examples: 210,
  epochs: 2,
  holdout: 30,
  reportEvery: 4,
  firstSteps: "paper", // so early, they leave a dictionary that is worse than the start
  kernels: createReferenceKernels(),
} as const satisfies TrainOptions;

/** The checkpoints of a run, its reports and its model. */
async function runAndSave(more: Partial<TrainOptions> = {}, every = 1) {
  const saved: Uint8Array[] = [];
  const { reports, model } = await collect(data, { ...small, ...more, checkpoints: keepEvery(every, saved) });
  return { saved, reports, model };
}

const opened = (bytes: Uint8Array) => checkpointFromBytes(bytes, "a.tlc");

describe("a run that resumes", () => {
  test("after an interruption between two reports gives the reports of an uninterrupted run", async () => {
    const plain = await collect(data, small);
    const controller = new AbortController();
    const saved: Uint8Array[] = [];
    const last = keepEvery(Infinity, saved); // at the end alone
    const due = (step: number) => {
      if (step === 6) controller.abort();
      return false;
    };
    const run = train(data, { ...small, signal: controller.signal, checkpoints: { ...last, due } });
    const first = [];
    for await (const report of run) first.push(report);
    expect(first.at(-1)).toMatchObject({ step: 6, ended: "aborted" });
    const { reports, model } = await collect(data, { ...small, resume: await opened(saved[0]) });
    expect([...first.slice(0, -1), ...reports]).toEqual(plain.reports);
    expect(modelToBytes(model)).toEqual(modelToBytes(plain.model));
  });

  test("counts the time it took before, and ends at once if that is over the limit", async () => {
    const { saved } = await runAndSave({}, 5);
    const resume = await opened(saved[0]);
    expect(resume.header.position.seconds).toBeGreaterThan(0);
    const minutes = resume.header.position.seconds / 60 / 2;
    const { reports, model } = await collect(data, { ...small, resume, minutes });
    expect(reports).toMatchObject([{ step: 5, examples: 100, ended: "time", testRmse: expect.any(Number) }]);
    expect(model.meta).toMatchObject({ examplesSeen: 0, kept: { step: 0, of: 5 } }); // so early, the start is better
  });

  test("makes no further step if it had ended for lack of improvement", async () => {
    const waits = { epochs: 50, testEvery: 20, patience: 2 };
    const { saved, reports, model } = await runAndSave(waits);
    expect(reports.at(-1)!.ended).toBe("no improvement");
    const again = await collect(data, { ...small, ...waits, resume: await opened(saved.at(-1)!) });
    expect(again.reports).toEqual(reports.slice(-1));
    expect(modelToBytes(again.model)).toEqual(modelToBytes(model));
    const patient = { ...small, ...waits, patience: 3, resume: await opened(saved.at(-1)!) };
    expect((await collect(data, patient)).model.meta.examplesSeen).toBeGreaterThan(model.meta.examplesSeen);
  });

  test("can take more epochs, with the same result as if it had them from the start, without atom care", async () => {
    const alone = { atomCare: false } as const;
    const more = await collect(data, { ...small, ...alone, epochs: 3 });
    const { saved } = await runAndSave(alone, 100);
    const longer = { ...small, ...alone, epochs: 3, resume: await opened(saved.at(-1)!) };
    const { reports, model } = await collect(data, longer);
    expect(reports).toEqual(more.reports.filter(({ step }) => step > 22));
    expect(modelToBytes(model)).toEqual(modelToBytes(more.model));
  });

  test("can use other kernels", async () => {
    const { saved, reports } = await runAndSave();
    const kernels = await createCpuKernels({ threads: 2 });
    const other = await collect(data, { ...small, kernels, resume: await opened(saved[9]) });
    await kernels.close();
    const [here, there] = [reports.at(-1)!, other.reports.at(-1)!];
    expect(there).toMatchObject({ step: here.step, examples: here.examples, ended: "epochs" });
    expect(Math.abs(there.testRmse! - here.testRmse!)).toBeLessThan(0.01 * here.testRmse!);
  });
});

describe("a run on the whole set, of which a file cannot be read,", () => {
  const source = sourceOf(syntheticPictures(3, 9, 20));
  const lost = {
    ...source,
    async read(unit: number, into: Float32Array) {
      if (unit === 4) throw new InputError(`${source.units[unit].name}: cannot be read`);
      await source.read(unit, into);
    },
  };
  const options = {
    patch: [4, 4],
    base: "odct:1",
    coding: { sparsity: 2 },
    examples: 60,
    epochs: 3,
    holdout: 10,
    groupSamples: 1200, // fewer than the samples of all pictures: its windows alone are held
    kernels: createReferenceKernels(),
  } as const satisfies TrainOptions;

  /** A run without the file, and its first checkpoint. */
  async function withoutFile(learner: LearnerName, more: Partial<TrainOptions> = {}) {
    const saved: Uint8Array[] = [];
    const whole = await collect(lost, { ...options, ...more, learner, checkpoints: keepEvery(1, saved) });
    return { ...whole, resume: await opened(saved[0]) };
  }

  const ofWholeSet = learnerNames.filter((name) => learners[name].takes === "whole set");
  test.each(ofWholeSet)("resumes with the same bytes (%s)", async (learner) => {
    const { reports, model, resume } = await withoutFile(learner);
    expect(resume.header.position).toMatchObject({ step: 1, examples: 60 });
    const again = await collect(lost, { ...options, learner, resume });
    expect(again.reports).toEqual(reports.filter(({ step }) => step > 1));
    expect(modelToBytes(again.model)).toEqual(modelToBytes(model));
  });

  test("takes new codes if the file can be read again (niht-batch)", async () => {
    const { resume } = await withoutFile("niht-batch");
    const { reports } = await collect(source, { ...options, learner: "niht-batch", resume });
    const [before, after] = reports.map(({ rmse }) => rmse);
    expect(reports.at(-1)).toMatchObject({ step: 3, ended: "epochs" });
    expect(after).toBeLessThan(before);
  });

  test.each([
    ["more examples", options.groupSamples],
    ["as many examples, but others", 9 * 400],
  ])(
    "is refused if the file can be read again, where codes are what is learned (sedil, %s)",
    async (_, groupSamples) => {
      const { resume } = await withoutFile("sedil", { groupSamples });
      await expect(collect(source, { ...options, groupSamples, learner: "sedil", resume })).rejects.toThrow(
        new InputError(
          "train: resume: the data have changed since the checkpoint: sedil resumes only with the same examples, but other files can be read now",
        ),
      );
    },
  );
});

describe("a checkpoint of another run", () => {
  const ended = runAndSave({}, 100).then(({ saved }) => saved.at(-1)!);

  test.each([
    [{ batch: 21 }, "batch must be 20, as in the checkpoint, got 21"],
    [{ seed: 2 }, "seed must be 1, as in the checkpoint, got 2"],
    [{ coding: { sparsity: 3 } }, "sparsity must be 2, as in the checkpoint, got 3"],
    [{ coding: { sparsity: 2, pursuit: "ols" } }, "pursuit must be omp, as in the checkpoint, got ols"],
    [{ coding: { sparsity: 2, error: 1 } }, "error must be left out, as in the checkpoint, got 1"],
    [{ base: "odct:2" }, "base must be odct:1, as in the checkpoint, got odct:2"],
    [{ momentum: 0.5 }, "momentum must be 0.9, as in the checkpoint, got 0.5"],
    [{ examples: 211 }, "examples must be 210, as in the checkpoint, got 211"],
    [{ atomCare: false }, "atomCare must be 25, as in the checkpoint, got none"],
    [{ removeMean: false }, "removeMean must be true, as in the checkpoint, got false"],
    [{ learner: "niht", firstSteps: undefined }, "learner must be osdl, as in the checkpoint, got niht"],
    [{ patch: [5, 4] }, "patch must be 5x5, as in the checkpoint, got 5x4"],
    [{ epochs: 1 }, "epochs must be at least 2, which the checkpoint has begun, got 1"],
  ] as [Partial<TrainOptions>, string][])("is rejected for %j", async (other, message) => {
    const resume = await opened(await ended);
    expect(() => train(data, { ...small, ...other, resume })).toThrow(
      new InputError(`train: resume: ${message}`),
    );
  });

  test("is rejected in words that fit flags which turn something off", async () => {
    const flag = (name: string) => (name === "removeMean" ? "--no-remove-mean" : `--${name}`);
    const refusalOf = (saved: RunSettings, now: RunSettings) => {
      try {
        requireSameSettings(saved, now);
      } catch (error) {
        return (error as InputError).describe(flag);
      }
      return undefined;
    };
    expect(refusalOf({ removeMean: "true" }, { removeMean: "false" })).toBe(
      "--resume: --no-remove-mean must be left out, as in the checkpoint",
    );
    expect(refusalOf({ removeMean: "false" }, { removeMean: "true" })).toBe(
      "--resume: --no-remove-mean must be given, as in the checkpoint",
    );
    expect(refusalOf({ atomCare: "none" }, { atomCare: 25 })).toBe(
      "--resume: --atomCare must be turned off, as in the checkpoint, got 25",
    );
  });

  test("is rejected for other data (a sample, a name, an order, test signals), but not for another folder", async () => {
    const resume = await opened(await ended);
    const [a, b] = data as [(typeof data)[0], (typeof data)[0]];
    const changed = makeSignal(a.name, a.shape, a.data.with(5, 1));
    const renamed = { ...a, name: "other.png" };
    for (const other of [[changed, b], [renamed, b], [b, a], [a]]) {
      expect(() => train(other, { ...small, resume })).toThrow(
        /^train: resume: the data must be 2 signals of 1152 samples \([0-9a-f]{16}\), as in the checkpoint, got /,
      );
    }
    expect(() => train(data, { ...small, test: [a], resume })).toThrow(
      /^train: resume: the test data must be held out, as in the checkpoint, got 1 signal of 576 samples \(/,
    );
    const moved = { ...a, name: `elsewhere/${a.name}` };
    expect(() => train([moved, b], { ...small, resume })).not.toThrow();
  });
});

describe("a source", () => {
  const contentsNow = contentsOf(data);
  const sourceWith = (contents: DataContents): SignalSource => ({
    ...sourceOf(data),
    contents: async () => contents,
  });

  async function savedWith(contents: DataContents): Promise<Checkpoint> {
    const saved: Uint8Array[] = [];
    await train(sourceWith(contents), { ...small, checkpoints: keepEvery(100, saved) }).model();
    return opened(saved.at(-1)!);
  }

  test("is compared by its contents when the run starts, and what differs is named", async () => {
    const resume = await savedWith(contentsNow);
    const other = { ...contentsNow, digests: contentsNow.digests.with(1, "ffffffff") };
    await expect(train(sourceWith(other), { ...small, resume }).plan()).rejects.toThrow(
      /^train: resume: the data must be 2 files of 1152 samples .*\): synthetic 3\/1 differs$/,
    );
    const same = await train(sourceWith(contentsNow), { ...small, resume }).model();
    expect(same.meta.examplesSeen).toBe(420);
  });

  test("gives one line about files that may have changed where they were not compared", async () => {
    const resume = await savedWith({ ...contentsNow, times: [undefined, 1000] });
    const lines: string[] = [];
    const later = sourceWith({ ...contentsNow, times: [undefined, 2000] });
    await train(later, { ...small, resume, onUnreadable: (line) => lines.push(line) }).model();
    expect(lines).toEqual([
      "synthetic 3/1: changed since the checkpoint, by the time of the file; the sample that was compared is the same",
    ]);
  });

  test("without contents is compared by its fingerprint", async () => {
    const plain = (fingerprint: string): SignalSource => {
      const { units, read, close } = sourceOf(data);
      return { units, read, close, fingerprint };
    };
    const saved: Uint8Array[] = [];
    await train(plain("a"), { ...small, checkpoints: keepEvery(100, saved) }).model();
    const resume = await opened(saved.at(-1)!);
    await train(plain("a"), { ...small, resume }).model();
    await expect(train(plain("b"), { ...small, resume }).plan()).rejects.toThrow(
      "train: resume: the data must be 2 files of 1152 samples (a), as in the checkpoint, got 2 files of 1152 samples (b)",
    );
  });

  test("is not asked for its contents without checkpoints", async () => {
    const source = { ...sourceOf(data), contents: () => Promise.reject(new Error("asked")) };
    await train(source, small).model();
  });
});

describe("NaN or infinity", () => {
  /** Kernels that put this value into an atom at the third update. */
  function exploding(value: number): Kernels {
    const kernels = createReferenceKernels();
    const { moveAtoms } = kernels;
    let moves = 0;
    kernels.moveAtoms = async (k, U, S, A, step) => {
      await moveAtoms.call(kernels, k, U, S, A, step);
      if (++moves !== 3) return;
      const atoms: SparseColumns = await kernels.readSparse(A);
      atoms.setColumn(4, [1], [value]);
      await kernels.writeSparse(A, atoms);
      await kernels.writeSet(
        S,
        Uint32Array.from({ length: A.cols }, (_, j) => j),
      );
    };
    return kernels;
  }

  test.each([Number.NaN, Infinity, -Infinity, 3e38])(
    "in an atom (%d) ends the run at the next report, without a model",
    async (value) => {
      const run = train(data, { ...small, kernels: exploding(value) });
      const steps: number[] = [];
      const all = async () => {
        for await (const { step } of run) steps.push(step);
      };
      await expect(all()).rejects.toThrow(DivergedError);
      expect(steps).toEqual([0]);
      await expect(run.model()).rejects.toThrow("the run failed, so there is no model");
    },
  );

  test("in an explicit atom or a covariance ends the run as well", async () => {
    const { atomSparsity: _, firstSteps: __, ...explicit } = { ...small, atomCare: false as const };
    const spoil = async (M: DeviceMatrix, kernels: Kernels) => {
      const values = await kernels.readMatrix(M);
      values.data[2 * M.rows] = Number.NaN;
      await kernels.writeMatrix(M, values);
    };
    const [badAtoms, badSums] = [createReferenceKernels(), createReferenceKernels()];
    const [descend, add] = [badAtoms.descendAtoms, badSums.addOuter];
    badAtoms.descendAtoms = async (B, C, D) => {
      await descend.call(badAtoms, B, C, D);
      await spoil(D, badAtoms);
    };
    badSums.addOuter = async (Y, C) => {
      await add.call(badSums, Y, C);
      await spoil(C, badSums);
    };
    const failure = (learner: "odl" | "pca", kernels: Kernels) =>
      expect(collect(data, { ...explicit, learner, holdout: 0, reportEvery: 1, kernels })).rejects;
    await failure("odl", badAtoms).toThrow(new DivergedError("train: atom 2 is not finite at step 1"));
    await failure("pca", badSums).toThrow(new DivergedError("train: the covariance is not finite at step 1"));
  });

  test("is never saved in a checkpoint", async () => {
    for (const value of [Number.NaN, Infinity, 3e38]) {
      const saved: Uint8Array[] = [];
      const checkpoints = keepEvery(1, saved);
      const options = { ...small, kernels: exploding(value), reportEvery: 1000, checkpoints };
      await expect(collect(data, options)).rejects.toThrow(
        new DivergedError("train: atom 4 is not finite at step 3"),
      );
      expect(saved.length).toBe(2);
    }
  });
});
