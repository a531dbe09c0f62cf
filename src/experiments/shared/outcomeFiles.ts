/** Files that experiments write: text, and the page with the claims and the settings. */

import { htmlPage, type Page, type PageSection } from "../../figures/pages/htmlPage.js";
import type { Kernels } from "../../kernels/contract.js";
import { version } from "../../model/version.js";
import type { Claim, OutcomeFile } from "./experiment.js";

export function textFile(name: string, text: string): OutcomeFile {
  return { name, bytes: new TextEncoder().encode(text) };
}

/** `index.html`. */
export function pageFile(page: Omit<Page, "footer">): OutcomeFile {
  return textFile("index.html", htmlPage({ ...page, footer: `trainlets ${version}` }));
}

export function claimSection(claims: readonly Claim[]): PageSection {
  return {
    heading: "Does it match the paper?",
    kind: "table",
    header: ["claim", "outcome"],
    rows: claims.map(({ text, holds }) => [text, holds ? "holds" : "does not hold"]),
  };
}

/** What the experiment ran on, for the settings of its page. */
export function describeDevice({ name, description }: Kernels): string {
  return `${name}: ${description}`;
}

/** `200,000`. */
export function grouped(value: number): string {
  return value.toLocaleString("en-US");
}
