/**
 * What a training run needs before its first update: the sampler, the examples on the
 * device, the starting atoms and the learner.
 *
 * Units. Samples are scaled by a power of two so that the median example deviates from
 * its mean by ¼ to ½ (root mean square). Steps and sums then stay in the range of f32
 * whatever the units of the data, data that differ by a power of two give the same
 * dictionary to the bit, and the first steps are as large as the atoms they change
 * (docs/decisions/0002-units.md). Reports are in the units of the data.
 */

import { SparseColumns } from "../../core/matrix.js";
import { Rng } from "../../core/random/rng.js";
import { type Extreme, findExtreme } from "../../core/samples/extremes.js";
import { sizeOf } from "../../core/shape.js";
import type { Signal } from "../../core/signal.js";
import { MagnitudeCounts, powerBelow } from "../../core/units.js";
import type { OnOrdering } from "../../data/sampling/groupedOrder.js";
import { PatchSampler, type Windows } from "../../data/sampling/patchSampler.js";
import { UnreadableFiles } from "../../data/sampling/signalSource.js";
import { baseCols } from "../../dictionaries/base.js";
import type { DeviceMatrix, Kernels } from "../../kernels/contract.js";
import { codingError, type ExampleSet, scaleCoding } from "../../pursuit/encoder.js";
import { AtomCare } from "../atoms/atomCare.js";
import { chosenFactor } from "../atoms/exampleStart.js";
import { type StartSetting, startingMatrix } from "../atoms/initialAtoms.js";
import type { Checkpoint } from "../checkpoints/checkpoint.js";
import { partBytes } from "../checkpoints/checkpointParts.js";
import { type ExamplePlan, planExamples, type TrainingData } from "../examples/examplePlan.js";
import type { Examples } from "../examples/examples.js";
import { isUsable, notUsable } from "../examples/usableSamples.js";
import type { Learner, LearnerSetting, StartingAtoms } from "../learners/learner.js";
import { startOf } from "./plan/chooseStart.js";
import {
  averageMemory,
  keptMemory,
  type MemoryPlan,
  planMemory,
  requireFits,
  totalMemory,
} from "./plan/memoryPlan.js";
import {
  defaultTestEvery,
  describeFewTests,
  describeLength,
  describeShortRun,
  followsSize,
  sizeOfRun,
} from "./plan/runLength.js";
import { requireTests, testableSignals } from "./plan/testSet.js";
import type { ResolvedTraining, TrainOptions } from "./trainOptions.js";

/** What a run is going to do: its options, adjusted to the data. */
export interface TrainPlan extends ResolvedTraining {
  /** Examples per epoch: as many as asked for, or all there are. */
  readonly examples: number;
  /** Examples the test error is measured on. */
  readonly holdout: number;
  /** Windows there are to draw from. */
  readonly available: number;
  /** Windows that are not used, since a sample of theirs is missing. */
  readonly windowsWithGaps: number;
  /** A sample far beyond all others, if there is one in memory before the first update. */
  readonly extreme: Extreme | undefined;
  /** Examples between two measurements of the test error. */
  readonly testEvery: number;
  /** Which batch and epochs were chosen for the number of examples, and why; undefined for the usual ones. */
  readonly chosen: string | undefined;
  /** Why short first steps were chosen, and whether better atoms to start from; undefined if they were not. */
  readonly shortSteps: string | undefined;
  /** One line each: a run that is too short to learn from, and one with few examples to test on. */
  readonly warnings: readonly string[];
  /** Examples per update: a mini-batch, or a whole epoch. */
  readonly examplesAtOnce: number;
  /** Total number of updates. */
  readonly steps: number;
  /** Signals are multiplied by this for computing. */
  readonly scale: number;
  /** Whether the Gram matrix of the atoms is kept; without it, each turn of a pursuit goes through the atoms. */
  readonly keepsGram: boolean;
  /** The memory it takes where the kernels compute. */
  readonly memory: MemoryPlan;
  /** The size of a checkpoint on disk. */
  readonly checkpointBytes: number;
  /** What was done before, if it resumes from a checkpoint. */
  readonly done: { readonly examples: number; readonly seconds: number };
  /** The memory for holding and reading the data on the host. */
  readonly hostMemory: MemoryPlan;
  /** How much of the data is held: all signals, the chosen windows, or one group of units at a time. */
  readonly holds: ExamplePlan["holds"];
}

/** Everything that is alive during a run. */
export interface TrainingSetup {
  readonly plan: TrainPlan;
  readonly kernels: Kernels;
  readonly sampler: PatchSampler;
  readonly examples: Examples;
  readonly test: ExampleSet;
  /** Whether the test examples are cut from signals of their own. */
  readonly ownsTest: boolean;
  /** The parts of the data that could not be read. */
  readonly unreadable: UnreadableFiles;
  readonly learner: Learner;
  /** Undefined if atoms are not to be replaced. */
  readonly care: AtomCare | undefined;
  /** Room for the examples of an update, and for the means removed from them. */
  readonly Y: DeviceMatrix;
  readonly means: DeviceMatrix;
}

/** What is known of a run before its examples are put in order and read. */
export type TrainOutline = Omit<TrainPlan, "scale" | "extreme" | "checkpointBytes">;

/** A run that is planned: nothing is allocated yet. */
export interface OutlinedTraining {
  readonly outline: TrainOutline;
  readonly plans: ExamplePlan;
  readonly options: ResolvedTraining;
  /** Signals to test on, without gaps. */
  readonly tests: readonly Signal[] | undefined;
  readonly rng: Rng;
  readonly kernels: Kernels;
  readonly unreadable: UnreadableFiles;
  readonly resume: Checkpoint | undefined;
  readonly onReading: TrainOptions["onReading"];
}

/** Where reading problems and progress go, and where a run resumes. */
export interface SetupOptions {
  readonly unreadable?: UnreadableFiles;
  readonly onReading?: TrainOptions["onReading"];
  readonly signal?: AbortSignal | undefined;
  readonly resume?: Checkpoint | undefined;
}

/** Set everything up. */
export async function setUpTraining(
  data: TrainingData,
  testSignals: readonly Signal[] | undefined,
  options: ResolvedTraining,
  kernels: Kernels,
  more: SetupOptions = {},
): Promise<TrainingSetup> {
  return openTraining(await outlineTraining(data, testSignals, options, kernels, more));
}

/** Plan a run, and refuse one that does not fit. */
export async function outlineTraining(
  data: TrainingData,
  testSignals: readonly Signal[] | undefined,
  given: ResolvedTraining,
  kernels: Kernels,
  { unreadable = new UnreadableFiles(), onReading, signal, resume }: SetupOptions = {},
): Promise<OutlinedTraining> {
  const rng = Rng.from(given.seed);
  const onOrdering = orderingWatch(given.minutes, signal, onReading);
  const tools = { rng, kernels, unreadable, onReading: readingOf(onReading), onOrdering };
  const plans = await planExamples(data, testSignals === undefined, given, tools);
  const { sampler, batch } = plans;
  const examplesAtOnce = given.kind.takes === "whole set" ? sampler.examples : batch;
  const tests = testSignals && testableSignals(testSignals, given.base.shape);
  if (!tests) requireTests(given.testOption, sampler.holdout);
  const samples = plans.samples + countSamples(tests ?? []);
  const memoryWith = (options: ResolvedTraining) =>
    planMemory({ ...options, ...plans.length, batch }, samples, kernels, examplesAtOnce);
  const fits = (init: StartingAtoms) => memoryWith({ ...given, init }).total <= kernels.memory.limit;
  const { firstSteps, init, reason } = startOf(given, plans, resume?.header.settings, fits);
  const options = { ...given, ...plans.length, firstSteps, init };
  const memory = memoryWith(options);
  requireFits("train", memory, kernels.memory.limit);
  const outline = makeOutline(options, plans, {
    examplesAtOnce,
    shortSteps: reason,
    holdout: tests ? testWindows(tests, options, rng).signal.length : sampler.holdout,
    keepsGram: options.kind.explicit === true || options.atoms <= kernels.mostGramAtoms,
    memory,
    done: {
      examples: resume?.header.position.examples ?? 0,
      seconds: resume?.header.position.seconds ?? 0,
    },
  });
  return { outline, plans, options, tests, rng, kernels, unreadable, resume, onReading };
}

/** Put the examples in order, read them, and make the learner. */
export async function openTraining(planned: OutlinedTraining): Promise<TrainingSetup> {
  const { outline, plans, options, tests, rng, kernels, unreadable, resume, onReading } = planned;
  const { sampler, batch } = plans;
  const { examplesAtOnce } = outline;
  const Y = kernels.matrix(sizeOf(options.base.shape), examplesAtOnce);
  const means = kernels.matrix(1, examplesAtOnce);
  const examples = await plans.open();
  const onStarting = onReading && ((part: number) => onReading(part, "starting"));
  const resumes = resume !== undefined;
  const source = {
    kernels,
    sampler,
    examples,
    options: { ...options, batch },
    Y,
    means,
    onStarting,
    resumes,
  };
  const held = await examples.held();
  const scale = resume?.header.scale ?? (await findScale(source, held));
  const found = findExtreme(held);
  const extreme =
    found && plans.holds === "windows" ? { ...found, name: "the data", place: undefined } : found;
  if (extreme && !isUsable(extreme.value, scale)) {
    await examples.free();
    kernels.free(Y, means);
    throw notUsable(extreme);
  }
  examples.scaleBy(scale);
  const test = tests
    ? { store: kernels.signals(tests, scale), windows: testWindows(tests, options, rng) }
    : examples.test();
  const perEpoch = Math.ceil(outline.examples / examplesAtOnce);
  const updates = { perEpoch, total: outline.steps };
  const learner = await createLearner(source, scale, rng, updates);
  if (resume) await learner.savable.restore(resume);
  const kept = keptMemory(options, outline.holdout);
  const checkpointBytes = [
    ...learner.savable.parts().map(partBytes),
    ...kept.map(({ bytes }) => bytes),
  ].reduce((sum, bytes) => sum + bytes, 0);
  const plan = { ...outline, holdout: test.windows.signal.length, scale, extreme, checkpointBytes };
  const { atomCare } = options;
  const care =
    atomCare && learner.replaceable ? new AtomCare(learner.replaceable, atomCare, kernels) : undefined;
  const ownsTest = tests !== undefined;
  return { plan, kernels, sampler, examples, test, ownsTest, unreadable, learner, care, Y, means };
}

/** Progress while examples are put in order; the work ends if the run is aborted, or if its time is up before it starts. */
function orderingWatch(
  minutes: number,
  signal: AbortSignal | undefined,
  onReading: TrainOptions["onReading"],
): OnOrdering {
  const start = performance.now();
  return (part) => {
    onReading?.(part, "ordering");
    if (signal?.aborted) throw new Error("train: aborted while the examples were put in order");
    if (performance.now() - start > 60_000 * minutes)
      throw new Error(
        `train: the time limit was reached after ${(100 * part).toFixed(0)}% of the examples were put in order: use fewer examples`,
      );
  };
}

function readingOf(onReading: TrainOptions["onReading"]): ((part: number) => void) | undefined {
  return onReading && ((part) => onReading(part, "reading"));
}

function makeOutline(
  options: ResolvedTraining,
  { sampler, batch, host, holds, windowsWithGaps }: ExamplePlan,
  parts: Pick<TrainPlan, "examplesAtOnce" | "shortSteps" | "holdout" | "keepsGram" | "memory" | "done">,
): TrainOutline {
  const { examples, available } = sampler;
  const size = sizeOfRun(options, examples);
  const follows = followsSize(options.kind);
  return {
    ...options,
    ...parts,
    batch,
    examples,
    available,
    windowsWithGaps,
    testEvery:
      options.testEvery ??
      (follows && parts.holdout > 0 ? defaultTestEvery(examples, options.epochs) : examples),
    chosen: follows ? describeLength(size, options.given) : undefined,
    warnings: [...(follows ? describeShortRun(size, options) : []), ...describeFewTests(parts.holdout)],
    steps: Math.ceil(examples / parts.examplesAtOnce) * options.epochs,
    hostMemory: totalMemory([...host, ...keptMemory(options, parts.holdout), ...averageMemory(options)]),
    holds,
  };
}

/** Free everything but the kernels. */
export async function freeTraining({
  kernels,
  learner,
  care,
  examples,
  test,
  ownsTest,
  Y,
  means,
}: TrainingSetup): Promise<void> {
  care?.free();
  learner.free();
  kernels.free(Y, means);
  if (ownsTest) kernels.free(test.store);
  await examples.free();
}

/** Cut windows into Y, without their means if the run removes them; returns the columns that hold them. */
export async function extractExamples(
  { kernels, Y, means }: Pick<TrainingSetup, "kernels" | "Y" | "means">,
  options: ResolvedTraining,
  { store, windows }: ExampleSet,
): Promise<DeviceMatrix> {
  const count = windows.signal.length;
  const y = kernels.head(Y, count);
  const removed = options.removeMean ? kernels.head(means, count) : null;
  await kernels.extract(store, windows, options.base.shape, y, removed);
  return y;
}

/** The root-mean-square error per sample over the test windows, in the units of the data; NaN without test windows. */
export async function measureTestError({ plan, kernels, test, learner }: TrainingSetup): Promise<number> {
  return (await codingError(learner.encoder, test, plan.removeMean, kernels)) / plan.scale;
}

/** Windows of test signals, as many as would have been held out. */
export function testWindows(signals: readonly Signal[], options: ResolvedTraining, rng: Rng): Windows {
  const size = { patch: options.base.shape, holdout: 0, examples: options.holdout };
  const sampler = new PatchSampler(signals, size, rng.split("test"));
  return sampler.trainingWindows(0, 0, sampler.examples);
}

function countSamples(signals: readonly Signal[]): number {
  return signals.reduce((sum, { data }) => sum + data.length, 0);
}

// — before the first update ———————————————————————————————————————————————————

/** Where the first examples come from. */
export interface ExampleSource
  extends Pick<TrainingSetup, "kernels" | "sampler" | "examples" | "Y" | "means"> {
  readonly options: ResolvedTraining;
  /** Called with the fraction done while atoms to start from are found. */
  readonly onStarting?: ((part: number) => void) | undefined;
  /** Whether a checkpoint will replace the starting atoms: none are looked for. */
  readonly resumes?: boolean;
}

/** How many examples are used to find the units of the data. */
const sampleSize = 4096;

/** The first examples, a mini-batch at a time. */
async function* firstExamples(source: ExampleSource, limit = sampleSize): AsyncGenerator<DeviceMatrix> {
  const { sampler, options, examples } = source;
  const count = Math.min(limit, sampler.examples);
  for (let from = 0; from < count; from += options.batch) {
    const found = await examples.take(0, from, Math.min(from + options.batch, count));
    if (found.windows.signal.length > 0) yield await extractExamples(source, options, found);
  }
}

/** The power of two that brings the deviation of the median example to [¼, ½). */
export async function findScale(source: ExampleSource, held: readonly Signal[]): Promise<number> {
  const { kernels, examples, Y } = source;
  const counts = new MagnitudeCounts();
  for (const { data } of held) counts.add(data);
  const provisional = 1 / counts.quantile(0.5); // not by the largest, beside which all others might vanish
  examples.scaleBy(provisional, "for now");
  const energies = kernels.matrix(1, Y.cols);
  const found: number[] = [];
  for await (const y of firstExamples(source)) {
    const part = kernels.head(energies, y.cols);
    await kernels.columnEnergies(y, part);
    for (const energy of (await kernels.readMatrix(part)).data) if (energy > 0) found.push(energy);
  }
  kernels.free(energies);
  if (found.length === 0) return provisional;
  const median = found.sort((a, b) => a - b)[found.length >> 1]; // a single outlier changes nothing
  return (0.25 / powerBelow(Math.sqrt(median / Y.rows))) * provisional;
}

/** m unit vectors, which stand for atoms until a checkpoint is restored. */
function unitVectors(rows: number, m: number): SparseColumns {
  const indices = Uint32Array.from({ length: m }, (_, j) => j % rows);
  return new SparseColumns(rows, m, 1, indices, new Float32Array(m).fill(1), new Uint32Array(m).fill(1));
}

/** The learner with its starting atoms. */
export async function createLearner(
  source: ExampleSource,
  scale: number,
  rng: Rng,
  updates?: LearnerSetting["updates"],
): Promise<Learner> {
  const { kernels, options: resolved, Y } = source;
  const { kind } = resolved;
  const options = { ...resolved, coding: scaleCoding(resolved.coding, scale) };
  const start = (label: string): StartSetting => ({
    options,
    model: resolved.start,
    examples: source.sampler.examples,
    firstExamples: (limit) => firstExamples(source, limit),
    onProgress: source.onStarting,
    rng: rng.split(label),
    kernels,
  });
  const { base, atoms: m } = options;
  const isRestored = source.resumes && !resolved.start;
  return kind.create({
    options,
    start: kind.explicit
      ? new SparseColumns(baseCols(base), m, 0) // it takes a matrix instead
      : await (isRestored ? unitVectors(baseCols(base), m) : chosenFactor(start("atoms"))),
    atoms: async () =>
      isRestored ? unitVectors(sizeOf(base.shape), m).toDense() : startingMatrix(start("examples")),
    examples: Y.cols,
    ...(updates ? { updates } : {}),
    kernels,
  });
}
