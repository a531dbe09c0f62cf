/** Follows a run of training to its end: shows its progress and passes on its reports. */

import type { TrainPlan } from "../learn/run/setup.js";
import type { TrainReport } from "../learn/run/trainingLoop.js";
import type { MemoryUse } from "./machine.js";
import { describeTime, PaceMeter } from "./pace.js";
import { progressParts, type RunProgress } from "./runText.js";

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
    display.show(progressParts(progress, plan, memory()), report.testRmse !== undefined);
    await onReport?.(report, seconds);
  }
  display.clear();
  if (!progress) throw new Error("the run made no report");
  return progress;
}

function advance(before: RunProgress | undefined, report: TrainReport, seconds: number): RunProgress {
  const { testRmse, examples } = report;
  const tested =
    testRmse === undefined
      ? { testRmse: before?.testRmse, testedAt: before?.testedAt ?? 0 }
      : { testRmse, testedAt: examples };
  return { report, ...tested, seconds, from: before?.from ?? examples };
}
