/**
 * The header of a checkpoint: which run it is of, where that run stands, and what
 * arrays follow. JSON, which knows no NaN and no Infinity: both are null there.
 */

import { InputError, show } from "../core/errors.js";
import type { LearnerReport } from "./learner.js";
import { type StateType, stateTypes } from "./state.js";

/** All that decides the result of a run, by the names of options; names of several words are no options. */
export type RunSettings = Readonly<Record<string, string | number>>;

/** Where a run stands between two updates. */
export interface RunPosition {
  /** Updates so far. */
  readonly step: number;
  /** The epoch of the last update, from 1. */
  readonly epoch: number;
  /** Examples seen so far: they decide what the next ones are. */
  readonly examples: number;
  /** Examples at which the test error is measured next. */
  readonly nextTest: number;
  /** Atoms replaced since the last report. */
  readonly atomsReplaced: number;
  /** The least test error, Infinity before the first, and the measurements since. */
  readonly best: number;
  readonly sinceBest: number;
  /** Seconds that the run has taken. */
  readonly seconds: number;
}

/** The last report of a run. */
export interface SavedReport extends LearnerReport {
  readonly epoch: number;
  readonly examples: number;
  readonly testRmse?: number;
  readonly atomsReplaced: number;
}

/** A part of what follows the header. */
export interface PartEntry {
  readonly name: string;
  readonly type: StateType;
  /** Numbers. */
  readonly length: number;
}

export interface CheckpointHeader {
  /** The library that wrote it. */
  readonly library: string;
  readonly settings: RunSettings;
  /** What signals are multiplied by for computing. */
  readonly scale: number;
  readonly position: RunPosition;
  readonly report: SavedReport;
  readonly parts: readonly PartEntry[];
}

export function headerToText(header: CheckpointHeader): string {
  return JSON.stringify(header);
}

/** A header out of bytes, every field checked. */
export function headerFromText(bytes: Uint8Array, name: string): CheckpointHeader {
  const wrong = (what: string, value: unknown) =>
    new InputError(`${name}: ${what} must be that of a checkpoint, got ${show(value)}`);
  const object = (what: string, value: unknown): Record<string, unknown> => {
    if (typeof value === "object" && value !== null && !Array.isArray(value))
      return Object.assign(Object.create(null), value);
    throw wrong(what, value);
  };
  const all = object("the header", parsed(bytes));
  const { library, scale } = all;
  const position = object("the position", all.position);
  const report = object("the report", all.report);
  const settings = object("the settings", all.settings);
  if (typeof library !== "string") throw wrong("library", library);
  if (!(typeof scale === "number" && scale > 0)) throw wrong("scale", scale);
  if (position.best === null) position.best = Infinity;
  for (const key of ["step", "epoch", "examples", "nextTest", "atomsReplaced", "sinceBest"]) {
    if (!(Number.isSafeInteger(position[key]) && (position[key] as number) >= 0))
      throw wrong(key, position[key]);
  }
  for (const key of ["best", "seconds"])
    if (typeof position[key] !== "number") throw wrong(key, position[key]);
  for (const key of ["step", "epoch", "examples", "rmse", "stepSize", "atomsUsed", "atomsReplaced"]) {
    report[key] ??= Number.NaN;
    if (typeof report[key] !== "number") throw wrong(key, report[key]);
  }
  for (const [key, value] of Object.entries(settings)) {
    if (typeof value !== "string" && typeof value !== "number") throw wrong(key, value);
  }
  return {
    library,
    scale,
    settings: settings as RunSettings,
    position: position as unknown as RunPosition,
    report: { ...report } as unknown as SavedReport,
    parts: partsOf(all.parts, wrong),
  };
}

function partsOf(value: unknown, wrong: (what: string, value: unknown) => InputError): PartEntry[] {
  if (!Array.isArray(value)) throw wrong("parts", value);
  const names = new Set<string>();
  return value.map((entry) => {
    const { name, type, length } = (entry ?? {}) as Partial<PartEntry>;
    const fits = typeof name === "string" && typeof type === "string" && Object.hasOwn(stateTypes, type);
    if (!fits || !Number.isSafeInteger(length) || length! < 0 || names.has(name)) throw wrong("a part", name);
    names.add(name);
    return { name, type, length: length! };
  });
}

function parsed(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    return undefined;
  }
}
