import { mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { EndLine, MetricsLine, PlanLine, ReportLine } from "../runRecord.js";
import { MetricsFile, metricsName, openMetrics, readMetrics } from "./metricsFile.js";

/** How many bytes can still be written until the disk is full. */
const disk = vi.hoisted(() => ({ free: Number.POSITIVE_INFINITY }));
vi.mock("node:fs", async (importOriginal) => {
  const fs = await importOriginal<typeof import("node:fs")>();
  const writeSync = (file: number, bytes: Uint8Array, from: number, length: number, at: number): number => {
    if (disk.free === 0)
      throw Object.assign(new Error("ENOSPC: no space left on device, write"), { code: "ENOSPC" });
    const written = fs.writeSync(file, bytes, from, Math.min(length, disk.free), at);
    disk.free -= written;
    return written;
  };
  return { ...fs, writeSync };
});

const time = "2026-01-02T03:04:05.678Z";
const plan = {
  kind: "plan",
  time,
  version: "1",
  output: "d.npz",
  settings: {},
  machine: {},
  memory: [],
  disk: [],
};
const planLine = plan as unknown as PlanLine;
const report = (examples: number, more: Partial<ReportLine> = {}): ReportLine => ({
  kind: "report",
  step: examples / 100,
  epoch: 1,
  examples,
  rmse: examples === 0 ? null : 1000 / examples,
  stepSize: 0.5,
  atomsUsed: 7,
  atomsReplaced: 1,
  seconds: examples / 10,
  time,
  memory: { process: 1000 },
  ...more,
});
const end: EndLine = { kind: "end", time, ended: "aborted", examples: 300, seconds: 30 };

let folder: string;
const path = () => join(folder, metricsName);
const text = () => readFileSync(path(), "utf8");
const asText = (...lines: MetricsLine[]) => lines.map((line) => `${JSON.stringify(line)}\n`).join("");

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "trainlets-metrics-"));
  disk.free = Number.POSITIVE_INFINITY;
});
afterEach(() => rmSync(folder, { recursive: true }));

describe("openMetrics", () => {
  it("writes each line at once", async () => {
    const metrics = await openMetrics(folder);
    metrics.append(planLine);
    expect(text()).toBe(asText(planLine));
    metrics.append(report(0));
    metrics.append(report(100, { testRmse: 3 }));
    expect(text()).toBe(asText(planLine, report(0), report(100, { testRmse: 3 })));
    metrics.close();
    const record = await readMetrics(path());
    expect(record.plan).toEqual(planLine);
    expect(record.reports).toMatchObject([report(0), report(100)]);
    expect(record.last?.replaced).toBe(2);
    expect(record.tests.map(({ testRmse }) => testRmse)).toEqual([3]);
  });

  it("overwrites the file if nothing is resumed", async () => {
    writeFileSync(path(), asText(planLine, report(100)));
    (await openMetrics(folder)).close();
    expect(text()).toBe("");
  });

  it.each([
    ["half a line", '{"kind":"rep'],
    ["the end", asText(end)],
    ["a report that was made for the end", asText(report(250, { ended: "aborted" }), end)],
    ["reports of what will be done again", asText(report(300), report(400))],
    ["a line that is not a report", `{"kind":"report"}\n${asText(report(200))}`],
  ])("continues after the reports of a resumed run, without %s", async (_, rest) => {
    const kept = asText(planLine, report(100), report(200));
    writeFileSync(path(), kept + rest);
    const metrics = await openMetrics(folder, { resumedAt: 250 });
    expect(text()).toBe(kept);
    expect(metrics.before?.last).toMatchObject({ examples: 200, seconds: 20, replaced: 2 });
    metrics.append({ ...planLine, resumedAt: 250 });
    metrics.append(report(300));
    metrics.close();
    expect(text()).toBe(kept + asText({ ...planLine, resumedAt: 250 }, report(300)));
    const again = await openMetrics(folder, { resumedAt: 220 }); // resumed earlier than the last time
    expect(text()).toBe(kept);
    again.close();
  });

  it.each([
    ["nothing", ""],
    ["no plan", asText(report(100))],
  ])("overwrites the file if there is %s to resume", async (_, before) => {
    if (before !== "") writeFileSync(path(), before);
    const metrics = await openMetrics(folder, { resumedAt: 100 });
    expect(metrics.before).toBeUndefined();
    expect(text()).toBe("");
    metrics.close();
  });

  it("keeps lines while the disk is full, and writes them once there is room", async () => {
    const metrics = await openMetrics(folder);
    metrics.append(planLine);
    disk.free = 20;
    expect(() => metrics.append(report(100))).toThrow(
      `${path()}: cannot be written (no space left on the disk)`,
    );
    expect(text()).toBe(asText(planLine) + asText(report(100)).slice(0, 20));
    expect((await readMetrics(path())).last).toBeUndefined();
    expect(() => metrics.append(report(200))).toThrow("no space left on the disk");
    disk.free = Number.POSITIVE_INFINITY;
    metrics.append(report(300));
    expect(text()).toBe(asText(planLine, report(100), report(200), report(300)));
    metrics.close();
  });

  it("writes a deleted file again, once its folder is there", async () => {
    const metrics = await openMetrics(folder);
    metrics.append(planLine);
    rmSync(folder, { recursive: true });
    expect(() => metrics.append(report(100))).toThrow(`${path()}: cannot be written (no such folder)`);
    mkdirSync(folder);
    metrics.append(report(200));
    expect(text()).toBe(asText(planLine, report(100), report(200)));
    metrics.close();
  });

  it("names a missing folder", async () => {
    const missing = join(folder, "missing");
    await expect(openMetrics(missing)).rejects.toThrow(
      `${join(missing, metricsName)}: cannot be written (no such folder)`,
    );
  });

  it("names a file that cannot be written", () => {
    const metrics = new MetricsFile("m.jsonl", openSync("/dev/null", "r"), undefined);
    expect(() => metrics.append(planLine)).toThrow(/^m\.jsonl: cannot be written \(EBADF/);
    metrics.close();
  });
});

describe("readMetrics", () => {
  it.each([
    ["an empty file", "", "line 1 must be the plan of a run"],
    ["another file", "hello\n", "line 1 must be the plan of a run"],
    ["a file that begins with a report", asText(report(1)), "line 1 must be the plan of a run"],
    ["a damaged line", `${asText(planLine, report(1))}{"kind"\n${asText(report(2))}`, "line 3 is damaged"],
    ["a line that is null", `${asText(planLine)}null\n`, "line 2 is damaged"],
    ["an unknown kind", `${asText(planLine)}{"kind":"x","time":""}\n`, "line 2 is damaged"],
    [
      "a text in place of a number",
      `${asText(planLine)}${asText(report(1)).replace("0.5", '"0.5"')}`,
      "line 2 is damaged",
    ],
  ])("names what is wrong with %s", async (_, content, message) => {
    writeFileSync(path(), content);
    await expect(readMetrics(path())).rejects.toThrow(`${path()}: ${message}`);
  });

  it("skips half a line at the end, and finds the end", async () => {
    writeFileSync(path(), `${asText(planLine, report(100), end)}{"kind":`);
    const record = await readMetrics(path());
    expect(record.end).toEqual(end);
    expect(record.reports.length).toBe(1);
  });
});

describe("RunRecord", () => {
  it("keeps evenly spaced reports of a long run, the first and the last, and sums", async () => {
    const lines = Array.from({ length: 5000 }, (_, i) => report(100 * i, i % 5 === 0 ? { testRmse: 1 } : {}));
    writeFileSync(path(), asText(planLine, ...lines));
    const { reports, tests, last } = await readMetrics(path());
    expect(last).toMatchObject({ examples: 499_900, replaced: 5000 });
    for (const [moments, count] of [
      [reports, 5000],
      [tests, 1000],
    ] as const) {
      expect(moments.length).toBeLessThanOrEqual(1001);
      expect(moments.length).toBeGreaterThan(Math.min(count, 1000) / 2);
      expect(moments[0].examples).toBe(0);
      const distances = moments.slice(1, -1).map(({ examples }, i) => examples - moments[i].examples);
      expect(new Set(distances).size).toBe(1);
    }
    expect(reports.at(-1)).toBe(last);
  });
});
