/** How long a run takes: its pace, measured on its first updates, and the time that follows from it. */

import { clock, counted } from "../core/formatText.js";
import type { TrainingData } from "../learn/examples/examplePlan.js";
import type { TrainPlan } from "../learn/run/setup.js";
import { train } from "../learn/run/train.js";
import type { TrainReport } from "../learn/run/trainingLoop.js";
import type { TrainOptions } from "../learn/run/trainOptions.js";

/** How long the parts of a run take, in seconds. */
export interface Pace {
  /** One update. */
  readonly step: number;
  /** One measurement of the test error. */
  readonly test: number;
  /** Updates that were measured. */
  readonly measured: number;
}

/** Seconds of all updates and tests of a run, at most its time limit. */
export function expectedSeconds(plan: TrainPlan, { step, test }: Pace): number {
  const tests = plan.holdout > 0 ? 1 + Math.ceil((plan.examples * plan.epochs) / plan.testEvery) : 0;
  return Math.min(plan.steps * step + tests * test, 60 * plan.minutes);
}

/** `time: about 3:20 (measured on 12 steps)`; a run of one or two steps ends before its pace is known. */
export function describeTime(plan: TrainPlan, pace: Pace | undefined): string {
  if (!pace) return "time: too short to measure";
  const seconds = expectedSeconds(plan, pace);
  const limit = seconds === 60 * plan.minutes ? ", the limit" : "";
  return `time: about ${clock(seconds)}${limit} (measured on ${counted(pace.measured, "step")})`;
}

/** Seconds of updates that are enough to know the pace. */
const enoughSeconds = 1;

/**
 * Measures the pace of a run from its first reports. The first update does not count:
 * code is compiled then, and memory touched for the first time. Every test is assumed
 * to take as long as the first.
 */
export class PaceMeter {
  readonly #start = performance.now();
  #first: number | undefined;
  #from: { readonly step: number; readonly at: number } | undefined;
  #tests = 0;
  #pace: Pace | undefined;

  /** Whether this report made the pace known. */
  add({ step, testRmse }: TrainReport): boolean {
    const seconds = (performance.now() - this.#start) / 1000;
    this.#first ??= seconds; // from the start to the first report there is a test and nothing else
    if (step === 0 || this.#known) return false;
    if (this.#from && testRmse !== undefined) this.#tests += 1;
    this.#from ??= { step, at: seconds };
    const measured = step - this.#from.step;
    const worked = seconds - this.#from.at - this.#tests * this.#first;
    if (measured > 0 && worked > 0) this.#pace = { step: worked / measured, test: this.#first, measured };
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
  const examples = whole ? Math.min(plan.examples, Math.max(plan.batch, 2 * plan.atoms)) : plan.examples;
  const holdout = Math.min(plan.holdout, plan.batch);
  const epochs = Math.max(4, plan.epochs);
  const rarely = { testEvery: Number.MAX_SAFE_INTEGER, patience: undefined }; // once before the first update
  const run = train(data, { ...options, examples, holdout, epochs, ...rarely, reportEvery: 1 });
  const meter = new PaceMeter();
  for await (const report of run) if (meter.add(report)) break;
  const { pace } = meter;
  if (!pace) return undefined;
  const test = holdout === 0 ? 0 : (pace.test * plan.holdout) / holdout;
  return { ...pace, step: (pace.step * plan.examples) / examples, test };
}
