/**
 * The report of a run: `train --report` records what the run prints, does not change its
 * result, and a browser shows it, during the run and after.
 */

import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { clock, grouped, rounded } from "../src/core/formatText.js";
import { dataUrl } from "../src/figures/pages/htmlPage.js";
import { loadModel } from "../src/model/node/files.js";
import { readMetrics } from "../src/report/node/metricsFile.js";
import type { ReportLine } from "../src/report/runRecord.js";
import { launchChromium, requireChromium } from "./browser/chromium.js";
import { outcomeOf, startTrainlets, trainlets, works, writePhotos } from "./cliProcess.js";

let folder: string;
const path = (...names: string[]): string => join(folder, ...names);
const linesOf = (run: string) =>
  readFileSync(path(run, "metrics.jsonl"), "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
const reportsOf = (run: string): ReportLine[] => linesOf(run).filter(({ kind }) => kind === "report");

const run = (line: string) => works(folder, line);

const quick = "--patch 8 --init base --examples 600 --epochs 3 --batch 100";
let printed: { stdout: string; stderr: string };

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "trainlets-report-"));
  writePhotos(folder);
  printed = await run(`train photos ${quick} --report run --page-every 0.01 --json -o seen.npz`);
});
afterAll(() => rmSync(folder, { recursive: true }));

describe("the metrics of a run", () => {
  it("hold what --json prints, after a plan and before an end", () => {
    const lines = linesOf("run");
    const reports = lines.slice(1, -1).map(({ kind, time, memory, ...report }) => {
      expect(kind).toBe("report");
      expect(new Date(time).toISOString()).toBe(time);
      expect(memory.process).toBeGreaterThan(1e6);
      return report;
    });
    expect(reports).toEqual(
      printed.stdout
        .trimEnd()
        .split("\n")
        .map((line) => {
          const { kind, ...report } = JSON.parse(line);
          expect(kind).toBe("report");
          return report;
        }),
    );
    expect(reports.length).toBe(19);
    expect(lines[0]).toMatchObject({
      kind: "plan",
      output: "seen.npz",
      settings: { patch: [8, 8], learner: "osdl", atoms: 256, examples: 600, epochs: 3, minutes: null },
      machine: { device: "cpu" },
    });
    expect(lines.at(-1)).toMatchObject({ kind: "end", ended: "epochs", examples: 1800 });
  });

  it("plan the size of the dictionary's file, as if every atom had all its non-zeros", async () => {
    const [{ disk, settings }] = linesOf("run");
    const { A } = await loadModel(path("seen.npz"));
    const missing = settings.atoms * settings.atomSparsity - A.counts.reduce((sum, count) => sum + count, 0);
    const size = statSync(path("seen.npz")).size + 8 * missing;
    expect(disk[0].bytes).toBeGreaterThanOrEqual(size);
    expect(disk[0].bytes).toBeLessThan(size + 8192);
  });
});

describe("a run with a report", () => {
  it("learns the same bytes as one without", async () => {
    await run(`train photos ${quick} -o alone.npz`);
    expect(readFileSync(path("seen.npz")).equals(readFileSync(path("alone.npz")))).toBe(true);
    expect(readdirSync(path("run")).sort()).toEqual(["atoms.png", "metrics.jsonl", "report.html"]);
  });

  it("continues if the report cannot be written, and reports that once", async () => {
    const child = startTrainlets(
      folder,
      `train photos ${quick} --epochs 100000 --report lost --page-every 0.01 --json -o kept.npz`,
    );
    const outcome = outcomeOf(child);
    await until(() => existsSync(path("lost", "report.html")) && reportsOf("lost").length > 1);
    rmSync(path("lost"), { recursive: true });
    let printed = "";
    child.stderr?.on("data", (text: string) => {
      printed += text;
    });
    await until(() => printed.includes("the report could not be updated"));
    child.kill("SIGINT");
    const { code, stderr } = await outcome;
    expect(code).toBe(130);
    const problems = stderr.split("\n").filter((line) => line.includes("the report could not be updated"));
    expect(problems.length).toBeGreaterThan(0);
    expect(problems.length).toBeLessThanOrEqual(3); // one per file
    expect(problems[0]).toMatch(
      /^train: the report could not be updated, training continues: lost\/\S+: cannot be written \(no such folder\)$/,
    );
    expect(existsSync(path("kept.partial.npz"))).toBe(true);
  });

  it("rejects a file in place of the folder, and an interval without a report", async () => {
    const refused = async (flags: string) => {
      const { code, stderr } = await trainlets(folder, `train photos ${quick} -o x.npz ${flags}`);
      expect(code).toBe(2);
      return stderr;
    };
    expect(await refused("--report seen.npz")).toBe(
      "train: --report must be a folder, got the file seen.npz\n",
    );
    expect(await refused("--page-every 5")).toBe("train: --page-every needs --report or --checkpoint\n");
    expect(await refused("--report r --page-every 0")).toMatch(/^train: --page-every must be .* got 0\n$/);
  });
});

describe("--dry-run", () => {
  it("prints what a run would need, and writes nothing", async () => {
    const before = readdirSync(folder).sort();
    const line = `train photos ${quick} --dry-run --report never -o never.npz`;
    const { stdout } = await run(line);
    expect(stdout).toMatch(/^memory: [\d.]+ MiB \(/m);
    expect(stdout).toMatch(/^disk: \d+ KiB \(dictionary [\d.]+ KiB, report \d+ KiB\)(; .* free)?$/m);
    expect(stdout).toMatch(/^time: about \d+:\d\d \(measured on \d+ steps?\)$/m);
    const { settings, seconds, kind } = JSON.parse((await run(`${line} --json`)).stdout);
    expect(kind).toBe("plan");
    expect(settings).toEqual(linesOf("run")[0].settings);
    expect(seconds).toBeGreaterThan(0);
    const whole = await run(`train photos ${quick} --learner ksvd --atoms 80 --dry-run -o never.npz`);
    expect(whole.stdout).toMatch(/^time: about /m);
    for (const start of ["--init both", "--start seen.npz"]) {
      const line = `train photos ${quick.replace("--init base", start)} --learner sparse-odl --dry-run -o never.npz`;
      expect((await run(line)).stdout, start).toMatch(/^time: about /m);
    }
    expect(readdirSync(folder).sort()).toEqual(before);
  });
});

describe("trainlets report", () => {
  it("writes the page again, with the atoms", async () => {
    expect((await run("report run -o again.html")).stdout).toBe(
      "again.html: 1,800 examples, ended (epochs)\n",
    );
    const html = readFileSync(path("again.html"), "utf8");
    const made = / written [^<]*/g;
    expect(html.replace(made, "")).toBe(readFileSync(path("run", "report.html"), "utf8").replace(made, ""));
    expect(html).toContain(dataUrl(readFileSync(path("run", "atoms.png"))));
    expect(html).not.toMatch(/http-equiv="refresh"|<script|<link|https?:\/\/(?!www\.w3\.org\/)/);
    expectWellFormed(html);
  });

  it("shows a killed run as unfinished, and ignores half a line", async () => {
    const text = readFileSync(path("run", "metrics.jsonl"), "utf8");
    const killed = mkdtempSync(path("killed-"));
    writeFileSync(join(killed, "metrics.jsonl"), text.slice(0, text.indexOf('"ended":"epochs"')));
    const { stdout } = await run(`report ${killed}`);
    expect(stdout).toBe(`${join(killed, "report.html")}: 1,700 examples, no end recorded\n`);
    const html = readFileSync(join(killed, "report.html"), "utf8");
    expect(html).toContain("Unfinished, no end recorded: 1,700 of 1,800 examples.");
    expectWellFormed(html);
  });

  it("shows only a picture that a run wrote, and reads regular files only", async () => {
    const odd = mkdtempSync(path("odd-"));
    const secret = path("secret");
    writeFileSync(secret, "secret ".repeat(100));
    writeFileSync(join(odd, "metrics.jsonl"), readFileSync(path("run", "metrics.jsonl")));
    const picture = join(odd, "atoms.png");
    const page = join(odd, "report.html");
    for (const put of [
      () => symlinkSync(secret, picture),
      () => symlinkSync("/dev/zero", picture),
      () => symlinkSync(path("run", "atoms.png"), picture),
      () => writeFileSync(picture, "not a PNG"),
      () => writeFileSync(picture, ""),
      () => mkdirSync(picture),
    ]) {
      put();
      const { stderr } = await run(`report ${odd}`);
      expect(stderr).toBe(`report: ${picture} is left out: it is not a picture that a run wrote\n`);
      expect(readFileSync(page, "utf8")).not.toContain("data:image/png");
      rmSync(picture, { recursive: true });
    }
    rmSync(page);
    symlinkSync(secret, page);
    expect((await run(`report ${odd}`)).stderr).toBe("");
    expect(readFileSync(secret, "utf8")).toBe("secret ".repeat(100));
    rmSync(join(odd, "metrics.jsonl"));
    symlinkSync("/dev/zero", join(odd, "metrics.jsonl"));
    expect(await trainlets(folder, `report ${odd}`)).toMatchObject({
      code: 2,
      stderr: `report: ${join(odd, "metrics.jsonl")}: cannot be read (it is a character device)\n`,
    });
  });

  it("names what is missing or damaged", async () => {
    const refused = async (name: string) => {
      const { code, stderr } = await trainlets(folder, `report ${name}`);
      expect(code).toBe(2);
      return stderr;
    };
    expect(await refused("nowhere")).toBe("report: no such folder: nowhere\n");
    expect(await refused("photos")).toBe("report: photos is not a report folder: it has no metrics.jsonl\n");
    const damaged = mkdtempSync(path("damaged-"));
    writeFileSync(join(damaged, "metrics.jsonl"), `${readFileSync(path("run", "metrics.jsonl"), "utf8")}?\n`);
    expect(await refused(damaged)).toBe(`report: ${join(damaged, "metrics.jsonl")}: line 22 is damaged\n`);
    expect(readdirSync(damaged)).toEqual(["metrics.jsonl"]);
  });
});

const chromium = requireChromium();

describe.skipIf(chromium.path === undefined)(`the page in a browser${chromium.note}`, () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchChromium(chromium.path!, "none");
  });
  afterAll(() => browser?.close());

  const open = async (...names: string[]): Promise<Page> => {
    const page = await browser.newPage();
    await page.goto(pathToFileURL(path(...names)).href);
    return page;
  };

  it("shows after the run what the metrics hold", async () => {
    const page = await open("run", "report.html");
    const reports = reportsOf("run");
    expect(await factsOf(page)).toEqual(expectedFacts(reports.at(-1)!));
    expect(await page.locator(".lead").innerText()).toMatch(/^Finished all epochs after 1,800 of 1,800/);
    const tests = reports.filter(({ testRmse }) => testRmse !== undefined);
    const rows = await page.locator("tbody tr").allInnerTexts();
    expect(rows.map((row) => row.split("\t").at(-1))).toEqual(
      tests.map(({ testRmse }) => rounded(testRmse!)),
    );
    await expectCurve(
      page,
      "Error",
      0,
      reports.slice(1).map(({ examples, rmse }) => [examples, rmse!]),
    );
    await expectCurve(
      page,
      "Error",
      1,
      tests.map(({ examples, testRmse }) => [examples, testRmse!]),
    );
    await expectCurve(
      page,
      "Atoms used per step",
      0,
      reports.slice(1).map(({ examples, atomsUsed }) => [examples, atomsUsed]),
    );
    const steps = reports.slice(1).map(({ examples, stepSize }) => [examples, Math.log(stepSize)] as const);
    await expectCurve(page, "Step size", 0, steps);
    expect(
      await page.locator("img.pixelated").evaluate((image: HTMLImageElement) => image.naturalWidth),
    ).toBe(16 * 9 + 1);
    expect(await overflow(page)).toBe(0);
    await page.setViewportSize({ width: 360, height: 700 });
    expect(await overflow(page)).toBe(0);
    await page.close();
  });

  it("shows a run in progress, reloads itself, and stops doing so at the end", async () => {
    const line = `train photos --patch 8 --batch 100 --epochs 1000000 --report live --page-every 0.2 --json -o live.npz`;
    const child = startTrainlets(folder, line);
    const outcome = outcomeOf(child);
    await until(() => existsSync(path("live", "atoms.png")) && reportsOf("live").length > 2);
    const page = await open("live", "report.html");
    // the page may be that of the report before the first step, which has no error yet
    await page.waitForFunction(() => /^[1-9]/.test(document.querySelector("dl.facts dd")?.textContent ?? ""));
    const text = await page.locator("dl.facts dd").first().innerText(); // once: it may be another the next time
    expect(await page.locator(".lead").innerText()).toMatch(/^Running, as of [-0-9 :]+ UTC: /);
    const shown = reportsOf("live").find(({ examples }) => examples === examplesIn(text))!;
    expect(text).toBe(expectedFacts(shown, 1e6).examples);
    await page.waitForFunction(
      (before) => document.querySelector("dl.facts dd")?.textContent !== before,
      text,
    ); // by its own refresh
    child.kill("SIGINT");
    expect((await outcome).code).toBe(130);
    await page.waitForFunction(() => document.querySelector(".lead")?.textContent?.startsWith("Interrupted"));
    expect(await page.locator("meta[http-equiv=refresh]").count()).toBe(0);
    const { last, end } = await readMetrics(path("live", "metrics.jsonl"));
    expect(await shownExamples(page)).toBe(last!.examples);
    expect(end).toMatchObject({ ended: "aborted", examples: last!.examples });
    await page.close();
  });
});

/** Wait until a condition holds, for at most half a minute. */
async function until(holds: () => boolean): Promise<void> {
  const end = performance.now() + 600_000;
  while (!holds()) {
    if (performance.now() > end) throw new Error("it did not happen within ten minutes");
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** The large values at the top of the page, by their names. */
async function factsOf(page: Page): Promise<Record<string, string>> {
  const entries = await page
    .locator("dl.facts > div")
    .evaluateAll((divs) =>
      divs.map((div) => [div.querySelector("dt")!.textContent, div.querySelector("dd")!.textContent]),
    );
  return Object.fromEntries(entries);
}

async function shownExamples(page: Page): Promise<number> {
  return examplesIn((await factsOf(page)).examples);
}

/** `12,300 (4%)` → 12300. */
function examplesIn(text: string): number {
  return Number(text.replace(/ .*|,/g, ""));
}

function expectedFacts(last: ReportLine, epochs = 3): Record<string, string> {
  const { examples, seconds, rmse, testRmse, memory } = last;
  const total = epochs * linesOf(epochs === 3 ? "run" : "live")[0].settings.examples;
  return {
    examples: `${grouped(examples)} (${Math.floor((100 * examples) / total)}%)`,
    RMSE: rounded(rmse!),
    ...(testRmse === undefined ? {} : { "test RMSE": rounded(testRmse) }),
    time: clock(seconds),
    "examples/s": grouped(examples / seconds),
    memory: `${(memory.process / 2 ** 20).toFixed(0)} MiB`,
  };
}

/** A line of a chart goes through these points: its places are an affine image of theirs. */
async function expectCurve(
  page: Page,
  title: string,
  line: number,
  points: readonly (readonly [number, number])[],
) {
  const d = await page
    .locator(`svg[aria-label="${title}"] g[aria-label="line"] path`)
    .nth(line)
    .getAttribute("d");
  const places = [...d!.matchAll(/[ML]?(-?[\d.]+),(-?[\d.]+)/g)].map(([, x, y]) => [Number(x), Number(y)]);
  expect(places.length).toBe(points.length);
  for (const axis of [0, 1] as const) {
    const values = points.map((point) => point[axis]);
    const [low, high] = [values.indexOf(Math.min(...values)), values.indexOf(Math.max(...values))];
    const at = (i: number) => places[i][axis];
    const scale = (at(high) - at(low)) / (values[high] - values[low]);
    expect(Math.sign(scale)).toBe(axis === 0 ? 1 : -1); // up is more
    values.forEach((value, i) => {
      expect(Math.abs(at(i) - (at(low) + scale * (value - values[low])))).toBeLessThan(0.01); // pixels, as written
    });
  }
}

/** Pixels that the page is wider than the window. */
async function overflow(page: Page): Promise<number> {
  return page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
}

/** Every element that is opened is closed, in order. */
function expectWellFormed(html: string): void {
  const open: string[] = [];
  for (const [, close, name, inside] of html.matchAll(/<(\/?)([a-zA-Z][\w-]*)((?:[^>"]|"[^"]*")*)>/g)) {
    if (close) expect(open.pop()).toBe(name);
    else if (!["meta", "img"].includes(name) && !inside.endsWith("/")) open.push(name);
  }
  expect(open).toEqual([]);
}
