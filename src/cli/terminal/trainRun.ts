/** One run of `trainlets train`, from its plan to the saved dictionary: what it needs, its progress, its report, its end. */

import { join } from "node:path";
import { stdout } from "node:process";
import { InputError } from "../../core/errors.js";
import { requireAbove } from "../../core/require.js";
import { formatShape } from "../../core/shape.js";
import type { SignalSource } from "../../data/sampling/signalSource.js";
import type { Kernels } from "../../kernels/contract.js";
import { dataSettings, requireSameSettings } from "../../learn/run/runSettings.js";
import type { TrainPlan } from "../../learn/run/setup.js";
import { type TrainingRun, train } from "../../learn/run/train.js";
import type { TrainOptions } from "../../learn/run/trainOptions.js";
import { saveModel } from "../../model/node/files.js";
import { type LiveReport, openLiveReport, pageName } from "../../report/node/liveReport.js";
import { memoryNow } from "../../report/node/machine.js";
import {
  describeDisk,
  describeTime,
  diskNeeds,
  expectedSeconds,
  measurePace,
} from "../../report/runNeeds.js";
import { type PlanLine, planLine } from "../../report/runRecord.js";
import { type CheckpointFlags, type Checkpoints, notSaved, withLastCheckpoint } from "./checkpoints.js";
import { Interrupt } from "./interrupt.js";
import { counted, type ProgressLine } from "./progress.js";
import { makeFolder } from "./resultFolder.js";
import { describeHolding, describeUnread } from "./trainingData.js";
import { describeEnd, describePlan, follow } from "./trainReports.js";

/** Flags of a run that do not change what it learns. */
export interface RunFlags extends CheckpointFlags {
  readonly output: string;
  readonly json?: boolean;
  readonly report?: string;
  readonly reportEvery?: number;
  readonly dryRun?: boolean;
}

/** What a run is made of. */
interface RunParts {
  readonly options: TrainOptions & { readonly kernels: Kernels };
  readonly flags: RunFlags;
  readonly checkpoints: Checkpoints;
  readonly progress: ProgressLine;
  /** What it computes on, in words. */
  readonly on: string;
}

/** Train and save, or only say what that needs; what to say in the end. */
export async function learn(source: SignalSource, parts: RunParts): Promise<string> {
  const { options, flags, checkpoints, progress } = parts;
  const { folder, resume } = checkpoints;
  const kept = folder ? `, a checkpoint to ${folder.path}` : "";
  const interrupt = new Interrupt(() =>
    progress.note(
      `ending: the dictionary so far goes to ${flags.output}${kept} (Ctrl-C again to leave at once)`,
    ),
  );
  if (resume) requireSameSettings(resume.header.settings, dataSettings(source, options.testSignals));
  const run = train(source, { ...options, signal: interrupt.signal, checkpoints: folder, resume });
  const plan = await run.plan();
  const { said, line } = await needsOf(plan, parts);
  if (flags.dryRun) {
    await run.close();
    const pace = await measurePace(source, options, plan);
    const seconds = pace && expectedSeconds(plan, pace);
    if (flags.json) stdout.write(`${JSON.stringify({ ...line, seconds })}\n`);
    return `${said}\n${describeTime(plan, pace)}`;
  }
  progress.note(said);
  if (resume) interrupt.listen(); // its first report may be long in coming
  return watched(run, plan, line, interrupt, parts);
}

/** What a run needs, in words and as the first line of its metrics. */
async function needsOf(
  plan: TrainPlan,
  { flags, options: { kernels }, checkpoints: { resume }, on }: RunParts,
): Promise<{ said: string; line: PlanLine }> {
  const { output, checkpoint } = flags;
  const disk = diskNeeds(plan, {
    report: reportFolder(flags) !== undefined,
    checkpoints: checkpoint !== undefined,
  });
  const said = `${describePlan(plan)}\n${describeHolding(plan)}\ndisk: ${await describeDisk(disk, output)}\n${on}`;
  const resumedAt = resume?.header.position.examples;
  return { said, line: planLine(plan, { output, disk, kernels, resumedAt }) };
}

/** Follow a run to its end, and save its model. */
async function watched(
  run: TrainingRun,
  plan: TrainPlan,
  line: PlanLine,
  interrupt: Interrupt,
  { options: { kernels }, flags, checkpoints: { folder }, progress }: RunParts,
): Promise<string> {
  const { output, json = false } = flags;
  const live = await openReport(flags, line, { kernels, progress });
  try {
    const following = follow(run, plan, {
      progress,
      json,
      memory: () => memoryNow(kernels),
      onStart: () => interrupt.listen(),
      onReport: async (report, seconds) => live?.report(report, seconds, () => run.snapshot()),
    });
    const course = await following
      .finally(() => interrupt.stop())
      .catch((error) => Promise.reject(withLastCheckpoint(error, folder)));
    const model = await run.model();
    await saveModel(output, model).catch((error) => Promise.reject(notSaved(error, folder)));
    await live?.end(course.report.ended!, { model });
    const what = `${counted(plan.atoms, "atom")} of ${formatShape(plan.base.shape)}`;
    const unread = describeUnread(run.unreadable);
    return `${output}: ${what}, ${describeEnd(course, plan)}${unread ? `\n${unread}` : ""}`;
  } catch (error) {
    await live?.end("failed", { error: error instanceof Error ? error.message : String(error) });
    throw error;
  }
}

/** Where the report goes: the folder of the checkpoints, unless it has one of its own. */
function reportFolder({ report, checkpoint }: RunFlags): string | undefined {
  return report ?? checkpoint;
}

/** Refuse an interval that will not do. */
export function requireReport(flags: RunFlags): void {
  const { reportEvery } = flags;
  if (reportEvery === undefined) return;
  requireAbove("train", "--report-every", reportEvery, 0);
  if (reportFolder(flags) === undefined)
    throw new InputError("train: --report-every must come with --report or --checkpoint, got none");
}

/** Make the folder of the report, where one is wanted. */
export async function makeReportFolder({ report, dryRun }: RunFlags): Promise<void> {
  if (report !== undefined && !dryRun) await makeFolder(report, "train", "--report");
}

/** The report of a run, where one is wanted. */
async function openReport(
  flags: RunFlags,
  plan: PlanLine,
  { kernels, progress }: { readonly kernels: Kernels; readonly progress: ProgressLine },
): Promise<LiveReport | undefined> {
  const folder = reportFolder(flags);
  if (folder === undefined) return undefined;
  const note = (text: string) => progress.note(text);
  const live = await openLiveReport(plan, { folder, kernels, every: flags.reportEvery, note });
  note(`report: ${join(folder, pageName)}`);
  return live;
}
