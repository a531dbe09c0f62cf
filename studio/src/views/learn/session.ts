/**
 * The run of the page: what it does and what is known of it. It continues while other views are shown; what it learned becomes
 * a dictionary of the library when it pauses or ends.
 */

import { batch, computed, signal } from "@preact/signals";
import type { DeviceName } from "trainlets";
import {
  addDictionary,
  addItem,
  type Dictionary,
  dictionaries,
  type Item,
  items,
  renewDictionary,
  selectDictionary,
  selectItem,
} from "../../app/library";
import { notify, notifyOf } from "../../app/notices";
import { EngineError, learner } from "../../engine/client";
import type { LearnEnd, LearnInput, LearnNews, LearnPlan } from "../../engine/learn/learn";
import type { Gallery } from "../../engine/learn/learnGallery";
import type { LearnSettings } from "../../engine/learn/learnOptions";
import type { Beginning, Point, RunNews } from "../../engine/learn/learnRun";
import type { StoredRun } from "../../engine/learn/learnStore";
import { commandOf } from "./command";
import { Curve, type CurvePoint } from "./curve";
import { showSettings } from "./settings";

export type Phase = "idle" | "starting" | "learning" | "paused" | "stopping" | "stopped" | "finished";

/** What a run is made of. */
export interface Run {
  readonly key: string;
  readonly item: Item;
  readonly settings: LearnSettings;
  readonly device: DeviceName;
  readonly start: Uint8Array<ArrayBuffer> | undefined;
  /** The commands of the runs before it. */
  readonly before: readonly string[];
  /** The file of the dictionary that it starts from, for its command. */
  readonly startFile: string | undefined;
}

export const phase = signal<Phase>("idle");
export const run = signal<Run | undefined>(undefined);
export const plan = signal<LearnPlan | undefined>(undefined);
export const gallery = signal<Gallery | undefined>(undefined);
/** Pictures so far. */
export const galleries = signal(0);
/** The numbers of the last report. */
export const progress = signal({ examples: 0, step: 0, seconds: 0, rate: 0, atomsUsed: 0 });
/** The dictionary of the library that the run became. */
export const learned = signal<Dictionary | undefined>(undefined);
export const earlier = signal<readonly StoredRun[]>([]);

export interface Curves {
  readonly train: readonly CurvePoint[];
  readonly test: readonly CurvePoint[];
  readonly steps: readonly CurvePoint[];
}
const none: Curves = { train: [], test: [], steps: [] };
export const curves = signal<Curves>(none);
/** The training error of single mini-batches is noisy, so fewer points are kept of it. */
const newCurves = () => ({ train: new Curve(100), test: new Curve(), steps: new Curve(100) });
let drawn = newCurves();

export const isActive = computed(() => ["starting", "learning", "paused", "stopping"].includes(phase.value));

/** The command lines that learn the same. */
export const commands = computed<readonly string[]>(() => {
  const current = run.value;
  return current ? [...current.before, commandFor(current)] : [];
});

/** The command of a run; of runs that follow each other, each has a file of its own. */
function commandFor({ item, settings, device, startFile, before }: Run): string {
  return commandOf({
    data: item.name,
    settings,
    device,
    start: startFile,
    output: `${fileName(before)}.npz`,
  });
}

function fileName(before: readonly string[]): string {
  return before.length === 0 ? "dict" : `dict-${before.length / 2 + 1}`;
}

let abort = new AbortController();
/** Resolves when the current run has ended. */
let ending: Promise<void> = Promise.resolve();
let sent: number | undefined;
const samplesPerPiece = 2 ** 20;

/** Send a picture to the worker, once. */
async function sendSamples({ id, name, shape, data }: Item): Promise<void> {
  if (sent === id) return;
  sent = undefined;
  for (let from = 0; from === 0 || from < data.length; from += samplesPerPiece) {
    const piece = data.slice(from, from + samplesPerPiece);
    await learner.run("putSamples", { id, name, shape, from, piece }, { transfer: [piece.buffer] });
  }
  sent = id;
}

export interface StartOptions {
  readonly item: Item;
  readonly settings: LearnSettings;
  readonly device: DeviceName;
  /** A dictionary to start from. */
  readonly start?: Dictionary | undefined;
  readonly begins?: Beginning;
}

/** Learn, from the beginning or from a dictionary. A run that is under way is stopped first. */
export async function learn({
  item,
  settings,
  device,
  start,
  begins = "going",
}: StartOptions): Promise<void> {
  await stop();
  learned.value = undefined;
  const made = { key: newKey(), item, settings, device, start: start?.bytes, before: [] };
  const startFile = start && (/\.npz$/i.test(start.name) ? start.name : "start.npz");
  await follow({ ...made, startFile }, { resumes: false, begins });
}

function newKey(): string {
  return `${Date.now().toString(36)}-${Math.floor(Math.random() * 2 ** 40).toString(36)}`;
}

/** Continue a run that was stopped, where it stopped. */
export async function resume(): Promise<void> {
  const current = run.peek();
  if (current && !isActive.peek()) await follow(current, { resumes: true, begins: "going" });
}

/** Learn with another number of atoms per patch: a new run, from the current atoms. */
export async function changeSparsity(sparsity: number): Promise<void> {
  const begins = phase.peek() === "paused" ? "paused" : "going";
  await stop();
  const current = run.peek();
  const { bytes } = learned.peek() ?? {};
  if (!current || !bytes || current.settings.sparsity === sparsity) return;
  const { examples } = progress.peek();
  const total = plan.peek()?.total ?? examples;
  const before = [
    ...current.before,
    commandFor(current),
    `# stopped with Ctrl-C after ${examples} of ${total} patches; then`,
  ];
  const settings = { ...current.settings, sparsity };
  const next = { ...current, key: newKey(), settings, start: bytes, before };
  await follow({ ...next, startFile: `${fileName(current.before)}.partial.npz` }, { resumes: false, begins });
}

async function follow(next: Run, { resumes, begins }: Pick<LearnInput, "resumes" | "begins">): Promise<void> {
  abort = new AbortController();
  const { signal } = abort;
  batch(() => {
    run.value = next;
    phase.value = "starting";
    plan.value = undefined;
    if (!resumes) resetProgress();
  });
  const { key, settings, device, start, before, startFile, item } = next;
  const work = async (): Promise<void> => {
    await sendSamples(item);
    const input = { key, samples: item.id, settings, device, start, before, startFile, resumes, begins };
    const onProgress = (news: LearnNews) => take(news, begins);
    await end(await learner.run("learn", input, { signal, onProgress }));
  };
  ending = work().catch((error: unknown) => {
    phase.value = learned.peek() ? "stopped" : "idle";
    notifyOf(withoutCaller(error));
  });
  await ending;
}

/** An error without the name of the function that found it. */
function withoutCaller(error: unknown): unknown {
  if (!(error instanceof EngineError)) return error;
  return new EngineError(error.kind, error.message.replace(/^(train|PatchSampler|createBase): /, ""));
}

function resetProgress(): void {
  drawn = newCurves();
  curves.value = none;
  progress.value = { examples: 0, step: 0, seconds: 0, rate: 0, atomsUsed: 0 };
}

function take(news: LearnNews, begins: Beginning): void {
  if (news.kind === "note") notify(news.text);
  else if (news.kind === "run") takeReport(news);
  else {
    cutCurves(news.plan.done);
    plan.value = news.plan;
    if (phase.peek() === "starting") phase.value = begins === "going" ? "learning" : "paused";
  }
}

function takeReport(news: RunNews): void {
  batch(() => {
    news.points.forEach(addPoint);
    const last = news.points[news.points.length - 1] ?? progress.peek();
    const { step, seconds, rate } = news;
    progress.value = { examples: last.examples, atomsUsed: last.atomsUsed, step, seconds, rate };
    curves.value = { train: drawn.train.points, test: drawn.test.points, steps: drawn.steps.points };
    if (!news.gallery) return;
    gallery.value = news.gallery;
    galleries.value++;
  });
  if (news.gallery) requestDraw();
}

/** Let the worker know when the picture is on the screen, or that nobody sees it. */
function requestDraw(): void {
  const isSeen = document.visibilityState === "visible";
  const confirm = () => void learner.run("steer", { action: "drawn" });
  if (isSeen) requestAnimationFrame(confirm);
  else setTimeout(confirm, 1000);
}

function addPoint({ examples, rmse, testRmse, stepSize }: Point): void {
  drawn.train.add(examples, rmse);
  if (testRmse !== undefined) drawn.test.add(examples, testRmse);
  if (stepSize > 0) drawn.steps.add(examples, stepSize);
}

function cutCurves(examples: number): void {
  for (const curve of Object.values(drawn)) curve.cut(examples);
}

async function end({ ended, bytes }: LearnEnd): Promise<void> {
  await publish(bytes);
  phase.value = ended === "epochs" ? "finished" : "stopped";
}

/** What was learned as a dictionary of the library: a new one, or the one of this run once more. */
async function publish(bytes: Uint8Array<ArrayBuffer>): Promise<void> {
  const current = run.peek();
  if (!current) return;
  const { item, settings } = current;
  const former = learned.peek();
  const name = `${item.name}, ${settings.patch.join("×")}, ${settings.learner.name}`;
  if (former) {
    await renewDictionary(former.id, bytes);
    selectDictionary(former.id);
    learned.value = dictionaries.peek().find(({ id }) => id === former.id);
  } else learned.value = await addDictionary(name, bytes);
}

export async function pause(): Promise<void> {
  if (phase.peek() !== "learning") return;
  phase.value = "paused";
  await learner.run("steer", { action: "pause" });
  await publish(await learner.run("learnedFile", { kind: "npz" })).catch(notifyOf);
}

export function go(): void {
  if (phase.peek() !== "paused") return;
  phase.value = "learning";
  void learner.run("steer", { action: "go" });
}

/** One mini-batch, then pause. */
export function step(): void {
  if (phase.peek() !== "paused" && phase.peek() !== "learning") return;
  phase.value = "paused";
  void learner.run("steer", { action: "step" });
}

/** Stop the run and wait until its model is there. */
export async function stop(): Promise<void> {
  if (!isActive.peek()) return;
  phase.value = "stopping";
  abort.abort();
  await ending;
}

/** The dictionary of now as a file. */
export function fileOf(kind: "npz" | "png"): Promise<Uint8Array<ArrayBuffer>> {
  return learner.run("learnedFile", { kind });
}

// — runs of earlier visits ————————————————————————————————————————————————————

export async function findEarlier(): Promise<void> {
  earlier.value = await learner.run("earlierRuns", null);
}

export async function continueEarlier({
  key,
  settings,
  device,
  before,
  startFile,
}: StoredRun): Promise<void> {
  const { samples, start } = await learner.run("earlierRun", { key });
  const known = items.peek().find((item) => isSame(item, samples));
  const item = known ?? addItem(samples);
  selectItem(item.id);
  earlier.value = earlier.peek().filter((one) => one.key !== key);
  await stop();
  resetProgress();
  learned.value = undefined;
  showSettings(settings, device);
  await follow({ key, item, settings, device, start, before, startFile }, { resumes: true, begins: "going" });
}

export async function discardEarlier(key: string): Promise<void> {
  earlier.value = earlier.peek().filter((one) => one.key !== key);
  await learner.run("forgetRun", { key });
}

function isSame(a: Omit<Item, "id">, b: Omit<Item, "id">): boolean {
  return (
    a.name === b.name &&
    a.shape.join() === b.shape.join() &&
    a.data.every((value, i) => Object.is(value, b.data[i]))
  );
}
