/**
 * The header of a checkpoint: which run it is of, where that run stands, and what
 * arrays follow. JSON, which knows no NaN and no Infinity: both are null there.
 */

import { InputError, show } from "../../core/errors.js";
import type { LearnerReport } from "../learners/learner.js";
import { type StateType, stateTypes } from "./checkpointParts.js";

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

type Wrong = (what: string, value: unknown) => InputError;

/** A header out of bytes, every field checked, and none taken that is not known. */
export function headerFromText(bytes: Uint8Array, name: string): CheckpointHeader {
  const wrong: Wrong = (what, value) =>
    new InputError(`${name}: ${what} must be that of a checkpoint, got ${show(value)}`);
  const all = fieldsOf("the header", parsed(bytes), wrong);
  const { library, scale } = all;
  const position = positionOf(fieldsOf("the position", all.position, wrong), wrong);
  const report = reportOf(fieldsOf("the report", all.report, wrong), wrong);
  const settings = fieldsOf("the settings", all.settings, wrong);
  if (typeof library !== "string") throw wrong("library", library);
  if (!(typeof scale === "number" && scale > 0)) throw wrong("scale", scale);
  for (const [key, value] of Object.entries(settings)) {
    if (typeof value !== "string" && typeof value !== "number") throw wrong(key, value);
  }
  return {
    library,
    scale,
    settings: settings as RunSettings,
    position,
    report,
    parts: partsOf(all.parts, wrong),
  };
}

type Fields = Readonly<Record<string, unknown>>;

/** The fields of an object, and nothing that it has by birth. */
function fieldsOf(what: string, value: unknown, wrong: Wrong): Fields {
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw wrong(what, value);
  return Object.assign(Object.create(null), value);
}

function positionOf(fields: Fields, wrong: Wrong): RunPosition {
  const count = (key: keyof RunPosition) => {
    const value = fields[key];
    if (!Number.isSafeInteger(value) || (value as number) < 0) throw wrong(key, value);
    return value as number;
  };
  return {
    step: count("step"),
    epoch: count("epoch"),
    examples: count("examples"),
    nextTest: count("nextTest"),
    atomsReplaced: count("atomsReplaced"),
    best: numberOf("best", fields.best ?? Infinity, wrong),
    sinceBest: count("sinceBest"),
    seconds: numberOf("seconds", fields.seconds, wrong),
  };
}

function reportOf(fields: Fields, wrong: Wrong): SavedReport {
  const field = (key: keyof SavedReport) => numberOf(key, fields[key], wrong);
  return {
    step: field("step"),
    epoch: field("epoch"),
    examples: field("examples"),
    rmse: numberOf("rmse", fields.rmse ?? Number.NaN, wrong),
    stepSize: field("stepSize"),
    atomsUsed: field("atomsUsed"),
    atomsReplaced: field("atomsReplaced"),
    ...(fields.testRmse === undefined ? {} : { testRmse: field("testRmse") }),
  };
}

function numberOf(what: string, value: unknown, wrong: Wrong): number {
  if (typeof value !== "number") throw wrong(what, value);
  return value;
}

function partsOf(value: unknown, wrong: Wrong): PartEntry[] {
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
