import { describe, expect, it } from "vitest";
import { plan, report } from "./runLines.case.js";
import { runPage } from "./runPage.js";
import { type EndLine, type PlanLine, type ReportLine, RunRecord } from "./runRecord.js";

const time = "2026-01-02T03:04:05.678Z";
const now = new Date(time);
const made = `${time.slice(0, 19).replace("T", " ")} UTC`;
const recordOf = (...lines: (PlanLine | ReportLine | EndLine)[]): RunRecord => {
  const record = new RunRecord(plan);
  for (const line of lines) record.add(line);
  return record;
};
const leadOf = (html: string) => /<p class="lead">(.*)<\/p>/.exec(html)![1];
const entryOf = (html: string, name: string) =>
  new RegExp(`<dt>${name.replace(/[()]/g, "\\$&")}</dt><dd>([^<]*)<`).exec(html)?.[1];

describe("runPage", () => {
  it("shows the state of a run, and asks to be reloaded", () => {
    const html = runPage(recordOf(report), { now, refresh: 30 });
    expect(leadOf(html)).toBe(`Running, as of ${made}: 1,000 of 2,000 examples.`);
    expect(html).toContain('<meta http-equiv="refresh" content="30">');
    expect(entryOf(html, "examples")).toBe("1,000 (50%)");
    expect(entryOf(html, "RMSE")).toBe("3.210");
    expect(entryOf(html, "test RMSE")).toBe("4.560");
    expect(entryOf(html, "time left (estimate)")).toBe("0:20");
    expect(entryOf(html, "examples/s")).toBe("50");
    expect(entryOf(html, "memory")).toBe("256 MiB + 1.5 GiB on the GPU");
    expect(entryOf(html, "last report")).toBe("2026-01-02 03:04:05 UTC");
    expect(entryOf(html, "RMSE per patch, at most")).toBe("1.5");
    expect(entryOf(html, "time limit")).toBe("1:00");
    expect(entryOf(html, "planned memory")).toBe("3.0 MiB (Gram matrix 3.0 MiB)");
    expect(html).toContain("<dd>&lt;dict&gt;.npz</dd>");
  });

  it("shows a run without a report, and one without an end", () => {
    expect(leadOf(runPage(recordOf(), { now, refresh: 30 }))).toBe(`Running, as of ${made}: no report yet.`);
    const left = runPage(recordOf(report), { now });
    expect(leadOf(left)).toBe("Unfinished, no end recorded: 1,000 of 2,000 examples.");
    expect(left).not.toContain("refresh");
  });

  it.each([
    ["epochs", "Finished all epochs after 1,000 of 2,000 examples, in 0:20."],
    [
      "no improvement",
      "Stopped because the test error no longer improved, after 1,000 of 2,000 examples, in 0:20.",
    ],
    ["time", "Stopped at its time limit after 1,000 of 2,000 examples, in 0:20."],
    ["aborted", "Interrupted after 1,000 of 2,000 examples, in 0:20."],
    ["failed", "Failed after 1,000 of 2,000 examples, in 0:20: no &lt;disk&gt;."],
  ] as const)("shows how it ended: %s", (ended, lead) => {
    const error = ended === "failed" ? { error: "no <disk>" } : {};
    const end: EndLine = { kind: "end", time, ended, examples: 1000, seconds: 20, ...error };
    const html = runPage(recordOf(report, end), { now, refresh: 30 });
    expect(leadOf(html)).toBe(lead);
    expect(html).not.toContain("refresh");
    expect(entryOf(html, "ended")).toBe("2026-01-02 03:04:05 UTC");
    expect(entryOf(html, "time left (estimate)")).toBeUndefined();
  });

  it("shows that a run was resumed, and when", () => {
    const html = runPage(recordOf(report, { ...plan, resumedAt: 900 }), { now, refresh: 30 });
    expect(entryOf(html, "resumed after")).toBe("900 examples");
    expect(entryOf(html, "started")).toBeUndefined();
  });

  it("lists the first and the last of many tests, and marks the best of them", () => {
    const tests = Array.from({ length: 30 }, (_, i) => ({ ...report, examples: i, testRmse: 40 - i }));
    const html = runPage(recordOf(...tests), { now });
    const rows = [...html.matchAll(/<th class="number" scope="row">(\d+)/g)].map(([, n]) => Number(n));
    expect(rows).toEqual([0, 1, 2, 21, 22, 23, 24, 25, 26, 27, 28, 29]);
    expect(html).toMatch(/>29 <span class="mark">best</);
    expect(html).toContain("The first 3 and the last 9; metrics.jsonl holds all of them.");
  });
});
