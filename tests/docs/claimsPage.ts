/** docs/claims.md, from the sentences of the paper and the results that are stored. */

import { createHash } from "node:crypto";
import { clock } from "../../src/core/formatText.js";
import { totalSeconds } from "../../src/experiments/results/result.js";
import type { Claim } from "../../src/experiments/shared/experiment.js";
import { outcomeOf } from "../../src/figures/pages/pageClaims.js";
import { dictionaryDepartures, judgeDictionaries } from "./dictionaryClaims.js";
import { plannedText } from "./judgedAnew.js";
import { ownClaims, type PaperSentence, paperSentences } from "./paperSentences.js";
import { code, table } from "./regions.js";
import { runNotes } from "./runNotes.js";
import { sinceRuns, sinceRunText } from "./sinceRuns.js";
import { judgeWithSpams, spamsDepartures } from "./spamsClaims.js";
import { deviceOf, resultsFolder, type StoredMeasurements, type StoredResult } from "./storedResults.js";

/** A claim of one result. */
interface Finding {
  readonly claim: Claim;
  readonly stored: StoredResult;
}

/** What claims are judged by. */
export interface Evidence {
  readonly results: readonly StoredResult[];
  readonly benchmarks: readonly StoredMeasurements[];
}

/** The outcome of a sentence over all its claims. */
export type Verdict =
  | "holds"
  | "does not hold"
  | "holds in part"
  | "undecided"
  | "not measured yet"
  | "checked by a test"
  | "measured by no experiment";

const verdicts: readonly Verdict[] = [
  "holds",
  "holds in part",
  "does not hold",
  "undecided",
  "not measured yet",
  "checked by a test",
  "measured by no experiment",
];

/** The part of the page below its introduction. */
export function claimsPage(
  { results, benchmarks }: Evidence,
  sentences: readonly PaperSentence[] = paperSentences,
): string {
  const full = fullResults(results);
  const evidence = { results: full, benchmarks };
  const sections = [...new Set(sentences.map(({ section }) => partOf(section)))];
  return [
    summary(evidence, sentences),
    ...sections.map((section) => {
      const own = sentences.filter((sentence) => partOf(sentence.section) === section);
      return `## ${section}\n\n${sentenceTable(evidence, own)}`;
    }),
    `## Claims of ours\n\nNot the paper's, but measured by the same experiments.\n\n${ownTable(evidence)}`,
    `## Runs\n\n${runTable(full)}`,
    departureList(full, benchmarks),
    ...(benchmarks.length > 0 ? [`## Benchmarks\n\n${benchmarkTable(benchmarks)}`] : []),
  ]
    .filter(Boolean)
    .join("\n\n");
}

/** `§V-A, figure 5` belongs to `§V-A`. */
function partOf(section: string): string {
  return section.split(",")[0];
}

function fullResults(results: readonly StoredResult[]): StoredResult[] {
  return results.filter(({ result }) => !result.quick);
}

function summary(evidence: Evidence, sentences: readonly PaperSentence[]): string {
  const rows = [...verdictCounts(evidence, sentences)]
    .filter(([, count]) => count > 0)
    .map(([verdict, count]) => [verdict, String(count)]);
  return table(["outcome", "statements"], [...rows, ["all", String(sentences.length)]], [1]);
}

/** How many sentences have each outcome, by the results at full size. */
export function verdictCounts(
  { results, benchmarks }: Evidence,
  sentences: readonly PaperSentence[] = paperSentences,
): ReadonlyMap<Verdict, number> {
  const evidence = { results: fullResults(results), benchmarks };
  const found = sentences.map((sentence) => verdictOf(evidence, sentence));
  return new Map(verdicts.map((verdict) => [verdict, found.filter((one) => one === verdict).length]));
}

/** How many sentences a dictionary judges that was learned from fewer patches than in its experiment. */
export function countFromFewer(
  { results, benchmarks }: Evidence,
  sentences: readonly PaperSentence[] = paperSentences,
): number {
  const full = fullResults(results);
  const isFromFewer = (name: string) =>
    findingsOf(full, name).length === 0 && judgeDictionaries(name, benchmarks).length > 0;
  return sentences.filter(({ claims = [] }) => claims.some(isFromFewer)).length;
}

export function verdictOf({ results, benchmarks }: Evidence, sentence: PaperSentence): Verdict {
  const { tested, claims, withSpams = [] } = sentence;
  if (tested) return "checked by a test";
  if (!claims) return "measured by no experiment";
  const found = claims.map((name) => judgementsOf({ results, benchmarks }, name));
  const judged = withSpams.flatMap((claim) => judgeWithSpams(claim, benchmarks));
  const all = [...found.flat(), ...judged];
  const holding = all.filter(({ undecided }) => !undecided).map(({ holds }) => holds);
  if (found.some((judgements) => judgements.length === 0) && !holding.includes(false))
    return "not measured yet";
  if (holding.length === 0) return "undecided";
  if (holding.length < all.length && holding.every(Boolean)) return "holds in part";
  if (holding.every(Boolean)) return "holds";
  return holding.some(Boolean) ? "holds in part" : "does not hold";
}

/** The findings of `EXPERIMENT CLAIM-ID` or `EXPERIMENT@LABEL CLAIM-ID`. */
function findingsOf(results: readonly StoredResult[], name: string): Finding[] {
  const [run, id] = name.split(" ");
  const [experiment, label] = run.split("@");
  return results
    .filter(({ result }) => result.experiment === experiment && (!label || result.label.includes(label)))
    .flatMap((stored) =>
      stored.result.claims.filter((claim) => claim.id === id).map((claim) => ({ claim, stored })),
    );
}

/** A claim that was judged, and the link to what it was judged by. */
type Judgement = Pick<Claim, "text" | "measured" | "holds" | "undecided"> & { readonly link: string };

/** By the runs of the experiment; without any, by dictionaries that were learned by themselves. */
function judgementsOf({ results, benchmarks }: Evidence, name: string): Judgement[] {
  const found = findingsOf(results, name).map(({ claim, stored }) => ({ ...claim, link: runLink(stored) }));
  if (found.length > 0) return found;
  return judgeDictionaries(name, benchmarks).map(({ file, ...claim }) => ({
    ...claim,
    link: benchLink("atoms", file),
  }));
}

const heads = ["the paper says", "the paper's value", "judged as", "measured", "outcome", "run"];

function sentenceTable(evidence: Evidence, sentences: readonly PaperSentence[]): string {
  return table(
    heads,
    sentences.flatMap((sentence) => {
      const where = sentence.section.split(", ")[1];
      const value = cell(sentence.paper) + (sentence.ownThreshold ? " (threshold ours)" : "");
      const first = [cell(sentence.says) + (where ? ` (${where})` : ""), value];
      return sentenceRows(evidence, sentence).map((row, i) => [...(i === 0 ? first : ["", ""]), ...row]);
    }),
  );
}

function sentenceRows(evidence: Evidence, sentence: PaperSentence): string[][] {
  const { tested, unmeasured, claims = [], withSpams = [] } = sentence;
  if (tested) return [[`a test: [${cell(tested.title)}](../${tested.path})`, "", "checked by a test", ""]];
  if (unmeasured) return [[cell(unmeasured), "", "measured by no experiment", ""]];
  const rows = claims.flatMap((name) => {
    const found = judgementsOf(evidence, name);
    return found.length === 0 ? [unmeasuredRow(name)] : found.map(claimRow);
  });
  const judged = withSpams.flatMap((claim) => judgeWithSpams(claim, evidence.benchmarks));
  return [
    ...rows,
    ...judged.map(({ file, ...claim }) => claimRow({ ...claim, link: benchLink("odl", file) })),
  ];
}

function benchLink(part: string, file: string): string {
  return `[bench ${part}](../${resultsFolder}/${file})`;
}

/** A claim whose experiment has not been run yet, in words. */
function unmeasuredRow(name: string): string[] {
  const [experiment, id] = name.split(" ");
  return [
    cell(plannedText(name) ?? id),
    "",
    "not measured yet",
    code(`reproduce ${experiment.split("@")[0]}`),
  ];
}

function claimRow({ text, measured, link, ...claim }: Judgement): string[] {
  const outcome = outcomeOf(claim);
  return [cell(text), cell(measured), outcome === "does not hold" ? `**${outcome}**` : outcome, link];
}

function runLink({ file, result }: StoredResult): string {
  const name = [result.experiment, result.label].filter(Boolean).join(", ");
  return `[${cell(name)}](../${resultsFolder}/${file})`;
}

function ownTable(evidence: Evidence): string {
  const rows = ownClaims.flatMap((name) => {
    const found = judgementsOf(evidence, name);
    return found.length === 0 ? [unmeasuredRow(name)] : found.map(claimRow);
  });
  return table(["claim", "measured", "outcome", "run"], rows);
}

function runTable(results: readonly StoredResult[]): string {
  if (results.length === 0) return "There are no results yet.";
  return table(
    ["run", "command", "device", "trainlets", "date", "time", "SHA-256 of the file"],
    results.map((stored) => {
      const { command, trainlets, date } = stored.result;
      const version = [trainlets.version, trainlets.commit].filter(Boolean).join(" at ");
      return [
        runLink(stored),
        code(command),
        cell(deviceOf(stored.result)),
        version,
        date.slice(0, 10),
        clock(totalSeconds(stored.result)),
        checksum(stored.text),
      ];
    }),
  );
}

function checksum(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 16);
}

/** The other files that pages quote. */
function benchmarkTable(benchmarks: readonly StoredMeasurements[]): string {
  return table(
    ["file", "date", "measured on", "SHA-256 of the file"],
    benchmarks.map(({ file, measurements, text }) => [
      `[${file}](../${resultsFolder}/${file})`,
      measurements.date,
      cell(measurements.machine),
      checksum(text),
    ]),
  );
}

/** The departures of each run, how it was measured, and what has changed since it. */
function departureList(results: readonly StoredResult[], benchmarks: readonly StoredMeasurements[]): string {
  const ofRuns = results.map((stored) => {
    const since = sinceRuns.filter(({ file }) => file === stored.file);
    const departures = stored.result.departures.filter(
      (item) => !since.some(({ insteadOf }) => insteadOf === item),
    );
    const note = runNotes[stored.file];
    return {
      link: runLink(stored),
      items: [...departures, ...since.map(sinceRunText), ...(note === undefined ? [] : [note])],
    };
  });
  const ofBenchmarks = [
    ...spamsDepartures(benchmarks).map(({ file, items }) => ({ link: benchLink("odl", file), items })),
    ...dictionaryDepartures(benchmarks).map(({ file, items }) => ({ link: benchLink("atoms", file), items })),
  ];
  const lists = [...ofRuns, ...ofBenchmarks]
    .filter(({ items }) => items.length > 0)
    .map(({ link, items }) => `${link}:\n\n${items.map((item) => `- ${cell(item)}`).join("\n")}`);
  return lists.length === 0 ? "" : `## Where the runs depart from the paper\n\n${lists.join("\n\n")}`;
}

/** A text that fits in a cell; sizes are written as on the other pages, 12×12. */
export function cell(text: string): string {
  const flat = text.replace(/\s+/g, " ").replaceAll("|", "\\|").replaceAll("<", "&lt;");
  return flat.replace(/(?<=\d)x(?=\d)/g, "×");
}
