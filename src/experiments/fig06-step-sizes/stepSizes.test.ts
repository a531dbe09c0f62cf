import { describe, expect, test } from "vitest";
import { InputError } from "../../core/errors.js";
import { syntheticPictures } from "../../data/syntheticPictures.js";
import { createReferenceKernels } from "../../kernels/reference/index.js";
import { train } from "../../learn/run/train.js";
import { type StepPoint, stepSizeClaims, summarizeSteps } from "./claims.js";
import { prepareStepSizes, runStepSizes } from "./run.js";
import { fig6, type StepSizesSettings } from "./settings.js";

const kernels = createReferenceKernels();

/** The whole experiment on 6×6 patches: a second. */
const tiny: StepSizesSettings = {
  ...fig6,
  patch: [6, 6],
  base: "cropped:db2",
  atomSparsity: 3,
  sparsity: 2,
  examples: 200,
  batch: 50,
  pictures: { count: 1, size: 40 },
};

describe("a run of fig6", async () => {
  const outcome = await runStepSizes(tiny, {}, { kernels });

  test("writes the chart, the numbers of every mini-batch, and a page", () => {
    expect(outcome.files.map(({ name }) => name)).toEqual([
      "figure-6-step-sizes.svg",
      "figure-6-step-sizes.csv",
      "figure-6-all-steps.csv",
      "index.html",
    ]);
    const lines = new TextDecoder().decode(outcome.files[1].bytes).trimEnd().split("\n");
    expect(lines.length).toBe(1 + 4);
    for (const line of lines.slice(1)) {
      const [, mean, ...others] = line.split(",").map(Number);
      const [global, square] = others.splice(-2);
      expect(others).toEqual(others.toSorted((a, b) => a - b)); // quantiles
      expect(mean).toBeGreaterThan(0);
      expect(square / global ** 2).toBeCloseTo(1, 3);
    }
    expect(outcome.claims.length).toBe(2);
  });

  test("shows the steps of all atoms that moved, and explains what the units do", () => {
    const all = new TextDecoder().decode(outcome.files[2].bytes).trimEnd().split("\n");
    expect(all.length).toBeGreaterThan(4 * 10);
    const chart = new TextDecoder().decode(outcome.files[0].bytes);
    const moved = all.slice(1).filter((line) => Number(line.split(",")[1]) > 0);
    expect(chart.match(/h0/g)?.length).toBe(moved.length);
    expect(new TextDecoder().decode(outcome.files[3].bytes)).toContain("goes with 1/c²");
  });

  test("takes the global steps from a run of OSDL itself, with momentum and atoms that grow", async () => {
    const { patch, base, atomSparsity, sparsity, examples, batch, seed } = tiny;
    const options = { patch, base, atomSparsity, coding: { sparsity }, examples, batch, seed, kernels };
    const steps: number[] = [];
    const run = train(syntheticPictures(seed, 1, 40), {
      ...options,
      firstSteps: "paper",
      holdout: 0,
      atomCare: false,
      reportEvery: 1,
    });
    const { scale } = await run.plan();
    for await (const { step, stepSize } of run) if (step > 0) steps.push(stepSize * scale);
    const points = outcome.values.points as StepPoint[];
    points.forEach(({ global }, i) => {
      expect(global / steps[i]).toBeCloseTo(1, 4);
    });
  });

  test("scales with the units of the data: 1/x² for single atoms, 1/x for the global step", async () => {
    const pictures = syntheticPictures(tiny.seed, 1, 40);
    const louder = pictures.map((picture) => ({ ...picture, data: picture.data.map((value) => 4 * value) }));
    const first = (of: typeof outcome) => (of.values.points as { mean: number; global: number }[])[0];
    const [usual, loud] = [first(outcome), first(await runStepSizes(tiny, { images: louder }, { kernels }))];
    expect((usual.mean / loud.mean) * 4 ** -2).toBeCloseTo(1, 5);
    expect(usual.global / loud.global / 4).toBeCloseTo(1, 5);
  });

  test("frees all device memory", async () => {
    const own = createReferenceKernels();
    await runStepSizes(tiny, {}, { kernels: own, signal: AbortSignal.abort() });
    expect(own.memory.used).toBe(0);
  });
});

test("options are checked before data is read", () => {
  expect(() => prepareStepSizes(fig6, { batch: 0 })).toThrow(
    new InputError("fig6: batch must be an integer of at least 1, got 0"),
  );
});

test("a summary leaves out atoms that did not move", () => {
  expect(summarizeSteps(3, [0, 4, 1, 3, 2])).toEqual({
    iteration: 3,
    mean: 2.5,
    quantiles: [1, 1, 3, 4, 4],
  });
});

test("the claims of fig6 hold or not, one by one", () => {
  const at = (mean: number, global: number) =>
    stepSizeClaims([{ iteration: 1, mean, quantiles: [0, 0, 0.002, 1, 1], global }]).map(
      ({ holds }) => holds,
    );
  expect(at(0.01, 0.005)).toEqual([true, true]);
  expect(at(0.01, 0.004)).toEqual([false, true]);
  expect(at(5, 5)).toEqual([true, false]);
  expect(at(0.01, 0.021)).toEqual([false, true]);
  expect(at(0.01, 0.032)).toEqual([false, false]); // its square is a tenth of the mean, and a little more
  expect(stepSizeClaims([])).toEqual([]);
});
