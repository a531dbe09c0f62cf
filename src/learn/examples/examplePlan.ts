/**
 * From data to examples: which windows are trained and tested on, and whether the whole
 * set is held in memory, only its chosen windows, or one group of units at a time. Only
 * sizes and options decide this, never the memory of the machine, because the order of
 * examples depends on it when a set is read in groups.
 */

import { InputError, onBehalfOf } from "../../core/errors.js";
import { byteSize } from "../../core/formatText.js";
import type { Rng } from "../../core/random/rng.js";
import { requireInteger } from "../../core/require.js";
import { sizeOf } from "../../core/shape.js";
import type { Signal } from "../../core/signal.js";
import { gapFreeSource, markingGaps } from "../../data/sampling/gapFreeSource.js";
import { gapFreeSignals } from "../../data/sampling/gapFreeWindows.js";
import { GroupedOrder, type OnOrdering } from "../../data/sampling/groupedOrder.js";
import { PatchSampler, type Windowed } from "../../data/sampling/patchSampler.js";
import {
  isSource,
  readUnits,
  type SignalSource,
  samplesOf,
  samplesTogether,
  type UnreadableFiles,
} from "../../data/sampling/signalSource.js";
import type { Kernels } from "../../kernels/contract.js";
import { availableMemory } from "../../kernels/cpu/pool.js";
import type { MemoryPart } from "../learners/learner.js";
import { defaultLength, followsSize, type RunLength, sizeOfRun } from "../run/plan/runLength.js";
import type { ResolvedTraining } from "../run/trainOptions.js";
import { type Examples, ResidentExamples } from "./examples.js";
import { GatheredExamples } from "./gatheredExamples.js";
import { GroupedExamples, groupCapacity } from "./groupedExamples.js";

/** Signals, with NaN for missing samples, or a source of them. */
export type TrainingData = readonly Signal[] | SignalSource;

/** What is known about the examples before they are read. */
export interface ExamplePlan {
  readonly sampler: PatchSampler;
  /** The batch and the epochs of the options, or those that follow from the number of examples. */
  readonly length: RunLength;
  /** The batch of `length`, or the number of examples if that is smaller. */
  readonly batch: number;
  /** How much of the data is held: all signals, the chosen windows, or one group of units at a time. */
  readonly holds: "signals" | "windows" | "groups";
  /** Windows that are not used, since a sample of theirs is missing. */
  readonly windowsWithGaps: number;
  /** Samples held on the device. */
  readonly samples: number;
  /** The memory for holding and reading them on the host. */
  readonly host: readonly MemoryPart[];
  open(): Promise<Examples>;
}

/** Bytes per sample while an image is decoded: the file, its colours, the grey picture. */
const decodingBytes = 12;

/** Examples that are held out of a small set by default, if they are at most a quarter of it. */
const fewestTests = 50;

/** About what Node, its libraries and the command take by themselves. */
const program: MemoryPart = { what: "program", bytes: 160 * 2 ** 20 };

/** Plan how signals are held; a source with no more samples than one group is read as a whole. */
export async function planExamples(
  data: TrainingData,
  holdsOut: boolean,
  options: ResolvedTraining,
  tools: Tools,
): Promise<ExamplePlan> {
  if (!isSource(data)) return planSignals(data, holdsOut, options, tools);
  const { nodata } = options;
  const source = nodata.length === 0 ? data : markingGaps(data, nodata);
  const samples = source.units.reduce((sum, unit) => sum + samplesOf(unit), 0);
  if (samples > options.groupSamples) return planMarked(source, holdsOut, options, tools);
  const plan = planSignals(await readAll(source, tools.unreadable), holdsOut, options, tools);
  return { ...plan, host: [...plan.host, decoding(source)] };
}

/** Plan how a source is read whose windows with missing samples, if there may be any, are found first. */
async function planMarked(
  source: SignalSource,
  holdsOut: boolean,
  options: ResolvedTraining,
  tools: Tools,
): Promise<ExamplePlan> {
  if (!source.marksGaps) return planStream(source, holdsOut, options, tools);
  const { unreadable, onReading } = tools;
  const { source: whole, excluded } = await gapFreeSource(source, options.base.shape, unreadable, onReading);
  return { ...planStream(whole, holdsOut, options, tools), windowsWithGaps: excluded };
}

interface Tools {
  readonly rng: Rng;
  readonly kernels: Kernels;
  readonly unreadable: UnreadableFiles;
  /** Called with the fraction of a pass over the data that is done. */
  readonly onReading?: ((part: number) => void) | undefined;
  /** The same while the examples are put in order. It may throw to end that. */
  readonly onOrdering?: OnOrdering | undefined;
}

function planSignals(
  given: readonly Signal[],
  holdsOut: boolean,
  options: ResolvedTraining,
  { rng, kernels }: Tools,
): ExamplePlan {
  const { signals, excluded } = onBehalfOf("train", () => gapFreeSignals(given, options.base.shape));
  const sampler = createSampler(signals, holdsOut, options, rng);
  const samples = signals.reduce((sum, { data }) => sum + data.length, 0);
  const length = lengthOf(options, sampler.examples);
  return {
    sampler,
    length,
    batch: Math.min(length.batch, sampler.examples),
    holds: "signals",
    windowsWithGaps: excluded,
    samples,
    host: [{ what: "signals", bytes: 4 * samples }, program],
    open: async () => new ResidentExamples(signals, sampler, kernels),
  };
}

function planStream(
  source: SignalSource,
  holdsOut: boolean,
  options: ResolvedTraining,
  { rng, kernels, unreadable, onReading, onOrdering }: Tools,
): ExamplePlan {
  const patch = options.base.shape;
  const sampler = createSampler(source.units, holdsOut, options, rng);
  const { examples, holdout } = sampler;
  const length = lengthOf(options, examples);
  const batch = Math.min(length.batch, examples);
  const n = sizeOf(patch);
  const gathered = (examples + holdout) * n;
  const order = { what: "order of examples", bytes: 8 * (examples + holdout) };
  requireOrder(order, examples);
  const reading = [program, decoding(source), order];
  if (options.kind.takes === "whole set" || gathered <= options.groupSamples) {
    return {
      sampler,
      length,
      batch,
      holds: "windows",
      windowsWithGaps: 0,
      samples: gathered,
      host: [{ what: "examples", bytes: 4 * gathered }, ...reading],
      open: () => {
        const setting = { numbers: sampler.numbers, patch, unreadable, onReading, onOrdering };
        return GatheredExamples.create(source, sampler, setting, kernels);
      },
    };
  }
  const capacity = groupCapacity(source, options.groupSamples);
  const open = async () => {
    const sizes = source.units.map(samplesOf);
    const order = await GroupedOrder.create(
      sampler,
      sizes,
      options.groupSamples,
      rng.split("groups"),
      onOrdering,
    );
    return GroupedExamples.create({
      source,
      sampler,
      order,
      patch,
      batch,
      epochs: length.epochs,
      capacity,
      kernels,
      unreadable,
      onReading,
    });
  };
  const samples = capacity + (batch + holdout) * n;
  return {
    sampler,
    length,
    batch,
    holds: "groups",
    windowsWithGaps: 0,
    samples,
    host: [{ what: "next group", bytes: 4 * samples }, ...reading],
    open,
  };
}

function lengthOf(options: ResolvedTraining, examples: number): RunLength {
  if (!followsSize(options.kind)) return { batch: options.batch, epochs: options.epochs };
  return defaultLength(sizeOfRun(options, examples), options.given);
}

/** Refuse an order that is too long to be held, before time is spent on it. */
function requireOrder({ what, bytes }: MemoryPart, examples: number): void {
  requireInteger("train", "examples", examples, 1, 2 ** 32 - 1);
  const room = availableMemory();
  if (bytes <= room) return;
  throw new InputError(
    (nameOf) =>
      `${nameOf("examples")} must be fewer: the ${what} takes ${byteSize(bytes)}, but only ${byteSize(room)} of memory is available`,
    { where: "train", argument: "examples", value: examples },
  );
}

/** Holds test windows out of the training data, as many as the options allow, unless there are test signals. */
function createSampler(
  units: readonly Windowed[],
  holdsOut: boolean,
  options: ResolvedTraining,
  rng: Rng,
): PatchSampler {
  const patch = options.base.shape;
  return onBehalfOf("train", () => {
    const { available } = new PatchSampler(units, { patch, holdout: 0, examples: 1 }, rng);
    const most = mostHeldOut(options, available);
    const holdout = holdsOut ? Math.min(options.holdout, most) : 0;
    return new PatchSampler(units, { patch, holdout, examples: options.examples }, rng);
  });
}

/** By default of a small set more than its share, so that a test can separate better from worse. */
function mostHeldOut({ holdoutShare, holdoutGiven }: ResolvedTraining, available: number): number {
  const share = Math.floor(holdoutShare * available);
  return holdoutGiven ? share : Math.max(share, Math.min(fewestTests, Math.floor(available / 4)));
}

/** Every signal of a source that can be read. */
async function readAll(source: SignalSource, unreadable: UnreadableFiles): Promise<Signal[]> {
  const all: Signal[] = [];
  const { units } = source;
  const roomFor = (unit: number) => new Float32Array(samplesOf(units[unit]));
  await readUnits(source, Array.from(units.keys()), roomFor, (unit, { signals, problem }) => {
    if (problem && units.length === 1) throw problem;
    if (problem) unreadable.add(units[unit], problem);
    for (const signal of signals) all.push(signal);
  });
  if (all.length === 0) throw new InputError("train: none of the data could be read");
  return all;
}

function decoding({ units }: SignalSource): MemoryPart {
  return { what: "decoding", bytes: decodingBytes * samplesTogether(units) };
}
