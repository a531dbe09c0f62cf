/** The claims of results in plain text: what was measured, beside the paper's words. */

import { visibleLine } from "../../core/visibleText.js";
import { describeRun, type Result } from "../../experiments/results/result.js";

/** The claims of each result under its name, one line each, then a line that counts them. */
export function claimTable(results: readonly Result[]): string {
  const claims = results.flatMap((result) => result.claims);
  const width = Math.max(0, ...claims.map(({ id }) => id.length));
  const lines = results.flatMap((result) => [
    describeRun(result),
    ...result.claims.map(({ id, paper, measured, holds }) => {
      const outcome = (holds ? "holds" : "does not hold").padEnd("does not hold".length);
      const words = paper === "" ? "" : `   (paper: ${paper})`;
      return `  ${outcome}   ${id.padEnd(width)}   ${measured}${words}`;
    }),
    "",
  ]);
  const holding = claims.filter(({ holds }) => holds).length;
  return [...lines.map(visibleLine), `${holding} of ${claims.length} claims hold`].join("\n");
}
