/**
 * Follows a run of training to its end, and puts it into words: its plan, the disk space it needs, its state while it runs,
 * its end. How long it takes is in runPace.ts.
 */

import { byteSize, clock, counted, grouped, rounded } from "../core/formatText.js";
import { formatShape } from "../core/shape.js";
import { visibleLine } from "../core/visibleText.js";
import { baseCols } from "../dictionaries/base.js";
import { gainIsUnclear, modelBytes } from "../learn/run/bestModel.js";
import { describeMemory } from "../learn/run/plan/memoryPlan.js";
import type { TrainPlan } from "../learn/run/setup.js";
import type { KeptModel, TrainReport } from "../learn/run/trainingLoop.js";
import type { CodingRule } from "../pursuit/encoder.js";
import { describeTime, limitOf, PaceMeter, testsOf } from "./runPace.js";

/** What a run will do, and the memory that takes. */
export function describePlan(plan: TrainPlan): string {
  const { atoms, coding, examples, available, windowsWithGaps, epochs, holdout, examplesAtOnce } = plan;
  const batches = examplesAtOnce < examples ? `batches of ${grouped(examplesAtOnce)}` : "all in one batch";
  const gaps =
    windowsWithGaps === 0 ? "" : ` (${grouped(windowsWithGaps)} with missing samples are left out)`;
  return [
    `${describePatches(plan)}, learned by ${plan.learner}`,
    `${counted(atoms, "atom")}${describeAtoms(plan)}, ${describeCoding(coding)}${plan.keepsGram ? "" : ", without a Gram matrix"}`,
    `${grouped(examples)} of ${grouped(available)} patches${gaps}, ${counted(epochs, "epoch")}, ` +
      `${batches}, tested on ${grouped(holdout)}`,
    ...[plan.chosen, plan.shortSteps].filter((line) => line !== undefined),
    `memory: ${describeMemory(plan.memory)}`,
  ].join("\n");
}

function describePatches({ base, kind, refineBase }: TrainPlan): string {
  const patches = `${formatShape(base.shape)} patches`;
  return kind.explicit
    ? patches
    : `${patches} over ${visibleLine(base.name)} (${counted(baseCols(base), "base atom")}${refineBase ? ", refined" : ""})`;
}

/** The non-zeros per atom, for learners with a sparse factor A. */
function describeAtoms({ kind, atomSparsity }: TrainPlan): string {
  const sparse = kind.ownOptions.includes("atomSparsity");
  return sparse ? ` of ${counted(atomSparsity, "non-zero")}` : "";
}

function describeCoding({ sparsity, error, pursuit }: CodingRule): string {
  const limits = [
    ...(sparsity === undefined ? [] : [`with at most ${counted(sparsity, "atom")}`]),
    ...(error === undefined ? [] : [`to an RMSE of ${error}`]),
  ];
  return `patches coded ${pursuit === "ols" ? "by ols " : ""}${limits.join(" or ")}`;
}

/** The memory that the program and the data take besides that of the kernels, and how the data are held. */
export function describeData({ holds, hostMemory, groupSamples }: TrainPlan): string {
  const how = {
    signals: "data held in memory",
    windows: "of the data, only the chosen patches held in memory",
    groups: `data read in groups of ${grouped(groupSamples)} samples`,
  }[holds];
  return `other memory: ${describeMemory(hostMemory)}; ${how}`;
}

/** `disk: 2.1 MiB (dictionary 1.9 MiB, report 0.2 MiB); 31 GiB free`. */
export function describeDisk(needs: readonly Need[], free: number | undefined): string {
  return `disk: ${describeNeeds(needs)}${free === undefined ? "" : `; ${byteSize(free)} free`}`;
}

/** A run so far. */
export interface RunProgress {
  /** The newest report. */
  readonly report: TrainReport;
  /** The newest test error, and the examples seen when it was measured. */
  readonly testRmse: number | undefined;
  readonly testedAt: number;
  /** Seconds since the first report, and the examples seen by then. */
  readonly seconds: number;
  readonly from: number;
}

/** The state of a run in parts, the most important first: a narrow window shows only some of them. */
function progressParts(progress: RunProgress, plan: TrainPlan, memory: MemoryUse): string[] {
  const { report, testRmse, seconds, from } = progress;
  const total = plan.examples * plan.epochs;
  const rate = (report.examples - from) / Math.max(seconds, 1e-3);
  const left = Math.min((total - report.examples) / rate, limitOf(plan) - seconds);
  const parts = [`${((100 * report.examples) / total).toFixed(0).padStart(3)}%`];
  if (left > 0 && Number.isFinite(left)) parts.push(`${clock(left)} left`);
  if (Number.isFinite(report.rmse)) parts.push(`RMSE ${rounded(report.rmse)}`);
  if (testRmse !== undefined) parts.push(`test RMSE ${rounded(testRmse)}${describeAge(progress, total)}`);
  if (report.examples > from)
    parts.push(`${grouped(rate)} examples/s`, describeUse(memory), `epoch ${report.epoch} of ${plan.epochs}`);
  return parts;
}

const endings = {
  epochs: "",
  "no improvement": ", stopped without improvement",
  time: ", stopped by the time limit",
  aborted: ", interrupted",
};

/** ` (at 0%)` after a test error that is older than the state. */
function describeAge({ report, testedAt }: RunProgress, total: number): string {
  return testedAt < report.examples ? ` (at ${((100 * testedAt) / total).toFixed(0)}%)` : "";
}

/** `test RMSE 6.583, in 0:05`; `RMSE 6.601, interrupted after 1,024 of 200,000 examples, in 0:05`. */
export function describeEnd(end: RunProgress, plan: TrainPlan): string {
  const { rmse, examples, ended = "epochs" } = end.report;
  const flat = rmse === 0 ? " (all patches are flat: there was nothing to learn)" : "";
  const total = plan.examples * plan.epochs;
  const early = ended === "epochs" ? "" : ` after ${grouped(examples)} of ${counted(total, "example")}`;
  return `${describeError(end, total)}${flat}${endings[ended]}${early}, in ${clock(end.seconds)}`;
}

/** The error of the model that the run ends with, and when it was tested, unless that was at the end. */
function describeError({ report, testRmse, testedAt }: RunProgress, total: number): string {
  const { rmse, examples, kept } = report;
  const when = (at: number) => `tested after ${grouped(at)} of ${counted(total, "example")}`;
  if (kept?.testRmse !== undefined && kept.examples < examples) {
    const end = testRmse === undefined ? "" : `; ${rounded(testRmse)} at the end`;
    return `test RMSE ${rounded(kept.testRmse)} (the best, ${when(kept.examples)}${end})`;
  }
  if (testRmse === undefined) return `RMSE ${rounded(rmse)}`;
  if (testedAt === examples) return `test RMSE ${rounded(testRmse)}`;
  return `RMSE ${rounded(rmse)}, test RMSE ${rounded(testRmse)} (${when(testedAt)})`;
}

/**
 * One line about a run that ended worse than it began, that keeps a dictionary worse than its best, or whose gain may be
 * chance; undefined for any other. Where the best is kept, `describeEnd` has the rest.
 */
export function describeDecline(
  { report, testRmse, testedAt }: RunProgress,
  { holdout }: TrainPlan,
): string | undefined {
  const { kept, examples } = report;
  if (!kept || testRmse === undefined || testedAt !== examples) return undefined;
  const { startRmse = Infinity, bestRmse = Infinity } = kept;
  const end = `test RMSE ${rounded(testRmse)} at the end`;
  if (testRmse > startRmse)
    return `the run ended worse than it began: ${end}, ${rounded(startRmse)} before the first step; ${keptWords(kept, examples)}`;
  if (kept.examples === examples && testRmse > bestRmse)
    return `the run ended worse than its best: ${end}, ${rounded(bestRmse)} at best; ${keptWords(kept, examples)}`;
  const { testRmse: gained = testRmse } = kept;
  if (examples === 0 || !gainIsUnclear(gained, startRmse, holdout)) return undefined;
  return `the gain may be chance: test RMSE ${rounded(gained)} on ${counted(holdout, "example")}, ${rounded(startRmse)} before the first step`;
}

function keptWords({ step, examples }: KeptModel, last: number): string {
  if (examples === last) return "the last dictionary is kept";
  return step === 0 ? "the starting atoms are kept" : "the best dictionary is kept";
}

/** One line about a run that was to end with the mean of its atoms, and whose dictionary is another; undefined for any other. */
export function describeNoAverage({ report }: RunProgress, plan: TrainPlan): string | undefined {
  const total = plan.examples * plan.epochs;
  if (!plan.average) return undefined;
  if (report.examples < total) return "no mean of the atoms was taken: the run ended early";
  const { kept = report } = report;
  return kept.examples < total
    ? "the mean of the atoms is not kept: an earlier dictionary was better in the tests"
    : undefined;
}

/** Files that are named when they could not be read; of more, only the number is given. */
const mostNamed = 3;

/** `2 files could not be read (a.png, b.png), 1,234 examples skipped`; empty if all could be read. */
export function describeUnread(unread: {
  readonly files: readonly string[];
  readonly examples: number;
}): string {
  const { files, examples } = unread;
  if (files.length === 0) return "";
  const names = files.slice(0, mostNamed).join(", ") + (files.length > mostNamed ? ", …" : "");
  const skipped = examples > 0 ? `, ${counted(examples, "example")} skipped` : ""; // 0 for a set read whole
  return `${counted(files.length, "file")} could not be read (${names})${skipped}`;
}

/** Where progress is shown: a terminal, say. */
export interface ProgressDisplay {
  /** Show the state of the work, the most important part first; `important` ones are always shown. */
  show(parts: readonly string[], important?: boolean): void;
  /** Lines that stay. */
  note(lines: string): void;
  /** Remove the state that was shown last. */
  clear(): void;
}

export interface RunFollower {
  readonly display: ProgressDisplay;
  /** The memory in use now. */
  memory(): MemoryUse;
  /** Called at the first report. */
  onStart?(): void;
  /** Called at every report, with the seconds since the first; the run waits for it. */
  onReport?(report: TrainReport, seconds: number): void | Promise<void>;
}

/** Iterate a run to its end; its last state. */
export async function followRun(
  run: AsyncIterable<TrainReport>,
  plan: TrainPlan,
  { display, memory, onStart, onReport }: RunFollower,
): Promise<RunProgress> {
  const pace = new PaceMeter();
  let progress: RunProgress | undefined;
  let start = 0;
  for await (const report of run) {
    if (!progress) {
      start = performance.now();
      onStart?.();
    }
    const seconds = (performance.now() - start) / 1000;
    progress = advance(progress, report, seconds);
    if (pace.add(report)) display.note(describeTime(plan, pace.pace));
    display.show(progressParts(progress, plan, memory()), isImportant(report, plan));
    await onReport?.(report, seconds);
  }
  display.clear();
  if (!progress) throw new Error("the run made no report");
  return progress;
}

/** Runs with more tests than this do not show each of them in a log. */
const mostShownTests = 20;

/** Whether a report is shown however soon it comes after another: a test, the first and the last if there are many. */
function isImportant({ step, testRmse, ended }: TrainReport, plan: TrainPlan): boolean {
  return testRmse !== undefined && (testsOf(plan) <= mostShownTests || step === 0 || ended !== undefined);
}

function advance(before: RunProgress | undefined, report: TrainReport, seconds: number): RunProgress {
  const { testRmse, examples } = report;
  const tested =
    testRmse === undefined
      ? { testRmse: before?.testRmse, testedAt: before?.testedAt ?? 0 }
      : { testRmse, testedAt: examples };
  return { report, ...tested, seconds, from: before?.from ?? examples };
}

/** Bytes, and what they are for. */
export interface Need {
  readonly what: string;
  readonly bytes: number;
}

/** About the length of a line of the metrics file; there are about a hundred per epoch. */
const lineBytes = 300;
/** About the size of the page with its charts, without the atoms. */
const pageBytes = 100_000;

/** What a run writes besides its dictionary. */
interface DiskUse {
  readonly report: boolean;
  readonly checkpoints: boolean;
  /** Bytes of temporary files, while it reads its data. */
  readonly temporary: number;
}

/** An upper estimate of what a run writes to disk. */
export function diskNeeds(plan: TrainPlan, { report, checkpoints, temporary }: DiskUse): Need[] {
  const lines = Math.min(plan.steps, 100 * plan.epochs) + 30;
  const needs = [{ what: "dictionary", bytes: modelBytes(plan) }];
  if (report) needs.push({ what: "report", bytes: pageBytes + lines * lineBytes + 3 * 2 ** 18 });
  if (checkpoints) needs.push({ what: "checkpoints", bytes: checkpointsAtOnce * plan.checkpointBytes });
  if (temporary > 0) needs.push({ what: "temporary files", bytes: temporary });
  return needs;
}

/** Two checkpoints are kept while the next is written. */
const checkpointsAtOnce = 3;

/** `2.1 MiB (dictionary 1.9 MiB, report 0.2 MiB)`. */
export function describeNeeds(needs: readonly Need[]): string {
  const total = needs.reduce((sum, need) => sum + need.bytes, 0);
  const parts = needs.map((need) => `${need.what} ${byteSize(need.bytes)}`).join(", ");
  return `${byteSize(total)} (${parts})`;
}

/** Bytes in use. */
export interface MemoryUse {
  /** By the process, the cpu kernels included. */
  readonly process: number;
  /** On a GPU. */
  readonly device?: number;
}

/** `312 MiB`; with a GPU `312 MiB + 1.8 GiB on the GPU`. */
export function describeUse({ process, device }: MemoryUse): string {
  return device === undefined ? byteSize(process) : `${byteSize(process)} + ${byteSize(device)} on the GPU`;
}
