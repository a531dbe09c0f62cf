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
import type { LastExamples } from "./atomCare.js";
import type { OwnOption } from "./learner.js";
import { learners } from "./learners.js";
import { type ResolvedTraining, resolveTraining, type TrainOptions } from "./trainOptions.js";
import { closeWorkshop, cut, openWorkshop, type TrainPlan, testError, type Workshop } from "./workshop.js";

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
  #workshop: Promise<Workshop> | undefined;
  #model: Model | undefined;
  #started = false;

  constructor(data: readonly Signal[], options: TrainOptions) {
    if (data.length === 0) throw new InputError("train: data must hold at least one signal, got none");
    this.#data = data;
    this.#options = options;
    this.#resolved = resolveTraining(options);
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
    const progress = { examples: 0 };
    let failed = false;
    try {
      yield* loop(workshop, progress, this.#options.signal);
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
      return await openWorkshop(this.#data, this.#options.testSignals, this.#resolved, kernels);
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
  signal: AbortSignal | undefined,
): AsyncGenerator<TrainReport, void, undefined> {
  const { plan, sampler, store, learner, care } = workshop;
  const again = learners[plan.learner].takes === "whole set"; // the same examples, in the same order
  const watch = new Watch(plan, signal);
  const breath = new Breath();
  const reportEvery = plan.reportEvery ?? Math.max(1, Math.ceil(plan.steps / plan.epochs / 100));
  const nothing = { step: 0, rmse: Number.NaN, stepSize: 0, atomsUsed: 0 };
  yield { ...nothing, epoch: 0, examples: 0, atomsReplaced: 0, ...(await watch.test(workshop)) };
  let atomsReplaced = 0;
  let nextTest = plan.testEvery;
  for (let epoch = 1; epoch <= plan.epochs; epoch++) {
    for (let from = 0; from < plan.examples; from += plan.examplesAtOnce) {
      const to = Math.min(from + plan.examplesAtOnce, plan.examples);
      const windows = sampler.trainingWindows(again ? 0 : epoch - 1, from, to);
      const Y = await cut(workshop, plan, store, windows);
      await learner.update(Y);
      await breath.take();
      progress.examples += to - from;
      const last = progress.examples === plan.examples * plan.epochs;
      if (care && caresNow(plan, learner.step))
        atomsReplaced += await care.look(lastExamples(workshop, windows));
      const tests = last || progress.examples >= nextTest;
      if (!tests && !watch.over() && learner.step % reportEvery !== 0) continue;
      const report = await learner.report();
      if (!Number.isFinite(report.rmse))
        throw new Error(`train: the error is not finite at step ${learner.step}`);
      const tested = tests ? await watch.test(workshop) : {};
      if (tests) nextTest = progress.examples + plan.testEvery;
      const ended = last ? "epochs" : watch.over();
      const rmse = report.rmse / plan.scale;
      yield {
        ...report,
        rmse,
        epoch,
        examples: progress.examples,
        atomsReplaced,
        ...tested,
        ...(ended ? { ended } : {}),
      };
      atomsReplaced = 0;
      if (ended) return;
    }
  }
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

/** Why to stop before the last epoch: time, no improvement, the caller's wish. */
class Watch {
  readonly #plan: TrainPlan;
  readonly #signal: AbortSignal | undefined;
  readonly #start = performance.now();
  #best = Infinity;
  #sinceBest = 0;

  constructor(plan: TrainPlan, signal: AbortSignal | undefined) {
    this.#plan = plan;
    this.#signal = signal;
  }

  /** Measure the test error, where there is a test set. */
  async test(workshop: Workshop): Promise<{ testRmse?: number }> {
    if (workshop.plan.holdout === 0) return {};
    const testRmse = await testError(workshop);
    if (workshop.learner.step === 0) return { testRmse }; // the first steps may be worse than the base
    this.#sinceBest = testRmse < this.#best ? 0 : this.#sinceBest + 1;
    this.#best = Math.min(this.#best, testRmse);
    return { testRmse };
  }

  over(): "aborted" | "time" | "no improvement" | undefined {
    if (this.#signal?.aborted) return "aborted";
    if (performance.now() - this.#start > this.#plan.seconds * 1000) return "time";
    if (this.#sinceBest >= this.#plan.patience) return "no improvement";
    return undefined;
  }
}
