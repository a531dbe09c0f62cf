/**
 * What has changed in the program since a stored result was measured, or is said otherwise today, where a reader of the result should know. A note
 * belongs to the run of one commit: when the run is made again, a test asks for the note to be removed.
 */

import { universalBatches } from "../../src/experiments/fig09-to-11-universal/settings.js";

export interface SinceRun {
  /** The file in bench/results. */
  readonly file: string;
  /** The commit that the file was measured at. */
  readonly commit: string;
  /** Sentences; the first follows "Since this run,", unless the note corrects something. */
  readonly note: string;
  /** The departure of the run that the note stands for: it says more than was measured. */
  readonly insteadOf?: string;
}

const betterOdl =
  "ODL has become better: what a replaced atom had explained is no longer left to the other atoms ([decision 25](decisions/0025-sparse-odl.md)).";

/** As the page says it. */
export function sinceRunText({ note, insteadOf }: SinceRun): string {
  return insteadOf ? note : `Since this run, ${note}`;
}

export const sinceRuns: readonly SinceRun[] = [
  {
    file: "universal32.json",
    commit: "928fa31f71",
    note: `${betterOdl} With a million examples its test error fell from 10.348 (decision 25) to 10.258; that of OSDL is 9.832 ([learners-h200.json](../bench/results/learners-h200.json)).`,
  },
  {
    file: "universal32.json",
    commit: "928fa31f71",
    note: `The mini-batches are ours: the paper does not state them. ${universalBatches} When both had 4,096, OSDL was 2.12 times as fast as ODL. The measurements are in [decision 36](decisions/0036-universal-dictionaries.md).`,
    insteadOf:
      "The mini-batches are ours: the paper does not state them. On a GPU those of OSDL are larger than those of ODL, which suits each of them.",
  },
  { file: "universal64.json", commit: "51851c034f", note: betterOdl },
];
