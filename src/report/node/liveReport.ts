/**
 * The report of a run while it trains: a folder with the metrics (`metrics.jsonl`), a
 * page (`report.html`) and the atoms on it (`atoms.png`).
 *
 * Every report appends a line to the metrics, which costs next to nothing. The page is
 * drawn at intervals, on the thread that trains, and by default takes at most a
 * hundredth of the time. A file that cannot be written is reported once and tried
 * again; training continues.
 */

import { join } from "node:path";
import { writeFileAtomic } from "../../data/node/files.js";
import { makeOutputFolder } from "../../data/node/outputs.js";
import type { Kernels } from "../../kernels/contract.js";
import type { TrainReport } from "../../learn/run/trainingLoop.js";
import type { Model } from "../../model/model.js";
import { atomsPicture } from "../atomsPicture.js";
import type { MemoryUse } from "../followRun.js";
import { runPage } from "../runPage.js";
import { type EndLine, jsonReport, type MetricsLine, type PlanLine, RunRecord } from "../runRecord.js";
import { isMetrics, type MetricsFile, metricsName, openMetrics } from "./metricsFile.js";

export const pageName = "report.html";
export const atomsName = "atoms.png";

/** Seconds between two pages by default, and the share of the time that drawing them may take. */
export const pageDefaults = { every: 30, share: 0.01 } as const;

/** Make the folders of a report and of checkpoints; neither may be where `data` are read from. */
export async function makeRunFolders(
  folders: { readonly report?: string; readonly checkpoint?: string },
  data: readonly string[],
): Promise<void> {
  for (const option of ["report", "checkpoint"] as const) {
    const folder = folders[option];
    if (folder === undefined) continue;
    const holdsReport = option === "report" || folders.report === undefined;
    const names = holdsReport ? [metricsName, pageName, atomsName] : [];
    await makeOutputFolder(folder, { option, data, names, mark: metricsName, isOurs: isMetrics });
  }
}

/** A report in a folder that exists, with the metrics of the run before if it is resumed. */
export async function openLiveReport(
  plan: PlanLine,
  options: Omit<LiveReportOptions, "metrics">,
): Promise<LiveReport> {
  const metrics = await openMetrics(options.folder, { resumedAt: plan.resumedAt });
  return new LiveReport(plan, { ...options, metrics });
}

export interface LiveReportOptions {
  readonly folder: string;
  readonly metrics: MetricsFile;
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
  #atoms: Uint8Array | undefined;
  #writing: Promise<void> = Promise.resolve();
  readonly #reported = new Set<string>();

  /** Starts the record with its plan, and makes a first page. */
  constructor(plan: PlanLine, options: LiveReportOptions) {
    const { before } = options.metrics;
    this.#options = options;
    this.#record = before ?? new RunRecord(plan);
    this.#before = before?.last?.seconds ?? 0;
    this.#pace = new PagePace(options.every);
    this.#append(plan);
    this.#page();
  }

  /** Add a report, made `seconds` after the first; `snapshot` gives the current dictionary. */
  async report(report: TrainReport, seconds: number, snapshot: () => Promise<Model>): Promise<void> {
    if (report.step === this.#record.last?.step) return; // a run that had ended repeats its last report when resumed
    const memory = this.#options.memory();
    const line = jsonReport(report, this.#before + seconds);
    this.#append({ kind: "report", ...line, time: new Date().toISOString(), memory });
    if (report.ended || !this.#pace.isDue()) return;
    await this.#pace.spend(async () => {
      await this.#draw(snapshot);
      this.#page();
    });
  }

  /** Add the last line and write the final page; the folder then no longer changes. */
  async end(ended: EndLine["ended"], { model, error }: { model?: Model; error?: string }): Promise<void> {
    const { examples = 0, seconds = this.#before } = this.#record.last ?? {};
    const time = new Date().toISOString();
    this.#append({ kind: "end", time, ended, examples, seconds, ...(error === undefined ? {} : { error }) });
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
    try {
      this.#options.metrics.append(line);
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
    const page = runPage(this.#record, { atoms: this.#atoms, refresh, now: new Date() });
    this.#writing = this.#writing.then(() => this.#write(page, this.#atoms));
  }

  async #write(page: string, atoms: Uint8Array | undefined): Promise<void> {
    const { folder } = this.#options;
    try {
      if (atoms) await writeFileAtomic(join(folder, atomsName), atoms);
      await writeFileAtomic(join(folder, pageName), new TextEncoder().encode(page));
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
