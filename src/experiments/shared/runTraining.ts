/** Training inside an experiment: its reports are measured here, and shown by the caller. */

import type { TrainingRun } from "../../learn/run/train.js";
import type { TrainReport } from "../../learn/run/trainingLoop.js";
import type { Model } from "../../model/model.js";
import type { ExperimentTools } from "./experiment.js";

/** Called with every report, and the seconds that the run took for it. */
type OnReport = (report: TrainReport, seconds: number) => void;

/** Train to the end. The seconds of `onReport` count neither the set-up nor the time spent on showing. */
export async function runTraining(
  run: TrainingRun,
  { showTraining }: Pick<ExperimentTools, "showTraining">,
  onReport: OnReport = () => {},
): Promise<Model> {
  const plan = await run.plan();
  const reports = timedReports(run, onReport);
  if (showTraining) await showTraining(plan, reports);
  else for await (const _ of reports);
  return run.model();
}

async function* timedReports(run: TrainingRun, onReport: OnReport): AsyncGenerator<TrainReport> {
  let start = performance.now();
  for await (const report of run) {
    onReport(report, (performance.now() - start) / 1000);
    yield report;
    start = performance.now();
  }
}
