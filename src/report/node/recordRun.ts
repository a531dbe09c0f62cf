/**
 * Follows a run of training from its first report to its saved model: shows its progress and,
 * if a folder is given, keeps its report there (liveReport.ts).
 */

import { join } from "node:path";
import type { Kernels } from "../../kernels/contract.js";
import type { TrainPlan } from "../../learn/run/setup.js";
import type { TrainingRun } from "../../learn/run/train.js";
import type { Model } from "../../model/model.js";
import { followRun, type RunFollower, type RunProgress } from "../followRun.js";
import type { PlanLine } from "../runRecord.js";
import { type LiveReport, openLiveReport, pageName } from "./liveReport.js";
import type { ResumedRun } from "./metricsFile.js";

export interface RecordOptions extends RunFollower {
  readonly kernels: Kernels;
  /** The plan as the report records it. */
  line(): PlanLine;
  /** Where the run was resumed, if it was. */
  readonly resumed?: ResumedRun | undefined;
  /** The folder of the report; it must exist. */
  readonly folder?: string | undefined;
  /** Seconds between two pages of the report. */
  readonly pageEvery?: number | undefined;
  /** Save the model of a run that has ended; where, if not at the output. */
  save(model: Model, end: RunProgress): Promise<string | undefined>;
  /** Save what can be saved of a run that failed; what to report, and throw, instead of its error. */
  rescue(error: unknown): Promise<unknown>;
  /** Called with one line if the report could not be written; the run continues. */
  onProblem(line: string): void;
}

/** Follow a run to its end and save its model; its last state. */
export async function recordRun(
  run: TrainingRun,
  plan: TrainPlan,
  options: RecordOptions,
): Promise<RunProgress> {
  const live = await openReport(options);
  try {
    const end = await follow(run, plan, live, options);
    const model = await run.model();
    const output = await options.save(model, end);
    await live?.end(end.report.ended ?? "epochs", { model, ...(output === undefined ? {} : { output }) });
    return end;
  } catch (error) {
    await live?.end("failed", { error: error instanceof Error ? error.message : String(error) });
    throw error;
  }
}

async function openReport(options: RecordOptions): Promise<LiveReport | undefined> {
  const { folder, line, resumed, kernels, memory, pageEvery: every, onProblem, display } = options;
  if (folder === undefined) return undefined;
  const live = await openLiveReport(line(), { folder, resumed, kernels, memory, every, onProblem });
  display.note(`report: ${join(folder, pageName)}`);
  return live;
}

async function follow(
  run: TrainingRun,
  plan: TrainPlan,
  live: LiveReport | undefined,
  { memory, display, onStart, onReport, rescue }: RecordOptions,
): Promise<RunProgress> {
  try {
    return await followRun(run, plan, {
      display,
      memory,
      ...(onStart && { onStart }),
      async onReport(report, seconds) {
        await onReport?.(report, seconds);
        await live?.report(report, seconds, () => run.snapshot());
      },
    });
  } catch (error) {
    throw await rescue(error);
  }
}
