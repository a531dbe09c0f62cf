/** One run of an experiment on the command line: its progress, its interruption, its result as a file. */

import type { Result, ResultData, RunIdentity } from "../../experiments/results/result.js";
import type {
  ExperimentData,
  ExperimentRun,
  Outcome,
  PartStore,
} from "../../experiments/shared/experiment.js";
import type { Kernels } from "../../kernels/contract.js";
import { describePlan, followRun } from "../../report/followRun.js";
import { jsonReport } from "../../report/runRecord.js";
import { memoryNow } from "../terminal/device.js";
import type { Interrupt } from "../terminal/interrupt.js";
import { stdout } from "../terminal/output.js";
import type { ProgressLine } from "../terminal/progress.js";
import { machineFacts, programFacts } from "./programFacts.js";

export interface PerformTools {
  readonly kernels: Kernels;
  readonly progress: ProgressLine;
  readonly interrupt: Interrupt;
  /** Print reports and stages as lines of JSON. */
  readonly json: boolean;
  readonly parts?: PartStore | undefined;
  /**
   * What an interruption does: the results use the dictionary so far, or the run ends at its next stage
   * with an error. In the first case it is only listened for while something is learned.
   */
  readonly onInterrupt: "finish early" | "end";
}

/** Run it and show its progress. */
export async function performExperiment(
  run: ExperimentRun,
  data: ExperimentData,
  { kernels, progress, interrupt, json, parts, onInterrupt }: PerformTools,
): Promise<Outcome> {
  const { signal } = interrupt;
  const ends = onInterrupt === "end";
  const requireGoing = () => {
    if (ends) signal.throwIfAborted();
  };
  const outcome = await run(data, {
    kernels,
    signal,
    parts,
    async showTraining(plan, reports) {
      requireGoing();
      progress.note(describePlan(plan));
      await followRun(reports, plan, {
        display: progress,
        memory: () => memoryNow(kernels),
        onStart: () => interrupt.listen(),
        onReport(report, seconds) {
          if (json) stdout.write(`${JSON.stringify(jsonReport(report, seconds))}\n`);
        },
      }).finally(() => {
        if (!ends) interrupt.stop();
      });
    },
    onStage(stage) {
      requireGoing();
      if (json) stdout.write(`${JSON.stringify({ stage })}\n`);
      progress.show([stage], true);
    },
    onProgress(state) {
      requireGoing();
      progress.show([state]);
    },
  });
  requireGoing();
  progress.clear();
  return outcome;
}

/** What is known of a run besides its outcome. */
export interface RunFacts {
  readonly experiment: string;
  readonly label: string;
  readonly quick: boolean;
  readonly data: readonly ResultData[];
  readonly command: string;
  readonly identity: RunIdentity;
  readonly kernels: Pick<Kernels, "name" | "description">;
  readonly seconds: number;
}

/** The result of an outcome; `files` are the names of what was written. */
export async function resultOf(
  outcome: Outcome,
  { kernels, ...facts }: RunFacts,
  files: readonly string[],
): Promise<Result> {
  const { header, rows, claims, departures, values, settings, stageSeconds } = outcome;
  return {
    ...facts,
    date: new Date().toISOString(),
    seconds: milliseconds(facts.seconds),
    device: { name: kernels.name, description: kernels.description },
    machine: machineFacts(),
    trainlets: await programFacts(),
    settings,
    table: { header, rows },
    claims,
    departures,
    stageSeconds: Object.fromEntries(
      Object.entries(stageSeconds).map(([stage, seconds]) => [stage, milliseconds(seconds)]),
    ),
    values,
    files,
    figures: outcome.files.flatMap(({ name, caption }) => (caption === undefined ? [] : [{ name, caption }])),
  };
}

/** Seconds to a thousandth. */
function milliseconds(seconds: number): number {
  return Math.round(seconds * 1000) / 1000;
}
