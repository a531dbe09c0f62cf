/**
 * A training run, from its options to its model: checked (trainOptions.ts), set up
 * (setup.ts), looped over (trainingLoop.ts).
 *
 * A run is an async iterable of reports: iterate over it, or just await its model.
 * Breaking out of the iteration, or aborting, ends it with the model so far.
 */

import { InputError } from "../../core/errors.js";
import { Unreadable } from "../../data/sampling/unreadable.js";
import { chooseKernels } from "../../kernels/choose.js";
import type { Model, ModelMeta } from "../../model/model.js";
import type { RunSettings } from "../checkpoints/checkpointHeader.js";
import type { TrainingData } from "../examples/examplePlan.js";
import type { OwnOption } from "../learners/learner.js";
import { learners } from "../learners/registry.js";
import { dataSettings, optionSettings, requireEpochs, requireSameSettings } from "./runSettings.js";
import { freeTraining, setUpTraining, type TrainingSetup, type TrainPlan } from "./setup.js";
import { TrainingLoop, type TrainReport } from "./trainingLoop.js";
import { type ResolvedTraining, resolveTraining, type TrainOptions } from "./trainOptions.js";

/**
 * Learn a dictionary from signals, or from a source of signals that may be larger than memory.
 *
 * @example
 * const run = train(pictures, { patch: [12, 12], coding: { sparsity: 4 }, atomSparsity: 7 });
 * for await (const report of run) console.log(report.examples, report.rmse);
 * const model = await run.model();
 */
export function train(data: TrainingData, options: TrainOptions): TrainingRun {
  return new TrainingRun(data, options);
}

export class TrainingRun implements AsyncIterable<TrainReport> {
  readonly #data: TrainingData;
  readonly #options: TrainOptions;
  readonly #resolved: ResolvedTraining;
  /** What a checkpoint records of the run; empty without checkpoints. */
  readonly #settings: RunSettings;
  #setup: Promise<TrainingSetup> | undefined;
  #model: Model | undefined;
  #status: "new" | "running" | "ended" | "failed" | "closed" = "new";
  readonly #progress: { examples: number };
  readonly #unreadable: Unreadable;

  constructor(data: TrainingData, options: TrainOptions) {
    if (("units" in data ? data.units : data).length === 0)
      throw new InputError("train: data must hold at least one signal, got none");
    this.#data = data;
    this.#options = options;
    this.#resolved = resolveTraining(options);
    this.#unreadable = new Unreadable(options.onUnreadable);
    const { checkpoints, resume, testSignals } = options;
    this.#progress = { examples: resume?.header.position.examples ?? 0 };
    const hasCheckpoints = checkpoints !== undefined || resume !== undefined;
    this.#settings = hasCheckpoints
      ? { ...optionSettings(this.#resolved), ...dataSettings(data, testSignals) }
      : {};
    if (!resume) return;
    requireSameSettings(resume.header.settings, this.#settings);
    requireEpochs(resume.header.position.epoch, this.#resolved.epochs);
  }

  /** What the run is going to do. Sets everything up. */
  async plan(): Promise<TrainPlan> {
    return (await this.#setUpOnce()).plan;
  }

  /** The files that could not be read so far, and how many examples were skipped because of them. */
  get unreadable(): { readonly files: readonly string[]; readonly examples: number } {
    return { files: this.#unreadable.files, examples: this.#unreadable.examples };
  }

  /** The final dictionary. Trains first if nobody has iterated over the run. */
  async model(): Promise<Model> {
    if (this.#status === "new") for await (const _ of this);
    if (this.#model) return this.#model;
    const reason = { running: "has not ended yet", failed: "failed", closed: "was closed" };
    const why = reason[this.#status as keyof typeof reason];
    throw new InputError(`TrainingRun.model: the run ${why}, so there is no model`);
  }

  /**
   * The current dictionary between two reports, for a caller that iterates over the run.
   * It changes nothing: the run ends with the same bits.
   */
  async snapshot(): Promise<Model> {
    if (this.#status !== "running" || !this.#setup)
      throw new InputError("TrainingRun.snapshot: works only while the run is being iterated");
    const { learner, plan } = await this.#setup;
    const meta = describeRun(plan, this.#progress.examples);
    return learner.snapshot ? learner.snapshot(meta) : learner.model(meta);
  }

  /** Free what `plan` set up, if the run is not wanted after all. */
  async close(): Promise<void> {
    if (this.#status !== "new" || !this.#setup) return;
    this.#status = "closed";
    const setup = await this.#setup;
    await freeTraining(setup);
    if (!this.#options.kernels) await setup.kernels.dispose();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<TrainReport, void, undefined> {
    if (this.#status !== "new") throw new InputError("TrainingRun: a run can be iterated only once");
    this.#status = "failed"; // unless the setup succeeds
    const setup = await this.#setUpOnce();
    this.#status = "running";
    const progress = this.#progress;
    try {
      yield* new TrainingLoop(setup, progress, this.#options, this.#settings).reports();
    } catch (error) {
      this.#status = "failed";
      throw error;
    } finally {
      // also reached when the caller breaks out of its loop
      if (this.#status === "running") {
        this.#status = "failed"; // unless the model can be read
        this.#model = await setup.learner.model(describeRun(setup.plan, progress.examples));
        this.#status = "ended";
      }
      await freeTraining(setup);
      if (!this.#options.kernels) await setup.kernels.dispose();
    }
  }

  #setUpOnce(): Promise<TrainingSetup> {
    this.#setup ??= this.#setUp();
    return this.#setup;
  }

  async #setUp(): Promise<TrainingSetup> {
    const kernels = this.#options.kernels ?? (await chooseKernels()).kernels;
    try {
      const { testSignals, resume, onReading } = this.#options;
      const more = { unreadable: this.#unreadable, onReading, resume };
      return await setUpTraining(this.#data, testSignals, this.#resolved, kernels, more);
    } catch (error) {
      if (!this.#options.kernels) await kernels.dispose();
      throw error;
    }
  }
}

/** How the model came to be, as its file records it. */
function describeRun(plan: TrainPlan, examplesSeen: number): ModelMeta {
  const { learner, batch, epochs, examples, atomCare, seed, removeMean, coding } = plan;
  const { ownOptions } = learners[learner];
  const ifOwn = (name: OwnOption) => (ownOptions.includes(name) ? { [name]: plan[name] } : {});
  const options = {
    ...ifOwn("atomSparsity"),
    batch,
    epochs,
    examples,
    ...ifOwn("momentum"),
    ...ifOwn("stepDecay"),
    atomCare,
    ...(plan.holds === "groups" ? { groupSamples: plan.groupSamples } : {}),
  };
  return { learner, options, seed, examplesSeen, removeMean, coding };
}
