/**
 * Training from files: `train` of `trainlets/node`. Paths, folders, globs and archives
 * are taken as on the command line and opened when the run starts; sets larger
 * than memory are read in groups.
 */

import { asyncDispose, type Closable } from "../../../core/disposal.js";
import { nodataInSignals } from "../../../core/samples/gaps.js";
import { type InputList, inspectInputs, resolvePatch } from "../../../data/node/inputs.js";
import { openSource } from "../../../data/node/openSource.js";
import { readSignals } from "../../../data/node/readSignals.js";
import { warnOfSkipped } from "../../../data/node/skippedFiles.js";
import type { SignalData, SignalSource } from "../../../data/sampling/signalSource.js";
import type { Model } from "../../../model/model.js";
import { loadBase } from "../../../model/node/files.js";
import type { TrainOutline, TrainPlan } from "../setup.js";
import { type TrainingRun, train as trainSignals } from "../train.js";
import type { TrainReport } from "../trainingLoop.js";
import { requireTrainOptions, type TrainOptions, trainDefaults } from "../trainOptions.js";

/** Options of `train`, with paths where the others have data. */
export interface FileTrainOptions extends Omit<TrainOptions, "test"> {
  /** Files, folders and globs to test on, or signals, instead of held-out windows of the training data. */
  readonly test?: InputList | TrainOptions["test"];
}

/** What paths are given for. */
type FileData = InputList | SignalData | SignalSource;

/**
 * Learn a dictionary from files: images, `.npy` and `.npz` arrays, `.tar` archives, folders and globs of them. Signals
 * in memory are taken, too, as by `train` of `trainlets`.
 *
 * @example
 * const model = await train("photos", { patch: 16 }).model();
 * await saveModel("dictionary.npz", model);
 */
export function train(data: FileData, options: FileTrainOptions): FileTrainingRun {
  return new FileTrainingRun(data, options);
}

/** A run that opens its files when it starts. It offers what a `TrainingRun` offers. */
export class FileTrainingRun implements AsyncIterable<TrainReport>, Closable {
  readonly #data: FileData;
  readonly #options: FileTrainOptions;
  #opened: Promise<Opened> | undefined;
  #run: TrainingRun | undefined;

  constructor(data: FileData, options: FileTrainOptions) {
    requireTrainOptions(options);
    this.#data = data;
    this.#options = options;
  }

  /** What the run is going to do, as far as it is known before its examples are put in order and read. Opens the files. */
  async outline(): Promise<TrainOutline> {
    return (await this.#open()).run.outline();
  }

  /** What the run is going to do. Opens the files and sets everything up. */
  async plan(): Promise<TrainPlan> {
    return (await this.#open()).run.plan();
  }

  /** The files that could not be read so far, and how many examples were skipped because of them. */
  get unreadable(): TrainingRun["unreadable"] {
    return this.#run?.unreadable ?? { files: [], examples: 0 };
  }

  /** The final dictionary. Trains first if nobody has iterated over the run. */
  async model(): Promise<Model> {
    const { run, close } = await this.#open();
    return run.model().finally(close);
  }

  /** The current dictionary between two reports, for a caller that iterates over the run. */
  async snapshot(): Promise<Model> {
    return (await this.#open()).run.snapshot();
  }

  /** Free everything, if the run is not wanted after all. A run that is being iterated ends after its current report. */
  async close(): Promise<void> {
    const opened = await this.#opened?.catch(() => undefined); // a failure has been reported
    await opened?.run.close();
    await opened?.close();
  }

  [asyncDispose](): Promise<void> {
    return this.close();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<TrainReport, void, undefined> {
    const { run, close } = await this.#open();
    try {
      yield* run;
    } finally {
      await close();
    }
  }

  async #open(): Promise<Opened> {
    this.#opened ??= openRun(this.#data, this.#options);
    const opened = await this.#opened;
    this.#run = opened.run;
    return opened;
  }
}

interface Opened {
  readonly run: TrainingRun;
  /** Close the files. */
  close(): Promise<void>;
}

async function openRun(data: FileData, options: FileTrainOptions): Promise<Opened> {
  const { test, ...rest } = options;
  if (!isInputList(data)) {
    if (!isInputList(test)) return { run: trainSignals(data, { ...rest, test }), close: async () => {} };
    const signals = await readSignals(test, { patch: options.patch, nodata: options.nodata });
    const more = { test: signals, nodata: nodataInSignals(options.nodata) };
    return { run: trainSignals(data, { ...rest, ...more }), close: async () => {} };
  }
  const onSkip = options.onUnreadable ?? warnOfSkipped;
  const inputs = await inspectInputs(data, { onSkip });
  const patch = resolvePatch(options.patch, inputs);
  const { groupSamples = trainDefaults.groupSamples } = options;
  const { nodata } = options;
  const reading = { patch, onSkip, nodata };
  const source = await openSource(inputs, { ...reading, unitSamples: groupSamples / unitsPerGroup });
  try {
    const base = typeof options.base === "string" ? await loadBase(options.base, patch) : options.base; // data smaller than the patch are refused by now
    const signals = isInputList(test) ? await readSignals(test, reading) : test;
    const more = { patch, base, test: signals, onUnreadable: onSkip, nodata: nodataInSignals(nodata) };
    return { run: trainSignals(source, { ...rest, ...more }), close: () => source.close() };
  } catch (error) {
    await source.close();
    throw error;
  }
}

/** Whether data are paths, or inputs that were inspected. */
function isInputList(data: unknown): data is InputList {
  const isInput = (item: unknown) =>
    typeof item === "string" || (typeof item === "object" && item !== null && "kind" in item);
  return Array.isArray(data) ? data.length > 0 && data.every(isInput) : typeof data === "string";
}

/** Large arrays are cut up so that a group has pieces from at least this many places. */
export const unitsPerGroup = 8;
