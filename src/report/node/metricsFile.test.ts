import { mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { InputError } from "../../core/errors.js";
import { plan as planLine } from "../runLines.case.js";
import type { EndLine, MetricsLine, ReportLine } from "../runRecord.js";
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

  /** A run that is resumed at some examples, with its last report before at `last`. */
  const resumedAt = (examples: number, last: number) => ({
    resumed: { examples, seconds: examples / 10, report: { ...report(last), rmse: 1000 / last } },
  });

  it.each([
    ["half a line", '{"kind":"rep'],
    ["the end", asText(end)],
    ["a report that was made for the end", asText(report(250, { ended: "aborted" }), end)],
    ["reports of what will be done again", asText(report(300), report(400))],
  ])("continues before the last report of a resumed run, without %s", async (_, rest) => {
    const kept = asText(planLine, report(100));
    writeFileSync(path(), kept + asText(report(200, { testRmse: 3 })) + rest);
    const onProblem = vi.fn();
    const metrics = await openMetrics(folder, { ...resumedAt(250, 200), onProblem });
    expect(text()).toBe(kept);
    expect(onProblem).not.toHaveBeenCalled();
    expect(metrics.before?.last).toMatchObject({ examples: 100, seconds: 10, replaced: 1 });
    expect(metrics.atBreak).toEqual(report(200, { testRmse: 3 }));
    metrics.append({ ...planLine, resumedAt: 250 });
    metrics.append(report(200));
    metrics.append(report(300));
    metrics.close();
    const more = asText({ ...planLine, resumedAt: 250 }, report(200), report(300));
    expect(text()).toBe(kept + more);
    const again = await openMetrics(folder, resumedAt(220, 200)); // resumed earlier than the last time
    expect(text()).toBe(kept);
    again.close();
  });

  it.each([
    ["text", "?", 2],
    ["a line that is not a report", '{"kind":"report"}', 2],
    ["a report before any plan", asText(report(100)).trim(), 1],
    ["a plan of nothing", '{"kind":"plan","time":"x","settings":{},"machine":{},"memory":[],"disk":[]}', 1],
  ])("keeps the lines before damage (%s), and says so", async (_, damage, number) => {
    const kept = number === 1 ? "" : asText(planLine);
    writeFileSync(path(), `${kept}${damage}\n${asText(report(100), report(200))}`);
    const onProblem = vi.fn();
    const metrics = await openMetrics(folder, { ...resumedAt(250, 200), onProblem });
    expect(text()).toBe(kept);
    expect(metrics.before?.plan).toEqual(number === 1 ? undefined : planLine);
    expect(onProblem.mock.calls).toEqual([
      [`${path()}: line ${number} is damaged: the report continues without it and what follows it`],
    ]);
    metrics.close();
  });

  it("overwrites the file if there is nothing to resume", async () => {
    const metrics = await openMetrics(folder, resumedAt(100, 100));
    expect(metrics.before).toBeUndefined();
    expect(text()).toBe("");
    metrics.close();
  });

  it("never writes through a link, and leaves what it points to", async () => {
    const victim = join(folder, "victim");
    writeFileSync(victim, "precious\n");
    symlinkSync(victim, path());
    for (const options of [{}, resumedAt(100, 100)])
      await expect(openMetrics(folder, options)).rejects.toThrow(
        new InputError(`${path()}: cannot be written (it is a link)`),
      );
    expect(readFileSync(victim, "utf8")).toBe("precious\n");
    rmSync(path());
    const metrics = await openMetrics(folder);
    metrics.append(planLine);
    rmSync(path());
    symlinkSync(victim, path());
    expect(() => metrics.append(report(100))).toThrow("it is a link");
    expect(readFileSync(victim, "utf8")).toBe("precious\n");
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
    ["another file", "hello\n", "line 1 is damaged"],
    ["a line without end", "a".repeat(2 ** 21), "line 1 is damaged"],
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

  it.each([
    ["/dev/zero", "a character device"],
    ["/dev/null", "a character device"],
    [".", "a folder"],
  ])("reads only a regular file, not %s", async (target, kind) => {
    symlinkSync(target, path());
    await expect(readMetrics(path())).rejects.toThrow(`metrics.jsonl: cannot be read (it is ${kind})`);
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
