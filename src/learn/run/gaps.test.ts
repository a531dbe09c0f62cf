import { describe, expect, test } from "vitest";
import { InputError } from "../../core/errors.js";
import { Rng } from "../../core/random/rng.js";
import type { Signal } from "../../core/signal.js";
import { sourceOf } from "../../data/sampling/signalSource.js";
import { syntheticPictures } from "../../data/syntheticPictures.js";
import { createReferenceKernels } from "../../kernels/reference/index.js";
import { modelToBytes } from "../../model/files.js";
import { openLearner } from "../online/onlineLearner.js";
import { RunIdentity } from "./runSettings.js";
import { train } from "./train.js";
import { resolveTraining } from "./trainOptions.js";

const kernels = createReferenceKernels();
const pictures = syntheticPictures(5, 4, 24);
const options = {
  patch: [5, 5],
  base: "odct:1",
  examples: 200,
  batch: 50,
  epochs: 1,
  holdout: 20,
  seed: 3,
  kernels,
};

/** Of these, the options of a learner of batches. */
const online = { patch: options.patch, base: options.base, examples: options.examples, kernels };

/** The same samples missing, marked by a value. */
function marked(value: number, share = 0.01): Signal[] {
  const rng = Rng.from(9);
  return pictures.map((picture) => ({
    ...picture,
    data: picture.data.map((v) => (rng.uniform() < share ? value : v)),
  }));
}

const kinds = [
  ["signals", {}, (signals: Signal[]) => signals],
  ["windows", { groupSamples: 2000, examples: 60 }, sourceOf],
  ["groups", { groupSamples: 1200 }, sourceOf],
] as const;

describe.each(kinds)("data of which %s are held", (holds, more, open) => {
  test("are learned from without their missing samples, whatever marks them", async () => {
    const learn = async (value: number) => {
      const run = train(open(marked(value)), { ...options, ...more, nodata: value });
      const plan = await run.plan();
      expect(plan.holds).toBe(holds);
      return { plan, bytes: modelToBytes(await run.model()) };
    };
    const { plan, bytes } = await learn(-9999);
    expect(plan.windowsWithGaps).toBeGreaterThan(100);
    expect(plan.windowsWithGaps + plan.available).toBe(4 * 20 * 20);
    for (const value of [Number.NaN, -3.4028235e38, 65535, Infinity])
      expect((await learn(value)).bytes).toEqual(bytes);
  });

  test("give the same dictionary with nodata if no sample is missing", async () => {
    const [plain, named] = [undefined, [-9999, Number.NaN]].map((nodata) =>
      train(open(pictures), { ...options, ...more, nodata }).model(),
    );
    expect(modelToBytes(await named)).toEqual(modelToBytes(await plain));
  });
});

test("test signals may have missing samples, too", async () => {
  const [plain, other] = [-9999, Number.NaN].map(async (value) => {
    const run = train(pictures, { ...options, test: marked(value), nodata: value });
    const tested: (number | undefined)[] = [];
    for await (const { testRmse } of run) tested.push(testRmse);
    return tested;
  });
  expect((await plain).some((rmse) => rmse !== undefined && rmse < 100)).toBe(true);
  expect(await other).toEqual(await plain);
});

test("data without a whole window are refused", async () => {
  await expect(train(marked(-9999, 0.9), { ...options, nodata: -9999 }).model()).rejects.toThrow(
    new InputError("train: the data must have a window of 5x5 without missing samples, got 0 in all"),
  );
});

test("test data without a whole window are refused as test data", async () => {
  const test = marked(-9999, 0.9);
  await expect(train(pictures, { ...options, test, nodata: -9999 }).plan()).rejects.toThrow(
    new InputError("train: test must have a window of 5x5 without missing samples, got none"),
  );
  const one = marked(-9999, 0.9).slice(0, 1); // the others are whole
  const run = train(pictures, { ...options, test: [...one, ...pictures], nodata: -9999 });
  expect((await run.plan()).holdout).toBe(20);
  await run.close();
  expect(() => openLearner({ ...online, test, nodata: -9999 })).toThrow(
    new InputError("openLearner: test must have a window of 5x5 without missing samples, got none"),
  );
});

test("data that are not finite, or do not fit their shape, are refused at once", () => {
  for (const value of [Number.NaN, Infinity, -Infinity])
    expect(() => train(marked(value), options)).toThrow(/samples must be finite, got -?(NaN|Infinity) at \[/);
  const short = { name: "short", shape: [32, 32], data: new Float32Array(10) };
  expect(() => train(short, options)).toThrow("short: shape 32x32 must have 1024 samples, got 10");
});

test("a run resumes only with the same marks of missing samples", () => {
  const begin = (nodata: number | undefined, saved?: RunIdentity) => {
    const run = new RunIdentity(resolveTraining({ ...options, nodata }), saved);
    run.addSignals("the data", pictures);
    return run;
  };
  begin(-9999, begin(-9999));
  begin(undefined, begin(undefined));
  expect(() => begin(undefined, begin(-9999))).toThrow(/no-data -9999, as in the checkpoint/);
  expect(() => begin(-9999, begin(undefined))).toThrow(/got .*, no-data -9999/);
});

describe("a sample far beyond the others", () => {
  const spoiled = (value: number) => {
    const signals = pictures.map((picture) => ({ ...picture, data: picture.data.slice() }));
    signals[2].data[40] = value;
    return signals;
  };

  test("is in the plan, with its place", async () => {
    const run = train(spoiled(1e10), options);
    expect((await run.plan()).extreme).toMatchObject({
      name: pictures[2].name,
      place: "[1, 16]",
      value: 1e10,
    });
    await run.close();
    const ordinary = train(pictures, options);
    expect((await ordinary.plan()).extreme).toBeUndefined();
    await ordinary.close();
    expect(kernels.memory.used).toBe(0);
  });

  test.each([1e37, -3.4028234663852886e38])("ends the run if it is %d, before it begins", async (value) => {
    await expect(train(spoiled(value), options).model()).rejects.toThrow(
      /^train: .* has a sample of .* at \[1, 16\], far beyond the others .* name it by nodata$/,
    );
    expect(kernels.memory.used).toBe(0);
    await train(spoiled(value), { ...options, nodata: value }).model();
    expect(kernels.memory.used).toBe(0);
  });

  test("does not decide the units of a run", async () => {
    const scaleOf = async (signals: Signal[]) => {
      const run = train(signals, options);
      const { scale } = await run.plan();
      await run.close();
      return scale;
    };
    expect(await scaleOf(spoiled(1e11))).toBe(await scaleOf(pictures));
  });

  test("leaves its unit out of a set that is read in groups", async () => {
    const lines: string[] = [];
    const groups = { ...options, groupSamples: 600, holdout: 0 };
    const onUnreadable = (line: string) => lines.push(line);
    const run = train(sourceOf(spoiled(1e37)), { ...groups, seed: 4, onUnreadable });
    const model = await run.model();
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatch(/has a sample of 1e\+37 at \[1, 16\].*, skipped$/);
    expect(model.A.values.every(Number.isFinite)).toBe(true);
  });
});
