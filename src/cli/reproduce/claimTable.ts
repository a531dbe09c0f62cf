/** The claims of results as a table in plain text. */

import { describeRun, type Result } from "../../experiments/results/result.js";
import { textTable } from "../terminal/textTable.js";

/** One row per claim, then a line that counts them. */
export function claimTable(results: readonly Result[]): string {
  const rows = results.flatMap((result) =>
    result.claims.map(({ id, paper, measured, holds }) => [
      `${describeRun(result)}: ${id}`,
      paper,
      measured,
      holds ? "holds" : "does not hold",
    ]),
  );
  const holding = results.flatMap(({ claims }) => claims).filter(({ holds }) => holds).length;
  const table = rows.length === 0 ? "" : `${textTable(["claim", "paper", "measured", ""], rows)}\n\n`;
  return `${table}${holding} of ${rows.length} claims hold`;
}
