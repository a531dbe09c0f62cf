/**
 * Measured figures that pages quote in text of their own, and whether they are in the files that the pages link to.
 *
 * A figure is a number with a unit of quality or speed (dB, RMSE, seconds, GFLOP/s, `3.2×`, `40 times as fast`), a time
 * such as 2:31, a number with decimals in a table, or one with two decimals or more anywhere. Regions that are made from the code, code and transcripts
 * are left out: other tests hold them to what they are made from.
 *
 * The rule (CONTRIBUTING.md, *Figures*): a section that quotes a figure links to the files of bench/results that it is
 * from, and each figure is a rounding of a number in them. An entry of the changelog, or a section of a decision, may
 * instead name the machine and the commit of an older measurement: `at 1a2b3c4`.
 */

import { posix } from "node:path";
import { clock } from "../../src/core/formatText.js";

/** A figure in a page. */
export interface QuotedFigure {
  readonly line: number;
  /** As quoted, with its unit: `27.4 dB`. */
  readonly text: string;
  /** Result files that its section links to, from the root. */
  readonly sources: readonly string[];
  /** Whether its section names the commit of an older measurement. */
  readonly dated: boolean;
}

const number = String.raw`\d[\d,]*(?:\.\d+)?`;
const unit =
  "dB|ms|µs|s|seconds?|minutes?|hours?|days?|[GT]FLOP/s|[GT]B/s|(?:patches|examples|steps)(?:/s| per second)";
const joint = "(?:, | and | or | to |–| against )";
const patterns: readonly RegExp[] = [
  new RegExp(String.raw`(?<![\w.,×-])(?:${number}${joint})*${number}[ -]?(?:${unit})(?![\w/])`, "g"),
  new RegExp(String.raw`\bRMSE (?:of |is )?(?:${number}${joint})*${number}`, "g"),
  new RegExp(String.raw`(?<![\w.,×])${number}×(?!\d)`, "g"),
  new RegExp(String.raw`(?<![\w.,×])${number} times (?:faster|slower|as fast|the speed)`, "g"),
  /(?<![\w:.])\d+:\d\d(?![\w:])/g,
  /(?<![\w.,×])\d[\d,]*\.\d{2,}(?![\d.])/g,
];
const tableNumber = /(?<![\w.,×])\d[\d,]*\.\d+/g;

/** The figures of a page; `path` is its place from the root, for its links. */
export function quotedFigures(page: string, path: string): QuotedFigure[] {
  const text = proseOf(page);
  const lines = text.split("\n");
  const opens = path === "CHANGELOG.md" ? /^(#{1,6}|-) / : /^#{1,6} /; // an entry of the changelog stands alone
  const starts = lines.flatMap((line, i) => (i === 0 || opens.test(line) ? [i] : []));
  return starts.flatMap((start, s) => {
    const end = starts[s + 1] ?? lines.length;
    const section = lines.slice(start, end).join("\n");
    const sources = sourcesOf(section, path);
    const dated = /\bat [0-9a-f]{7,10}\b/.test(section);
    return figuresIn(lines.slice(start, end)).map((found) => ({
      ...found,
      line: start + found.line + 1,
      sources,
      dated,
    }));
  });
}

/** Figures and their lines; a paragraph is looked at as a whole, because its lines are broken anywhere. */
function figuresIn(lines: readonly string[]): { line: number; text: string }[] {
  const text = lines.join("\n").replace(/\]\([^)]*\)/g, "]"); // links have targets, not figures
  const joined = text.replace(/(?<!\n)\n(?![\n|#*-])/g, " ");
  const lineOf = (index: number) => text.slice(0, index).split("\n").length - 1;
  const found = patterns.flatMap((pattern) => [...joined.matchAll(pattern)]);
  const inTables = [...joined.matchAll(/^\|.*$/gm)].flatMap((row) =>
    [...row[0].matchAll(tableNumber)].map((match) => ({ 0: match[0], index: row.index + match.index })),
  );
  return [...found, ...inTables].map((match) => ({ line: lineOf(match.index), text: match[0] }));
}

/** A page without what other tests check, line by line as before. */
function proseOf(page: string): string {
  const blank = (text: string) => text.replace(/[^\n]/g, "");
  return page
    .replace(/<!-- made: [\s\S]*?<!-- end -->/g, blank)
    .replace(/^ *(```+|~~~+)[\s\S]*?^ *\1`*$/gm, blank)
    .replace(/<!--[\s\S]*?-->/g, blank)
    .replace(/`[^`\n]*`/g, "``");
}

/** The result files that a text links to. */
function sourcesOf(text: string, path: string): string[] {
  return [
    ...text.matchAll(/\]\(([^)\s]*bench\/results\/[\w.-]+\.json|[\w./-]*results\/[\w.-]+\.json)\)/g),
  ].map(([, link]) => posix.join(posix.dirname(path), link));
}

/** All numbers of a JSON value, those in its texts as well. */
export function numbersOf(value: unknown): number[] {
  if (typeof value === "number") return [value];
  if (typeof value === "string")
    return [...value.matchAll(/\d[\d,]*(?:\.\d+)?(?:e[-+]?\d+)?/g)].map(([text]) =>
      Number(text.replaceAll(",", "")),
    );
  if (Array.isArray(value)) return value.flatMap(numbersOf);
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(numbersOf) : [];
}

/** Whether every number of a quoted figure is a rounding of one of these. */
export function isRoundingOf(figure: string, numbers: readonly number[]): boolean {
  if (/^\d+:\d\d$/.test(figure)) return numbers.some((known) => clock(known) === figure);
  const parts = [...figure.matchAll(/\d[\d,]*(?:\.\d+)?/g)].map(([text]) => text.replaceAll(",", ""));
  const scale = /minute/.test(figure) ? 60 : /hour/.test(figure) ? 3600 : /day/.test(figure) ? 86_400 : 1;
  return parts.every((part) => {
    const decimals = part.split(".")[1]?.length ?? 0;
    return numbers.some((known) => (Math.abs(known) / scale).toFixed(decimals) === part);
  });
}

/** Figures that the paper itself states, which any page may quote. */
export const paperFigures: readonly string[] = ["8 dB", "0.4 dB", "1 dB", "2 days", "4.6 days", "5 days"];

/** What looks like a measured figure on a page, and is a limit, a default, a constant or a version. */
export const notMeasured: readonly (readonly [page: string, text: string])[] = [
  ["README.md", "20.16"],
  ["README.md", "10.1109"],
  ["README.md", "3.11"],
  ["docs/how-to/python.md", "3.11"],
  ["docs/how-to/choose-options.md", "0.95"],
  ["docs/how-to/denoise.md", "1.110"],
  ["docs/how-to/denoise.md", "1.056"],
  ["docs/how-to/denoise.md", "1.028"],
  ["docs/how-to/learn-from-your-data.md", "0.299"],
  ["docs/how-to/learn-from-your-data.md", "0.587"],
  ["docs/how-to/learn-from-your-data.md", "0.114"],
  ["docs/how-to/learn-from-your-data.md", "3.4028235"],
  ["docs/how-to/long-runs.md", "30 seconds"],
  ["docs/how-to/long-runs.md", "10 minutes"],
  ["docs/reference/files.md", "7.3"],
  ["docs/how-to/reproduce-the-paper.md", "0.75"],
  ["docs/how-to/reproduce-the-paper.md", "3.8"],
  ["docs/paper-map.md", "1.75"],
  ["docs/paper-map.md", "2.44"],
  ["docs/reference/devices.md", "20.16"],
  ["docs/reference/files.md", "120 seconds"],
];
