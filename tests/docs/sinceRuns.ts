/**
 * What has changed in the program since a stored result was measured, where a reader of the result should know. A note
 * belongs to the run of one commit: when the run is made again, a test asks for the note to be removed.
 */

export interface SinceRun {
  /** The file in bench/results. */
  readonly file: string;
  /** The commit that the file was measured at. */
  readonly commit: string;
  /** Sentences; the first follows "Since this run,". */
  readonly note: string;
}

const betterOdl =
  "ODL has become better: what a replaced atom had explained is no longer left to the other atoms ([decision 25](decisions/0025-sparse-odl.md)).";

export const sinceRuns: readonly SinceRun[] = [
  {
    file: "universal32.json",
    commit: "928fa31f71",
    note: `${betterOdl} With a million examples that is worth about a sixth of its distance to OSDL.`,
  },
  { file: "universal64.json", commit: "51851c034f", note: betterOdl },
];
