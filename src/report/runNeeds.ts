/** What a run is going to need besides memory: disk, and time, from a short measurement. */

import { statfs } from "node:fs/promises";
import { dirname } from "node:path";
import { clock, counted } from "../cli/terminal/progress.js";
import { sizeOf } from "../core/shape.js";
import type { TrainingData } from "../learn/examples/examplePlan.js";
import { learners } from "../learn/learners/registry.js";
import type { TrainPlan } from "../learn/run/setup.js";
import { train } from "../learn/run/train.js";
import type { TrainReport } from "../learn/run/trainingLoop.js";
import type { TrainOptions } from "../learn/run/trainOptions.js";
import { bytes } from "./node/machine.js";

/** Bytes for something. */
export interface Need {
  readonly what: string;
  readonly bytes: number;
}

/** A line of the metrics file is about so long; there are about a hundred an epoch. */
const lineBytes = 300;
/** A page with its charts, without the atoms. */
const pageBytes = 100_000;

/** What a run leaves on disk, about: rather more than less. */
export function diskNeeds(
  plan: TrainPlan,
  { report, checkpoints }: { readonly report: boolean; readonly checkpoints: boolean },
): Need[] {
  const lines = Math.min(plan.steps, 100 * plan.epochs) + 30;
  const needs = [{ what: "dictionary", bytes: modelBytes(plan) }];
  if (report) needs.push({ what: "report", bytes: pageBytes + lines * lineBytes + 3 * 2 ** 18 });
  if (checkpoints) needs.push({ what: "checkpoints", bytes: checkpointsAtOnce * plan.checkpointBytes });
  return needs;
}

/** Two are kept while the next is written. */
const checkpointsAtOnce = 3;

/** The bytes of a model file: A with an index a value, or D; Φ; the uses of atoms. */
function modelBytes({ base, atoms, atomSparsity, learner }: TrainPlan): number {
  const { explicit, ownOptions } = learners[learner];
  const phi = 8 * base.factors.reduce((sum, { data }) => sum + data.length, 0);
  const width = ownOptions.includes("atomSparsity") ? atomSparsity : 1; // without a sparse factor: A = I
  const values = explicit ? 4 * sizeOf(base.shape) * atoms : 8 * width * atoms + phi;
  return values + 8 * atoms + 4096;
}

/** `2.1 MiB (dictionary 1.9 MiB, report 0.2 MiB); 31 GiB free`. */
export async function describeDisk(needs: readonly Need[], output: string): Promise<string> {
  const total = needs.reduce((sum, need) => sum + need.bytes, 0);
  const parts = needs.map((need) => `${need.what} ${bytes(need.bytes)}`).join(", ");
  const free = await statfs(dirname(output)).then(
    ({ bavail, bsize }) => `; ${bytes(bavail * bsize)} free`,
    () => "", // not every file system tells
  );
  return `${bytes(total)} (${parts})${free}`;
}

/** How long the parts of a run take, in seconds. */
export interface Pace {
  /** An update. */
  readonly step: number;
  /** A measurement of the test error. */
  readonly test: number;
  /** Updates that were measured. */
  readonly measured: number;
}

/** Seconds of all updates and tests of a run, or its time limit. */
export function expectedSeconds(plan: TrainPlan, { step, test }: Pace): number {
  const tests = plan.holdout > 0 ? 1 + Math.ceil((plan.examples * plan.epochs) / plan.testEvery) : 0;
  return Math.min(plan.steps * step + tests * test, plan.seconds);
}

/** `time: about 3:20 (measured on 12 steps)`; a run of one or two steps is over before its pace is known. */
export function describeTime(plan: TrainPlan, pace: Pace | undefined): string {
  if (!pace) return "time: too short to measure";
  const seconds = expectedSeconds(plan, pace);
  const limit = seconds === plan.seconds ? ", the limit" : "";
  return `time: about ${clock(seconds)}${limit} (measured on ${counted(pace.measured, "step")})`;
}

/** Seconds of updates that are enough to know the pace. */
const enough = 1;

/**
 * Learns the pace of a run from its first reports. The first update is left out:
 * code is compiled, memory is touched for the first time. Tests are taken to last as
 * long as the first one.
 */
export class PaceMeter {
  readonly #start = performance.now();
  #first: number | undefined;
  #from: { readonly step: number; readonly at: number } | undefined;
  #tests = 0;
  #pace: Pace | undefined;

  /** Whether it is known now, and was not before. */
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

  /** As far as it is known; undefined before the second update. */
  get pace(): Pace | undefined {
    return this.#pace;
  }

  get #known(): boolean {
    return this.#pace !== undefined && this.#pace.step * this.#pace.measured >= enough;
  }
}

/**
 * The pace of a run that is not wanted, from its first updates and a small test. Where an
 * update takes the whole set, a part of the set has to do. Times are taken to grow with the examples.
 */
export async function measurePace(
  data: TrainingData,
  options: TrainOptions,
  plan: TrainPlan,
): Promise<Pace | undefined> {
  const whole = learners[plan.learner].takes === "whole set";
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
