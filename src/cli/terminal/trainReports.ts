/** What `trainlets train` says of a run: what it is going to do, how it goes, how it ended. */

import { stdout } from "node:process";
import { formatShape } from "../../core/shape.js";
import { baseCols } from "../../dictionaries/base.js";
import { learners } from "../../learn/learners/registry.js";
import { describeMemory, type TrainPlan } from "../../learn/run/setup.js";
import type { TrainReport } from "../../learn/run/trainingLoop.js";
import type { CodingRule } from "../../pursuit/limits.js";
import { describeUse, type MemoryUse } from "../../report/node/machine.js";
import { describeTime, PaceMeter } from "../../report/runNeeds.js";
import { jsonReport } from "../../report/runRecord.js";
import { clock, counted, grouped, type ProgressLine, rounded } from "./progress.js";

/** A run so far. */
export interface Course {
  readonly report: TrainReport;
  /** The last error on test examples, and the examples seen by then. */
  readonly testRmse: number | undefined;
  readonly testedAt: number;
  /** Since the first report, which came after so many examples. */
  readonly seconds: number;
  readonly from: number;
}

/** Who is told of a run. */
export interface Followers {
  readonly progress: ProgressLine;
  /** One line of JSON a report on standard output. */
  readonly json: boolean;
  memory(): MemoryUse;
  /** At the first report. */
  onStart(): void;
  /** At every report, so many seconds after the first; the run waits for it. */
  onReport?(report: TrainReport, seconds: number): Promise<void>;
}

export function describePlan(plan: TrainPlan): string {
  const { atoms, coding, examples, available, epochs, holdout } = plan;
  const atOnce = plan.examplesAtOnce;
  const size = atOnce < examples ? `batches of ${grouped(atOnce)}` : "all in one batch";
  return [
    `${describePatches(plan)}, learned by ${plan.learner}`,
    `${counted(atoms, "atom")}${describeAtoms(plan)}, ${describeCoding(coding)}`,
    `${grouped(examples)} of ${grouped(available)} patches, ${counted(epochs, "epoch")}, ` +
      `${size}, ${grouped(holdout)} to test on`,
    `memory: ${describeMemory(plan.memory)}`,
  ].join("\n");
}

function describePatches({ base, learner }: TrainPlan): string {
  const patches = `patches of ${formatShape(base.shape)}`;
  return learners[learner].explicit
    ? patches
    : `${patches} over ${base.name} (${counted(baseCols(base), "base atom")})`;
}

/** What an atom is made of, where it is not just its samples. */
function describeAtoms({ learner, atomSparsity }: TrainPlan): string {
  return learners[learner].ownOptions.includes("atomSparsity")
    ? ` of ${counted(atomSparsity, "non-zero")}`
    : "";
}

function describeCoding({ sparsity, error }: CodingRule): string {
  const limits = [
    ...(sparsity === undefined ? [] : [`of at most ${counted(sparsity, "atom")}`]),
    ...(error === undefined ? [] : [`down to an RMSE of ${error}`]),
  ];
  return `codes ${limits.join(" or ")}`;
}

/** Show reports as they come; how it was in the end. */
export async function follow(
  run: AsyncIterable<TrainReport>,
  plan: TrainPlan,
  followers: Followers,
): Promise<Course> {
  const { progress, json } = followers;
  let course: Course | undefined;
  let start = 0;
  const meter = new PaceMeter();
  for await (const report of run) {
    if (!course) {
      start = performance.now();
      followers.onStart();
    }
    const seconds = (performance.now() - start) / 1000;
    const tested = report.testRmse !== undefined;
    const testRmse = report.testRmse ?? course?.testRmse;
    const testedAt = tested ? report.examples : (course?.testedAt ?? 0);
    course = { report, testRmse, testedAt, seconds, from: course?.from ?? report.examples };
    if (meter.add(report)) progress.note(describeTime(plan, meter.pace!));
    if (json) stdout.write(`${JSON.stringify(jsonReport(report, seconds))}\n`);
    progress.show(progressParts(course, plan, followers.memory()), tested);
    await followers.onReport?.(report, seconds);
  }
  progress.clear();
  return course!;
}

/** What matters most first: a narrow window shows as much as it holds. */
function progressParts(course: Course, plan: TrainPlan, memory: MemoryUse): string[] {
  const { report, testRmse, seconds, from } = course;
  const total = plan.examples * plan.epochs;
  const rate = (report.examples - from) / Math.max(seconds, 1e-3);
  const left = Math.min((total - report.examples) / rate, plan.seconds - seconds);
  const parts = [`${((100 * report.examples) / total).toFixed(0).padStart(3)}%`];
  if (left > 0 && Number.isFinite(left)) parts.push(`${clock(left)} left`);
  if (Number.isFinite(report.rmse)) parts.push(`RMSE ${rounded(report.rmse)}`);
  if (testRmse !== undefined) parts.push(`test RMSE ${rounded(testRmse)}`);
  if (report.examples > from)
    parts.push(`${grouped(rate)} examples/s`, describeUse(memory), `epoch ${report.epoch} of ${plan.epochs}`);
  return parts;
}

const endings = {
  epochs: "",
  "no improvement": ", ended without improvement",
  time: ", ended by time",
  aborted: ", interrupted",
};

/** `test RMSE 6.583, in 0:05`; `RMSE 6.601, interrupted after 1,024 of 200,000 examples, in 0:05`. */
export function describeEnd({ report, testRmse, testedAt, seconds }: Course, plan: TrainPlan): string {
  const { rmse, examples, ended = "epochs" } = report;
  const tested = testRmse !== undefined && testedAt === examples;
  const error = tested ? `test RMSE ${rounded(testRmse)}` : `RMSE ${rounded(rmse)}`;
  const flat = rmse === 0 ? " (all patches are flat: there was nothing to learn)" : "";
  const total = plan.examples * plan.epochs;
  const early = ended === "epochs" ? "" : ` after ${grouped(examples)} of ${counted(total, "example")}`;
  return `${error}${flat}${endings[ended]}${early}, in ${clock(seconds)}`;
}
