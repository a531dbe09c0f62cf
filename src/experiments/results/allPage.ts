/**
 * The page of `reproduce all`: for each result its main figures, what the paper says beside what was measured,
 * where the run departs from the paper, the device and the time.
 */

import { clock } from "../../core/formatText.js";
import { htmlPage, type PageSection } from "../../figures/pages/htmlPage.js";
import { version } from "../../model/version.js";
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
  return htmlPage({
    title: "The paper, claim by claim",
    lead: leadOf(found),
    sections: [
      { kind: "facts", entries: factsOf(found.map(({ result }) => result)) },
      overview(found),
      ...failureSections(failures),
      ...found.flatMap((one) => resultSections(one, summaries.get(one.result.experiment))),
    ],
    footer: `trainlets ${version}`,
  });
}

function leadOf(found: readonly FoundResult[]): string {
  const paper =
    "Sulam, Ophir, Zibulevsky, Elad: Trainlets, Dictionary Learning in High Dimensions (2016), against what was measured here.";
  const quick = found.some(({ result }) => result.quick)
    ? " Some runs are small versions (--quick): they show that everything works, but the paper speaks of full size."
    : "";
  const synthetic = found.some(({ result }) => result.label === "synthetic")
    ? " Some use synthetic pictures instead of photographs."
    : "";
  return paper + quick + synthetic;
}

function factsOf(results: readonly Result[]): (readonly [string, string])[] {
  const claims = results.flatMap((result) => result.claims);
  const seconds = results.reduce((sum, result) => sum + totalSeconds(result), 0);
  return [
    ["experiments", String(results.length)],
    ["claims that hold", `${claims.filter(({ holds }) => holds).length} of ${claims.length}`],
    ["time", clock(seconds)],
  ];
}

function overview(found: readonly FoundResult[]): PageSection {
  return {
    heading: "Experiments",
    kind: "table",
    header: ["experiment", "data", "claims that hold", "device", "time", "commit"],
    rows: found.map(({ result }) => [
      result.experiment + (result.quick ? " (quick)" : ""),
      result.label || "–",
      `${result.claims.filter(({ holds }) => holds).length} of ${result.claims.length}`,
      result.device.description,
      clock(totalSeconds(result)),
      result.trainlets.commit ?? result.trainlets.version,
    ]),
  };
}

function failureSections(failures: ReadonlyMap<string, string>): PageSection[] {
  if (failures.size === 0) return [];
  return [{ heading: "Not finished", kind: "table", header: ["experiment", "reason"], rows: [...failures] }];
}

function resultSections({ folder, result }: FoundResult, summary: string | undefined): PageSection[] {
  const { claims, departures, files } = result;
  const page = files.includes("index.html")
    ? [{ href: `${folder}/index.html`, text: "its page, with all figures" }]
    : [];
  return [
    {
      heading: [describeRun(result), summary].filter(Boolean).join(": "),
      kind: "pictures",
      pictures: mainFigures(files).map((name) => ({
        src: `${folder}/${name}`,
        alt: name.replace(/\.\w+$/, ""),
      })),
    },
    {
      kind: "table",
      header: ["claim", "outcome", "measured", "the paper", "where"],
      rows: claims.map(({ text, source, paper, measured, holds }) => [
        text,
        holds ? "holds" : "does not hold",
        measured,
        paper || "–",
        source,
      ]),
    },
    ...(departures.length > 0 ? [departureSection(departures)] : []),
    { kind: "text", paragraphs: [describeConditions(result)] },
    { kind: "links", links: [...page, { href: `${folder}/${resultName}`, text: "all numbers (JSON)" }] },
  ];
}

function departureSection(departures: readonly string[]): PageSection {
  const [only] = departures;
  const paragraphs =
    departures.length === 1
      ? [`Departs from the paper: ${only}`]
      : ["Departs from the paper:", ...departures.map((departure) => `– ${departure}`)];
  return { kind: "text", paragraphs };
}

/** Figures shown of one experiment. */
const mostFigures = 8;

/** Charts and pictures, each once: a chart as SVG, which is sharp at every size. */
function mainFigures(files: readonly string[]): string[] {
  const figures = files.filter((name) => /^(figure|complexity)-.*\.(svg|png)$/.test(name));
  const charts = new Set(figures.filter((name) => name.endsWith(".svg")));
  return figures
    .filter((name) => name.endsWith(".svg") || !charts.has(name.replace(/png$/, "svg")))
    .slice(0, mostFigures);
}

/** What it ran on, in one sentence. */
function describeConditions(result: Result): string {
  const { device, machine, trainlets, command, data, seconds, date } = result;
  const read = data.map(({ role, name, signals }) => `${role} ${name} (${signals})`).join(", ");
  const pictures = read
    ? ` Data: ${read}.`
    : result.label === "synthetic"
      ? " Data: synthetic pictures."
      : "";
  const program = [trainlets.version, trainlets.commit].filter(Boolean).join(" at ");
  return `${clock(seconds)} on ${device.name}: ${device.description} (${machine.cpu}, ${machine.cores} cores, Node ${machine.node}); trainlets ${program}, ${date.slice(0, 10)}; ${command}.${pictures}`;
}
