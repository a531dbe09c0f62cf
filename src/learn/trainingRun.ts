/**
 * The training loop: epochs of shuffled mini-batches, or of one set for learners
 * that take it whole; reports, test error, atom care and the reasons to stop. The
 * learner's update is all it knows of learning.
 *
 * A run is an async iterable of reports; iterate it, or just await its model.
 * Breaking out of the iteration, or aborting, ends it with the model so far.
 */

import { Breath } from "../core/breath.js";
import { InputError } from "../core/errors.js";
import type { Signal } from "../core/signal.js";
import type { Windows } from "../data/sampler.js";
import { chooseKernels } from "../kernels/choose.js";
import type { DeviceMatrix } from "../kernels/contract.js";
import type { Model, ModelMeta } from "../model/model.js";
import { version } from "../model/version.js";
import type { LastExamples } from "./atomCare.js";
import { type CheckpointKeeper, draftCheckpoint } from "./checkpoint.js";
import type { RunPosition, RunSettings, SavedReport } from "./checkpointHeader.js";
import { UnhealthyError } from "./health.js";
import type { Learner, OwnOption } from "./learner.js";
import { learners } from "./learners.js";
import { dataSettings, requireEpochs, requireSameSettings, settingsOf } from "./runSettings.js";
import { type ResolvedTraining, resolveTraining, type TrainOptions } from "./trainOptions.js";
import { Watch } from "./watch.js";
import { closeWorkshop, cut, openWorkshop, type TrainPlan, type Workshop } from "./workshop.js";

/** What a run did since its last report. */
export interface TrainReport {
  /** Updates so far: mini-batches, or passes over the whole set. */
  readonly step: number;
  /** The epoch under way, from 1; 0 before the first. */
  readonly epoch: number;
  /** Examples seen so far. */
  readonly examples: number;
  /** Root-mean-square error a sample of the examples since the last report; NaN before the first. */
  readonly rmse: number;
  /** The same over the test examples, where it was measured now. */
  readonly testRmse?: number;
  /** η of equation (13) for `osdl`, the mean of the atoms' own for `niht`; 0 where a learner takes no steps. */
  readonly stepSize: number;
  /** Atoms the last update used. */
  readonly atomsUsed: number;
  /** Atoms replaced since the last report. */
  readonly atomsReplaced: number;
  /** Why the run ended, in its last report. */
  readonly ended?: "epochs" | "no improvement" | "time" | "aborted";
}

/**
 * Learn a dictionary from signals.
 *
 * @example
 * const run = train(pictures, { patch: [12, 12], coding: { sparsity: 4 }, atomSparsity: 7 });
 * for await (const report of run) console.log(report.examples, report.rmse);
 * const model = await run.model();
 */
export function train(data: readonly Signal[], options: TrainOptions): TrainingRun {
  return new TrainingRun(data, options);
}

export class TrainingRun implements AsyncIterable<TrainReport> {
  readonly #data: readonly Signal[];
  readonly #options: TrainOptions;
  readonly #resolved: ResolvedTraining;
  /** What a checkpoint says of the run; empty where none is wanted. */
  readonly #settings: RunSettings;
  #workshop: Promise<Workshop> | undefined;
  #model: Model | undefined;
  #started = false;

  constructor(data: readonly Signal[], options: TrainOptions) {
    if (data.length === 0) throw new InputError("train: data must hold at least one signal, got none");
    this.#data = data;
    this.#options = options;
    this.#resolved = resolveTraining(options);
    const { checkpoints, resume, testSignals } = options;
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

  /** The dictionary in the end; trains first where nobody iterated. */
  async model(): Promise<Model> {
    if (!this.#started) for await (const _ of this);
    if (!this.#model)
      throw new InputError("TrainingRun.model: the run must have ended with a model, got one without");
    return this.#model;
  }

  /** Give back what `plan` set up, where the run is not wanted after all. */
  async close(): Promise<void> {
    if (this.#started || !this.#workshop) return;
    this.#started = true;
    const workshop = await this.#workshop;
    closeWorkshop(workshop);
    if (!this.#options.kernels) await workshop.kernels.dispose();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<TrainReport, void, undefined> {
    if (this.#started) throw new InputError("TrainingRun: a run can be iterated once, got a second time");
    this.#started = true;
    const workshop = await this.#prepare();
    const progress = { examples: this.#options.resume?.header.position.examples ?? 0 };
    let failed = false;
    try {
      yield* loop(workshop, progress, this.#options, this.#settings);
    } catch (error) {
      failed = true;
      throw error;
    } finally {
      // also where the caller breaks out of its loop
      if (!failed) this.#model = await workshop.learner.model(metaOf(workshop.plan, progress.examples));
      closeWorkshop(workshop);
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
      const { testSignals, resume } = this.#options;
      return await openWorkshop(this.#data, testSignals, this.#resolved, kernels, resume);
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
  };
  return { learner, options, seed, examplesSeen, removeMean, coding };
}

/** All epochs, with a report every so often; `progress` tells how far it came. */
async function* loop(
  workshop: Workshop,
  progress: { examples: number },
  { signal, checkpoints, resume }: TrainOptions,
  settings: RunSettings,
): AsyncGenerator<TrainReport, void, undefined> {
  const { plan, sampler, store, learner, care } = workshop;
  const again = learners[plan.learner].takes === "whole set"; // the same examples, in the same order
  const beginning = { atomsReplaced: 0, nextTest: plan.testEvery, best: Infinity, sinceBest: 0, seconds: 0 };
  const at = resume?.header.position ?? beginning;
  const watch = new Watch(plan, signal, at);
  const breath = new Breath();
  const reportEvery = plan.reportEvery ?? Math.max(1, Math.ceil(plan.steps / plan.epochs / 100));
  const nothing = { step: 0, rmse: Number.NaN, stepSize: 0, atomsUsed: 0 };
  const total = plan.examples * plan.epochs;
  let { atomsReplaced, nextTest } = at;
  let latest: SavedReport = resume?.header.report ?? {
    ...nothing,
    epoch: 0,
    examples: 0,
    atomsReplaced,
    ...(await watch.test(workshop)),
  };
  const overBefore = progress.examples >= total ? "epochs" : resume && watch.over();
  if (!resume || overBefore) yield { ...latest, ...(overBefore ? { ended: overBefore } : {}) };
  if (overBefore) return;
  const report = async (epoch: number, tests: boolean): Promise<SavedReport> => {
    const { rmse, ...rest } = await learner.report();
    await requireHealth(learner, rmse);
    const tested = tests ? await watch.test(workshop) : {};
    requireFinite(learner, tested.testRmse ?? 0);
    const { examples } = progress;
    if (tests) nextTest = examples + plan.testEvery;
    latest = { ...rest, rmse: rmse / plan.scale, epoch, examples, atomsReplaced, ...tested };
    atomsReplaced = 0;
    return latest;
  };
  for (let epoch = Math.floor(progress.examples / plan.examples) + 1; epoch <= plan.epochs; epoch++) {
    for (let from = progress.examples % plan.examples; from < plan.examples; from += plan.examplesAtOnce) {
      const to = Math.min(from + plan.examplesAtOnce, plan.examples);
      const windows = sampler.trainingWindows(again ? 0 : epoch - 1, from, to);
      const Y = await cut(workshop, plan, store, windows);
      await learner.update(Y);
      await breath.take();
      progress.examples += to - from;
      const last = progress.examples === total;
      if (care && caresNow(plan, learner.step))
        atomsReplaced += await care.look(lastExamples(workshop, windows));
      const tests = last || progress.examples >= nextTest;
      const regular = tests || learner.step % reportEvery === 0;
      const due = checkpoints?.due(learner.step) ?? false;
      if (!regular && !due && !watch.over()) continue;
      const said = regular ? await report(epoch, tests) : undefined;
      const ended = last ? "epochs" : watch.over();
      // before a report that is made only because the run ends here: one that goes on makes none
      if (checkpoints && (due || ended)) {
        const position = { step: learner.step, epoch, examples: progress.examples, nextTest, atomsReplaced };
        await keep(workshop, checkpoints, { ...position, ...watch.position }, latest, settings);
      }
      if (ended) yield { ...(said ?? (await report(epoch, false))), ended };
      else if (said) yield said;
      if (ended) return;
    }
  }
}

/** Numbers that are none end a run: what it has learned is lost, and must not be saved. */
async function requireHealth(learner: Learner, rmse: number): Promise<void> {
  requireFinite(learner, rmse);
  const flaw = await learner.flaw();
  if (flaw) throw new UnhealthyError(`train: ${flaw} at step ${learner.step}`);
}

function requireFinite({ step }: Learner, rmse: number): void {
  if (!Number.isFinite(rmse)) throw new UnhealthyError(`train: the error is not finite at step ${step}`);
}

/** Save a checkpoint, of a dictionary that is one. */
async function keep(
  { plan, learner }: Workshop,
  keeper: CheckpointKeeper,
  position: RunPosition,
  report: SavedReport,
  settings: RunSettings,
): Promise<void> {
  await requireHealth(learner, 0);
  const header = { library: version, settings, scale: plan.scale, position, report };
  await keeper.save(draftCheckpoint(header, learner.kept.parts()));
}

/** The examples of an update, to be cut again from the signals. */
function lastExamples({ plan, kernels, store, means }: Workshop, { signal, start }: Windows): LastExamples {
  const copy = async (examples: readonly number[], target: DeviceMatrix) => {
    const windows = {
      signal: Uint32Array.from(examples, (i) => signal[i]!),
      start: Uint32Array.from(examples, (i) => start[i]!),
    };
    const removed = plan.removeMean ? kernels.head(means, examples.length) : null;
    await kernels.extract(store, windows, plan.base.shape, target, removed);
  };
  return { cols: signal.length, copy };
}

/** Atoms are looked after at intervals, and left in peace for the last one, so that new ones have learned. */
function caresNow({ atomCare, steps }: TrainPlan, step: number): boolean {
  return atomCare !== null && step % atomCare.every === 0 && step + atomCare.every <= steps;
}
