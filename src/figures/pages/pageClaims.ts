/** Statements of a paper beside what was measured, each with its outcome: side by side, or one below the other on a narrow screen. */

import { element, tag, withMinus } from "./markup.js";

export interface ClaimsContent {
  readonly kind: "claims";
  readonly claims: readonly PageClaim[];
}

export interface PageClaim {
  readonly text: string;
  /** Where it is said. */
  readonly source: string;
  /** The words or the value there; empty where nothing is said. */
  readonly paper: string;
  readonly measured: string;
  readonly holds: boolean;
}

export function renderClaims({ claims }: ClaimsContent): string {
  return tag("ul", `\n${claims.map(renderClaim).join("\n")}\n`, "claims");
}

function renderClaim({ text, source, paper, measured, holds }: PageClaim): string {
  const outcome = holds ? "holds" : "does not hold";
  const statement = element("p", text) + element("p", source, "source");
  const found = [
    ["measured", measured],
    ["the paper", paper],
  ].filter(([, value]) => value !== "");
  const entries = found
    .map(([name, value]) => element("dt", name) + element("dd", withMinus(value)))
    .join("");
  return tag(
    "li",
    element("p", outcome, holds ? "outcome holds" : "outcome fails") +
      tag("div", statement) +
      tag("dl", entries),
  );
}
