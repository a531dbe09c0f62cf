/**
 * The report of a run while it trains: a folder with the metrics (`metrics.jsonl`), a
 * page (`report.html`) and the atoms on it (`atoms.png`).
 *
 * Every report appends a line to the metrics, which costs next to nothing. The page is
 * drawn at intervals, on the thread that trains, and by default takes at most a
 * hundredth of the time. A file that cannot be written is reported once and tried
 * again; training continues.
 */

import { realpath } from "node:fs/promises";
import { join } from "node:path";
import { isSystemError } from "../../data/node/files.js";
import { isOurPage, makeOutputFolder } from "../../data/node/outputs.js";
import type { Kernels } from "../../kernels/contract.js";
import { RunLock } from "../../learn/checkpoints/node/runLock.js";
import type { TrainReport } from "../../learn/run/trainingLoop.js";
import type { Model } from "../../model/model.js";
import { atomsPicture } from "../atomsPicture.js";
import type { MemoryUse } from "../followRun.js";
import type { runPage } from "../runPage.js";
import {
  type EndLine,
  type JsonReport,
  jsonReport,
  type MetricsLine,
  type PlanLine,
  type ReportLine,
  RunRecord,
} from "../runRecord.js";
import { isMetrics, type MetricsFile, metricsName, openMetrics, type ResumedRun } from "./metricsFile.js";
import { replaceRegular } from "./regularFile.js";

export const pageName = "report.html";
export const atomsName = "atoms.png";

/** Seconds between two pages by default, and the share of the time that drawing them may take. */
export const pageDefaults = { every: 30, share: 0.01 } as const;

/** Make the folders of a report and of checkpoints; neither may be where `data` are read from, nor replace one of `inputs`. */
export async function makeRunFolders(
  folders: { readonly report?: string; readonly checkpoint?: string },
  data: readonly string[],
  inputs: readonly (string | undefined)[],
): Promise<void> {
  for (const option of ["report", "checkpoint"] as const) {
    const folder = folders[option];
    if (folder === undefined) continue;
    const holdsReport = option === "report" || folders.report === undefined;
    const names = holdsReport ? [metricsName, pageName, atomsName] : [];
    await makeOutputFolder(folder, { option, data, inputs, names, marks });
  }
}

/** By what the folder of an earlier run is known; its metrics may be damaged. */
const marks = [
  { name: metricsName, isOurs: isMetrics },
  { name: pageName, isOurs: isOurPage },
] as const;

/**
 * Lock the folder of a report, unless it is that of the checkpoints, which is locked already. Without a lock if the
 * disk refuses it.
 */
export async function lockReportFolder(
  { report, checkpoint }: { readonly report?: string; readonly checkpoint?: string },
  onNote: (line: string) => void,
): Promise<RunLock | undefined> {
  if (report === undefined) return undefined;
  try {
    if (checkpoint !== undefined && (await realpath(report)) === (await realpath(checkpoint)))
      return undefined;
    return await RunLock.acquire(report, { onNote });
  } catch (error) {
    if (isSystemError(error)) return undefined;
    throw error;
  }
}

/** A report in a folder that exists, with the metrics of the run before if it is resumed. */
export async function openLiveReport(
  plan: PlanLine,
  options: Omit<LiveReportOptions, "metrics" | "runPage">,
): Promise<LiveReport> {
  const { folder, resumed, onProblem } = options;
  const metrics = await openMetrics(folder, { resumed, onProblem });
  const { runPage } = await import("../runPage.js"); // loaded only here: charts take a while
  return new LiveReport(plan, { ...options, metrics, runPage });
}

export interface LiveReportOptions {
  readonly folder: string;
  readonly metrics: MetricsFile;
  /** Draws the page. */
  readonly runPage: typeof runPage;
  /** Where the run was resumed. */
  readonly resumed?: ResumedRun | undefined;
  readonly kernels: Kernels;
  /** The memory in use now. */
  memory(): MemoryUse;
  /** Seconds between two pages, however long drawing takes. */
  readonly every?: number | undefined;
  /** Called with one line if something could not be written. */
  onProblem(line: string): void;
}

export class LiveReport {
  readonly #options: LiveReportOptions;
  readonly #record: RunRecord;
  /** Seconds that the run had taken before it was resumed. */
  readonly #before: number;
  readonly #pace: PagePace;
  /** The step of the last report before the break, until the run makes another. */
  #breakStep: number | undefined;
  #atoms: Uint8Array | undefined;
  #writing: Promise<void> = Promise.resolve();
  readonly #reported = new Set<string>();

  /** Starts the record with its plan, and makes a first page. */
  constructor(plan: PlanLine, options: LiveReportOptions) {
    const { before } = options.metrics;
    this.#options = options;
    this.#record = before ?? new RunRecord(plan);
    this.#pace = new PagePace(options.every);
    this.#append(plan);
    if (options.resumed) this.#append(reportAtBreak(options.resumed, options));
    this.#breakStep = options.resumed?.report.step;
    this.#before = this.#record.last?.seconds ?? 0;
    this.#page();
  }

  /** Add a report, made `seconds` after the first; `snapshot` gives the current dictionary. */
  async report(report: TrainReport, seconds: number, snapshot: () => Promise<Model>): Promise<void> {
    const line = reportLine(jsonReport(report, this.#before + seconds), this.#options.memory());
    // a run that had already ended when it was resumed makes its last report again
    if (report.step === this.#breakStep) this.#replaceNewest(line);
    else this.#append(line);
    this.#breakStep = undefined;
    if (report.ended || !this.#pace.isDue()) return;
    await this.#pace.spend(async () => {
      await this.#draw(snapshot);
      this.#page();
    });
  }

  /** Add the last line and write the final page; the folder then no longer changes. */
  async end(ended: EndLine["ended"], { model, ...more }: EndOptions): Promise<void> {
    const { examples = 0, seconds = this.#before } = this.#record.last ?? {};
    const time = new Date().toISOString();
    this.#append({ kind: "end", time, ended, examples, seconds, ...more });
    if (model) await this.#draw(async () => model);
    await this.#writing;
    this.#page();
    await this.#writing;
    try {
      this.#options.metrics.close();
    } catch (error) {
      this.#problem(error);
    }
  }

  #append(line: MetricsLine): void {
    this.#record.add(line);
    this.#write(() => this.#options.metrics.append(line));
  }

  #replaceNewest(line: ReportLine): void {
    this.#record.replaceLast(line);
    this.#write(() => this.#options.metrics.replaceNewest(line));
  }

  #write(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.#problem(error);
    }
  }

  async #draw(snapshot: () => Promise<Model>): Promise<void> {
    try {
      this.#atoms = await atomsPicture(await snapshot(), this.#options.kernels);
    } catch (error) {
      this.#problem(error); // the page then shows the atoms before, and training continues
    }
  }

  /** Make the page, to be written after the one before. */
  #page(): void {
    const refresh = Math.ceil(this.#options.every ?? pageDefaults.every);
    const page = this.#options.runPage(this.#record, { atoms: this.#atoms, refresh, now: new Date() });
    this.#writing = this.#writing.then(() => this.#writePage(page, this.#atoms));
  }

  async #writePage(page: string, atoms: Uint8Array | undefined): Promise<void> {
    const { folder } = this.#options;
    try {
      if (atoms) await replaceRegular(join(folder, atomsName), atoms);
      await replaceRegular(join(folder, pageName), new TextEncoder().encode(page));
    } catch (error) {
      this.#problem(error);
    }
  }

  /** Report each problem once. */
  #problem(error: unknown): void {
    const message = error instanceof Error ? error.message : String(error);
    if (this.#reported.has(message)) return;
    this.#reported.add(message);
    this.#options.onProblem(`the report could not be updated, training continues: ${message}`);
  }
}

/** What is known of the end of a run. */
export interface EndOptions {
  readonly model?: Model;
  /** One line, if it failed. */
  readonly error?: string;
  /** Where the dictionary was saved, if not at the output. */
  readonly output?: string;
}

function reportLine(report: JsonReport, memory: MemoryUse, time = new Date().toISOString()): ReportLine {
  return { kind: "report", ...report, time, memory };
}

/** The last report before a break, as the file had it; a run that was killed may not have written it. */
function reportAtBreak({ report, seconds }: ResumedRun, { metrics, memory }: LiveReportOptions): ReportLine {
  const known = metrics.atBreak;
  return reportLine(jsonReport(report, known?.seconds ?? seconds), known?.memory ?? memory(), known?.time);
}

/** When to draw a page: at an interval, as long as drawing takes a small share of the time. */
export class PagePace {
  readonly #every: number | undefined;
  readonly #now: () => number;
  readonly #start: number;
  #next: number;

  /** `every` seconds, however long drawing takes; `now` returns seconds. */
  constructor(every: number | undefined, now = () => performance.now() / 1000) {
    this.#every = every;
    this.#now = now;
    this.#start = now();
    this.#next = this.#start + (every ?? pageDefaults.every);
  }

  isDue(): boolean {
    return this.#now() >= this.#next;
  }

  /** Draw a page, and measure how long it takes. */
  async spend(work: () => Promise<void>): Promise<void> {
    const before = this.#now();
    await work();
    const after = this.#now();
    this.#spent += after - before;
    const paid =
      this.#every === undefined ? this.#start + (this.#spent + after - before) / pageDefaults.share : 0;
    this.#next = Math.max(before + (this.#every ?? pageDefaults.every), paid);
  }

  #spent = 0;
}
