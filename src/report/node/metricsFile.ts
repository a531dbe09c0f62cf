/**
 * `metrics.jsonl`: one line of JSON per report, written at once, so that `tail -f`
 * follows a run. The first line is the plan, the last one the end.
 *
 * A run that was killed may leave half a line at the end: readers skip it, and a resumed
 * run cuts it off, with all lines that it will write again. A line that cannot be written,
 * on a full disk say, waits and is written with the next one. A file that was deleted,
 * perhaps with its folder, is written again as soon as that is possible.
 */

import { closeSync, fstatSync, ftruncateSync, openSync, readSync, writeSync } from "node:fs";
import { join } from "node:path";
import { InputError } from "../../core/errors.js";
import { fileError, readFileBytes } from "../../data/node/files.js";
import { type MetricsLine, RunRecord } from "../runRecord.js";

export const metricsName = "metrics.jsonl";

/** The most lines that wait while the file cannot be written; beyond that, the oldest are lost. */
const mostWaiting = 1000;

export interface OpenMetricsOptions {
  /** Examples seen when the run is resumed: the lines up to there stay. By default an existing file is overwritten. */
  readonly resumedAt?: number | undefined;
}

/** Open the metrics file of a folder for writing. */
export async function openMetrics(
  folder: string,
  { resumedAt }: OpenMetricsOptions = {},
): Promise<MetricsFile> {
  const path = join(folder, metricsName);
  const before = resumedAt === undefined ? undefined : await keptOf(path, resumedAt);
  try {
    return new MetricsFile(path, openAt(path, before), before);
  } catch (error) {
    throw fileError(error, `${path}: cannot be written`, "no such folder");
  }
}

/** The file, cut off behind what is kept. */
function openAt(path: string, before: Kept | undefined): number {
  const file = openSync(path, before ? "r+" : "w+");
  try {
    ftruncateSync(file, before?.bytes ?? 0);
    return file;
  } catch (error) {
    closeSync(file);
    throw error;
  }
}

/** The part of a file that a resumed run keeps. */
interface Kept {
  readonly bytes: number;
  readonly record: RunRecord;
}

export class MetricsFile {
  readonly path: string;
  /** The run before it was resumed, if its lines are there. */
  readonly before: RunRecord | undefined;
  #file: number;
  #written: number;
  #waiting: string[] = [];

  constructor(path: string, file: number, before: Kept | undefined) {
    this.path = path;
    this.#file = file;
    this.#written = before?.bytes ?? 0;
    this.before = before?.record;
  }

  /** Write a line and those that waited. Throws if it cannot; then they wait. */
  append(line: MetricsLine): void {
    this.#waiting.push(`${JSON.stringify(line)}\n`);
    this.#waiting.splice(0, this.#waiting.length - mostWaiting);
    const bytes = new TextEncoder().encode(this.#waiting.join(""));
    try {
      if (fstatSync(this.#file).nlink === 0) this.#makeAgain();
      writeAt(this.#file, bytes, this.#written); // overwrites what a failed write left
    } catch (error) {
      throw fileError(error, `${this.path}: cannot be written`, "no such folder");
    }
    this.#written += bytes.length;
    this.#waiting = [];
  }

  /** Throws if the system cannot write the lines after all; the file is closed in any case. */
  close(): void {
    try {
      closeSync(this.#file);
    } catch (error) {
      throw fileError(error, `${this.path}: cannot be written`, "no such folder");
    }
  }

  /** A deleted file can still be read as long as it is open. */
  #makeAgain(): void {
    const bytes = new Uint8Array(this.#written);
    readSync(this.#file, bytes, 0, bytes.length, 0);
    const file = openSync(this.path, "w+");
    closeSync(this.#file);
    this.#file = file;
    writeAt(file, bytes, 0);
  }
}

function writeAt(file: number, bytes: Uint8Array, place: number): void {
  let done = 0;
  while (done < bytes.length) done += writeSync(file, bytes, done, bytes.length - done, place + done);
}

/** Read the run in a metrics file. */
export async function readMetrics(path: string): Promise<RunRecord> {
  const lines = [...linesOf(await readFileBytes(path))];
  const first = parse(lines[0]?.text ?? "");
  if (first?.kind !== "plan") throw new InputError(`${path}: line 1 must be the plan of a run`);
  const record = new RunRecord(first);
  lines.forEach(({ text }, i) => {
    const line = parse(text);
    if (!line) throw new InputError(`${path}: line ${i + 1} is damaged`);
    record.add(line);
  });
  return record;
}

/** The lines up to where a run is resumed; undefined if there is no file, or no plan in it. */
async function keptOf(path: string, resumedAt: number): Promise<Kept | undefined> {
  const bytes = await readFileBytes(path).catch(() => undefined);
  let kept: Kept | undefined;
  for (const { text, end } of linesOf(bytes ?? new Uint8Array())) {
    const line = parse(text);
    const record = kept?.record ?? (line?.kind === "plan" ? new RunRecord(line) : undefined);
    if (!line || !record || isOver(line) || positionOf(line) > resumedAt) break;
    record.add(line);
    kept = { bytes: end, record };
  }
  return kept;
}

/** The end, or a report made only because the run was stopped: a run that continues makes none there. */
function isOver(line: MetricsLine): boolean {
  if (line.kind !== "report") return line.kind === "end";
  return line.ended === "aborted" || line.ended === "time";
}

function positionOf(line: MetricsLine): number {
  return line.kind === "plan" ? (line.resumedAt ?? 0) : line.examples;
}

/** Whole lines, and where each ends in bytes. */
function* linesOf(bytes: Uint8Array): Generator<{ readonly text: string; readonly end: number }> {
  const decoder = new TextDecoder();
  let start = 0;
  for (let at = bytes.indexOf(10); at >= 0; at = bytes.indexOf(10, start)) {
    yield { text: decoder.decode(bytes.subarray(start, at)), end: at + 1 };
    start = at + 1;
  }
}

/** A line, or undefined if it is not a line of metrics. */
function parse(text: string): MetricsLine | undefined {
  try {
    const line = JSON.parse(text);
    return isLine(line) ? line : undefined;
  } catch {
    return undefined;
  }
}

function isLine(line: MetricsLine | null): line is MetricsLine {
  if (typeof line !== "object" || line === null || typeof line.time !== "string") return false;
  if (line.kind === "plan") return isRecord(line.settings) && isRecord(line.machine) && hasNeeds(line);
  const counts = [line.examples, line.seconds];
  if (line.kind === "end") return typeof line.ended === "string" && counts.every(Number.isFinite);
  if (line.kind !== "report" || !Number.isFinite(line.memory?.process)) return false;
  const { step, epoch, stepSize, atomsUsed, atomsReplaced, rmse, testRmse } = line;
  return [...counts, step, epoch, stepSize, atomsUsed, atomsReplaced, rmse ?? 0, testRmse ?? 0].every(
    Number.isFinite,
  );
}

function isRecord(value: unknown): boolean {
  return typeof value === "object" && value !== null;
}

function hasNeeds({ memory, disk }: { readonly memory: unknown; readonly disk: unknown }): boolean {
  return Array.isArray(memory) && Array.isArray(disk);
}

/**
 * Whether a text is that of a metrics file: its first line is the plan of a run. A run that was killed at its start
 * leaves a part of that line, or nothing.
 */
export function isMetrics(text: string): boolean {
  const start = '{"kind":"plan"';
  if (!text.includes("\n") && (start.startsWith(text) || text.startsWith(start))) return true;
  try {
    return (JSON.parse(text.slice(0, text.indexOf("\n"))) as { kind?: unknown } | null)?.kind === "plan";
  } catch {
    return false;
  }
}
