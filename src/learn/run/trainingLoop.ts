/**
 * The training loop: epochs of shuffled mini-batches, or passes over the whole set;
 * reports, test error, atom care, checkpoints, and the reasons to stop. All it knows of
 * learning is the learner's update.
 *
 * Its position is the number of examples seen, which gives the epoch and the place in it,
 * and with the seed the examples that follow. A loop that resumes from a checkpoint makes
 * the same updates and reports as one that was never interrupted.
 */

import { EventLoopPause } from "../../core/eventLoop.js";
import type { DeviceMatrix } from "../../kernels/contract.js";
import { version } from "../../model/version.js";
import type { ExampleSet } from "../../pursuit/encoder.js";
import type { LastExamples } from "../atoms/atomCare.js";
import { draftCheckpoint } from "../checkpoints/checkpoint.js";
import type { RunPosition, SavedReport } from "../checkpoints/checkpointHeader.js";
import { DivergedError, type Learner } from "../learners/learner.js";
import type { RunIdentity } from "./runSettings.js";
import { extractExamples, measureTestError, type TrainingSetup, type TrainPlan } from "./setup.js";
import type { TrainOptions } from "./trainOptions.js";

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
}

type StopReason = "no improvement" | "time" | "aborted";

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

  /** From the start, or from the checkpoint of `options.resume`. */
  constructor(setup: TrainingSetup, progress: Progress, options: TrainOptions, identity?: RunIdentity) {
    const { plan } = setup;
    const counters = { epoch: 0, atomsReplaced: 0, nextTest: plan.testEvery };
    const start = { ...counters, best: Infinity, sinceBest: 0, seconds: 0 };
    const at = options.resume?.header.position ?? start;
    this.#setup = setup;
    this.#progress = progress;
    this.#options = options;
    this.#identity = identity;
    this.#stopping = new EarlyStopping(plan, options.signal, at);
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
    const resumed = this.#latest !== undefined;
    const first = await this.#first();
    const ended = await this.#endBeforeUpdates(resumed);
    if (ended || !resumed) yield { ...first, ...(ended ? { ended } : {}) };
    if (ended) return;
    for (let epoch = Math.floor(progress.examples / N) + 1; epoch <= epochs; epoch++) {
      for (let from = progress.examples % N; from < N; from += examplesAtOnce) {
        const learned = await this.#update(epoch, from, Math.min(from + examplesAtOnce, N));
        const report = await this.#after(epoch, learned);
        if (report) yield report;
        if (report?.ended) return;
      }
    }
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
    if (seen > 0) await learner.update(await extractExamples(this.#setup, plan, found));
    await this.#pause.ifDue();
    this.#progress.examples += to - from;
    if (care && seen > 0 && careIsDue(plan, learner.step))
      this.#atomsReplaced += await care.replaceWeakAtoms(lastExamples(this.#setup, found));
    if (seen > 0) this.#learned = { examples: this.#progress.examples, epoch };
    return seen > 0;
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
    const regular = tests || reportIsDue(plan, learner.step);
    if (!regular && !due && !this.#stopping.reason()) return undefined;
    const report = regular ? await this.#report(epoch, tests) : undefined;
    const ended = last ? "epochs" : this.#stopping.reason();
    // saved before a report that is made only because the run ends here: a run that resumes makes no such report
    if (due || ended) await this.#save(epoch);
    return ended ? { ...(report ?? (await this.#report(epoch, false))), ended } : report;
  }

  /** Nothing was learned, so nothing is due but the end. A run that resumes tries to read the examples again. */
  async #afterUnreadable(): Promise<TrainReport | undefined> {
    const ended = this.#stopping.reason();
    if (!ended) return undefined;
    this.#progress.examples = this.#learned.examples;
    await this.#save();
    return { ...(await this.#report(this.#learned.epoch, false)), ended };
  }

  async #report(epoch: number, tests: boolean): Promise<SavedReport> {
    const { plan, learner } = this.#setup;
    const [{ rmse, ...rest }] = await Promise.all([learner.report(), requireFiniteAtoms(learner)]);
    requireFiniteError(learner, rmse);
    const tested = tests ? await this.#test() : {};
    requireFiniteError(learner, tested.testRmse ?? 0);
    const { examples } = this.#progress;
    if (tests) this.#nextTest = examples + plan.testEvery;
    const atomsReplaced = this.#atomsReplaced;
    this.#atomsReplaced = 0;
    this.#latest = { ...rest, rmse: rmse / plan.scale, epoch, examples, atomsReplaced, ...tested };
    return this.#latest;
  }

  async #test(): Promise<{ testRmse?: number }> {
    const start = performance.now();
    const tested = await this.#stopping.measure(this.#setup);
    this.#progress.testSeconds += (performance.now() - start) / 1000;
    return tested;
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
    };
    const header = {
      library: version,
      settings: this.#identity?.settings ?? {},
      data: this.#identity?.data ?? {},
      scale: plan.scale,
      position,
      report: this.#latest!,
    };
    await checkpoints.save(draftCheckpoint(header, learner.savable.parts()));
  }
}

/** When to stop before the last epoch: no improvement, out of time, or the caller's wish. */
class EarlyStopping {
  readonly #plan: TrainPlan;
  readonly #signal: AbortSignal | undefined;
  readonly #start = performance.now();
  /** Seconds that the run took before it was resumed. */
  readonly #before: number;
  #best: number;
  #sinceBest: number;

  constructor(
    plan: TrainPlan,
    signal: AbortSignal | undefined,
    { best, sinceBest, seconds }: Pick<RunPosition, "best" | "sinceBest" | "seconds">,
  ) {
    this.#plan = plan;
    this.#signal = signal;
    this.#before = seconds;
    this.#best = best;
    this.#sinceBest = sinceBest;
  }

  /** Measure the test error, if there is a test set. */
  async measure(setup: TrainingSetup): Promise<{ testRmse?: number }> {
    if (setup.plan.holdout === 0) return {};
    const testRmse = await measureTestError(setup);
    if (setup.learner.step === 0) return { testRmse }; // the first steps may be worse than the base
    this.#sinceBest = testRmse < this.#best ? 0 : this.#sinceBest + 1;
    this.#best = Math.min(this.#best, testRmse);
    return { testRmse };
  }

  get aborted(): boolean {
    return this.#signal?.aborted ?? false;
  }

  /** Why to stop now; undefined to continue. */
  reason(): StopReason | undefined {
    if (this.aborted) return "aborted";
    if (this.#seconds > 60 * this.#plan.minutes) return "time";
    if (this.#sinceBest >= this.#plan.patience) return "no improvement";
    return undefined;
  }

  /** Its part of the position in a checkpoint. */
  get position(): Pick<RunPosition, "best" | "sinceBest" | "seconds"> {
    return { best: this.#best, sinceBest: this.#sinceBest, seconds: this.#seconds };
  }

  get #seconds(): number {
    return this.#before + (performance.now() - this.#start) / 1000;
  }
}

/** NaN or infinity ends a run: what it has learned is lost, and must not be saved. */
async function requireFiniteAtoms(learner: Learner): Promise<void> {
  const problem = await learner.findNonFinite();
  if (problem) throw new DivergedError(`train: ${problem} at step ${learner.step}`);
}

function requireFiniteError({ step }: Learner, rmse: number): void {
  if (!Number.isFinite(rmse)) throw new DivergedError(`train: the error is not finite at step ${step}`);
}

/** About a hundred times per epoch, and after 1, 2, 4, 8… updates, so that a long run soon shows its pace. */
function reportIsDue({ reportEvery, steps, epochs }: TrainPlan, step: number): boolean {
  if (reportEvery !== undefined) return step % reportEvery === 0;
  const every = Math.max(1, Math.ceil(steps / epochs / 100));
  return step % every === 0 || (step < every && Number.isInteger(Math.log2(step)));
}

/** The examples of an update, to be extracted again from the signals. */
function lastExamples(
  { plan, kernels, means }: TrainingSetup,
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
