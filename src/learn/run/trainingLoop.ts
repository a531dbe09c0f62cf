/**
 * The training loop: epochs of shuffled mini-batches, or of one set for learners
 * that take it whole; reports, test error, atom care, checkpoints and the reasons to
 * stop. The learner's update is all it knows of learning.
 *
 * Where it stands is the number of examples seen: it decides the epoch, the place in
 * it, and with the seed what comes next. A loop that goes on from a checkpoint makes
 * the updates and reports that the first one would have made.
 */

import { Breath } from "../../core/eventLoop.js";
import type { DeviceMatrix } from "../../kernels/contract.js";
import { version } from "../../model/version.js";
import type { ExampleSet } from "../../pursuit/codingError.js";
import type { LastExamples } from "../atoms/atomCare.js";
import { draftCheckpoint } from "../checkpoints/checkpoint.js";
import type { RunSettings, SavedReport } from "../checkpoints/checkpointHeader.js";
import { UnhealthyError } from "../learners/finite.js";
import type { Learner } from "../learners/learner.js";
import { learners } from "../learners/registry.js";
import { Watch } from "./earlyStopping.js";
import { cut, type TrainPlan, type Workshop } from "./setup.js";
import type { TrainOptions } from "./trainOptions.js";

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

/** How far a run came, for all who ask. */
interface Progress {
  examples: number;
}

export class TrainingLoop {
  readonly #workshop: Workshop;
  readonly #progress: Progress;
  readonly #options: TrainOptions;
  readonly #settings: RunSettings;
  readonly #watch: Watch;
  readonly #breath = new Breath();
  /** Examples of all epochs. */
  readonly #total: number;
  #atomsReplaced: number;
  /** Examples after which the test error is measured. */
  #nextTest: number;
  #latest: SavedReport | undefined;

  /** From the beginning, or from the checkpoint of `options.resume`. */
  constructor(workshop: Workshop, progress: Progress, options: TrainOptions, settings: RunSettings) {
    const { plan } = workshop;
    const beginning = {
      atomsReplaced: 0,
      nextTest: plan.testEvery,
      best: Infinity,
      sinceBest: 0,
      seconds: 0,
    };
    const at = options.resume?.header.position ?? beginning;
    this.#workshop = workshop;
    this.#progress = progress;
    this.#options = options;
    this.#settings = settings;
    this.#watch = new Watch(plan, options.signal, at);
    this.#total = plan.examples * plan.epochs;
    this.#atomsReplaced = at.atomsReplaced;
    this.#nextTest = at.nextTest;
    this.#latest = options.resume?.header.report;
  }

  /** Train to the end, with a report every so often. */
  async *reports(): AsyncGenerator<TrainReport, void, undefined> {
    const { examples: N, epochs, examplesAtOnce } = this.#workshop.plan;
    const progress = this.#progress;
    const over = progress.examples >= this.#total ? "epochs" : this.#latest && this.#watch.over();
    if (over || !this.#latest) yield { ...(await this.#first()), ...(over ? { ended: over } : {}) };
    if (over) return;
    for (let epoch = Math.floor(progress.examples / N) + 1; epoch <= epochs; epoch++) {
      for (let from = progress.examples % N; from < N; from += examplesAtOnce) {
        await this.#update(epoch, from, Math.min(from + examplesAtOnce, N));
        const report = await this.#after(epoch);
        if (report) yield report;
        if (report?.ended) return;
      }
    }
  }

  /** Before the first update, or the last report of a run that was over. */
  async #first(): Promise<SavedReport> {
    const nothing = { step: 0, epoch: 0, examples: 0, rmse: Number.NaN, stepSize: 0, atomsUsed: 0 };
    const atomsReplaced = this.#atomsReplaced;
    this.#latest ??= { ...nothing, atomsReplaced, ...(await this.#watch.test(this.#workshop)) };
    return this.#latest;
  }

  /** Learn from examples [from, to) of an epoch, and look after the atoms where it is time. */
  async #update(epoch: number, from: number, to: number): Promise<void> {
    const { plan, examples, learner, care, unreadable } = this.#workshop;
    const again = learners[plan.learner].takes === "whole set"; // the same examples, in the same order
    const found = await examples.take(again ? 0 : epoch - 1, from, to);
    const seen = found.windows.signal.length;
    unreadable.examples += to - from - seen;
    if (seen > 0) await learner.update(await cut(this.#workshop, plan, found));
    await this.#breath.take();
    this.#progress.examples += to - from;
    if (care && seen > 0 && caresNow(plan, learner.step))
      this.#atomsReplaced += await care.look(lastExamples(this.#workshop, found));
  }

  /** What an update calls for: a report, a checkpoint, the end. */
  async #after(epoch: number): Promise<TrainReport | undefined> {
    const { plan, learner } = this.#workshop;
    const { checkpoints } = this.#options;
    const last = this.#progress.examples === this.#total;
    const tests = last || this.#progress.examples >= this.#nextTest;
    const due = checkpoints?.due(learner.step) ?? false;
    const regular = tests || reportsNow(plan, learner.step);
    if (!regular && !due && !this.#watch.over()) return undefined;
    const said = regular ? await this.#report(epoch, tests) : undefined;
    const ended = last ? "epochs" : this.#watch.over();
    // before a report that is made only because the run ends here: one that goes on makes none
    if (due || ended) await this.#keep(epoch);
    return ended ? { ...(said ?? (await this.#report(epoch, false))), ended } : said;
  }

  async #report(epoch: number, tests: boolean): Promise<SavedReport> {
    const { plan, learner } = this.#workshop;
    const [{ rmse, ...rest }] = await Promise.all([learner.report(), requireSound(learner)]);
    requireFinite(learner, rmse);
    const tested = tests ? await this.#watch.test(this.#workshop) : {};
    requireFinite(learner, tested.testRmse ?? 0);
    const { examples } = this.#progress;
    if (tests) this.#nextTest = examples + plan.testEvery;
    const atomsReplaced = this.#atomsReplaced;
    this.#atomsReplaced = 0;
    this.#latest = { ...rest, rmse: rmse / plan.scale, epoch, examples, atomsReplaced, ...tested };
    return this.#latest;
  }

  /** Save a checkpoint where they are wanted, of a dictionary that is one. */
  async #keep(epoch: number): Promise<void> {
    const { plan, learner } = this.#workshop;
    const { checkpoints } = this.#options;
    if (!checkpoints) return;
    await requireSound(learner);
    const position = {
      step: learner.step,
      epoch,
      examples: this.#progress.examples,
      nextTest: this.#nextTest,
      atomsReplaced: this.#atomsReplaced,
      ...this.#watch.position,
    };
    const [settings, report] = [this.#settings, this.#latest!];
    const header = { library: version, settings, scale: plan.scale, position, report };
    await checkpoints.save(draftCheckpoint(header, learner.kept.parts()));
  }
}

/** Numbers that are none end a run: what it has learned is lost, and must not be saved. */
async function requireSound(learner: Learner): Promise<void> {
  const flaw = await learner.flaw();
  if (flaw) throw new UnhealthyError(`train: ${flaw} at step ${learner.step}`);
}

function requireFinite({ step }: Learner, rmse: number): void {
  if (!Number.isFinite(rmse)) throw new UnhealthyError(`train: the error is not finite at step ${step}`);
}

/** About a hundred times an epoch, and after 1, 2, 4, 8… updates, so that the pace of a long run shows soon. */
function reportsNow({ reportEvery, steps, epochs }: TrainPlan, step: number): boolean {
  if (reportEvery !== undefined) return step % reportEvery === 0;
  const every = Math.max(1, Math.ceil(steps / epochs / 100));
  return step % every === 0 || (step < every && Number.isInteger(Math.log2(step)));
}

/** The examples of an update, to be cut again from the signals. */
function lastExamples({ plan, kernels, means }: Workshop, { store, windows: all }: ExampleSet): LastExamples {
  const { signal, start } = all;
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

/** Atoms are looked after at intervals, and left in peace for the last one, so that new ones have learned. */
function caresNow({ atomCare, steps }: TrainPlan, step: number): boolean {
  return atomCare !== null && step % atomCare.every === 0 && step + atomCare.every <= steps;
}
