/**
 * What holds for every learner, tested only through `train` on synthetic pictures; and
 * what the tests of this folder compare with: explicit f64 matrices, a plain pursuit, and
 * kernels that record their calls.
 */

import { describe, expect, test, vi } from "vitest";
import { InputError } from "../../core/errors.js";
import { DenseMatrix, SparseColumns } from "../../core/matrix.js";
import { Rng } from "../../core/random/rng.js";
import { type Shape, sizeOf } from "../../core/shape.js";
import { makeSignal, type Signal } from "../../core/signal.js";
import type { SignalSource } from "../../data/sampling/signalSource.js";
import { syntheticPictures } from "../../data/syntheticPictures.js";
import { baseCols, createBase } from "../../dictionaries/base.js";
import type { SparseDictionary } from "../../dictionaries/dictionary.js";
import {
  chainLength,
  dot,
  expectUnitGram,
  explicitBase,
  magnitudes,
  wide,
} from "../../kernels/conformance/oracle.case.js";
import { sumTolerance } from "../../kernels/conformance/tolerance.js";
import type { Kernels } from "../../kernels/contract.js";
import { createCpuKernels } from "../../kernels/cpu/index.js";
import { createReferenceKernels } from "../../kernels/reference/index.js";
import type { Matrix64 } from "../../linalg/matrix64.js";
import { modelFromBytes, modelToBytes } from "../../model/files.js";
import type { Model } from "../../model/model.js";
import { type CheckpointKeeper, checkpointFromBytes, checkpointToBytes } from "../checkpoints/checkpoint.js";
import { train } from "../run/train.js";
import type { KeptModel, TrainReport } from "../run/trainingLoop.js";
import type { TrainOptions } from "../run/trainOptions.js";
import { ownOptionNames } from "./learner.js";
import { type LearnerName, learners } from "./registry.js";

/** What to expect of a learner besides what all of them do. */
export interface LearnerTraits {
  /** Options that this learner needs besides the small ones here. */
  readonly options?: Partial<TrainOptions>;
  /** It learns a sparse factor A with at most k non-zeros per column. */
  readonly sparseFactor: boolean;
  /** The least share of a planted dictionary's atoms that it must find; 0 if it cannot (an orthogonal one, for example). */
  readonly recovers: number;
  /** Its error on unseen examples ends below this share of that of its start; 0.95 by default. */
  readonly ends?: number;
  /** Numbers of atoms that it accepts for the base and the patch of its options, its default first. */
  readonly atoms?: readonly number[];
  /** Other options for finding the planted dictionary. */
  readonly planted?: Partial<TrainOptions>;
}

const small = {
  patch: [6, 6],
  base: "cropped:db2",
  atomSparsity: 4,
  coding: { sparsity: 3 },
  batch: 64,
  examples: 600,
  epochs: 2,
  holdout: 100,
  keep: "last",
} as const satisfies TrainOptions;

/** Options that no learner accepts. */
const badOptions = (m: number): [object, string][] => [
  [{ patch: [0, 8] }, "patch must be one or more positive integer sizes, got [0, 8]"],
  [{ atoms: 0 }, "atoms must be an integer of at least 1, got 0"],
  [{ coding: { sparsity: 0 } }, `sparsity must be an integer from 1 to ${m}, got 0`],
  [{ coding: { sparsity: 197 } }, `sparsity must be an integer from 1 to ${m}, got 197`],
  [{ coding: { error: -1 } }, "error must be a number of at least 0, got -1"],
  [{ batch: 0 }, "batch must be an integer of at least 1, got 0"],
  [{ epochs: 0 }, "epochs must be an integer of at least 1, got 0"],
  [{ examples: 0.5 }, "examples must be an integer of at least 1, got 0.5"],
  [{ seed: -1 }, "seed must be an integer of at least 0, got -1"],
  [{ minutes: 0 }, "minutes must be a number above 0, got 0"],
  [{ atomCare: { every: 0 } }, "atomCare.every must be an integer of at least 1, got 0"],
];

export function learnerCase(learner: LearnerName, traits: LearnerTraits): void {
  const pictures = syntheticPictures(1, 2, 40);
  const {
    ownOptions,
    explicit,
    canStartFromModel = true,
    replacesAtoms = true,
    defaults,
  } = learners[learner];
  /** Without what the learner rejects. */
  const fitting = (all: TrainOptions): TrainOptions => {
    const { atomSparsity, atomCare, ...rest } = all;
    return {
      ...rest,
      ...(ownOptions.includes("atomSparsity") ? { atomSparsity } : {}),
      ...(replacesAtoms ? { atomCare } : {}),
    };
  };
  const options = fitting({ ...small, ...traits.options, learner });
  const learn = (data: readonly Signal[], more: Partial<TrainOptions> = {}) =>
    collect(data, fitting({ ...options, ...more }));
  const m = baseCols(createBase(small.base, small.patch));
  const atomCounts = traits.atoms ?? [m, m + 5, m - 5];
  /** One run that several tests share. */
  let shared: ReturnType<typeof collect> | undefined;
  const usual = () => (shared ??= learn(pictures));

  describe(`${learner} as a learner`, () => {
    test("lowers the error of examples it never trained on", async () => {
      const { reports } = await usual();
      const errors = reports.flatMap(({ testRmse }) => testRmse ?? []);
      expect(errors.length).toBeGreaterThan(1);
      expect(errors.at(-1)).toBeLessThan((traits.ends ?? 0.95) * errors[0]);
    });

    test("gives unit atoms with at most k base atoms each", async () => {
      const { model } = await usual();
      await expectUnitAtoms(model);
      if (!traits.sparseFactor) return;
      for (const count of model.A.counts) expect(count).toBeLessThanOrEqual(small.atomSparsity);
      expect(Math.max(...model.A.counts)).toBe(small.atomSparsity);
    });

    // The model codes with atoms rounded to unit norm once more: an example whose two best atoms are equal in
    // f32 may take the other one, which changes its error no more than the rounding does.
    test("gives a model with the error that was reported", async () => {
      const patches = patchesOf(pictures[0], small.patch, 60);
      const { model, reports } = await learn([pictures[1]], { test: patches });
      const Y = columnsOf(patches);
      const decoded = await model.decode(await model.encode(Y));
      const energy = Y.data.reduce((sum, y, i) => sum + (y - decoded.data[i]) ** 2, 0);
      const rmse = Math.sqrt(energy / Y.data.length);
      expect(Math.abs(reports.at(-1)!.testRmse! - rmse)).toBeLessThanOrEqual(1e-4 * rmse);
    });

    test("depends only on data, options and seed", async () => {
      const first = await usual();
      const again = await learn(pictures);
      expect(again.reports).toEqual(first.reports);
      expect(modelToBytes(again.model)).toEqual(modelToBytes(first.model));
      const other = await learn(pictures, { seed: 2 });
      expect(other.reports.at(-1)!.rmse).not.toBe(first.reports.at(-1)!.rmse);
      expect(await other.model.atoms()).not.toEqual(await first.model.atoms());
    });

    test("gives the same bytes on 1, 2 and 4 threads", async () => {
      const bytes: Uint8Array[] = [];
      for (const threads of [1, 2, 4]) {
        const kernels = await createCpuKernels({ threads });
        bytes.push(modelToBytes((await learn(pictures, { kernels, atomCare: { every: 4 } })).model));
        await kernels.close();
      }
      expect(bytes[1]).toEqual(bytes[0]);
      expect(bytes[2]).toEqual(bytes[0]);
    });

    test("resumes from a checkpoint of any step with the same reports and the same bytes", async () => {
      const care = { every: 2, minUse: 0.9, maxCoherence: 0.8 };
      const more = {
        examples: 200,
        epochs: 3,
        holdout: 30,
        testEvery: 170,
        reportEvery: 2,
        atomCare: care,
        keep: "best",
      } as const;
      const [one, two] = [await createCpuKernels({ threads: 1 }), await createCpuKernels({ threads: 2 })];
      for (const [kernels, other, some] of [
        [one, two, 1],
        [createReferenceKernels(), undefined, 5],
      ] as const) {
        const plain = await learn(pictures, { ...more, kernels });
        const saved: Uint8Array[] = [];
        const whole = await learn(pictures, { ...more, kernels, checkpoints: keepEvery(1, saved) });
        expect(whole.reports).toEqual(plain.reports);
        expect(modelToBytes(whole.model)).toEqual(modelToBytes(plain.model));
        for (let i = 0; i < saved.length; i += some) {
          const resume = await checkpointFromBytes(saved[i], `checkpoint ${i}`);
          const { reports, model } = await learn(pictures, { ...more, kernels: other ?? kernels, resume });
          const later = plain.reports.filter(({ step }) => step > i + 1);
          expect(reports).toEqual(later.length > 0 ? later : plain.reports.slice(-1));
          expect(modelToBytes(model)).toEqual(modelToBytes(plain.model));
        }
      }
      await one.close();
      await two.close();
    });

    test("looks at no examples before its first update if it resumes: atoms and scale are in the checkpoint", async () => {
      const saved: Uint8Array[] = [];
      const kernels = createReferenceKernels();
      const more = { kernels, examples: 200, checkpoints: keepEvery(1, saved) };
      await learn(pictures, more);
      const extract = vi.spyOn(kernels, "extract");
      const resume = await checkpointFromBytes(saved[0], "a checkpoint");
      const { checkpoints: _, ...same } = more;
      const run = train(pictures, fitting({ ...options, ...same, resume }));
      await run.plan();
      expect(extract).not.toHaveBeenCalled();
      await run.close();
    });

    test("learns the same bits from data in units that differ by a power of two", async () => {
      const { model, reports } = await usual();
      for (const factor of [2 ** -40, 2 ** 70]) {
        const scaled = await learn(pictures.map((picture) => times(picture, factor)));
        expect(modelToBytes(scaled.model)).toEqual(modelToBytes(model));
        expect(scaled.reports).toEqual(
          reports.map((report) => ({
            ...report,
            rmse: report.rmse * factor,
            ...(report.testRmse === undefined ? {} : { testRmse: report.testRmse * factor }),
            ...(report.kept === undefined ? {} : { kept: scaledTests(report.kept, factor) }),
          })),
        );
      }
    });

    test("does not change the data", async () => {
      const before = pictures.map(({ data }) => data.slice());
      await learn(pictures, { examples: 64 });
      expect(pictures.map(({ data }) => data)).toEqual(before);
    });

    test("stays finite with zero, constant and duplicated examples", async () => {
      const flat = (value: number) => picture([12, 12], () => value);
      const ramp = picture([12, 12], (r, c) => 3 * r - c); // the same example everywhere
      for (const data of [[flat(0)], [flat(0.1)], [ramp], [flat(0), flat(-1e6), ramp, pictures[0]]]) {
        for (const removeMean of [true, false]) {
          const { model, reports } = await learn(data, { removeMean, atomCare: { every: 2 } });
          expectFinite(reports);
          await expectUnitAtoms(model);
        }
      }
    });

    test.each([
      [[5], [40]],
      [
        [3, 4],
        [17, 9],
      ],
      [
        [3, 2, 4],
        [6, 5, 9],
      ],
    ] as [Shape, Shape][])("learns %j windows of %j signals", async (patch, shape) => {
      const rng = Rng.from(5);
      const data = [0, 1].map((i) =>
        makeSignal(
          `signal ${i}`,
          shape,
          Float32Array.from({ length: sizeOf(shape) }, () => rng.normal()),
        ),
      );
      const { model, reports } = await learn(data, { patch, atomSparsity: 2, coding: { sparsity: 2 } });
      expectFinite(reports);
      expect((await model.atoms()).rows).toBe(sizeOf(patch));
      expect(model.shape).toEqual(patch);
    });

    test.each([
      ["a partial last batch", 65, 64],
      ["fewer examples than a batch", 10, 64],
      ["batches of one", 5, 1],
    ])("works with %s", async (_, examples, batch) => {
      const { model, reports } = await learn(pictures, { examples, batch, epochs: 2 });
      expectFinite(reports);
      expect(reports.at(-1)!.examples).toBe(2 * examples);
      expect(model.meta.examplesSeen).toBe(2 * examples);
    });

    test("frees everything when it ends or is abandoned, but does not close the caller's kernels", async () => {
      const watched = watchKernels();
      for (const atoms of atomCounts) {
        await learn(pictures, { kernels: watched.kernels, atoms, atomCare: { every: 3 } });
        expect(watched.alive()).toBe(0);
      }
      const run = train(pictures, { ...options, kernels: watched.kernels, test: pictures });
      for await (const report of run) if (report.step > 0) break;
      await run.model();
      expect(watched.alive()).toBe(0);
      expect(watched.calls).not.toContain("close");
    });

    test("plans at least the memory that a run uses at its peak, and less than twice as much", async () => {
      const kernels = createReferenceKernels();
      const more = { examples: 400, holdout: 50, atomCare: { every: 2 }, epochs: 4 };
      const run = train(pictures, fitting({ ...options, ...more, kernels }));
      const { memory } = await run.plan();
      let peak = 0;
      const { matrix } = kernels;
      kernels.matrix = (rows, cols) => {
        const handle = matrix(rows, cols);
        peak = Math.max(peak, kernels.memory.used);
        return handle;
      };
      for await (const _ of run) peak = Math.max(peak, kernels.memory.used);
      expect(peak).toBeLessThanOrEqual(memory.total * 1.03); // sets and scalars are not counted
      expect(peak).toBeGreaterThan(memory.total / 2);
    });

    test.runIf(canStartFromModel)(
      "starts from a model with its atoms and its base, and improves it",
      async () => {
        const first = await usual();
        const start = modelFromBytes(modelToBytes(first.model), "a model");
        const { base: _, atomSparsity: k, ...rest } = options;
        // atoms made of examples memorise what they have seen: none of it may be among the test examples
        const fromExamples = ownOptions.includes("init") && defaults?.init !== "base";
        const seed = explicit || fromExamples ? 1 : 2;
        const more = { ...rest, ...(traits.sparseFactor ? { atomSparsity: k } : {}), start, seed };
        const { reports, model } = await collect(pictures, more);
        const fresh = await collect(pictures, { ...options, seed, examples: 1, epochs: 1 }); // the same test set
        expect(reports[0].testRmse).toBeLessThan(fresh.reports[0].testRmse!);
        expect(reports.at(-1)!.testRmse).toBeLessThan(1.02 * reports[0].testRmse!);
        expect(model.A.cols).toBe(start.A.cols);
        expect(model.base.name).toBe(start.base.name);
        expect(() => train(pictures, { ...more, base: "odct:1" })).toThrow(
          new InputError("train: base must not be given with start, which has its own"),
        );
        expect(() => train(pictures, { ...more, atoms: 7 })).toThrow(
          new InputError("train: atoms must not be given with start, which has its own"),
        );
        expect(() => train(pictures, { ...more, patch: [5, 6] })).toThrow(
          new InputError("train: start must have shape 5x6, got 6x6"),
        );
      },
    );

    test.runIf(!canStartFromModel)("refuses to start from a model", async () => {
      const { model: start } = await usual();
      const { base: _, ...rest } = options;
      expect(() => train(pictures, { ...rest, start })).toThrow(
        new InputError(`train: start must not be given: the learner ${learner} does not use it`),
      );
    });

    test.runIf(!replacesAtoms)("refuses atom care, but not to be without it", async () => {
      expect(() => train(pictures, { ...options, atomCare: { every: 2 } })).toThrow(
        new InputError(`train: atomCare must not be given: the learner ${learner} does not use it`),
      );
      await train(pictures, { ...options, atomCare: false }).close();
    });

    test.each(badOptions(atomCounts[0]).filter(([bad]) => replacesAtoms || !("atomCare" in bad)))(
      "rejects %j with the same message as all learners",
      (bad, message) => {
        const all = { ...options, ...bad } as unknown as TrainOptions;
        expect(() => train(pictures, all)).toThrow(new InputError(`train: ${message}`));
      },
    );

    test("rejects options that it does not use", () => {
      const steps = { momentum: 0.5, firstSteps: "short", stepDecay: 9 } as const;
      const values = { atomSparsity: 3, ...steps, init: "base", average: true, refineBase: true };
      for (const name of ownOptionNames) {
        const given = () => train(pictures, { ...options, [name]: values[name] });
        if (ownOptions.includes(name)) expect(given).not.toThrow();
        else
          expect(given).toThrow(
            new InputError(`train: ${name} must not be given: the learner ${learner} does not use it`),
          );
      }
    });

    test("rejects data smaller than the patch", async () => {
      await expect(learn([picture([5, 9], () => 1)])).rejects.toThrow(
        /^\w+: a test must be at least 6x6, got 5x9$/,
      );
    });

    test.runIf(traits.recovers > 0)("recovers a planted dictionary up to sign and order", async () => {
      const { data, atoms, plan } = plantedProblem();
      const { model } = await learn(data, { ...plan, ...traits.planted });
      const found = await model.atoms();
      let recovered = 0;
      for (let j = 0; j < atoms.cols; j++) {
        const nearest = Math.max(
          ...Array.from({ length: found.cols }, (_, i) => Math.abs(dot(found.column(i), atoms.column(j)))),
        );
        if (nearest > 0.99) recovered++;
      }
      expect(recovered / atoms.cols).toBeGreaterThanOrEqual(traits.recovers);
    });
  });
}

/** What a run reports of its tests, in other units. */
function scaledTests({ step, examples, ...errors }: KeptModel, factor: number): KeptModel {
  const scaled = Object.entries(errors).map(([name, error]) => [name, error * factor]);
  return { step, examples, ...Object.fromEntries(scaled) };
}

/** Saves a checkpoint every `steps` updates, and at the end. */
export function keepEvery(steps: number, saved: Uint8Array[]): CheckpointKeeper {
  return {
    due: (step) => step % steps === 0,
    save: async (draft) => void saved.push(await checkpointToBytes(draft)),
  };
}

/** All reports of a run, and its model. */
export async function collect(
  data: readonly Signal[] | SignalSource,
  options: TrainOptions,
): Promise<{ reports: TrainReport[]; model: Model }> {
  const run = train(data, options);
  const reports: TrainReport[] = [];
  for await (const report of run) reports.push(report);
  return { reports, model: await run.model() };
}

/** 64 atoms, each of three cosines of 8×8; 3,000 examples of two atoms each, without noise. */
function plantedProblem() {
  const [patch, k, p] = [[8, 8], 3, 2] as const;
  const rng = Rng.from(1);
  const phi = explicitBase(createBase("odct:1", patch).factors);
  const A = randomAtoms(rng, phi.cols, phi.cols, k);
  const { D: atoms } = unitAtoms(phi, A);
  const data = Array.from({ length: 3000 }, (_, i) => {
    const sum = new Float32Array(phi.rows);
    for (const atom of rng.distinct(p, atoms.cols)) {
      const x = 100 * signed(rng, 1, 2);
      atoms.column(atom).forEach((value, r) => (sum[r] += x * value));
    }
    return makeSignal(`example ${i}`, patch, sum);
  });
  const plan: Partial<TrainOptions> = {
    patch,
    base: "odct:1",
    atomSparsity: k,
    coding: { sparsity: p },
    examples: data.length,
    epochs: 10,
    holdout: 0,
    removeMean: false,
    atomCare: { every: 40, maxCoherence: 0.95 },
  };
  return { data, atoms, plan };
}

function expectFinite(reports: readonly TrainReport[]): void {
  for (const { step, rmse, stepSize, testRmse = 0 } of reports) {
    expect(Number.isFinite(stepSize) && Number.isFinite(testRmse)).toBe(true);
    expect(Number.isFinite(rmse)).toBe(step > 0);
  }
}

/** Atoms of unit norm to the rounding of f32, or zero. */
async function expectUnitAtoms(model: Model): Promise<void> {
  const D = await model.atoms();
  const { factors } = model.base;
  // D = ΦA from rounded A: the error of a column relative to |Φ||a|, which is at most √L times ‖a‖
  const size = magnitudes(explicitBase(factors)).times(magnitudes(wide(model.A)));
  const terms = chainLength(factors) + model.A.width + D.rows;
  for (let j = 0; j < D.cols; j++) {
    const norm = Math.sqrt(dot(D.column(j), D.column(j)));
    if (norm === 0) continue;
    expect(Math.abs(norm - 1)).toBeLessThanOrEqual(sumTolerance(terms, 1 + Math.hypot(...size.column(j))));
  }
}

// — what the tests of this folder compare with ————————————————————————————————

/** A picture from a function of row and column. */
export function picture(
  shape: readonly [number, number],
  value: (r: number, c: number) => number,
  name = "a test",
): Signal {
  const [height, width] = shape;
  const data = Float32Array.from({ length: height * width }, (_, i) =>
    value(Math.floor(i / width), i % width),
  );
  return makeSignal(name, shape, data);
}

/** A signal in other units. */
export function times({ name, shape, data }: Signal, factor: number): Signal {
  return makeSignal(
    name,
    shape,
    data.map((value) => value * factor),
  );
}

/** Windows at random positions of a picture, as signals of their own. */
export function patchesOf(source: Signal, patch: readonly [number, number], count: number): Signal[] {
  const rng = Rng.from(3);
  const [height, width] = source.shape as [number, number];
  return Array.from({ length: count }, (_, i) => {
    const [top, left] = [rng.below(height - patch[0] + 1), rng.below(width - patch[1] + 1)];
    return picture(patch, (r, c) => source.data[(top + r) * width + left + c], `patch ${i}`);
  });
}

/** Signals as the columns of a matrix. */
function columnsOf(signals: readonly Signal[]): DenseMatrix {
  return DenseMatrix.build(signals[0].data.length, signals.length, (r, i) => signals[i].data[r]);
}

/** A random number with magnitude `low` to `high` and random sign. */
function signed(rng: Rng, low: number, high: number): number {
  return (rng.uniform() < 0.5 ? -1 : 1) * (low + (high - low) * rng.uniform());
}

/** A with exactly k non-zeros per column, of magnitude ½ to 3/2, rows ascending. */
export function randomAtoms(rng: Rng, L: number, m: number, k: number): SparseColumns {
  const A = new SparseColumns(L, m, k);
  for (let j = 0; j < m; j++) {
    const rows = rng.distinct(k, L).sort((a, b) => a - b);
    A.setColumn(
      j,
      rows,
      rows.map(() => signed(rng, 0.5, 1.5)),
    );
  }
  return A;
}

/** ΦA with its columns scaled to unit norm (zero ones stay), and their norms. */
export function unitAtoms(phi: Matrix64, A: SparseColumns): { D: Matrix64; norms: number[] } {
  const D = phi.times(wide(A));
  const norms = Array.from({ length: D.cols }, (_, j) => Math.sqrt(dot(D.column(j), D.column(j))));
  norms.forEach((norm, j) => {
    if (norm > 0) D.column(j).forEach((value, i) => (D.data[j * D.rows + i] = value / norm));
  });
  return { D, norms };
}

/**
 * Orthogonal matching pursuit by Gram–Schmidt: at most p pairs [atom, coefficient]
 * over the unit atoms D. Unlike Batch-OMP, it computes the residual.
 */
export function pursue(D: Matrix64, y: ArrayLike<number>, p: number): [number, number][] {
  const residual = Float64Array.from(y);
  const taken: { atom: number; q: Float64Array; r: number[] }[] = [];
  while (taken.length < p) {
    const correlations = Array.from({ length: D.cols }, (_, j) => Math.abs(dot(D.column(j), residual)));
    const atom = correlations.indexOf(Math.max(...correlations));
    if (!(correlations[atom] > 1e-6 * Math.sqrt(dot(y, y)))) break;
    const q = D.column(atom).slice();
    const r = taken.map((other) => project(q, other.q));
    const norm = Math.sqrt(dot(q, q));
    q.forEach((value, i) => (q[i] = value / norm));
    taken.push({ atom, q, r: [...r, norm] });
    project(residual, q);
  }
  // D_I = QR, so R x = Qᵀy
  const x = taken.map(({ q }) => dot(q, y));
  for (let t = taken.length - 1; t >= 0; t--) {
    for (let s = t + 1; s < taken.length; s++) x[t] -= taken[s].r[t] * x[s];
    x[t] /= taken[t].r[t];
  }
  return taken.map(({ atom }, t) => [atom, x[t]]);
}

/** Subtract from v its part along the unit vector q; returns its length. */
function project(v: Float64Array, q: Float64Array): number {
  const along = dot(v, q);
  v.forEach((value, i) => (v[i] = value - along * q[i]));
  return along;
}

/** Compare the dictionary's scales and Gram matrix with explicit D = ΦA, within the rounding of f32 sums. */
export async function expectGramOfAtoms(dictionary: SparseDictionary, kernels: Kernels): Promise<void> {
  const G = await kernels.readMatrix(dictionary.gram!);
  const scale = await kernels.readMatrix(dictionary.scale);
  const A = await kernels.readSparse(dictionary.A);
  expectUnitGram(G, scale.data, dictionary.base.factors, A);
}

/** Reference kernels that record calls and live handles, and reject freed handles and outputs that are inputs. */
export function watchKernels(): { kernels: Kernels; calls: string[]; alive(): number } {
  const makers = ["matrix", "sparse", "set", "base", "signals"];
  const mayShare = ["residual", "remainder", "correlate"]; // R may be Y, and Y may be D
  const calls: string[] = [];
  const alive = new Set<object>();
  const known = new WeakSet<object>();
  const wholes = new WeakMap<object, object>();
  const wholeOf = (handle: object): object => wholes.get(handle) ?? handle;
  const handlesIn = (args: readonly unknown[]): object[] =>
    args.filter((arg): arg is object => typeof arg === "object" && arg !== null && known.has(wholeOf(arg)));
  const watch = (name: string, call: (...args: unknown[]) => object) => {
    return (...args: unknown[]) => {
      calls.push(name);
      const handles = handlesIn(args).map(wholeOf);
      for (const handle of handles) {
        if (!alive.has(handle)) throw new Error(`${name}: a handle that was freed`);
      }
      if (!mayShare.includes(name) && new Set(handles).size < handles.length) {
        throw new Error(`${name}: an output that is an input`);
      }
      const result = call(...args);
      if (name === "free") for (const handle of handles) alive.delete(handle);
      if (name.startsWith("head")) wholes.set(result, wholeOf(args[0] as object));
      if (!makers.includes(name)) return result;
      alive.add(result);
      known.add(result);
      return result;
    };
  };
  const kernels = new Proxy(createReferenceKernels(), {
    get(target, name: string) {
      const member = target[name as keyof Kernels];
      return typeof member === "function" ? watch(name, member as (...args: unknown[]) => object) : member;
    },
  });
  return { kernels, calls, alive: () => alive.size };
}
