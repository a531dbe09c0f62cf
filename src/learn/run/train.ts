/**
 * A run of training: set up, looped over (trainingLoop.ts), ended with a model.
 *
 * A run is an async iterable of reports; iterate it, or just await its model.
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
import { dataSettings, requireEpochs, requireSameSettings, settingsOf } from "./runSettings.js";
import { closeWorkshop, openWorkshop, type TrainPlan, type Workshop } from "./setup.js";
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
  /** What a checkpoint says of the run; empty where none is wanted. */
  readonly #settings: RunSettings;
  #workshop: Promise<Workshop> | undefined;
  #model: Model | undefined;
  #started = false;
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
    const keeps = checkpoints !== undefined || resume !== undefined;
    this.#settings = keeps ? { ...settingsOf(this.#resolved), ...dataSettings(data, testSignals) } : {};
    if (!resume) return;
    requireSameSettings(resume.header.settings, this.#settings);
    requireEpochs(resume.header.position.epoch, this.#resolved.epochs);
  }

  /** What it is going to do; sets everything up. */
  async plan(): Promise<TrainPlan> {
    return (await this.#prepare()).plan;
  }

  /** Of the data, files that could not be read so far, and how many examples were left out for that. */
  get unreadable(): { readonly files: readonly string[]; readonly examples: number } {
    return { files: this.#unreadable.files, examples: this.#unreadable.examples };
  }

  /** The dictionary in the end; trains first where nobody iterated. */
  async model(): Promise<Model> {
    if (!this.#started) for await (const _ of this);
    if (!this.#model)
      throw new InputError("TrainingRun.model: the run must have ended with a model, got one without");
    return this.#model;
  }

  /**
   * The dictionary as it stands, for one who iterates the run, between two reports.
   * It changes nothing: a run that was looked at ends with the same bits.
   */
  async snapshot(): Promise<Model> {
    if (!this.#started || this.#model || !this.#workshop)
      throw new InputError("TrainingRun.snapshot: the run must be under way, got one that is not");
    const { learner, plan } = await this.#workshop;
    const meta = metaOf(plan, this.#progress.examples);
    return learner.snapshot ? learner.snapshot(meta) : learner.model(meta);
  }

  /** Give back what `plan` set up, where the run is not wanted after all. */
  async close(): Promise<void> {
    if (this.#started || !this.#workshop) return;
    this.#started = true;
    const workshop = await this.#workshop;
    await closeWorkshop(workshop);
    if (!this.#options.kernels) await workshop.kernels.dispose();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<TrainReport, void, undefined> {
    if (this.#started) throw new InputError("TrainingRun: a run can be iterated once, got a second time");
    this.#started = true;
    const workshop = await this.#prepare();
    const progress = this.#progress;
    let failed = false;
    try {
      yield* new TrainingLoop(workshop, progress, this.#options, this.#settings).reports();
    } catch (error) {
      failed = true;
      throw error;
    } finally {
      // also where the caller breaks out of its loop
      if (!failed) this.#model = await workshop.learner.model(metaOf(workshop.plan, progress.examples));
      await closeWorkshop(workshop);
      if (!this.#options.kernels) await workshop.kernels.dispose();
    }
  }

  #prepare(): Promise<Workshop> {
    this.#workshop ??= this.#open();
    return this.#workshop;
  }

  async #open(): Promise<Workshop> {
    const kernels = this.#options.kernels ?? (await chooseKernels()).kernels;
    try {
      const { testSignals, resume, onReading } = this.#options;
      const reading = { unreadable: this.#unreadable, onReading };
      return await openWorkshop(this.#data, testSignals, this.#resolved, kernels, { ...reading, resume });
    } catch (error) {
      if (!this.#options.kernels) await kernels.dispose();
      throw error;
    }
  }
}

function metaOf(plan: TrainPlan, examplesSeen: number): ModelMeta {
  const { learner, batch, epochs, examples, atomCare, seed, removeMean, coding } = plan;
  const own = (name: OwnOption) => (learners[learner].own.includes(name) ? { [name]: plan[name] } : {});
  const options = {
    ...own("atomSparsity"),
    batch,
    epochs,
    examples,
    ...own("momentum"),
    ...own("stepDecay"),
    atomCare,
    ...(plan.holds === "groups" ? { groupSamples: plan.groupSamples } : {}),
  };
  return { learner, options, seed, examplesSeen, removeMean, coding };
}
