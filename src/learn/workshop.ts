/**
 * What a training run needs before its first step: the sampler, the examples
 * where the kernels compute, the starting atoms and the learner.
 *
 * Units. Samples are scaled by a power of two so that the median example deviates
 * from its mean by ¼ to ½ (root mean square). Steps and sums then stay
 * in the range of f32 whatever units the data come in, data that differ by a
 * power of two give the same dictionary to the bit, and the first steps are of
 * the size of the atoms they change (docs/decisions/0002-units.md). Reports are in
 * the units of the data.
 */

import { InputError } from "../core/errors.js";
import { DenseMatrix, SparseColumns } from "../core/matrix.js";
import { Rng } from "../core/rng.js";
import { sizeOf } from "../core/shape.js";
import type { Signal } from "../core/signal.js";
import { largestMagnitude, powerBelow } from "../core/units.js";
import { PatchSampler, type Windows } from "../data/sampler.js";
import { baseCols } from "../dictionaries/base.js";
import { unitColumns } from "../dictionaries/explicitDictionary.js";
import { SparseDictionary } from "../dictionaries/sparseDictionary.js";
import type { DeviceMatrix, DeviceSignals, Kernels } from "../kernels/contract.js";
import { codingError, type ExampleSet } from "../pursuit/codingError.js";
import { Encoder } from "../pursuit/encoder.js";
import { resolveLimits, scaleRule } from "../pursuit/limits.js";
import { AtomCare } from "./atomCare.js";
import type { Checkpoint } from "./checkpoint.js";
import { atomsToGoOnFrom, initialAtoms, mostUsedAtoms, takeExamples } from "./initialAtoms.js";
import type { Learner } from "./learner.js";
import { learners } from "./learners.js";
import { type MemoryPlan, planMemory, requireFits } from "./memoryPlan.js";
import type { ResolvedTraining } from "./trainOptions.js";

/** What a run is going to do: the options, with what the data allow. */
export interface TrainPlan extends ResolvedTraining {
  /** Examples of an epoch: as asked for, or all there are. */
  readonly examples: number;
  /** Examples the test error is measured on. */
  readonly holdout: number;
  /** Windows there are to draw from. */
  readonly available: number;
  /** Examples between two measurements of the test error. */
  readonly testEvery: number;
  /** Examples of an update: a mini-batch, or all of an epoch. */
  readonly examplesAtOnce: number;
  /** Updates in all. */
  readonly steps: number;
  /** Signals are multiplied by this for computing. */
  readonly scale: number;
  /** What it takes where the kernels compute. */
  readonly memory: MemoryPlan;
  /** What was done before, where it goes on from a checkpoint. */
  readonly done: { readonly examples: number };
}

/** All that is alive during a run. */
export interface Workshop {
  readonly plan: TrainPlan;
  readonly kernels: Kernels;
  readonly sampler: PatchSampler;
  readonly store: DeviceSignals;
  readonly test: ExampleSet;
  readonly learner: Learner;
  /** What looks after the atoms, where it is wanted. */
  readonly care: AtomCare | undefined;
  /** Room for the examples of an update, and the means taken out of them. */
  readonly Y: DeviceMatrix;
  readonly means: DeviceMatrix;
}

/** Examples looked at to find the units of the data, and the most useful base atoms. */
const sample = 4096;

/** Set everything up. */
export async function openWorkshop(
  data: readonly Signal[],
  testSignals: readonly Signal[] | undefined,
  options: ResolvedTraining,
  kernels: Kernels,
  resume?: Checkpoint,
): Promise<Workshop> {
  const rng = Rng.from(options.seed);
  const { base } = options;
  const sampler = createSampler(data, testSignals === undefined, options, rng);
  const { examples, available } = sampler;
  const batch = Math.min(options.batch, examples);
  if (options.patience < Infinity && (testSignals ? options.holdout : sampler.holdout) === 0) {
    throw new InputError("train: patience needs a test set, got none held out");
  }
  const kind = learners[options.learner];
  const atOnce = kind.takes === "whole set" ? examples : batch;
  const samples = samplesIn(data) + samplesIn(testSignals ?? []);
  const memory = planMemory({ ...options, batch }, samples, kernels, atOnce);
  requireFits("train", memory, kernels.memory.limit);
  const [Y, means] = [kernels.matrix(sizeOf(base.shape), atOnce), kernels.matrix(1, atOnce)];
  const bench = { kernels, sampler, options: { ...options, batch }, Y, means };
  const scale = resume?.header.scale ?? (await unitsOf(data, bench));
  const store = kernels.signals(data, scale);
  const test = testSignals
    ? { store: kernels.signals(testSignals, scale), windows: windowsOf(testSignals, options, rng) }
    : { store, windows: sampler.testWindows() };
  const start = await startingAtoms(store, scale, bench, rng.split("atoms"));
  const coding = scaleRule(options.coding, scale);
  const atoms = () => startingMatrix(store, bench, rng.split("examples"));
  const setting = { options: { ...options, batch, coding }, start, atoms, examples: atOnce, kernels };
  const learner = await kind.create(setting);
  if (resume) await learner.kept.restore(resume);
  const plan = {
    ...options,
    batch,
    examples,
    examplesAtOnce: atOnce,
    holdout: test.windows.signal.length,
    testEvery: options.testEvery ?? examples,
    available,
    steps: Math.ceil(examples / atOnce) * options.epochs,
    scale,
    memory,
    done: { examples: resume?.header.position.examples ?? 0 },
  };
  const cares = options.atomCare && learner.cared;
  const care = cares ? new AtomCare(cares, options.atomCare, kernels) : undefined;
  return { plan, kernels, sampler, store, test, learner, care, Y, means };
}

/** Give everything back. */
export function closeWorkshop({ kernels, learner, care, store, test, Y, means }: Workshop): void {
  care?.free();
  learner.free();
  kernels.free(Y, means, store);
  if (test.store !== store) kernels.free(test.store);
}

/** Cut windows into Y, with their means removed where the run does so; the columns that hold them. */
export async function cut(
  { kernels, Y, means }: Pick<Workshop, "kernels" | "Y" | "means">,
  options: ResolvedTraining,
  store: DeviceSignals,
  windows: Windows,
): Promise<DeviceMatrix> {
  const count = windows.signal.length;
  const y = kernels.head(Y, count);
  const removed = options.removeMean ? kernels.head(means, count) : null;
  await kernels.extract(store, windows, options.base.shape, y, removed);
  return y;
}

/** Test windows come out of the training data, unless there are test signals: at most a tenth of what there is. */
function createSampler(
  data: readonly Signal[],
  holdsOut: boolean,
  options: ResolvedTraining,
  rng: Rng,
): PatchSampler {
  const patch = options.base.shape;
  const { available } = new PatchSampler(data, { patch, holdout: 0, examples: 1 }, rng);
  const holdout = holdsOut ? Math.min(options.holdout, Math.floor(available / 10)) : 0;
  return new PatchSampler(data, { patch, holdout, examples: options.examples }, rng);
}

/** Windows of test signals, as many as would have been held out. */
function windowsOf(signals: readonly Signal[], options: ResolvedTraining, rng: Rng): Windows {
  if (options.holdout === 0) return { signal: new Uint32Array(), start: new Uint32Array() };
  const size = { patch: options.base.shape, holdout: 0, examples: options.holdout };
  const sampler = new PatchSampler(signals, size, rng.split("test"));
  return sampler.trainingWindows(0, 0, sampler.examples);
}

/** What the steps before the first one work with. */
interface Bench extends Pick<Workshop, "kernels" | "sampler" | "Y" | "means"> {
  readonly options: ResolvedTraining;
}

/** The first examples, a mini-batch at a time. */
async function* firstExamples(bench: Bench, store: DeviceSignals): AsyncGenerator<DeviceMatrix> {
  const { sampler, options } = bench;
  const count = Math.min(sample, sampler.examples);
  for (let from = 0; from < count; from += options.batch) {
    const to = Math.min(from + options.batch, count);
    yield await cut(bench, options, store, sampler.trainingWindows(0, from, to));
  }
}

/** The power of two that brings the deviation of the median example to [¼, ½). */
async function unitsOf(data: readonly Signal[], bench: Bench): Promise<number> {
  const { kernels } = bench;
  const first = powerBelow(data.reduce((most, signal) => Math.max(most, largestMagnitude(signal.data)), 0));
  const store = kernels.signals(data, 1 / first); // below 2 in magnitude: sums of squares are safe
  const energies = kernels.matrix(1, bench.Y.cols);
  const found: number[] = [];
  for await (const y of firstExamples(bench, store)) {
    const part = kernels.head(energies, y.cols);
    await kernels.columnEnergies(y, part);
    for (const energy of (await kernels.readMatrix(part)).data) if (energy > 0) found.push(energy);
  }
  kernels.free(store, energies);
  if (found.length === 0) return 1 / first;
  const median = found.sort((a, b) => a - b)[found.length >> 1]!; // one example out of range changes nothing
  return 0.25 / powerBelow(Math.sqrt(median / bench.Y.rows)) / first;
}

function samplesIn(signals: readonly Signal[]): number {
  return signals.reduce((sum, { data }) => sum + data.length, 0);
}

/** A⁰: see initialAtoms.ts. */
async function startingAtoms(
  store: DeviceSignals,
  scale: number,
  bench: Bench,
  rng: Rng,
): Promise<SparseColumns> {
  const { kernels, options } = bench;
  const { base, atoms: m, atomSparsity: k } = options;
  const L = baseCols(base);
  if (learners[options.learner].explicit) return new SparseColumns(L, m, 0); // it takes a matrix
  if (options.start) return atomsToGoOnFrom(options.start, k);
  if (m >= L) return initialAtoms(L, m, k, rng);
  const dictionary = await SparseDictionary.ofBase(base, kernels);
  const limits = resolveLimits("train", scaleRule(options.coding, scale), dictionary.rows, L);
  const encoder = new Encoder(dictionary, limits, options.batch, kernels);
  const uses = kernels.matrix(L, 1);
  for await (const y of firstExamples(bench, store)) await kernels.countUses(await encoder.encode(y), uses);
  const counts = await kernels.readMatrix(uses);
  encoder.free();
  dictionary.free();
  kernels.free(uses);
  return mostUsedAtoms(counts.data, m, k);
}

/** D⁰ of an explicit dictionary: the one to go on from, or examples. */
async function startingMatrix(store: DeviceSignals, bench: Bench, rng: Rng): Promise<DenseMatrix> {
  const { kernels, options, sampler } = bench;
  if (options.start) return options.start.atoms(kernels);
  const D = new DenseMatrix(sizeOf(options.base.shape), options.atoms);
  const most = Math.min(sampler.examples, 4 * options.atoms);
  let found = 0;
  for (let from = 0; from < most && found < D.cols; from += options.batch) {
    const windows = sampler.trainingWindows(0, from, Math.min(from + options.batch, most));
    const Y = await kernels.readMatrix(await cut(bench, options, store, windows));
    found = takeExamples(Y, D, found);
  }
  for (let r = found * D.rows; r < D.data.length; r++) D.data[r] = rng.normal();
  return unitColumns(D);
}

/** The root-mean-square error a sample over the test windows, in the units of the data; NaN where there are none. */
export async function testError({ plan, kernels, test, learner }: Workshop): Promise<number> {
  return (await codingError(learner.encoder, test, plan.removeMean, kernels)) / plan.scale;
}
