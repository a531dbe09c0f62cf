/** A run of training in words: its plan before it starts, its state while it runs, its end. */

import { byteSize, clock, counted, grouped, rounded } from "../core/formatText.js";
import { formatShape } from "../core/shape.js";
import { baseCols } from "../dictionaries/base.js";
import { describeMemory, type TrainPlan } from "../learn/run/setup.js";
import type { TrainReport } from "../learn/run/trainingLoop.js";
import type { CodingRule } from "../pursuit/limits.js";
import { describeNeeds, type Need } from "./diskNeeds.js";
import { describeUse, type MemoryUse } from "./machine.js";

/** What a run will do, and the memory that takes. */
export function describePlan(plan: TrainPlan): string {
  const { atoms, coding, examples, available, epochs, holdout, examplesAtOnce } = plan;
  const batches = examplesAtOnce < examples ? `batches of ${grouped(examplesAtOnce)}` : "all in one batch";
  return [
    `${describePatches(plan)}, learned by ${plan.learner}`,
    `${counted(atoms, "atom")}${describeAtoms(plan)}, ${describeCoding(coding)}`,
    `${grouped(examples)} of ${grouped(available)} patches, ${counted(epochs, "epoch")}, ` +
      `${batches}, tested on ${grouped(holdout)}`,
    `memory: ${describeMemory(plan.memory)}`,
  ].join("\n");
}

function describePatches({ base, kind }: TrainPlan): string {
  const patches = `${formatShape(base.shape)} patches`;
  return kind.explicit ? patches : `${patches} over ${base.name} (${counted(baseCols(base), "base atom")})`;
}

/** The non-zeros per atom, for learners with a sparse factor A. */
function describeAtoms({ kind, atomSparsity }: TrainPlan): string {
  const sparse = kind.ownOptions.includes("atomSparsity");
  return sparse ? ` of ${counted(atomSparsity, "non-zero")}` : "";
}

function describeCoding({ sparsity, error }: CodingRule): string {
  const limits = [
    ...(sparsity === undefined ? [] : [`with at most ${counted(sparsity, "atom")}`]),
    ...(error === undefined ? [] : [`to an RMSE of ${error}`]),
  ];
  return `patches coded ${limits.join(" or ")}`;
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
export function progressParts(progress: RunProgress, plan: TrainPlan, memory: MemoryUse): string[] {
  const { report, testRmse, seconds, from } = progress;
  const total = plan.examples * plan.epochs;
  const rate = (report.examples - from) / Math.max(seconds, 1e-3);
  const left = Math.min((total - report.examples) / rate, 60 * plan.minutes - seconds);
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
  "no improvement": ", stopped without improvement",
  time: ", stopped by the time limit",
  aborted: ", interrupted",
};

/** `test RMSE 6.583, in 0:05`; `RMSE 6.601, interrupted after 1,024 of 200,000 examples, in 0:05`. */
export function describeEnd({ report, testRmse, testedAt, seconds }: RunProgress, plan: TrainPlan): string {
  const { rmse, examples, ended = "epochs" } = report;
  const tested = testRmse !== undefined && testedAt === examples;
  const error = tested ? `test RMSE ${rounded(testRmse)}` : `RMSE ${rounded(rmse)}`;
  const flat = rmse === 0 ? " (all patches are flat: there was nothing to learn)" : "";
  const total = plan.examples * plan.epochs;
  const early = ended === "epochs" ? "" : ` after ${grouped(examples)} of ${counted(total, "example")}`;
  return `${error}${flat}${endings[ended]}${early}, in ${clock(seconds)}`;
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
