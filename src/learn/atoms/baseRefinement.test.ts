import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { InputError } from "../../core/errors.js";
import { SparseColumns } from "../../core/matrix.js";
import { Rng } from "../../core/random/rng.js";
import { makeSignal } from "../../core/signal.js";
import { syntheticPictures } from "../../data/syntheticPictures.js";
import { type BaseDictionary, baseCols, createBase } from "../../dictionaries/base.js";
import { SparseDictionary } from "../../dictionaries/dictionary.js";
import { dot, explicitBase, randomDense, wide } from "../../kernels/conformance/oracle.case.js";
import type { Kernels } from "../../kernels/contract.js";
import { createCpuKernels } from "../../kernels/cpu/index.js";
import { Matrix64, normalizeColumns } from "../../linalg/matrix64.js";
import { modelFromBytes, modelToBytes } from "../../model/files.js";
import { Encoder } from "../../pursuit/encoder.js";
import { checkpointFromBytes } from "../checkpoints/checkpoint.js";
import { collect, keepEvery, randomAtoms } from "../learners/learner.case.js";
import { train } from "../run/train.js";
import type { TrainOptions } from "../run/trainOptions.js";
import { BaseRefinement } from "./baseRefinement.js";

const learners = ["osdl", "sparse-odl"] as const;

/** Kernels that all runs share. */
let kernels: Kernels;
beforeAll(async () => {
  kernels = await createCpuKernels({ threads: 2 });
});
afterAll(() => kernels.close());

/** A round on random examples of one, two or three axes, coded over random atoms. */
async function oneRound(shape: readonly number[], seed: number) {
  const rng = Rng.from(seed);
  const base = createBase("odct:1.5", shape);
  const L = baseCols(base);
  const dictionary = await SparseDictionary.create(base, randomAtoms(rng, L, L, 2), kernels);
  const Y = randomDense(rng, dictionary.rows, 30);
  const held = kernels.matrix(Y.rows, Y.cols);
  await kernels.writeMatrix(held, Y);
  const encoder = new Encoder(dictionary, { sparsity: 3, residualEnergy: 0 }, Y.cols, kernels);
  const X = await encoder.encode(held);
  const [A, codes] = [wide(await kernels.readSparse(dictionary.A)), wide(await kernels.readSparse(X))];
  const errorOver = ({ factors }: BaseDictionary) => {
    const fit = explicitBase(factors).times(A).times(codes).data;
    return Y.data.reduce((sum, y, i) => sum + (y - fit[i]) ** 2, 0);
  };
  await new BaseRefinement(dictionary, kernels).refine(1, held, X);
  return { base, dictionary, errorOver };
}

describe("refining a base", () => {
  test.each([[[12]], [[5, 4]], [[3, 4, 2]]])(
    "lowers the error of a mini-batch of %j samples",
    async (shape) => {
      for (let seed = 1; seed <= 5; seed++) {
        const { base, dictionary, errorOver } = await oneRound(shape, seed);
        expect(errorOver(dictionary.base)).toBeLessThan(0.99 * errorOver(base));
        expect(dictionary.base.name).toBe("odct:1.5, refined");
        for (const factor of dictionary.base.factors)
          for (let j = 0; j < factor.cols; j++)
            expect(dot(factor.column(j), factor.column(j))).toBeCloseTo(1, 12);
      }
    },
  );

  test("comes after 1, 2, 3 … mini-batches, each time about a quarter later", async () => {
    const base = createBase("odct:1", [2, 2]);
    const dictionary = await SparseDictionary.create(base, SparseColumns.identity(4, 1), kernels);
    const refinement = new BaseRefinement(dictionary, kernels);
    const [Y, X] = [kernels.matrix(4, 1), kernels.sparse(4, 1, 1)];
    const due: number[] = [];
    for (let step = 1; step <= 30; step++) {
      if (!refinement.isDue(step)) continue;
      due.push(step);
      await refinement.refine(step, Y, X);
    }
    expect(due).toEqual([1, 2, 3, 4, 5, 6, 7, 9, 11, 14, 18, 23, 30]);
    expect(dictionary.base.factors).toEqual(base.factors); // no example uses any atom
  });
});

/** Signals 6×6 of three products of columns of two factors that are a cosine base, disturbed. */
function separableSignals() {
  const rng = Rng.from(4);
  const start = createBase("odct:1", [6, 6]);
  const factors = start.factors.map(({ rows, cols, data }) => {
    const disturbed = new Matrix64(
      rows,
      cols,
      data.map((value) => value + 0.25 * rng.normal()),
    );
    return normalizeColumns("factor", disturbed);
  });
  const phi = explicitBase(factors);
  const data = Array.from({ length: 800 }, (_, i) => {
    const sum = new Float32Array(phi.rows);
    for (const atom of rng.distinct(3, phi.cols)) {
      const x = 50 * rng.normal();
      phi.column(atom).forEach((value, r) => {
        sum[r] += x * value;
      });
    }
    return makeSignal(`example ${i}`, [6, 6], sum);
  });
  return { data, factors, start };
}

const pictures = syntheticPictures(2, 2, 32);
const small = {
  patch: [5, 5],
  base: "cropped:db2",
  atomSparsity: 4,
  coding: { sparsity: 3 },
  batch: 50,
  examples: 400,
  epochs: 1,
  holdout: 60,
  reportEvery: 4,
  keep: "last",
  atomCare: { every: 4 },
  refineBase: true,
} as const satisfies TrainOptions;

describe.each(learners)("%s with a refined base", (learner) => {
  test("approximates data of other separable factors better than over the base it started from", async () => {
    const { data } = separableSignals();
    const coding = { sparsity: 3 };
    const more = {
      patch: [6, 6],
      base: "odct:1",
      atomSparsity: 2,
      coding,
      removeMean: false,
      learner,
      kernels,
    };
    const last = async (refineBase: boolean) =>
      (await collect(data, { ...more, batch: 100, epochs: 1, refineBase })).reports.at(-1)!.testRmse!;
    expect(await last(true)).toBeLessThan(0.9 * (await last(false)));
  });

  test("gives the same bytes on 1 and 2 threads, and from any checkpoint", async () => {
    const saved: Uint8Array[] = [];
    const alone = await createCpuKernels({ threads: 1 });
    const checkpoints = keepEvery(3, saved);
    const { model } = await collect(pictures, { ...small, learner, kernels: alone, checkpoints });
    await alone.close();
    expect(saved.length).toBeGreaterThan(2);
    for (const one of [undefined, ...saved]) {
      const resume = one && (await checkpointFromBytes(one, "a.tlc"));
      const again = await collect(pictures, { ...small, learner, kernels, resume });
      expect(modelToBytes(again.model)).toEqual(modelToBytes(model));
    }
  });

  test("gives a model with the refined factors, which its file holds", async () => {
    const { model, reports } = await collect(pictures, { ...small, learner, kernels });
    const { base } = modelFromBytes(modelToBytes(model), "a.npz");
    expect(base.name).toBe("cropped:db2, refined");
    expect(base.factors).toEqual(model.base.factors);
    expect(base.factors).not.toEqual(createBase("cropped:db2", small.patch).factors);
    expect(model.meta.options).toMatchObject({ refineBase: true });
    expect(reports.at(-1)!.testRmse).toBeLessThan(reports[0].testRmse!);
    const { base: _, atomCare: __, ...rest } = small;
    const further = await collect(pictures, { ...rest, learner, kernels, start: model });
    expect(further.model.base.name).toBe("cropped:db2, refined");
  });

  test("refuses what cannot be refined, and a checkpoint of a run without", async () => {
    const refused = (more: Partial<TrainOptions>) => () => train(pictures, { ...small, learner, ...more });
    for (const base of ["contourlet", "wavelet:haar"])
      expect(refused({ patch: [8, 8], base })).toThrow(
        new InputError(`train: base must have a factor for each axis to be refined, got "${base}"`),
      );
    expect(refused({ patch: [2048], base: "identity" })).toThrow(
      new InputError("train: base must have at most 1024 atoms per axis to be refined, got 2048"),
    );
    const saved: Uint8Array[] = [];
    const checkpoints = keepEvery(8, saved);
    await collect(pictures, { ...small, learner, kernels, refineBase: false, checkpoints });
    expect(refused({ resume: await checkpointFromBytes(saved[0], "a.tlc") })).toThrow(
      new InputError("train: resume: refineBase must be left out, as in the checkpoint, got yes"),
    );
  });
});

test("osdl refuses a refined base together with the average of atoms", () => {
  expect(() => train(pictures, { ...small, average: true })).toThrow(
    new InputError("train: average and refineBase must not both be given"),
  );
});

test("the memory of a run counts what refining takes", async () => {
  const parts = async (refineBase: boolean) => {
    const run = train(pictures, { ...small, kernels, refineBase });
    const { memory } = await run.plan();
    await run.close();
    return memory.parts.map(({ what }) => what);
  };
  expect(await parts(true)).toContain("refining the base");
  expect(await parts(false)).not.toContain("refining the base");
});
