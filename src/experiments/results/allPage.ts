/**
 * The page of `reproduce all`, to be sent to someone who wants to know whether the paper holds: how many claims hold,
 * on which device and data and in which time; every experiment in one line; the claims that do not hold; then for each
 * experiment its figures, its claims beside what was measured, where it departs from the paper, and its files.
 */

import { clock } from "../../core/formatText.js";
import { htmlPage, type PageSection } from "../../figures/pages/htmlPage.js";
import { type ClaimOutcome, outcomeOf } from "../../figures/pages/pageClaims.js";
import type { TableCell } from "../../figures/pages/pageTable.js";
import { version } from "../../model/version.js";
import { countClaims } from "../shared/outcomeFiles.js";
import { describeRun, type Result, resultName, totalSeconds } from "./result.js";

/** A result, and the name of its folder beside the page. */
export interface FoundResult {
  readonly folder: string;
  readonly result: Result;
}

/** What the page shows besides results. */
export interface AllPageOptions {
  /** One line about each experiment, by name. */
  readonly summaries?: ReadonlyMap<string, string>;
  /** The reasons of experiments that failed, by folder. */
  readonly failures?: ReadonlyMap<string, string>;
}

/** The page as HTML. */
export function allPage(
  found: readonly FoundResult[],
  { summaries = new Map(), failures = new Map() }: AllPageOptions = {},
): string {
  const titled = found.map((one) => ({
    ...one,
    title: titleOf(one.result, summaries.get(one.result.experiment)),
  }));
  const results = found.map(({ result }) => result);
  return htmlPage({
    title: "The Trainlets paper, claim by claim",
    lead: leadOf(results),
    sections: [
      { kind: "facts", entries: factsOf(results) },
      { kind: "settings", entries: conditionsOf(results) },
      ...failureSections(failures),
      overview(titled),
      ...failedClaims(results),
      ...titled.flatMap(resultSections),
    ],
    footer: `trainlets ${version}`,
  });
}

interface TitledResult extends FoundResult {
  readonly title: string;
}

/** `Figure 8: 64x64 faces with few coefficients (lfw-crop64)`, from a summary that ends with `: figure 8`. */
function titleOf(result: Result, summary: string | undefined): string {
  if (summary === undefined) return describeRun(result);
  const [, what, where] = /^(.*): ((?:figures?|section) .*)$/.exec(summary) ?? [];
  const title = what === undefined ? `${result.experiment}: ${summary}` : `${capitalized(where)}: ${what}`;
  return result.data.length === 0 ? title : `${title} (${result.label})`;
}

function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function leadOf(results: readonly Result[]): string {
  const paper =
    "J. Sulam, B. Ophir, M. Zibulevsky and M. Elad, Trainlets: Dictionary Learning in High Dimensions (2016): what it says, beside what was measured here.";
  const quick = results.some((result) => result.quick)
    ? ` ${results.every((result) => result.quick) ? "All" : "Some"} runs are small versions (--quick): they show that everything works, but the paper speaks of full size.`
    : "";
  const withPictures = results.filter(({ label }) => label !== "");
  const synthetic = results.some(isSynthetic)
    ? ` ${withPictures.every(isSynthetic) ? "The pictures are synthetic, not" : "Some use synthetic pictures instead of"} photographs.`
    : "";
  return paper + quick + synthetic;
}

function isSynthetic({ label }: Result): boolean {
  return label === "synthetic";
}

function factsOf(results: readonly Result[]): (readonly [string, string])[] {
  const claims = results.flatMap((result) => result.claims);
  const seconds = results.reduce((sum, result) => sum + totalSeconds(result), 0);
  return [
    ["claims that hold", `${claims.filter(({ holds }) => holds).length} of ${claims.length}`],
    ["experiments", String(results.length)],
    ["time", clock(seconds)],
  ];
}

/** What the results were made with: every device, machine, program, data set and day once. */
function conditionsOf(results: readonly Result[]): (readonly [string, string])[] {
  const each = (name: string, describe: (result: Result) => string): (readonly [string, string])[] => {
    const values = [...new Set(results.map(describe))].filter(Boolean);
    return values.length === 0 ? [] : [[name, values.join("; ")]];
  };
  const days = results.map(({ date }) => date.slice(0, 10)).sort();
  const period = [...new Set([days[0], days.at(-1)])].filter((day) => day !== undefined).join(" to ");
  return [
    ...each("device", describeDevice),
    ...each("machine", ({ machine: { cpu, cores, node } }) => `${cpu}, ${cores} cores, Node ${node}`),
    ...each("data", (result) => (isSynthetic(result) ? "synthetic pictures" : describeData(result))),
    ...each("program", describeProgram),
    ...(period === "" ? [] : [["date", period] as const]),
  ];
}

function describeDevice({ device: { name, description } }: Result): string {
  return `${name}: ${description}`;
}

function describeProgram({ trainlets }: Result): string {
  const commit = trainlets.commit === undefined ? "" : ` at ${trainlets.commit}`;
  return `trainlets ${trainlets.version}${commit}`;
}

function describeData({ data }: Result): string {
  return data.map(({ name, signals }) => `${name} (${signals})`).join(", ");
}

/** One line per experiment; devices and programs have columns only where they differ. */
function overview(found: readonly TitledResult[]): PageSection {
  const results = found.map(({ result }) => result);
  const differ = (describe: (result: Result) => string) => new Set(results.map(describe)).size > 1;
  const columns: (readonly [string, (one: TitledResult) => TableCell])[] = [
    ["experiment", ({ title, folder }) => ({ text: title, id: folder })],
    [
      "claims that hold",
      ({ result: { claims } }) => `${claims.filter(({ holds }) => holds).length} of ${claims.length}`,
    ],
    ["time", ({ result }) => clock(totalSeconds(result))],
    ...(differ(({ quick }) => String(quick))
      ? [["size", ({ result }: TitledResult) => (result.quick ? "quick" : "full")] as const]
      : []),
    ...(differ(describeDevice)
      ? [["device", ({ result }: TitledResult) => describeDevice(result)] as const]
      : []),
    ...(differ(describeProgram)
      ? [
          [
            "commit",
            ({ result: { trainlets } }: TitledResult) => trainlets.commit ?? trainlets.version,
          ] as const,
        ]
      : []),
  ];
  return {
    heading: "Experiments",
    kind: "table",
    header: columns.map(([name]) => name),
    rows: found.map((one) => columns.map(([, cell]) => cell(one))),
  };
}

function failureSections(failures: ReadonlyMap<string, string>): PageSection[] {
  if (failures.size === 0) return [];
  return [{ heading: "Not finished", kind: "table", header: ["experiment", "reason"], rows: [...failures] }];
}

function failedClaims(results: readonly Result[]): PageSection[] {
  const claims = results.flatMap((result) => result.claims);
  const section = (heading: string, outcome: ClaimOutcome): PageSection[] => {
    const found = claims.filter((claim) => outcomeOf(claim) === outcome);
    return found.length === 0 ? [] : [{ heading, kind: "claims", claims: found }];
  };
  return [
    ...section("Claims that do not hold", "does not hold"),
    ...section("Claims that the measurements do not decide", "undecided"),
  ];
}

function resultSections({ folder, result, title }: TitledResult): PageSection[] {
  const { claims, departures, files, figures = [] } = result;
  const page = files.includes("index.html")
    ? [{ href: `${folder}/index.html`, text: "page with all figures and tables" }]
    : [];
  return [
    {
      ...{ heading: title, id: folder, kind: "pictures" },
      pictures: figures.map(({ name, caption }) => ({ src: `${folder}/${name}`, caption })),
    },
    { kind: "text", paragraphs: [`${countClaims(claims)}.`] },
    { kind: "claims", claims },
    ...(departures.length > 0 ? departureSections(departures) : []),
    { kind: "text", paragraphs: [describeConditions(result)] },
    { kind: "links", links: [...page, { href: `${folder}/${resultName}`, text: "all numbers (JSON)" }] },
  ];
}

function departureSections(departures: readonly string[]): PageSection[] {
  return [
    { kind: "text", paragraphs: ["Where this run departs from the paper:"] },
    { kind: "list", items: departures },
  ];
}

/** Its command, time, device, data and day, in one sentence. */
function describeConditions(result: Result): string {
  const { command, data, date } = result;
  const pictures = data.length > 0 ? `; data: ${describeData(result)}` : "";
  return `${command}: ${clock(totalSeconds(result))} on ${describeDevice(result)}, ${describeProgram(result)}, ${date.slice(0, 10)}${pictures}.`;
}
