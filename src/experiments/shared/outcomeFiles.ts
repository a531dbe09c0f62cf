/** Files that experiments write: text, comma-separated numbers, and the page. */

import { htmlPage, type Page, type PageSection } from "../../figures/pages/htmlPage.js";
import type { Kernels } from "../../kernels/contract.js";
import { version } from "../../model/version.js";
import type { Claim, OutcomeFile } from "./experiment.js";

export function textFile(name: string, text: string): OutcomeFile {
  return { name, bytes: new TextEncoder().encode(text) };
}

/** Comma-separated values: a line with the names of the columns, then one line per row. */
export function csvFile(
  name: string,
  header: readonly string[],
  rows: readonly (readonly (string | number)[])[],
): OutcomeFile {
  return textFile(name, [header, ...rows].map((cells) => `${cells.map(quoteCell).join(",")}\n`).join(""));
}

function quoteCell(cell: string | number): string {
  const text = String(cell);
  return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** What every page says about the run behind it. */
export interface RunFacts {
  readonly claims: readonly Claim[];
  readonly departures: readonly string[];
  /** The pictures it used. */
  readonly sources: string;
  readonly device: string;
  readonly seconds: number;
}

/** `index.html`. */
export function pageFile(page: Omit<Page, "footer">): OutcomeFile {
  return textFile("index.html", htmlPage({ ...page, footer: `trainlets ${version}` }));
}

export function claimSection(claims: readonly Claim[]): PageSection {
  return {
    heading: "Does it match the paper?",
    kind: "table",
    header: ["claim", "source", "the paper", "measured", "outcome"],
    rows: claims.map(({ text, source, paper, measured, holds }) => [
      text,
      source,
      paper,
      measured,
      holds ? "holds" : "does not hold",
    ]),
  };
}

/** Where the run departs from the paper; no section if it does not. */
export function departureSections(departures: readonly string[]): PageSection[] {
  if (departures.length === 0) return [];
  return [{ heading: "Where this run departs from the paper", kind: "text", paragraphs: [...departures] }];
}

/** What the experiment ran on, for the settings of its page. */
export function describeDevice({ name, description }: Kernels): string {
  return `${name}: ${description}`;
}
