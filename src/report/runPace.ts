/**
 * How long a run takes: the pace of its first updates, also without running it to its end (`--dry-run`), and the time that
 * follows from it.
 */

import { clock, counted } from "../core/formatText.js";
import { sizeOf } from "../core/shape.js";
import { baseCols } from "../dictionaries/base.js";
import { identityColumns } from "../dictionaries/dictionary.js";
import type { TrainingData } from "../learn/examples/examplePlan.js";
import type { TrainOutline, TrainPlan } from "../learn/run/setup.js";
import { type TrainingRun, train } from "../learn/run/train.js";
import type { TrainReport } from "../learn/run/trainingLoop.js";
import type { TrainOptions } from "../learn/run/trainOptions.js";
import { Model } from "../model/model.js";

/** How long the parts of a run take, in seconds. */
export interface Pace {
  /** One update. */
  readonly step: number;
  /** One measurement of the test error. */
  readonly test: number;
  /** Updates that were measured. */
  readonly measured: number;
}

/** Seconds of all updates and tests that a run has left, at most those that its time limit leaves. */
export function expectedSeconds(plan: TrainPlan, { step, test }: Pace): number {
  const { steps, examples, epochs, done } = plan;
  const left = Math.ceil(steps * (1 - done.examples / (examples * epochs)));
  return Math.min(left * step + testsOf(plan) * test, limitOf(plan));
}

/** Seconds that the time limit, which is of all parts of a run together, leaves. */
export function limitOf({ minutes, done }: TrainPlan): number {
  return Math.max(0, 60 * minutes - done.seconds);
}

/** Tests that a run has left; one that does not resume also has one before its first update. */
export function testsOf({ holdout, examples, epochs, testEvery, done }: TrainPlan): number {
  if (holdout === 0) return 0;
  return Number(done.examples === 0) + Math.ceil((examples * epochs - done.examples) / testEvery);
}

/** `time: about 3:20 (measured on 12 steps)`; a run of one or two steps ends before its pace is known. */
export function describeTime(plan: TrainPlan, pace: Pace | undefined): string {
  if (!pace) return "time: too short to measure";
  const seconds = expectedSeconds(plan, pace);
  const limit = seconds === limitOf(plan) ? ", the limit" : "";
  return `time: about ${clock(seconds)}${limit} (measured on ${counted(pace.measured, "step")})`;
}

/** Seconds of updates that are enough to know the pace. */
const enoughSeconds = 1;

/**
 * Measures the pace of a run from its first reports. The first update does not count:
 * code is compiled then, and memory touched for the first time. Every test is assumed
 * to take as long as the first; a run that resumes begins without one, and its tests are not known.
 */
export class PaceMeter {
  readonly #start = performance.now();
  /** Seconds of the first test. */
  #test: number | undefined;
  #from: { readonly step: number; readonly at: number } | undefined;
  #tests = 0;
  #pace: Pace | undefined;

  /** Whether this report made the pace known. */
  add({ step, testRmse }: TrainReport): boolean {
    const seconds = (performance.now() - this.#start) / 1000;
    this.#test ??= step === 0 ? seconds : 0; // from the start to the report before the first update there is a test and nothing else
    if (step === 0 || this.#known) return false;
    if (this.#from && testRmse !== undefined) this.#tests += 1;
    this.#from ??= { step, at: seconds };
    const measured = step - this.#from.step;
    const worked = seconds - this.#from.at - this.#tests * this.#test;
    if (measured > 0 && worked > 0) this.#pace = { step: worked / measured, test: this.#test, measured };
    return this.#known;
  }

  /** The best estimate so far; undefined before the second update. */
  get pace(): Pace | undefined {
    return this.#pace;
  }

  get #known(): boolean {
    return this.#pace !== undefined && this.#pace.step * this.#pace.measured >= enoughSeconds;
  }
}

/** The most examples that are put in order to measure the pace of a run: that takes a second. */
const mostForPace = 2 ** 22;

/** Test examples of a set that is read in groups: more would lie all over the set, which would be read for them. */
const fewForPace = 16;

/** Examples of a run like the planned one, and held in the same way, that is set up quickly. */
function examplesForPace({ examples, groupSamples, base }: TrainOutline): number {
  return Math.min(examples, Math.max(mostForPace, Math.ceil(groupSamples / sizeOf(base.shape)) + 1));
}

/** The plan of a run, without what takes long before its first update: putting all examples in order, and finding atoms to start from. */
export async function planQuickly(
  run: TrainingRun,
  data: TrainingData,
  options: TrainOptions,
): Promise<TrainPlan> {
  const outline = await run.outline();
  const examples = examplesForPace(outline);
  const trial = train(data, {
    ...{ ...options, ...quickStart(outline, options) },
    ...{ examples, holdout: Math.min(1, outline.holdout), patience: undefined },
  });
  const plan = await trial.plan();
  await trial.close();
  return { ...plan, ...outline };
}

/**
 * Measures the pace for `--dry-run`, from a few updates and a small test. Where an update
 * takes the whole set, a part of the set is used, and times are scaled by the examples.
 */
export async function measurePace(
  data: TrainingData,
  options: TrainOptions,
  plan: TrainPlan,
): Promise<Pace | undefined> {
  const whole = plan.kind.takes === "whole set";
  const part = Math.min(plan.examples, Math.max(plan.batch, 2 * plan.atoms));
  const examples = whole ? part : examplesForPace(plan);
  const holdout = Math.min(plan.holdout, plan.holds === "groups" ? fewForPace : plan.batch);
  const epochs = Math.max(4, plan.epochs);
  const testEvery = holdout === 0 ? undefined : Number.MAX_SAFE_INTEGER; // once before the first update
  const rarely = { testEvery, patience: undefined };
  const { batch } = plan;
  const last = { keep: "last", reportEvery: 1 } as const;
  const start = quickStart(plan, options);
  const run = train(data, { ...options, examples, batch, holdout, epochs, ...rarely, ...last, ...start });
  await run.plan();
  const meter = new PaceMeter();
  for await (const report of run) if (meter.add(report)) break;
  const { pace } = meter;
  if (!pace) return undefined;
  const test = holdout === 0 ? 0 : (pace.test * plan.holdout) / holdout;
  return { ...pace, step: whole ? (pace.step * plan.examples) / part : pace.step, test };
}

/**
 * Options of a run with atoms that are there at once. To find the best atoms to start from may take as long as many
 * updates, and changes none of their times: the base serves, or the first of its atoms.
 */
function quickStart(
  { kind, base, atoms, atomSparsity, init, firstSteps }: TrainOutline,
  { start }: TrainOptions,
) {
  if (start || kind.canStartFromModel === false) return {};
  const fewer = atoms < baseCols(base);
  if (kind.explicit) return init === "base" && fewer ? ({ init: "examples" } as const) : {};
  if (!fewer) return init === "both" || init === "examples" ? ({ init: "base" } as const) : {};
  const meta = { learner: kind.name, options: {}, seed: 1, examplesSeen: 0, removeMean: true, coding: {} };
  return {
    ...{ base: undefined, atoms: undefined, redundancy: undefined, init: undefined, atomSparsity },
    ...(kind.ownOptions.includes("firstSteps") ? { firstSteps } : {}),
    start: new Model(base, identityColumns(baseCols(base), 0, atoms), meta),
  };
}
