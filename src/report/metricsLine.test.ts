import { describe, expect, it } from "vitest";
import { parseMetricsLine } from "./metricsLine.js";
import { end, plan, report } from "./runLines.case.js";
import { runPage } from "./runPage.js";
import { type MetricsLine, RunRecord } from "./runRecord.js";

const lines = { plan, report, end: { ...end, error: "no space", output: "d.partial.npz" } };

/** What may take the place of any value in a damaged or malicious line. */
const others = [
  "undefined",
  "null",
  '"x"',
  '""',
  "true",
  "-1",
  "0",
  "1e-300",
  "1e100",
  "1e308",
  "[]",
  '["x"]',
  "{}",
];
others.push('{"__proto__":{"length":3}}', '{"toString":1,"valueOf":1,"join":1,"length":2}');

/** The places of all values inside a value. */
function* placesIn(value: unknown, place: readonly string[] = []): Generator<readonly string[]> {
  yield place;
  if (typeof value !== "object" || value === null) return;
  for (const [key, inside] of Object.entries(value)) yield* placesIn(inside, [...place, key]);
}

/** The text of a value, with another text at one place; a place that becomes `undefined` is left out. */
function textWith(value: unknown, place: readonly string[], other: string): string {
  if (place.length === 0) return other;
  const [here, ...rest] = place;
  const parts = Object.entries(value as object).flatMap(([key, inside]) => {
    const text = key === here ? textWith(inside, rest, other) : JSON.stringify(inside);
    if (text === "undefined") return [];
    return [Array.isArray(value) ? text : `${JSON.stringify(key)}:${text}`];
  });
  return Array.isArray(value) ? `[${parts}]` : `{${parts}}`;
}

/** The page of a run with this line; with charts, which need several reports, if it is a report. */
function pageWith(line: MetricsLine): string {
  const record = new RunRecord(line.kind === "plan" ? line : plan);
  const more = line.kind === "report" ? [{ ...report, step: 20, examples: 2000 }] : [];
  for (const each of [report, line, ...more]) record.add(each);
  return runPage(record, { atoms: new Uint8Array(8), refresh: 30, now: new Date(0) });
}

describe("parseMetricsLine", () => {
  it.each(Object.entries(lines))("reads back a line: %s", (_, line) => {
    expect(parseMetricsLine(JSON.stringify(line))).toEqual(line);
    expect(parseMetricsLine(JSON.stringify({ ...line, later: 1 }))).toEqual({ ...line, later: 1 });
  });

  it("rejects what is not a line", () => {
    for (const text of ["", "?", "null", "1", "[]", "{}", '{"kind":"constructor"}', '{"kind":["plan"]}'])
      expect(parseMetricsLine(text)).toBeUndefined();
  });

  it.each(Object.entries(lines))(
    "accepts only lines that a page can show, whatever value is damaged: %s",
    (_, line) => {
      let [accepted, rejected] = [0, 0];
      for (const place of placesIn(line)) {
        for (const other of others) {
          const text = textWith(line, place, other);
          const found = parseMetricsLine(text);
          if (found) expect(() => pageWith(found), text).not.toThrow();
          if (found) accepted++;
          else rejected++;
        }
      }
      expect(accepted).toBeGreaterThan(10);
      expect(rejected).toBeGreaterThan(accepted);
    },
  );
});
