/** What all experiments do with their findings: the facts of the run, the pages with them, the outcome. */

import { type CommonSettings, recordSettings } from "./chooseSettings.js";
import type {
  Claim,
  ExperimentData,
  ExperimentTools,
  Outcome,
  OutcomeFile,
  OutcomeTable,
} from "./experiment.js";
import { describeDevice, type RunFacts } from "./outcomeFiles.js";
import { departuresOf } from "./pictures.js";
import type { StageClock } from "./stageClock.js";

/** A run that has found something. */
export interface FinishedRun<S> {
  readonly settings: S & { readonly departures: readonly string[] };
  readonly data: ExperimentData;
  readonly tools: ExperimentTools;
  /** Made when the run began. */
  readonly clock: StageClock;
  /** The pictures it used. */
  readonly sources: string;
}

/** What it found. */
export interface Findings extends OutcomeTable {
  readonly claims: readonly Claim[];
  readonly values: Outcome["values"];
  /** Its pages and figures. */
  files(facts: RunFacts): readonly OutcomeFile[] | Promise<readonly OutcomeFile[]>;
}

export async function concludeRun<S extends CommonSettings<S>>(
  { settings, data, tools, clock, sources }: FinishedRun<S>,
  { header, rows, claims, values, files }: Findings,
): Promise<Outcome> {
  const departures = departuresOf(settings, data);
  const device = describeDevice(tools.kernels);
  const facts = { claims, departures, sources, device, seconds: clock.elapsed };
  const made = await clock.time("drawing", () => files(facts));
  return {
    ...{ header, rows, claims, values, departures },
    settings: recordSettings(settings),
    stageSeconds: clock.seconds(),
    files: made,
  };
}
