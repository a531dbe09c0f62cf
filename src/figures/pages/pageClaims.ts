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
  /** The measurement is too coarse for an answer; `holds` is false. */
  readonly undecided?: boolean;
}

/** In words: for pages, tables and terminals. */
export type ClaimOutcome = "holds" | "does not hold" | "undecided";

export function outcomeOf({ holds, undecided }: Pick<PageClaim, "holds" | "undecided">): ClaimOutcome {
  if (undecided) return "undecided";
  return holds ? "holds" : "does not hold";
}

const classes: Readonly<Record<ClaimOutcome, string>> = {
  holds: "holds",
  "does not hold": "fails",
  undecided: "undecided",
};

export function renderClaims({ claims }: ClaimsContent): string {
  return tag("ul", `\n${claims.map(renderClaim).join("\n")}\n`, "claims");
}

function renderClaim(claim: PageClaim): string {
  const { text, source, paper, measured } = claim;
  const outcome = outcomeOf(claim);
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
    element("p", outcome, `outcome ${classes[outcome]}`) + tag("div", statement) + tag("dl", entries),
  );
}
