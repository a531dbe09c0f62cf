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

import { InputError } from "../../core/errors.js";
import { DenseMatrix, SparseColumns } from "../../core/matrix.js";
import { Rng } from "../../core/rng.js";
import { sizeOf } from "../../core/shape.js";
import type { Signal } from "../../core/signal.js";
import { powerBelow } from "../../core/units.js";
import { PatchSampler, type Windows } from "../../data/sampling/patchSampler.js";
import { Unreadable } from "../../data/sampling/unreadable.js";
import { baseCols } from "../../dictionaries/base.js";
import { unitColumns } from "../../dictionaries/explicitDictionary.js";
import { SparseDictionary } from "../../dictionaries/sparseDictionary.js";
import type { DeviceMatrix, Kernels } from "../../kernels/contract.js";
import { codingError, type ExampleSet } from "../../pursuit/codingError.js";
import { Encoder } from "../../pursuit/encoder.js";
import { resolveLimits, scaleRule } from "../../pursuit/limits.js";
import { AtomCare } from "../atoms/atomCare.js";
import { atomsToGoOnFrom, initialAtoms, mostUsedAtoms, takeExamples } from "../atoms/initialAtoms.js";
import type { Checkpoint } from "../checkpoints/checkpoint.js";
import { bytesOf } from "../checkpoints/checkpointParts.js";
import { type ExamplePlan, planExamples, type TrainingData } from "../examples/examplePlan.js";
import type { Examples } from "../examples/examples.js";
import type { Learner } from "../learners/learner.js";
import { learners } from "../learners/registry.js";
import { type MemoryPlan, memoryOf, planMemory, requireFits } from "./memoryPlan.js";
import type { ResolvedTraining, TrainOptions } from "./trainOptions.js";

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
  /** What a checkpoint takes on a disk. */
  readonly checkpointBytes: number;
  /** What was done before, where it goes on from a checkpoint. */
  readonly done: { readonly examples: number };
  /** What holding and reading the data takes on the host. */
  readonly hostMemory: MemoryPlan;
  /** What of the data is held: all signals, the chosen windows, or a group of units at a time. */
  readonly holds: ExamplePlan["holds"];
}

/** All that is alive during a run. */
export interface Workshop {
  readonly plan: TrainPlan;
  readonly kernels: Kernels;
  readonly sampler: PatchSampler;
  readonly examples: Examples;
  readonly test: ExampleSet;
  /** Whether the test examples are cut from signals of their own. */
  readonly ownsTest: boolean;
  /** Of the data, what could not be read. */
  readonly unreadable: Unreadable;
  readonly learner: Learner;
  /** What looks after the atoms, where it is wanted. */
  readonly care: AtomCare | undefined;
  /** Room for the examples of an update, and the means taken out of them. */
  readonly Y: DeviceMatrix;
  readonly means: DeviceMatrix;
}

/** Examples looked at to find the units of the data, and the most useful base atoms. */
const sample = 4096;

/** Who is told how reading the data goes. */
export interface Opening {
  readonly unreadable?: Unreadable;
  readonly onReading?: TrainOptions["onReading"];
  /** What to go on from. */
  readonly resume?: Checkpoint | undefined;
}

/** Set everything up. */
export async function openWorkshop(
  data: TrainingData,
  testSignals: readonly Signal[] | undefined,
  options: ResolvedTraining,
  kernels: Kernels,
  { unreadable = new Unreadable(), onReading, resume }: Opening = {},
): Promise<Workshop> {
  const rng = Rng.from(options.seed);
  const { base } = options;
  const plans = await planExamples(data, testSignals === undefined, options, {
    rng,
    kernels,
    unreadable,
    onReading,
  });
  const { sampler, batch, holds } = plans;
  const { examples: count, available } = sampler;
  if (options.patience < Infinity && (testSignals ? options.holdout : sampler.holdout) === 0) {
    throw new InputError("train: patience needs a test set, got none held out");
  }
  const kind = learners[options.learner];
  const atOnce = kind.takes === "whole set" ? count : batch;
  const samples = plans.samples + samplesIn(testSignals ?? []);
  const memory = planMemory({ ...options, batch }, samples, kernels, atOnce);
  requireFits("train", memory, kernels.memory.limit);
  const [Y, means] = [kernels.matrix(sizeOf(base.shape), atOnce), kernels.matrix(1, atOnce)];
  const examples = await plans.open();
  const bench = { kernels, sampler, examples, options: { ...options, batch }, Y, means };
  const scale = resume?.header.scale ?? (await unitsOf(bench));
  examples.scaleBy(scale);
  const test = testSignals
    ? { store: kernels.signals(testSignals, scale), windows: windowsOf(testSignals, options, rng) }
    : examples.test();
  const start = await startingAtoms(scale, bench, rng.split("atoms"));
  const coding = scaleRule(options.coding, scale);
  const atoms = () => startingMatrix(bench, rng.split("examples"));
  const setting = { options: { ...options, batch, coding }, start, atoms, examples: atOnce, kernels };
  const learner = await kind.create(setting);
  if (resume) await learner.kept.restore(resume);
  const plan = {
    ...options,
    batch,
    examples: count,
    examplesAtOnce: atOnce,
    holdout: test.windows.signal.length,
    testEvery: options.testEvery ?? count,
    available,
    steps: Math.ceil(count / atOnce) * options.epochs,
    scale,
    memory,
    checkpointBytes: bytesOf(learner.kept),
    done: { examples: resume?.header.position.examples ?? 0 },
    hostMemory: memoryOf(plans.host),
    holds,
  };
  const cares = options.atomCare && learner.cared;
  const care = cares ? new AtomCare(cares, options.atomCare, kernels) : undefined;
  const ownsTest = testSignals !== undefined;
  return { plan, kernels, sampler, examples, test, ownsTest, unreadable, learner, care, Y, means };
}

/** Give everything back. */
export async function closeWorkshop({
  kernels,
  learner,
  care,
  examples,
  test,
  ownsTest,
  Y,
  means,
}: Workshop): Promise<void> {
  care?.free();
  learner.free();
  kernels.free(Y, means);
  if (ownsTest) kernels.free(test.store);
  await examples.free();
}

/** Cut windows into Y, with their means removed where the run does so; the columns that hold them. */
export async function cut(
  { kernels, Y, means }: Pick<Workshop, "kernels" | "Y" | "means">,
  options: ResolvedTraining,
  { store, windows }: ExampleSet,
): Promise<DeviceMatrix> {
  const count = windows.signal.length;
  const y = kernels.head(Y, count);
  const removed = options.removeMean ? kernels.head(means, count) : null;
  await kernels.extract(store, windows, options.base.shape, y, removed);
  return y;
}

/** Windows of test signals, as many as would have been held out. */
function windowsOf(signals: readonly Signal[], options: ResolvedTraining, rng: Rng): Windows {
  if (options.holdout === 0) return { signal: new Uint32Array(), start: new Uint32Array() };
  const size = { patch: options.base.shape, holdout: 0, examples: options.holdout };
  const sampler = new PatchSampler(signals, size, rng.split("test"));
  return sampler.trainingWindows(0, 0, sampler.examples);
}

/** What the steps before the first one work with. */
interface Bench extends Pick<Workshop, "kernels" | "sampler" | "examples" | "Y" | "means"> {
  readonly options: ResolvedTraining;
}

/** The first examples, a mini-batch at a time. */
async function* firstExamples(bench: Bench, most = sample): AsyncGenerator<DeviceMatrix> {
  const { sampler, options, examples } = bench;
  const count = Math.min(most, sampler.examples);
  for (let from = 0; from < count; from += options.batch) {
    const found = await examples.take(0, from, Math.min(from + options.batch, count));
    if (found.windows.signal.length > 0) yield await cut(bench, options, found);
  }
}

/** The power of two that brings the deviation of the median example to [¼, ½). */
async function unitsOf(bench: Bench): Promise<number> {
  const { kernels, examples } = bench;
  const first = powerBelow(await examples.largest());
  examples.scaleBy(1 / first, "for now"); // below 2 in magnitude: sums of squares are safe
  const energies = kernels.matrix(1, bench.Y.cols);
  const found: number[] = [];
  for await (const y of firstExamples(bench)) {
    const part = kernels.head(energies, y.cols);
    await kernels.columnEnergies(y, part);
    for (const energy of (await kernels.readMatrix(part)).data) if (energy > 0) found.push(energy);
  }
  kernels.free(energies);
  if (found.length === 0) return 1 / first;
  const median = found.sort((a, b) => a - b)[found.length >> 1]; // one example out of range changes nothing
  return 0.25 / powerBelow(Math.sqrt(median / bench.Y.rows)) / first;
}

function samplesIn(signals: readonly Signal[]): number {
  return signals.reduce((sum, { data }) => sum + data.length, 0);
}

/** A⁰: see initialAtoms.ts. */
async function startingAtoms(scale: number, bench: Bench, rng: Rng): Promise<SparseColumns> {
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
  for await (const y of firstExamples(bench)) await kernels.countUses(await encoder.encode(y), uses);
  const counts = await kernels.readMatrix(uses);
  encoder.free();
  dictionary.free();
  kernels.free(uses);
  return mostUsedAtoms(counts.data, m, k);
}

/** D⁰ of an explicit dictionary: the one to go on from, or examples. */
async function startingMatrix(bench: Bench, rng: Rng): Promise<DenseMatrix> {
  const { kernels, options } = bench;
  if (options.start) return options.start.atoms(kernels);
  const D = new DenseMatrix(sizeOf(options.base.shape), options.atoms);
  let found = 0;
  for await (const Y of firstExamples(bench, 4 * options.atoms)) {
    found = takeExamples(await kernels.readMatrix(Y), D, found);
    if (found === D.cols) break;
  }
  for (let r = found * D.rows; r < D.data.length; r++) D.data[r] = rng.normal();
  return unitColumns(D);
}

/** The root-mean-square error a sample over the test windows, in the units of the data; NaN where there are none. */
export async function testError({ plan, kernels, test, learner }: Workshop): Promise<number> {
  return (await codingError(learner.encoder, test, plan.removeMean, kernels)) / plan.scale;
}
