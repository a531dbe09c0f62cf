/**
 * The training loop: epochs of shuffled mini-batches, or passes over the whole set;
 * reports, test error, atom care, checkpoints, the reasons to stop, and which model is
 * kept. All it knows of learning is the learner's update.
 *
 * A run that ends early is tested once more: after its checkpoint is saved, so that a run
 * which resumes there knows nothing of it.
 *
 * Its position is the number of examples seen, which gives the epoch and the place in it,
 * and with the seed the examples that follow. A loop that resumes from a checkpoint makes
 * the same updates and reports as one that was never interrupted.
 */

import { EventLoopPause } from "../../core/eventLoop.js";
import type { DeviceMatrix } from "../../kernels/contract.js";
import type { Model } from "../../model/model.js";
import { version } from "../../model/version.js";
import type { ExampleSet } from "../../pursuit/encoder.js";
import type { LastExamples } from "../atoms/atomCare.js";
import { draftCheckpoint } from "../checkpoints/checkpoint.js";
import type { RunPosition, SavedReport } from "../checkpoints/checkpointHeader.js";
import { DivergedError, type Learner } from "../learners/learner.js";
import { BestModel } from "./bestModel.js";
import { EarlyStopping, type StopReason } from "./earlyStopping.js";
import { describeRun, withMeta } from "./runMeta.js";
import type { RunIdentity } from "./runSettings.js";
import { extractExamples, measureTestError, type TrainingSetup, type TrainPlan } from "./setup.js";
import type { ResolvedTraining, TrainOptions } from "./trainOptions.js";

/** What a run did since its last report. */
export interface TrainReport {
  /** Updates so far: mini-batches, or passes over the whole set. */
  readonly step: number;
  /** The current epoch, from 1; 0 before the first. */
  readonly epoch: number;
  /** Examples seen so far. */
  readonly examples: number;
  /** Root-mean-square error per sample of the examples since the last report; NaN before the first. */
  readonly rmse: number;
  /** The same over the test examples, if it was measured for this report. */
  readonly testRmse?: number;
  /** η of equation (13) for `osdl`, the mean of the atoms' own steps for `niht`; 0 for learners without steps. */
  readonly stepSize: number;
  /** Atoms the last update used. */
  readonly atomsUsed: number;
  /** Atoms replaced since the last report. */
  readonly atomsReplaced: number;
  /** The cost that the last update left, for learners that lower one on the same examples (`sedil`). */
  readonly cost?: number;
  /** Why the run ended, in its last report. */
  readonly ended?: "epochs" | StopReason;
  /** In the last report of a run with a test set: which model the run ends with, and how the tests went. */
  readonly kept?: KeptModel;
}

/** Which of its models a run ends with. */
export interface KeptModel {
  /** Updates and examples that it has seen. */
  readonly step: number;
  readonly examples: number;
  /** Its test error; undefined if it was not tested. */
  readonly testRmse?: number;
  /** The test error before the first update, and the least of all tests, where they are known. */
  readonly startRmse?: number;
  readonly bestRmse?: number;
}

/** An interrupted run is tested once more if its last test took no longer than this. */
const mostSecondsOfLastTest = 10;

/** How far a run has come, shared with the run. */
interface Progress {
  examples: number;
  /** Seconds of all measurements of the test error. */
  testSeconds: number;
}

export class TrainingLoop {
  readonly #setup: TrainingSetup;
  readonly #progress: Progress;
  readonly #options: TrainOptions;
  /** Known where there are checkpoints. */
  readonly #identity: RunIdentity | undefined;
  readonly #stopping: EarlyStopping;
  readonly #best: BestModel;
  /** The last test: the updates until then, its error, and the seconds it took. */
  #tested: { readonly step: number; readonly testRmse: number; readonly seconds: number } | undefined;
  readonly #pause = new EventLoopPause();
  /** Examples of all epochs. */
  readonly #total: number;
  #atomsReplaced: number;
  /** The number of examples at which the test error is measured next. */
  #nextTest: number;
  #latest: SavedReport | undefined;
  /** The position after the last examples that could be read, and their epoch. */
  #learned: { readonly examples: number; readonly epoch: number };
  #lostData = false;
  /** Whether the last report was made, and with it the last test, unless that would have taken too long. */
  #ended = false;

  /** From the start, or from the checkpoint of `options.resume`. */
  constructor(setup: TrainingSetup, progress: Progress, options: TrainOptions, identity?: RunIdentity) {
    const { plan } = setup;
    const counters = { epoch: 0, atomsReplaced: 0, nextTest: plan.testEvery };
    const start: Omit<RunPosition, "step" | "examples"> = {
      ...counters,
      ...{ best: Infinity, sinceBest: 0, seconds: 0 },
    };
    const at = options.resume?.header.position ?? start;
    this.#setup = setup;
    this.#progress = progress;
    this.#options = options;
    this.#identity = identity;
    this.#stopping = new EarlyStopping(plan, options.signal, at);
    this.#best = new BestModel(plan.keep === "best", at.tests);
    this.#total = plan.examples * plan.epochs;
    this.#atomsReplaced = at.atomsReplaced;
    this.#nextTest = at.nextTest;
    this.#latest = options.resume?.header.report;
    this.#learned = { examples: progress.examples, epoch: at.epoch };
  }

  /** Whether the run failed because its data could no longer be read: the learner is as the last update left it. */
  get lostData(): boolean {
    return this.#lostData;
  }

  /** Train to the end, with reports along the way. */
  async *reports(): AsyncGenerator<TrainReport, void, undefined> {
    const { examples: N, epochs, examplesAtOnce } = this.#setup.plan;
    const progress = this.#progress;
    const resumed = await this.#restore();
    const first = await this.#first();
    const ended = await this.#endBeforeUpdates(resumed);
    if (ended) return yield await this.#end(ended, await this.#reportAt(first));
    if (!resumed) yield first;
    for (let epoch = Math.floor(progress.examples / N) + 1; epoch <= epochs; epoch++) {
      for (let from = progress.examples % N; from < N; from += examplesAtOnce) {
        const learned = await this.#update(epoch, from, Math.min(from + examplesAtOnce, N));
        const report = await this.#after(epoch, learned);
        if (report) yield report;
        if (report?.ended) return;
      }
    }
  }

  /** The model that the run ends with; one whose iteration was ended by the caller is tested first. */
  async model(): Promise<Model> {
    const { plan, learner } = this.#setup;
    if (plan.keep === "best" && !this.#isTested && !this.#ended) await this.#testEnd();
    const earlier = this.#keepsLast ? undefined : this.#best.earlier;
    if (earlier) {
      const { model, test } = earlier;
      const kept = { step: test.step, of: learner.step };
      return withMeta(model, { ...describeRun(plan, test.examples), kept });
    }
    return this.#isTested ? this.#snapshot() : learner.model(describeRun(plan, this.#progress.examples));
  }

  /** The current dictionary, as it is tested. */
  #snapshot(): Promise<Model> {
    const { plan, learner } = this.#setup;
    const meta = describeRun(plan, this.#progress.examples);
    return learner.snapshot ? learner.snapshot(meta) : learner.model(meta);
  }

  /** Whether the dictionary is as it was when it was last tested. */
  get #isTested(): boolean {
    return this.#tested?.step === this.#setup.learner.step;
  }

  /** A last model that could not be tested is kept: it may be worth all the time since the last test. */
  get #keepsLast(): boolean {
    return this.#setup.plan.keep === "last" || !this.#isTested;
  }

  /** What a checkpoint holds besides the learner; whether there is one. */
  async #restore(): Promise<boolean> {
    const { resume } = this.#options;
    if (!resume) return false;
    const { position, report } = resume.header;
    await this.#best.restore(resume, position.step);
    if (report.testRmse !== undefined && report.step === position.step)
      this.#tested = { step: report.step, testRmse: report.testRmse, seconds: 0 };
    return true;
  }

  /** The report of a run that ends where it resumes, which may be some updates after its last report. */
  async #reportAt(last: SavedReport): Promise<SavedReport> {
    return last.step === this.#setup.learner.step ? last : this.#report(this.#learned.epoch, false);
  }

  /** Why the run ends before its first update: it had ended before it was resumed, or was aborted. */
  async #endBeforeUpdates(resumed: boolean): Promise<TrainReport["ended"]> {
    if (this.#progress.examples >= this.#total) return "epochs";
    if (resumed) return this.#stopping.reason();
    if (!this.#stopping.aborted) return undefined;
    await this.#save();
    return "aborted";
  }

  /** The report before the first update, or the last one before a run was resumed. */
  async #first(): Promise<SavedReport> {
    const nothing = { step: 0, epoch: 0, examples: 0, rmse: Number.NaN, stepSize: 0, atomsUsed: 0 };
    const atomsReplaced = this.#atomsReplaced;
    this.#latest ??= { ...nothing, atomsReplaced, ...(await this.#test()) };
    return this.#latest;
  }

  /** Learn from examples [from, to) of an epoch, with atom care when it is due; whether any could be read. */
  async #update(epoch: number, from: number, to: number): Promise<boolean> {
    const { plan, learner, care, unreadable } = this.#setup;
    const found = await this.#take(epoch, from, to);
    const seen = found.windows.signal.length;
    unreadable.examples += to - from - seen;
    if (seen > 0) await this.#keepBest();
    if (seen > 0) await learner.update(await extractExamples(this.#setup, plan, found));
    await this.#pause.ifDue();
    this.#progress.examples += to - from;
    if (care && seen > 0 && careIsDue(plan, learner.step))
      this.#atomsReplaced += await care.replaceWeakAtoms(lastExamples(this.#setup, found));
    if (seen > 0) this.#learned = { examples: this.#progress.examples, epoch };
    return seen > 0;
  }

  /** Copy the dictionary if it is the best so far; that counts as a part of its test. */
  async #keepBest(): Promise<void> {
    const start = performance.now();
    await this.#best.beforeChange(this.#setup.learner.step, () => this.#snapshot());
    this.#progress.testSeconds += (performance.now() - start) / 1000;
  }

  /** The examples of an update. If nothing is left to read, the run ends with a checkpoint. */
  async #take(epoch: number, from: number, to: number): Promise<ExampleSet> {
    const { plan, examples } = this.#setup;
    const sameSet = plan.kind.takes === "whole set"; // the same examples, in the same order
    try {
      return await examples.take(sameSet ? 0 : epoch - 1, from, to);
    } catch (error) {
      this.#progress.examples = this.#learned.examples;
      await this.#save();
      this.#lostData = true;
      throw error;
    }
  }

  /** What is due after an update: a report, a checkpoint, the end. */
  async #after(epoch: number, learned: boolean): Promise<TrainReport | undefined> {
    const last = this.#progress.examples === this.#total;
    return learned || last ? this.#afterExamples(epoch, last) : this.#afterUnreadable();
  }

  async #afterExamples(epoch: number, last: boolean): Promise<TrainReport | undefined> {
    const { plan, learner } = this.#setup;
    const { checkpoints } = this.#options;
    const tests = last || this.#progress.examples >= this.#nextTest;
    const due = checkpoints?.due(learner.step) ?? false;
    if (last) await this.#finish();
    const regular = tests || reportIsDue(plan, learner.step);
    if (!regular && !due && !this.#stopping.reason()) return undefined;
    const report = regular ? await this.#report(epoch, tests) : undefined;
    const ended = last ? "epochs" : this.#stopping.reason();
    // saved before a report that is made only because the run ends here: a run that resumes makes no such report
    if (due || ended) await this.#save(epoch);
    return ended ? this.#end(ended, report ?? (await this.#report(epoch, false))) : report;
  }

  /** The work that a learner has left for the end of a run; the dictionary may have been tested before it. */
  async #finish(): Promise<void> {
    const { learner } = this.#setup;
    if (!learner.finish) return;
    await this.#keepBest();
    await learner.finish(true);
  }

  /** Nothing was learned, so nothing is due but the end. A run that resumes tries to read the examples again. */
  async #afterUnreadable(): Promise<TrainReport | undefined> {
    const ended = this.#stopping.reason();
    if (!ended) return undefined;
    this.#progress.examples = this.#learned.examples;
    await this.#save();
    return this.#end(ended, await this.#report(this.#learned.epoch, false));
  }

  /** The last report: with a test, if none was made after the last update. */
  async #end(ended: NonNullable<TrainReport["ended"]>, report: SavedReport): Promise<TrainReport> {
    const tested = this.#isTested || this.#isTooSlow(ended) ? {} : await this.#testEnd();
    const kept = this.#kept();
    this.#ended = true;
    return { ...report, ...tested, ended, ...(kept ? { kept } : {}) };
  }

  /** An interrupted run must end soon. */
  #isTooSlow(ended: TrainReport["ended"]): boolean {
    return ended === "aborted" && (this.#tested?.seconds ?? 0) > mostSecondsOfLastTest;
  }

  /** Test the dictionary with everything that was learned in it. */
  async #testEnd(): Promise<{ testRmse?: number }> {
    if (this.#setup.plan.holdout === 0) return {};
    await this.#setup.learner.finish?.(false);
    return this.#test();
  }

  #kept(): KeptModel | undefined {
    const { start, best } = this.#best.record;
    if (!best) return undefined;
    const last = { step: this.#setup.learner.step, examples: this.#progress.examples };
    const { step, examples, testRmse } = this.#keepsLast ? { ...last, testRmse: this.#lastRmse } : best;
    return {
      step,
      examples,
      ...(testRmse === undefined ? {} : { testRmse }),
      ...(start === undefined ? {} : { startRmse: start }),
      bestRmse: best.testRmse,
    };
  }

  get #lastRmse(): number | undefined {
    return this.#isTested ? this.#tested?.testRmse : undefined;
  }

  /** Measure the test error, if there is a test set. */
  async #test(): Promise<{ testRmse?: number }> {
    const { plan, learner } = this.#setup;
    if (plan.holdout === 0) return {};
    const start = performance.now();
    const testRmse = await measureTestError(this.#setup);
    requireFiniteError(learner, testRmse);
    const { step } = learner;
    const seconds = (performance.now() - start) / 1000;
    this.#progress.testSeconds += seconds;
    this.#tested = { step, testRmse, seconds };
    this.#stopping.note(testRmse, step);
    this.#best.note({ step, examples: this.#progress.examples, testRmse });
    return { testRmse };
  }

  async #report(epoch: number, tests: boolean): Promise<SavedReport> {
    const { plan, learner } = this.#setup;
    const [{ rmse, ...rest }] = await Promise.all([learner.report(), requireFiniteAtoms(learner)]);
    requireFiniteError(learner, rmse);
    const tested = tests ? await this.#test() : {};
    const { examples } = this.#progress;
    if (tests) this.#nextTest = examples + plan.testEvery;
    const atomsReplaced = this.#atomsReplaced;
    this.#atomsReplaced = 0;
    this.#latest = { ...rest, rmse: rmse / plan.scale, epoch, examples, atomsReplaced, ...tested };
    return this.#latest;
  }

  /** Save a checkpoint, if enabled, once the dictionary is known to be finite. */
  async #save(epoch = this.#learned.epoch): Promise<void> {
    const { plan, learner } = this.#setup;
    const { checkpoints } = this.#options;
    if (!checkpoints) return;
    await requireFiniteAtoms(learner);
    const position = {
      step: learner.step,
      epoch,
      examples: this.#progress.examples,
      nextTest: this.#nextTest,
      atomsReplaced: this.#atomsReplaced,
      ...this.#stopping.position,
      tests: this.#best.record,
    };
    const header = {
      library: version,
      settings: this.#identity?.settings ?? {},
      data: this.#identity?.data ?? {},
      scale: plan.scale,
      position,
      report: this.#latest!,
    };
    const parts = [...learner.savable.parts(), ...this.#best.parts()];
    await checkpoints.save(draftCheckpoint(header, parts));
  }
}

/** NaN or infinity ends a run: what it has learned is lost, and must not be saved. */
export async function requireFiniteAtoms(learner: Learner, where = "train"): Promise<void> {
  const problem = await learner.findNonFinite();
  if (problem) throw new DivergedError(`${where}: ${problem} at step ${learner.step}`);
}

export function requireFiniteError({ step }: Learner, rmse: number, where = "train"): void {
  if (!Number.isFinite(rmse)) throw new DivergedError(`${where}: the error is not finite at step ${step}`);
}

/** About a hundred times per epoch, and after 1, 2, 4, 8… updates, so that a long run soon shows its pace. */
function reportIsDue({ reportEvery, steps, epochs }: TrainPlan, step: number): boolean {
  if (reportEvery !== undefined) return step % reportEvery === 0;
  const every = Math.max(1, Math.ceil(steps / epochs / 100));
  return step % every === 0 || (step < every && Number.isInteger(Math.log2(step)));
}

/** The examples of an update, to be extracted again from the signals. */
export function lastExamples(
  { plan, kernels, means }: Pick<TrainingSetup, "kernels" | "means"> & { readonly plan: ResolvedTraining },
  { store, windows: { signal, start } }: ExampleSet,
): LastExamples {
  const copy = async (examples: readonly number[], target: DeviceMatrix) => {
    const windows = {
      signal: Uint32Array.from(examples, (i) => signal[i]),
      start: Uint32Array.from(examples, (i) => start[i]),
    };
    const removed = plan.removeMean ? kernels.head(means, examples.length) : null;
    await kernels.extract(store, windows, plan.base.shape, target, removed);
  };
  return { cols: signal.length, copy };
}

/** At intervals, but not in the last one, so that every new atom has time to learn. */
function careIsDue({ atomCare, steps }: TrainPlan, step: number): boolean {
  return atomCare !== null && step % atomCare.every === 0 && step + atomCare.every <= steps;
}
