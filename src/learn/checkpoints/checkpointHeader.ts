/**
 * The header of a checkpoint: the settings of its run, the position of that run, and the
 * list of arrays that follow. It is JSON, which has no NaN and no Infinity: both are null.
 */

import { InputError, show } from "../../core/errors.js";
import type { LearnerReport } from "../learners/learner.js";
import { type PartType, partTypes } from "./checkpointParts.js";
import { type DataRecords, readDataRecord } from "./dataRecord.js";

/** Everything that decides the result of a run, by the names of options; a name of several words is not an option. */
export type RunSettings = Readonly<Record<string, string | number>>;

/** A test of a run: when, and the error. */
export interface KeptTest {
  /** Updates and examples until then. */
  readonly step: number;
  readonly examples: number;
  readonly testRmse: number;
}

/** The tests of a run that matter at its end. */
export interface TestRecord {
  /** The test error before the first update. */
  readonly start?: number;
  /** The test with the least error, the start included. */
  readonly best?: KeptTest;
}

/** The position of a run between two updates. */
export interface RunPosition {
  /** Updates so far. */
  readonly step: number;
  /** The epoch of the last update, from 1. */
  readonly epoch: number;
  /** Examples seen so far: they decide which come next. */
  readonly examples: number;
  /** The number of examples at which the test error is measured next. */
  readonly nextTest: number;
  /** Atoms replaced since the last report. */
  readonly atomsReplaced: number;
  /** The least test error after an update, Infinity before the first. */
  readonly best: number;
  /** Measurements of the test error since the least one. */
  readonly sinceBest: number;
  /** Seconds that the run has taken. */
  readonly seconds: number;
  /** Older checkpoints do not have it. */
  readonly tests?: TestRecord;
}

/** The last report of a run. */
export interface SavedReport extends LearnerReport {
  readonly epoch: number;
  readonly examples: number;
  readonly testRmse?: number;
  readonly atomsReplaced: number;
}

/** One of the arrays that follow the header. */
export interface PartEntry {
  readonly name: string;
  readonly type: PartType;
  /** The number of its elements. */
  readonly length: number;
}

export interface CheckpointHeader {
  /** The version of the library that wrote it. */
  readonly library: string;
  readonly settings: RunSettings;
  /** Checksums of the data, which name the file that differs. */
  readonly data: DataRecords;
  /** Signals are multiplied by this for computing. */
  readonly scale: number;
  readonly position: RunPosition;
  readonly report: SavedReport;
  readonly parts: readonly PartEntry[];
}

export function headerToText(header: CheckpointHeader): string {
  return JSON.stringify(header);
}

type Wrong = (what: string, value: unknown) => InputError;

/** A header from bytes. Every field is checked, and unknown ones are ignored. */
export function headerFromText(bytes: Uint8Array, name: string): CheckpointHeader {
  const wrong: Wrong = (what, value) =>
    new InputError(`${name}: damaged checkpoint: invalid ${what}, got ${show(value)}`);
  const all = requireFields("header", parseJson(bytes), wrong);
  const { library, scale } = all;
  const position = parsePosition(requireFields("position", all.position, wrong), wrong);
  const report = parseReport(requireFields("report", all.report, wrong), wrong);
  const settings = requireFields("settings", all.settings, wrong);
  if (typeof library !== "string") throw wrong("library", library);
  if (!(typeof scale === "number" && scale > 0)) throw wrong("scale", scale);
  for (const [key, value] of Object.entries(settings)) {
    if (typeof value !== "string" && typeof value !== "number") throw wrong(key, value);
  }
  const data = Object.entries(requireFields("data", all.data, wrong)).map(([key, value]) => {
    const record = readDataRecord(value);
    if (!record) throw wrong(`record of ${key}`, value);
    return [key, record] as const;
  });
  return {
    library,
    scale,
    settings: settings as RunSettings,
    data: Object.fromEntries(data),
    position,
    report,
    parts: parseParts(all.parts, wrong),
  };
}

type Fields = Readonly<Record<string, unknown>>;

/** The fields of an object, and nothing inherited. */
function requireFields(what: string, value: unknown, wrong: Wrong): Fields {
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw wrong(what, value);
  return Object.assign(Object.create(null), value);
}

function parsePosition(fields: Fields, wrong: Wrong): RunPosition {
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
    best: requireNumber("best", fields.best ?? Infinity, wrong),
    sinceBest: count("sinceBest"),
    seconds: requireNumber("seconds", fields.seconds, wrong),
    ...(fields.tests === undefined
      ? {}
      : { tests: parseTests(requireFields("tests", fields.tests, wrong), wrong) }),
  };
}

function parseTests({ start, best }: Fields, wrong: Wrong): TestRecord {
  return {
    ...(start === undefined ? {} : { start: requireNumber("start", start, wrong) }),
    ...(best === undefined ? {} : { best: parseTest(requireFields("best test", best, wrong), wrong) }),
  };
}

function parseTest(fields: Fields, wrong: Wrong): KeptTest {
  const field = (key: keyof KeptTest) => requireNumber(key, fields[key], wrong);
  return { step: field("step"), examples: field("examples"), testRmse: field("testRmse") };
}

function parseReport(fields: Fields, wrong: Wrong): SavedReport {
  const field = (key: keyof SavedReport) => requireNumber(key, fields[key], wrong);
  return {
    step: field("step"),
    epoch: field("epoch"),
    examples: field("examples"),
    rmse: requireNumber("rmse", fields.rmse ?? Number.NaN, wrong),
    stepSize: field("stepSize"),
    atomsUsed: field("atomsUsed"),
    atomsReplaced: field("atomsReplaced"),
    ...(fields.testRmse === undefined ? {} : { testRmse: field("testRmse") }),
    ...(fields.cost === undefined ? {} : { cost: field("cost") }),
  };
}

function requireNumber(what: string, value: unknown, wrong: Wrong): number {
  if (typeof value !== "number") throw wrong(what, value);
  return value;
}

function parseParts(value: unknown, wrong: Wrong): PartEntry[] {
  if (!Array.isArray(value)) throw wrong("parts", value);
  const names = new Set<string>();
  return value.map((entry) => {
    const { name, type, length } = (entry ?? {}) as Partial<PartEntry>;
    const fits = typeof name === "string" && typeof type === "string" && Object.hasOwn(partTypes, type);
    if (!fits || !Number.isSafeInteger(length) || length! < 0 || names.has(name)) throw wrong("part", name);
    names.add(name);
    return { name, type, length: length! };
  });
}

function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    return undefined;
  }
}
