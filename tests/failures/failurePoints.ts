/**
 * A command through all its failure points: every call of the file layer fails in every way that
 * it can, one per run, and after each run the disk, the exit code and the message are judged.
 *
 * After a failure, the exit code is 0 only if every output is right, or if a line says what it
 * lacks; otherwise it is 1, with one clear line that names the file. After a crash, the same line
 * gives what a run without the crash gives. Always: every output is the old one or the new
 * one, whole; nothing else on the disk has changed, no temporary file is left, no file is open.
 */

import { basename, dirname } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { expect } from "vitest";
import { listZip } from "../../src/data/formats/npz.js";
import { readResult } from "../../src/experiments/results/result.js";
import { checkpointFromBytes } from "../../src/learn/checkpoints/checkpoint.js";
import { words } from "../cliProcess.js";
import { type Call, Disk, endsProgram, type Failure, failures, useDisk } from "./failingFiles.js";
import { countListeners, type Outcome, runHere } from "./runHere.js";
import { differences, putBack, type Snapshot, sameBytes, takeSnapshot } from "./workFolder.js";

/** A command line, run in its work folder. */
export interface CommandCase {
  readonly line: string;
  /** Files, and folders that end in a slash, that it may write. */
  readonly writes: readonly string[];
  /** Whether it is refused because of what it would write (exit code 2). */
  readonly refused?: boolean;
}

/** A failure that was injected, and what was wrong afterwards. */
export interface FailurePoint {
  readonly failure: Failure;
  readonly call: Call;
  readonly wrong: readonly string[];
}

/** A run without failures: what it prints, and the folder before and after. */
interface Undisturbed {
  readonly outcome: Outcome;
  readonly calls: readonly Call[];
  readonly before: Snapshot;
  readonly after: Snapshot;
}

/** A run with one. */
interface Disturbed {
  readonly failure: Failure;
  readonly call: Call;
  readonly outcome: Outcome;
  readonly after: Snapshot;
}

/** Run a command once per failure point, in the current folder; `only` some calls, if not all shall fail. */
export async function failEverywhere(
  command: CommandCase,
  only: (call: Call) => boolean = () => true,
): Promise<FailurePoint[]> {
  const before = takeSnapshot();
  const disk = useDisk(new Disk());
  const outcome = await runHere(command.line);
  await disk.end();
  expect(outcome.code, `${command.line}\n${outcome.stderr}`).toBe(command.refused ? 2 : 0);
  const undisturbed = { outcome, calls: disk.calls, before, after: takeSnapshot() };
  const points: FailurePoint[] = [];
  const alike = new Map<string, number>();
  for (let at = 0; at < disk.calls.length; at++) {
    for (const failure of failures) {
      if (!only(disk.calls[at]) || !Disk.canFail(disk.calls[at], failure)) continue;
      const kind = kindOfPoint(disk.calls[at], failure);
      alike.set(kind, (alike.get(kind) ?? 0) + 1);
      if (alike.get(kind)! > mostAlike) continue;
      putBack(before);
      const point = await failOnce(command, { at, failure }, undisturbed);
      if (point) points.push(point);
    }
  }
  putBack(before);
  return points;
}

/** Failures of the same call on the same file, but for its number: a run with checkpoints has dozens. All of them under `npm run fuzz`. */
const mostAlike = process.env.TRAINLETS_FUZZ ? Infinity : 1;

function kindOfPoint({ operation, path }: Call, failure: Failure): string {
  return `${JSON.stringify(failure)} ${operation} ${path.replace(/[0-9a-f]{6,}|\d+/g, "#")}`;
}

/** One failure; undefined if calls side by side came in another order, and it could not happen. */
async function failOnce(
  command: CommandCase,
  plan: { readonly at: number; readonly failure: Failure },
  undisturbed: Undisturbed,
): Promise<FailurePoint | undefined> {
  const { failure } = plan;
  const listeners = JSON.stringify(countListeners());
  const disk = useDisk(new Disk(plan));
  const outcome = await runHere(command.line);
  const open = disk.stillOpen;
  await disk.end();
  const call = disk.failed;
  if (!call) return undefined;
  const disturbed = { failure, call, outcome, after: takeSnapshot() };
  const wrong = await judgeDisk(command, disturbed, undisturbed);
  if (!endsProgram(failure)) {
    wrong.push(
      ...judgeExit(command, disturbed, undisturbed),
      ...judgeMessage(command, disturbed, undisturbed),
    );
    wrong.push(...open.map((path) => `still open: ${path}`));
    if (JSON.stringify(countListeners()) !== listeners) wrong.push("listeners are left on the process");
    if (process.exitCode !== undefined) wrong.push(`process.exitCode is ${process.exitCode}`);
  }
  if (mayLeaveFiles(disturbed)) wrong.push(...(await judgeNextRun(command, disturbed, undisturbed)));
  return { failure, call, wrong };
}

/** Whether a temporary file, or a lock, may be left: it is the next run that removes it. */
function mayLeaveFiles({ failure, call }: Pick<Disturbed, "failure" | "call">): boolean {
  return endsProgram(failure) || call.operation === "unlink" || call.path.endsWith("-lock");
}

/** Temporary files, the lock of a run, and the mark of a folder of results that is not finished. */
const temporary = /(^|\/)\.trainlets-(\d[^/]*|lock(-takeover)?|unfinished)$/;

/** Every file is as it was, or new and whole. */
async function judgeDisk(
  { writes }: CommandCase,
  disturbed: Disturbed,
  { before, after: whole }: Undisturbed,
): Promise<string[]> {
  const { after, failure, outcome } = disturbed;
  const wrong: string[] = [];
  for (const path of differences(before, after)) {
    const bytes = after.get(path);
    if (temporary.test(path)) {
      const isMark = path.endsWith("unfinished") && outcome.code !== 0;
      if (!isMark && !mayLeaveFiles(disturbed))
        wrong.push(`a temporary file is left in ${path.replace(/[^/]*$/, "") || "."}`);
    } else if (!writes.some((place) => isIn(place, path))) wrong.push(`${path} was changed`);
    else if (bytes === undefined) wrong.push(`${path} was removed`);
    else if (!sameBytes(bytes, whole.get(path)) && !(await isWhole(path, bytes, failure)))
      wrong.push(`${path} is neither the old file nor a new one (${bytes.length} bytes)`);
  }
  return wrong;
}

function isIn(place: string, path: string): boolean {
  return path === place || (place.endsWith("/") && path.startsWith(place));
}

/** Whether a file that differs from both the old and the new one is whole: one with less data, or of an earlier moment of the run. */
async function isWhole(path: string, bytes: Uint8Array, failure: Failure): Promise<boolean> {
  const text = Buffer.from(bytes).toString("latin1");
  if (path.endsWith("/")) return true;
  if (path.endsWith(".html")) return /^<!doctype html>/i.test(text) && text.trimEnd().endsWith("</html>");
  if (path.endsWith(".svg")) return text.trimEnd().endsWith("</svg>");
  if (path.endsWith(".png")) return text.slice(-8, -4) === "IEND";
  if (path.endsWith(".npz")) return succeeds(() => listZip(bytes, path));
  if (path.endsWith("result.json")) return succeeds(() => readResult(Buffer.from(bytes).toString(), path));
  if (path.endsWith(".json")) return succeeds(() => JSON.parse(Buffer.from(bytes).toString()));
  if (path.endsWith(".tlc")) return await checkpointFromBytes(bytes, path).then(...yesOrNo);
  if (!path.endsWith(".jsonl")) return false;
  const end = text.lastIndexOf("\n") + 1;
  return succeeds(() => linesOf(bytes)) && (end === text.length || endsProgram(failure));
}

const yesOrNo = [() => true, () => false] as const;

function succeeds(work: () => unknown): boolean {
  try {
    work();
    return true;
  } catch {
    return false;
  }
}

/** The whole lines of a metrics file. */
function linesOf(bytes: Uint8Array): { readonly kind: string }[] {
  const lines = Buffer.from(bytes).toString().split("\n");
  return lines.slice(0, -1).map((line) => JSON.parse(line) as { kind: string });
}

/** The code says whether everything is there. */
function* judgeExit(
  command: CommandCase,
  { failure, outcome, after, call }: Disturbed,
  { outcome: usual, after: whole }: Undisturbed,
): Generator<string> {
  const { code, stderr } = outcome;
  if (command.refused) {
    if (code === 0) yield "exit code 0 for what must be refused";
    return;
  }
  if (code === 2) yield `exit code 2 for a failure of the disk: ${lastLine(stderr)}`;
  if (code !== 0) return;
  const lacking = differences(after, whole).filter((path) => !temporary.test(path));
  const reported = reportedIn(command, outcome, usual);
  if (lacking.length > 0 && reported.length === 0) yield `exit code 0 without a word, but ${lacking} differ`;
  const spoiled = lacking.filter((path) => !path.includes("/"));
  if (spoiled.length > 0 && !stderr.includes(`: ${call.path}`)) yield `exit code 0, but ${spoiled} differ`;
  if (failure === "half" && (lacking.length > 0 || reported.length > 0))
    yield `a call that does half of its work is no failure: ${[...reported, ...lacking].join("; ")}`;
}

/** What a run says of its own result, which may be another one without some of the data. */
const aboutResult = /^train: the (run ended worse|gain may be chance)/;

/** The lines of the command itself that an undisturbed run does not print. */
function reportedIn({ line }: CommandCase, { stderr }: Outcome, usual: Outcome): string[] {
  const prefix = `${line.split(" ")[0]}: `;
  const known = usual.stderr.split("\n");
  const isNew = (text: string) => text.startsWith(prefix) && !known.includes(text) && !aboutResult.test(text);
  return stderr.split("\n").filter(isNew);
}

function lastLine(text: string): string {
  return text.trimEnd().split("\n").at(-1) ?? "";
}

/** One clear line, the last one, about the file. */
function* judgeMessage(
  command: CommandCase,
  { call, outcome }: Disturbed,
  { outcome: usual, before, after }: Undisturbed,
): Generator<string> {
  const { code, stderr } = outcome;
  const reported = reportedIn(command, outcome, usual);
  if (code === 1 && reported.length !== 1) yield `${reported.length} lines: ${reported.join(" | ")}`;
  if (code === 0 && reported.length > 1) yield `${reported.length} lines: ${reported.join(" | ")}`;
  if (code !== 0 && !command.refused && lastLine(stderr) !== reported.at(-1))
    yield `not the last line: ${reported.at(-1)}`;
  if (/undefined|\bNaN\b|\[object|Error:|^\s+at /m.test(stderr)) yield `unclear: ${stderr}`;
  const places = placesOf(command, call, [before, after]);
  for (const line of reported) {
    if (/\bE[A-Z]{3,}\b|\.tmp\b|\.trainlets-\d/.test(line)) yield `unclear: ${line}`;
    if (!places.some((place) => line.includes(basename(place)))) yield `does not name ${call.path}: ${line}`;
  }
}

/** The files and folders that a message about a call may name: its file; for a folder or a temporary file, what it is for. */
function placesOf({ line, writes }: CommandCase, { path }: Call, snapshots: readonly Snapshot[]): string[] {
  const known = new Set(snapshots.flatMap((snapshot) => [...snapshot.keys()]));
  if (!temporary.test(path) && known.has(path)) return [path];
  const given = words(line).filter((word) => known.has(word) || known.has(`${word}/`));
  return [
    path,
    dirname(path),
    ...given,
    ...[...writes, ...words(line)].map((place) => place.replace(/\.npz$/, ".partial.npz")), // of an interrupted run, tried at the start
    ...[...known].filter((file) => writes.some((place) => isIn(place, file))),
  ];
}

/** After a crash, the same line gives what it would have given, and cleans up. */
async function judgeNextRun(
  command: CommandCase,
  { failure }: Disturbed,
  { after: whole }: Undisturbed,
): Promise<string[]> {
  const disk = useDisk(new Disk());
  const { code, stderr } = await runHere(command.line);
  await disk.end();
  if (code !== (command.refused ? 2 : 0))
    return [`the next run ends with exit code ${code}: ${lastLine(stderr)}`];
  const all = differences(takeSnapshot(), whole, sameResult);
  const differ = all.filter((path) => endsProgram(failure) || temporary.test(path));
  return differ.map((path) => `after the next run, ${path.replace(/[0-9a-f-]+\.tmp$/, "….tmp")} differs`);
}

/** Whether two runs had the same result, one of them perhaps resumed from a checkpoint: reports are then in two parts. */
function sameResult(a: Uint8Array | undefined, b: Uint8Array | undefined, path = ""): boolean {
  if (!a || !b || sameBytes(a, b)) return sameBytes(a, b);
  const reports = (bytes: Uint8Array) => linesOf(bytes).filter(({ kind }) => kind === "report");
  if (path.endsWith("metrics.jsonl")) return isDeepStrictEqual(reports(a), reports(b));
  return path.endsWith("report.html");
}

/** Run a command through its failure points, and expect that nothing is wrong after any of them; how many there are. */
export async function survivesEverywhere(command: CommandCase): Promise<number> {
  const points = await failEverywhere(command);
  expect(problemsIn(points)).toEqual([]);
  return points.length;
}

/** What is wrong, each problem once, with the points where it is. */
export function problemsIn(points: readonly FailurePoint[]): string[] {
  const found = new Map<string, string[]>();
  for (const { failure, call, wrong } of points)
    for (const problem of wrong)
      found.set(problem, [...(found.get(problem) ?? []), `${failure} at ${call.operation} ${call.path}`]);
  return [...found].map(([problem, places]) => `${problem} (${[...new Set(places)].slice(0, 4).join("; ")})`);
}
