/** The claims of results in plain text: what was measured, beside the paper's words. */

import { visibleLine } from "../../core/visibleText.js";
import { describeRun, type Result } from "../../experiments/results/result.js";
import { outcomeOf } from "../../figures/pages/pageClaims.js";

type Claim = Result["claims"][number];

/** The claims of each result under its name, two lines each, then a line that counts them. */
export function claimTable(results: readonly Result[]): string {
  const claims = results.flatMap((result) => result.claims);
  const lines = results.flatMap((result) => [describeRun(result), ...result.claims.flatMap(claimLines), ""]);
  const holding = claims.filter(({ holds }) => holds).length;
  return [...lines.map(visibleLine), `${holding} of ${claims.length} claims hold`].join("\n");
}

/** The statement after its outcome, and below it what was measured. */
function claimLines(claim: Claim): string[] {
  const { text, paper, measured } = claim;
  const width = "does not hold".length;
  const words = paper === "" ? "" : `   (paper: ${paper})`;
  return [`  ${outcomeOf(claim).padEnd(width)}   ${text}`, `  ${" ".repeat(width)}   ${measured}${words}`];
}
