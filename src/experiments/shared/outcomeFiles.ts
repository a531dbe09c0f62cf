/** Files that experiments write: text, comma-separated numbers, and the page. */

import { htmlPage, type Page, type PageSection } from "../../figures/pages/htmlPage.js";
import type { Kernels } from "../../kernels/contract.js";
import { version } from "../../model/version.js";
import type { Claim, OutcomeFile } from "./experiment.js";

export function textFile(name: string, text: string): OutcomeFile {
  return { name, bytes: new TextEncoder().encode(text) };
}

/** A chart or another picture as SVG, with its caption on the page of all experiments. */
export function svgFigure(name: string, svg: string, caption: string): OutcomeFile {
  return { ...textFile(name, svg), caption };
}

/** The figure in the page of its experiment, with its link. */
export function svgSection(
  { name, bytes }: OutcomeFile,
  texts: { readonly heading?: string; readonly caption?: string } = {},
): PageSection {
  return { ...texts, kind: "svg", svg: new TextDecoder().decode(bytes), href: name };
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

/** The files, and after them `index.html`: the page, which links to them all. */
export function withPage(files: readonly OutcomeFile[], page: Omit<Page, "footer">): OutcomeFile[] {
  const links = files.map(({ name }) => ({ href: name, text: name }));
  const sections: PageSection[] = [...page.sections, { heading: "Files", kind: "links", links }];
  return [...files, textFile("index.html", htmlPage({ ...page, sections, footer: `trainlets ${version}` }))];
}

/** `4 of 7 claims hold`. */
export function countClaims(claims: readonly Pick<Claim, "holds">[]): string {
  const holding = claims.filter(({ holds }) => holds).length;
  return `${holding} of ${claims.length} ${claims.length === 1 ? "claim holds" : "claims hold"}`;
}

export function claimSection(claims: readonly Claim[]): PageSection {
  const count = claims.length === 0 ? "" : ` ${countClaims(claims)}`;
  return { heading: `Does it match the paper?${count}`, kind: "claims", claims };
}

/** Where the run departs from the paper; no section if it does not. */
export function departureSections(departures: readonly string[]): PageSection[] {
  if (departures.length === 0) return [];
  return [{ heading: "Where this run departs from the paper", kind: "list", items: departures }];
}

/** What the experiment ran on, for the settings of its page. */
export function describeDevice({ name, description }: Kernels): string {
  return `${name}: ${description}`;
}
