/**
 * A training run, from its options to its model: checked (trainOptions.ts), set up
 * (setup.ts), looped over (trainingLoop.ts).
 *
 * A run is an async iterable of reports: iterate over it, or just await its model.
 * Breaking out of the iteration, or aborting, ends it with a last test and the model so far.
 */

import { either, having, optional, requireArgument, signalData } from "../../core/arguments/argumentTypes.js";
import { asyncDispose, type Closable, releaseWhenCollected } from "../../core/disposal.js";
import { InputError, inputError } from "../../core/errors.js";
import { resolveNodata } from "../../core/samples/gaps.js";
import { isColourShape, type Shape } from "../../core/shape.js";
import type { Signal } from "../../core/signal.js";
import {
  isSource,
  type SignalData,
  type SignalSource,
  signalsFrom,
  UnreadableFiles,
} from "../../data/sampling/signalSource.js";
import { chooseKernels } from "../../kernels/chooseDevice.js";
import { HeldKernels } from "../../kernels/heldKernels.js";
import type { Model } from "../../model/model.js";
import type { TrainingData } from "../examples/examplePlan.js";
import { describeRun } from "./runMeta.js";
import { RunIdentity, requireEpochs } from "./runSettings.js";
import {
  freeTraining,
  type OutlinedTraining,
  openTraining,
  outlineTraining,
  type TrainingSetup,
  type TrainOutline,
  type TrainPlan,
} from "./setup.js";
import { TrainingLoop, type TrainReport } from "./trainingLoop.js";
import {
  type ResolvedTraining,
  requireTrainOptions,
  resolveTraining,
  type TrainOptions,
} from "./trainOptions.js";

/**
 * Learn a dictionary from one signal or several, from a typed array (a 1-D signal), from an array with a shape, or from a
 * source of signals that may be larger than memory. `train` of `trainlets/node` takes files.
 *
 * @example
 * const run = train(pictures, { patch: [12, 12], coding: { sparsity: 4 }, atomSparsity: 7 });
 * for await (const report of run) console.log(report.examples, report.rmse);
 * const model = await run.model();
 */
export function train(data: SignalData | SignalSource, options: TrainOptions): TrainingRun {
  requireTrainOptions(options);
  const patch = typeof options.patch === "number" ? wholePatch(data, options.patch) : options.patch;
  const nodata = resolveNodata("train", options.nodata);
  const signals = signalsFrom("train", data, patch, nodata);
  requireArgument(
    "train",
    "test",
    options.test,
    optional(either("signals in memory", signalData, sourceType)),
  );
  const test = options.test === undefined ? undefined : signalsFrom("train", options.test, patch, nodata);
  if (test !== undefined && !Array.isArray(test))
    throw inputError("train", "test", "must be signals in memory", options.test);
  return new TrainingRun(signals, { ...options, patch }, test);
}

const sourceType = having("a source of signals", ["read"], ["units"]);

/** A size along every axis of the data, with all channels of colour pictures. */
function wholePatch(data: SignalData | SignalSource, size: number): Shape {
  const first: unknown = isSource(data) ? data.units[0] : Array.isArray(data) ? data[0] : data;
  const shape = (first as { readonly shape?: Shape } | null | undefined)?.shape;
  if (!Array.isArray(shape)) return [size];
  return isColourShape(shape) ? [size, size, 3] : shape.map(() => size);
}

export class TrainingRun implements AsyncIterable<TrainReport>, Closable {
  readonly #data: TrainingData;
  readonly #test: readonly Signal[] | undefined;
  readonly #options: TrainOptions;
  readonly #resolved: ResolvedTraining;
  /** What a checkpoint records of the run; undefined without checkpoints. */
  readonly #identity: RunIdentity | undefined;
  #setup: Promise<TrainingSetup> | undefined;
  #outlined: Promise<OutlinedTraining> | undefined;
  #held: HeldByRun | undefined;
  #iterator: AsyncGenerator<TrainReport, void, undefined> | undefined;
  #model: Model | undefined;
  /** What a run had learned that failed because its data could no longer be read. */
  #rescued: Model | undefined;
  #status: "new" | "running" | "ended" | "failed" | "closed" = "new";
  readonly #progress: { examples: number; testSeconds: number };
  readonly #unreadable: UnreadableFiles;

  constructor(data: TrainingData, options: TrainOptions, test?: readonly Signal[]) {
    if (("units" in data ? data.units : data).length === 0)
      throw new InputError("data must hold at least one signal, got none", { where: "train" });
    this.#data = data;
    this.#test = test;
    this.#options = options;
    this.#resolved = resolveTraining(options);
    this.#unreadable = new UnreadableFiles(options.onUnreadable);
    const { checkpoints, resume } = options;
    this.#progress = { examples: resume?.header.position.examples ?? 0, testSeconds: 0 };
    if (checkpoints === undefined && resume === undefined) return;
    this.#identity = new RunIdentity(this.#resolved, resume?.header);
    if (!isSource(data)) this.#identity.addSignals("the data", data);
    if (test) this.#identity.addSignals("the test data", test);
    else this.#identity.addHeldOut();
    const { epochs } = this.#resolved.given;
    if (resume && epochs !== undefined) requireEpochs(resume.header.position.epoch, epochs);
  }

  /** What the run is going to do, as far as it is known before its examples are put in order and read. */
  async outline(): Promise<TrainOutline> {
    return (await this.#outlineOnce()).outline;
  }

  /** What the run is going to do. Sets everything up. */
  async plan(): Promise<TrainPlan> {
    return (await this.#setUpOnce()).plan;
  }

  /** The files that could not be read so far, and how many examples were skipped because of them. */
  get unreadable(): { readonly files: readonly string[]; readonly examples: number } {
    return { files: this.#unreadable.files, examples: this.#unreadable.examples };
  }

  /** Seconds spent on test errors so far, since the run began or was resumed. */
  get testSeconds(): number {
    return this.#progress.testSeconds;
  }

  /** The dictionary that the run ends with: the best that was tested, or the last. Trains first if nobody has iterated. */
  async model(): Promise<Model> {
    if (this.#status === "new") for await (const _ of this);
    if (this.#model) return this.#model;
    const reason = { running: "has not ended yet", failed: "failed", closed: "was closed" };
    const why = reason[this.#status as keyof typeof reason];
    throw new InputError(`TrainingRun.model: the run ${why}, so there is no model`);
  }

  /**
   * The current dictionary between two reports, for a caller that iterates over the run.
   * It changes nothing: the run ends with the same bits. After a run that failed because its
   * data could no longer be read, it is what the run had learned until then.
   */
  async snapshot(): Promise<Model> {
    if (this.#rescued) return this.#rescued;
    if (this.#status !== "running" || !this.#setup)
      throw new InputError("TrainingRun.snapshot: works only while the run is being iterated");
    const { learner, plan } = await this.#setup;
    const meta = describeRun(plan, this.#progress.examples);
    return learner.snapshot ? learner.snapshot(meta) : learner.model(meta);
  }

  /** Free everything, if the run is not wanted after all. A run that is being iterated ends after its current report. */
  async close(): Promise<void> {
    if (this.#status === "new") this.#status = "closed";
    await this.#iterator?.return(undefined);
    await (this.#setup ?? this.#outlined)?.catch(() => {}); // it has been reported
    await this.#held?.release();
  }

  [asyncDispose](): Promise<void> {
    return this.close();
  }

  [Symbol.asyncIterator](): AsyncGenerator<TrainReport, void, undefined> {
    const iterator = this.#iterate();
    this.#iterator ??= iterator;
    return iterator;
  }

  async *#iterate(): AsyncGenerator<TrainReport, void, undefined> {
    if (this.#status !== "new") throw new InputError("TrainingRun: a run can be iterated only once");
    this.#status = "failed"; // unless the setup succeeds
    const setup = await this.#setUpOnce();
    this.#status = "running";
    const loop = new TrainingLoop(setup, this.#progress, this.#options, this.#identity);
    try {
      yield* loop.reports();
    } catch (error) {
      this.#status = "failed";
      if (loop.lostData) this.#rescued = await loop.model();
      throw error;
    } finally {
      // also reached when the caller breaks out of its loop
      if (this.#status === "running") {
        this.#status = "failed"; // unless the model can be read
        this.#model = await loop.model();
        this.#status = "ended";
      }
      await this.#held?.release();
    }
  }

  #outlineOnce(): Promise<OutlinedTraining> {
    if (this.#status === "closed") throw new InputError("TrainingRun: the run was closed");
    this.#outlined ??= this.#makeOutline();
    return this.#outlined;
  }

  #setUpOnce(): Promise<TrainingSetup> {
    this.#setup ??= this.#outlineOnce().then((outlined) => this.#setUp(outlined));
    return this.#setup;
  }

  async #makeOutline(): Promise<OutlinedTraining> {
    const kernels = this.#options.kernels ?? (await chooseKernels()).kernels;
    const held = new HeldByRun(kernels, this.#options.kernels === undefined);
    this.#held = held;
    releaseWhenCollected(this, () => held.release());
    try {
      const { resume, onReading, signal, onUnreadable } = this.#options;
      if (isSource(this.#data)) {
        const changed = await this.#identity?.addSource("the data", this.#data);
        if (changed) onUnreadable?.(changed);
      }
      const more = { unreadable: this.#unreadable, onReading, signal, resume };
      const outlined = await outlineTraining(this.#data, this.#test, this.#resolved, held.kernels, more);
      const { length } = outlined.plans;
      const { firstSteps, init } = outlined.options;
      this.#identity?.addLength({ ...length, firstSteps, init });
      if (resume) requireEpochs(resume.header.position.epoch, length.epochs);
      return outlined;
    } catch (error) {
      await held.release();
      throw error;
    }
  }

  async #setUp(outlined: OutlinedTraining): Promise<TrainingSetup> {
    try {
      const setup = await openTraining(outlined);
      if (this.#held) this.#held.setup = setup;
      return setup;
    } catch (error) {
      await this.#held?.release();
      throw error;
    }
  }
}

/** What a run must give back, once: all that was made for it, and the kernels if it chose them itself. */
class HeldByRun extends HeldKernels {
  setup: TrainingSetup | undefined;

  protected override async free(): Promise<void> {
    if (this.setup) await freeTraining(this.setup);
    await super.free();
  }
}
