/**
 * `metrics.jsonl`: one line of JSON per report, written at once, so that `tail -f`
 * follows a run. The first line is the plan, the last one the end.
 *
 * A run that was killed may leave half a line at the end: readers skip it, and a resumed
 * run cuts it off, with all lines that it will write again and those after a damaged one.
 * A line that cannot be written, on a full disk say, waits and is written with the next
 * one. A file that was deleted, perhaps with its folder, is written again as soon as that
 * is possible. Only a regular file is read, a piece at a time, and nothing is written
 * through a link.
 */

import { closeSync, existsSync, fstatSync, ftruncateSync, readSync, writeSync } from "node:fs";
import { join } from "node:path";
import { InputError } from "../../core/errors.js";
import { fileError, readError } from "../../data/node/files.js";
import type { SavedReport } from "../../learn/checkpoints/checkpointHeader.js";
import { parseMetricsLine } from "../metricsLine.js";
import { type MetricsLine, type PlanLine, type ReportLine, RunRecord } from "../runRecord.js";
import { openForReading, openForWriting } from "./regularFile.js";

export const metricsName = "metrics.jsonl";

/** The most lines that wait while the file cannot be written; beyond that, the oldest are lost. */
const mostWaiting = 1000;

/** Where a run was resumed. */
export interface ResumedRun {
  /** Examples seen by then. */
  readonly examples: number;
  /** Seconds that the run had taken by then. */
  readonly seconds: number;
  /** The last report before, which the resumed run does not make again. */
  readonly report: SavedReport;
}

export interface OpenMetricsOptions {
  /** The lines before the last report before the break stay. By default an existing file is overwritten. */
  readonly resumed?: ResumedRun | undefined;
  /** Called with one line if a line that should stay is damaged. */
  onProblem?(line: string): void;
}

/** Open the metrics file of a folder for writing. */
export async function openMetrics(
  folder: string,
  { resumed, onProblem }: OpenMetricsOptions = {},
): Promise<MetricsFile> {
  const path = join(folder, metricsName);
  const before = resumed && keptOf(path, resumed, onProblem);
  try {
    return new MetricsFile(path, openAt(path, before), before);
  } catch (error) {
    if (error instanceof InputError) throw error;
    throw fileError(error, `${path}: cannot be written`, "no such folder");
  }
}

/** The file, cut off behind what is kept. */
function openAt(path: string, before: Kept | undefined): number {
  const file = openForWriting(path);
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
  /** The last report before the break, if the file has it. */
  readonly atBreak?: ReportLine;
}

export class MetricsFile {
  readonly path: string;
  /** The run before it was resumed, if its lines are there. */
  readonly before: RunRecord | undefined;
  /** The last report before the break as it was in the file, to be written again. */
  readonly atBreak: ReportLine | undefined;
  #file: number;
  #written: number;
  #waiting: string[] = [];
  /** The bytes of the newest line. */
  #newest = 0;

  constructor(path: string, file: number, before: Kept | undefined) {
    this.path = path;
    this.#file = file;
    this.#written = before?.bytes ?? 0;
    this.before = before?.record;
    this.atBreak = before?.atBreak;
  }

  /** Write a line and those that waited. Throws if it cannot; then they wait. */
  append(line: MetricsLine): void {
    const encoder = new TextEncoder();
    const text = `${JSON.stringify(line)}\n`;
    this.#newest = encoder.encode(text).length;
    this.#waiting.push(text);
    this.#waiting.splice(0, this.#waiting.length - mostWaiting);
    const bytes = encoder.encode(this.#waiting.join(""));
    try {
      if (fstatSync(this.#file).nlink === 0) this.#makeAgain();
      writeAt(this.#file, bytes, this.#written); // overwrites what a failed write left
    } catch (error) {
      if (error instanceof InputError) throw error;
      throw fileError(error, `${this.path}: cannot be written`, "no such folder");
    }
    this.#written += bytes.length;
    this.#waiting = [];
  }

  /** Write a line in the place of the newest one. */
  replaceNewest(line: MetricsLine): void {
    if (this.#waiting.length > 0) this.#waiting.pop();
    else {
      this.#written -= this.#newest;
      ftruncateSync(this.#file, this.#written);
    }
    this.append(line);
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
    const file = openForWriting(this.path);
    ftruncateSync(file, 0);
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
  let record: RunRecord | undefined;
  for (const { line, number } of linesOf(path)) {
    if (!line) throw new InputError(`${path}: line ${number} is damaged`);
    if (!record && line.kind !== "plan") break;
    record ??= new RunRecord(line as PlanLine);
    record.add(line);
  }
  if (!record) throw new InputError(`${path}: line 1 must be the plan of a run`);
  return record;
}

/** The lines that stay when a run is resumed; undefined if there is no file, or no plan in it. */
function keptOf(
  path: string,
  { examples, report }: ResumedRun,
  onProblem: OpenMetricsOptions["onProblem"],
): Kept | undefined {
  let kept: Kept | undefined;
  if (!existsSync(path)) return undefined;
  for (const { line, number, end } of linesOf(path)) {
    if (!line || (!kept && line.kind !== "plan")) {
      onProblem?.(`${path}: line ${number} is damaged: the report continues without it and what follows it`);
      break;
    }
    if (line.kind === "end") break;
    if (line.kind === "report" && line.examples >= report.examples)
      return kept && line.examples === report.examples ? { ...kept, atBreak: line } : kept;
    if (line.kind === "plan" && (line.resumedAt ?? 0) > examples) break;
    const record: RunRecord = kept?.record ?? new RunRecord(line as PlanLine);
    record.add(line);
    kept = { bytes: end, record };
  }
  return kept;
}

/** Bytes that are read at a time, and the longest line that can be one of metrics. */
const pieceBytes = 2 ** 16;
const mostBytes = 2 ** 20;

interface FoundLine {
  /** Undefined if it is damaged. */
  readonly line: MetricsLine | undefined;
  /** From 1. */
  readonly number: number;
  /** Where it ends in the file, in bytes. */
  readonly end: number;
}

/** The whole lines of a file, up to one that is far too long. */
function* linesOf(path: string): Generator<FoundLine> {
  const file = openForReading(path);
  const decoder = new TextDecoder();
  const piece = new Uint8Array(pieceBytes);
  let rest = new Uint8Array();
  let [number, end] = [0, 0];
  try {
    for (;;) {
      const count = readSync(file, piece, 0, pieceBytes, null);
      const bytes = Buffer.concat([rest, piece.subarray(0, count)]);
      let start = 0;
      for (let at = bytes.indexOf(10); at >= 0; at = bytes.indexOf(10, start)) {
        const line = parseMetricsLine(decoder.decode(bytes.subarray(start, at)));
        end += at + 1 - start;
        start = at + 1;
        yield { line, number: ++number, end };
      }
      rest = bytes.subarray(start);
      if (rest.length > mostBytes) yield { line: undefined, number: ++number, end };
      if (count === 0 || rest.length > mostBytes) return;
    }
  } catch (error) {
    throw readError(error, path);
  } finally {
    closeSync(file);
  }
}

/**
 * Whether a text is that of a metrics file: its first line is the plan of a run, perhaps of another version. A run that
 * was killed at its start leaves a part of that line.
 */
export function isMetrics(text: string): boolean {
  const start = '{"kind":"plan"';
  if (text !== "" && !text.includes("\n") && (start.startsWith(text) || text.startsWith(start))) return true;
  try {
    return (JSON.parse(text.slice(0, text.indexOf("\n"))) as { kind?: unknown } | null)?.kind === "plan";
  } catch {
    return false;
  }
}
