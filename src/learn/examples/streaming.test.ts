/** Runs on sources: which examples they see, and that the result does not depend on how the data are held. */

import fc from "fast-check";
import { describe, expect, test, vi } from "vitest";
import { InputError } from "../../core/errors.js";
import { Rng } from "../../core/random/rng.js";
import { makeSignal, type Signal } from "../../core/signal.js";
import { GroupedOrder, sortByUnit } from "../../data/sampling/groupedOrder.js";
import { PatchSampler } from "../../data/sampling/patchSampler.js";
import { type SignalSource, samplesOf, sourceOf, UnreadableFiles } from "../../data/sampling/signalSource.js";
import { syntheticPictures } from "../../data/syntheticPictures.js";
import type { DeviceMatrix, Kernels } from "../../kernels/contract.js";
import { createCpuKernels } from "../../kernels/cpu/index.js";
import { createReferenceKernels } from "../../kernels/reference/index.js";
import { modelToBytes } from "../../model/files.js";
import type { LearnerName } from "../learners/registry.js";
import { extractExamples, freeTraining, setUpTraining } from "../run/setup.js";
import { train } from "../run/train.js";
import { resolveTraining, type TrainOptions } from "../run/trainOptions.js";
import { GroupedExamples, groupCapacity } from "./groupedExamples.js";

const pictures = syntheticPictures(3, 9, 20); // 9 pictures of 20 × 20
const options = {
  patch: [4, 4],
  base: "odct:1",
  atomSparsity: 3,
  coding: { sparsity: 2 },
  examples: 600,
  batch: 32,
  holdout: 40,
  epochs: 2,
  seed: 5,
} as const satisfies TrainOptions;

async function trained(data: readonly Signal[] | SignalSource, more: Partial<TrainOptions> = {}) {
  const kernels = createReferenceKernels();
  const run = train(data, { ...options, ...more, kernels });
  const reports = [];
  for await (const { rmse, testRmse, examples, atomsReplaced, step } of run)
    reports.push({ rmse, testRmse, examples, atomsReplaced, step });
  const plan = await run.plan();
  expect(kernels.memory.used).toBe(0);
  return { reports, holds: plan.holds, model: await run.model(), unreadable: run.unreadable };
}

/** A source whose reads are slow, finish out of order, and fail for some units. */
function slow(signals: readonly Signal[], broken: readonly number[] = []): SignalSource {
  const source = sourceOf(signals);
  return {
    ...source,
    async read(unit, into) {
      await new Promise((resolve) => setTimeout(resolve, (unit * 7) % 5));
      if (broken.includes(unit)) throw new InputError(`${source.units[unit].name}: is damaged`);
      await source.read(unit, into);
    },
  };
}

describe("a source", () => {
  test("that fits in one group gives the same bytes as the signals", async () => {
    const [memory, source] = [await trained(pictures), await trained(sourceOf(pictures))];
    expect(source.holds).toBe("signals");
    expect(modelToBytes(source.model)).toEqual(modelToBytes(memory.model));
    expect(source.reports).toEqual(memory.reports);
  });

  test.each(["osdl", "odl", "sparse-ksvd", "pca"] as const)(
    "whose examples fit in one group gives %s the same bytes as the signals",
    async (learner: LearnerName) => {
      const atomSparsity = learner === "osdl" || learner === "sparse-ksvd" ? 3 : undefined;
      const more = { learner, examples: 120, atomSparsity };
      const memory = await trained(pictures, more);
      const source = await trained(slow(pictures), { ...more, groupSamples: 160 * 16 });
      expect(source.holds).toBe("windows");
      expect(modelToBytes(source.model)).toEqual(modelToBytes(memory.model));
      expect(source.reports).toEqual(memory.reports);
    },
  );

  test("read in groups gives the same bytes however long reads take, and on 1 and 2 threads", async () => {
    const more = { groupSamples: 1000 };
    const quick = await trained(sourceOf(pictures), more);
    const late = await trained(slow(pictures), more);
    expect(quick.holds).toBe("groups");
    expect(modelToBytes(late.model)).toEqual(modelToBytes(quick.model));
    expect(quick.model.meta.options).toHaveProperty("groupSamples", 1000);
    const files = [];
    for (const threads of [1, 2]) {
      const kernels = await createCpuKernels({ threads });
      files.push(modelToBytes(await train(slow(pictures), { ...options, ...more, kernels }).model()));
      await kernels.close();
    }
    expect(files[1]).toEqual(files[0]);
  });

  test("read in groups learns as well as in memory", async () => {
    const memory = (await trained(pictures)).reports.at(-1)!;
    const groups = (await trained(sourceOf(pictures), { groupSamples: 1000 })).reports.at(-1)!;
    expect(groups.step).toBe(memory.step);
    expect(groups.examples).toBe(memory.examples);
    expect(Math.abs(groups.testRmse! / memory.testRmse! - 1)).toBeLessThan(0.1);
  });

  test("without units is rejected", () => {
    expect(() => train(sourceOf([]), options)).toThrow(
      new InputError("train: data must hold at least one signal, got none"),
    );
  });
});

describe("units that cannot be read", () => {
  test.each([400 * 9, 1000])(
    "are reported once, skipped and counted, %i samples at a time",
    async (groupSamples) => {
      const reported: string[] = [];
      const onUnreadable = (message: string) => reported.push(message);
      const run = () => trained(slow(pictures, [2, 5]), { groupSamples, onUnreadable });
      const { unreadable, reports, model } = await run();
      expect(reported.toSorted()).toEqual([2, 5].map((i) => `${pictures[i].name}: is damaged, skipped`));
      expect(unreadable.files.toSorted()).toEqual([2, 5].map((i) => pictures[i].name));
      expect(modelToBytes((await run()).model)).toEqual(modelToBytes(model));
      // in memory they are not part of the set; in groups their examples are missing from both epochs
      const share = unreadable.examples / reports.at(-1)!.examples;
      if (groupSamples === 1000) expect(Math.abs(share - 2 / 9)).toBeLessThan(0.05);
      else expect(unreadable.examples).toBe(0);
    },
  );

  test("end the run if nothing is left", async () => {
    const all = Array.from(pictures.keys());
    const inGroups = trained(slow(pictures, all), { groupSamples: 1000 });
    await expect(inGroups).rejects.toThrow(
      /^train: the data cannot be read: nothing was readable in 1 group, starting with /,
    );
    await expect(trained(slow(pictures, all))).rejects.toThrow("train: none of the data could be read");
    await expect(trained(slow(pictures.slice(0, 1), all))).rejects.toThrow(`${pictures[0].name}: is damaged`);
  });
});

/** Signals in which every sample is a different number, so that an example shows where it was cut. */
const counting = (count: number, side: number) =>
  Array.from({ length: count }, (_, s) =>
    makeSignal(
      `s${s}`,
      [side, side],
      Float32Array.from({ length: side * side }, (_, i) => s * side * side + i),
    ),
  );

/** The first samples of the examples of an epoch, batch by batch. */
async function seen(
  data: readonly Signal[] | SignalSource,
  kernels: Kernels,
  more: Partial<TrainOptions>,
  from = 0,
) {
  const resolved = resolveTraining({ ...options, patch: [3, 3], removeMean: false, ...more });
  const setup = await setUpTraining(data, undefined, resolved, kernels);
  const { plan, examples } = setup;
  const firsts = async (Y: DeviceMatrix) => {
    const { rows, cols, data } = await kernels.readMatrix(Y);
    return Array.from({ length: cols }, (_, i) => data[i * rows] / plan.scale);
  };
  const batches: number[][] = [];
  for (let at = from; at < plan.examples; at += plan.batch) {
    const found = await examples.take(0, at, Math.min(at + plan.batch, plan.examples));
    batches.push(await firsts(await extractExamples(setup, plan, found)));
  }
  await freeTraining(setup);
  return batches;
}

describe("groups", () => {
  const kernels = createReferenceKernels();
  const sets = fc.record({
    count: fc.integer({ min: 2, max: 7 }),
    groupSamples: fc.integer({ min: 1, max: 300 }),
    batch: fc.integer({ min: 1, max: 70 }),
    seed: fc.nat(),
  });

  test("give each example once per epoch, the same examples as in memory, in mini-batches of the same sizes", async () => {
    await fc.assert(
      fc.asyncProperty(sets, async ({ count, groupSamples, batch, seed }) => {
        const data = counting(count, 8);
        const more = { batch, seed, examples: 150, holdout: 10 };
        const memory = await seen(data, kernels, more);
        const groups = await seen(slow(data), kernels, { ...more, groupSamples });
        expect(groups.map(({ length }) => length)).toEqual(memory.map(({ length }) => length));
        expect(groups.flat().toSorted((a, b) => a - b)).toEqual(memory.flat().toSorted((a, b) => a - b));
      }),
      { numRuns: 15 },
    );
  });

  test("give the mini-batches after any position without reading those before it", async () => {
    const more = { batch: 16, examples: 150, holdout: 10, groupSamples: 130 };
    const all = await seen(slow(counting(6, 8)), kernels, more);
    for (const skipped of [1, 4, all.length - 1])
      expect(await seen(slow(counting(6, 8)), kernels, more, 16 * skipped)).toEqual(all.slice(skipped));
  });

  test("hold no more samples than asked for, or one unit that has more", async () => {
    const source = sourceOf([...counting(5, 8), ...counting(1, 20)]);
    const sizes = source.units.map(samplesOf);
    const sampler = new PatchSampler(source.units, { patch: [3, 3], holdout: 0, examples: 400 }, Rng.from(1));
    const order = await GroupedOrder.create(sampler, sizes, 150, Rng.from(2));
    expect(groupCapacity(source, 150)).toBe(400);
    for (const epoch of [0, 1, 2]) {
      const groups = order.groups(epoch);
      expect(groups.flatMap(({ units }) => units).toSorted()).toEqual([0, 1, 2, 3, 4, 5]);
      for (const { units } of groups) {
        const samples = units.reduce((sum, unit) => sum + sizes[unit], 0);
        expect(samples <= 150 || units.length === 1).toBe(true);
      }
      const ranks = groups.flatMap((group) => Array.from(order.ranks(group)));
      expect(ranks.toSorted((a, b) => a - b)).toEqual(Array.from({ length: sampler.examples }, (_, i) => i));
    }
    expect(order.groups(1)).not.toEqual(order.groups(0));
  });

  test("are refused at once if the order of their examples does not fit into memory", async () => {
    vi.spyOn(process, "availableMemory").mockReturnValue(1000);
    const run = train(slow(counting(6, 8)), { ...options, patch: [3, 3], examples: 150, groupSamples: 130 });
    await expect(run.outline()).rejects.toThrow(
      new InputError(
        "train: examples must be fewer: the order of examples takes 1.5 KiB, but only 1.0 KiB of memory is available",
      ),
    );
    vi.restoreAllMocks();
  });

  test("are put in order in pieces, which an error ends", async () => {
    const parts: number[] = [];
    const sorted = await sortByUnit(
      3 << 20,
      2,
      (i) => i & 1,
      (part) => parts.push(Math.round(100 * part)),
    );
    expect(parts).toEqual([33, 67, 100]);
    expect([...sorted.first]).toEqual([0, 3 << 19, 3 << 20]);
    const stop = () => {
      throw new Error("enough");
    };
    await expect(sortByUnit(3 << 20, 2, (i) => i & 1, stop)).rejects.toThrow("enough");
  });

  test("use the same amount of device memory from one group to the next", async () => {
    const source = slow(counting(6, 8));
    const sizes = source.units.map(samplesOf);
    const sampler = new PatchSampler(source.units, { patch: [3, 3], holdout: 5, examples: 150 }, Rng.from(1));
    const order = await GroupedOrder.create(sampler, sizes, 130, Rng.from(2));
    const rest = {
      patch: [3, 3],
      batch: 20,
      epochs: 1,
      capacity: 130,
      unreadable: new UnreadableFiles(),
      kernels,
    };
    const examples = await GroupedExamples.create({ source, sampler, order, ...rest });
    examples.scaleBy(1);
    const used = new Set<number>();
    for (let from = 0; from < 150; from += 20) {
      await examples.take(0, from, Math.min(150, from + 20));
      used.add(kernels.memory.used);
    }
    expect(used.size).toBe(1);
    await examples.free();
    expect(kernels.memory.used).toBe(0);
  });
});
