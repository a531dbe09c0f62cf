/**
 * `result.json`: everything that one run of an experiment found, and how it was made, as one JSON
 * text. The claims page and the tables of the documentation are made from such files
 * (bench/results), and `reproduce all` recognises finished experiments by them.
 *
 * It is not for the results of training: a dictionary is an .npz, the metrics of a run are a .jsonl.
 */

import { InputError, show } from "../../core/errors.js";
import { visibleLine } from "../../core/visibleText.js";
import type { Claim, OutcomeTable } from "../shared/experiment.js";

export const resultFormat = "trainlets result";
const resultVersion = 1;
/** The name of the file in the folder of a run. */
export const resultName = "result.json";

export interface Result {
  readonly experiment: string;
  /** A short name of the data: `lfw-crop64`; of synthetic pictures, `synthetic`; none for an experiment without pictures. */
  readonly label: string;
  readonly quick: boolean;
  /** What it read. Empty for synthetic pictures, and for experiments that use none. */
  readonly data: readonly ResultData[];
  /** As typed, with the names of files and folders alone. */
  readonly command: string;
  readonly settings: Readonly<Record<string, unknown>>;
  readonly device: ResultDevice;
  readonly machine: ResultMachine;
  readonly trainlets: ResultProgram;
  readonly identity: RunIdentity;
  /** The day and time of its end, as in ISO 8601. */
  readonly date: string;
  /** Of the run that finished it. */
  readonly seconds: number;
  /** Of each stage, in whichever run it was done. */
  readonly stageSeconds: Readonly<Record<string, number>>;
  readonly table: OutcomeTable;
  readonly claims: readonly Claim[];
  readonly departures: readonly string[];
  /** Every number behind the table and the figures. */
  readonly values: Readonly<Record<string, unknown>>;
  /** The files beside it. */
  readonly files: readonly string[];
  /** Those of them that the page of all experiments shows, in this order. */
  readonly figures?: readonly ResultFigure[] | undefined;
}

export interface ResultFigure {
  readonly name: string;
  readonly caption: string;
}

/** The time of an experiment, with the stages that were done in earlier, interrupted runs. */
export function totalSeconds({ seconds, stageSeconds }: Pick<Result, "seconds" | "stageSeconds">): number {
  return Math.max(
    seconds,
    Object.values(stageSeconds).reduce((sum, stage) => sum + stage, 0),
  );
}

export interface ResultData {
  /** `images` or `test`. */
  readonly role: string;
  /** Its folder or file, without the path to it. */
  readonly name: string;
  /** How many signals were read. */
  readonly signals: number;
  /** A checksum of all contents. */
  readonly digest: string;
}

export interface ResultDevice {
  /** `cpu`, `gpu` or `reference`. */
  readonly name: string;
  readonly description: string;
}

export interface ResultMachine {
  readonly cpu: string;
  readonly cores: number;
  readonly system: string;
  readonly node: string;
}

export interface ResultProgram {
  readonly version: string;
  /** Where it was run from a git checkout, or built from one; `+` at the end: with changes. */
  readonly commit?: string | undefined;
  /** A checksum of the sources that it was built from. */
  readonly sources?: string | undefined;
}

/** What decides a result, each as a short text: two runs with the same four find the same. */
export interface RunIdentity {
  readonly settings: string;
  readonly data: string;
  readonly program: string;
  readonly device: string;
}

/** The text of the file. */
export function resultToText(result: Result): string {
  return `${compactJson({ format: resultFormat, formatVersion: resultVersion, ...result })}\n`;
}

/** Characters of a line that a list or an object is put on if it fits. */
const lineWidth = 110;

/** JSON for people and for version control: what fits is put on one line, and so is any list of numbers. */
export function compactJson(value: unknown, indent = ""): string {
  const flat = JSON.stringify(value, finite);
  const isNumbers = Array.isArray(value) && value.every((item) => typeof item === "number");
  if (typeof value !== "object" || value === null || isNumbers || indent.length + flat.length <= lineWidth)
    return flat;
  const inner = `${indent}  `;
  if (Array.isArray(value))
    return `[\n${value.map((item) => inner + compactJson(item, inner)).join(",\n")}\n${indent}]`;
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  const lines = members.map(
    ([name, member]) => `${inner}${JSON.stringify(name)}: ${compactJson(member, inner)}`,
  );
  return `{\n${lines.join(",\n")}\n${indent}}`;
}

/** Infinity and NaN, which JSON does not have, become null. */
function finite(_: string, value: unknown): unknown {
  return typeof value === "number" && !Number.isFinite(value) ? null : value;
}

/** Read the text of a `result.json`; `name` stands for it in messages. An `InputError` if it is not one. */
export function readResult(text: string, name: string): Result {
  const { format, formatVersion, ...result } = parseObject(text, name);
  if (format !== resultFormat) throw new InputError(`${name}: not a result of trainlets reproduce`);
  if (formatVersion !== resultVersion)
    throw new InputError(
      `${name}: result format ${show(formatVersion)} is not known to this version; known: ${resultVersion}`,
    );
  requireFields(result, resultFields, name, "");
  const { header, rows } = result.table as OutcomeTable;
  const uneven = rows.findIndex((row) => row.length !== header.length);
  if (uneven >= 0)
    throw new InputError(`${name}: damaged: table.rows[${uneven}] must have ${header.length} cells`);
  return result as unknown as Result;
}

function parseObject(text: string, name: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    if (isObject(value)) return value;
  } catch {
    // the error below
  }
  throw new InputError(`${name}: not a result of trainlets reproduce`);
}

/** What a field must be: a rule in words, and its test; a list or an object has rules for what is in it. */
interface Rule {
  readonly words: string;
  accepts(value: unknown): boolean;
  /** Fields of an object, or of each object in a list. */
  readonly fields?: Fields;
}
type Fields = Readonly<Record<string, Rule>>;

const text: Rule = { words: "a text", accepts: (value) => typeof value === "string" };
const flag: Rule = { words: "true or false", accepts: (value) => typeof value === "boolean" };
const amount: Rule = {
  words: "a number of at least 0",
  accepts: (value) => typeof value === "number" && value >= 0,
};
const plainObject: Rule = { words: "an object", accepts: isObject };
const optionalText = optional(text);
const day: Rule = {
  words: "a date as in 2026-11-15",
  accepts: (value) => typeof value === "string" && /^\d{4}-\d\d-\d\d/.test(value),
};

function listOf(rule: Rule): Rule {
  return {
    words: `a list of ${rule.words}s`,
    accepts: (value) => Array.isArray(value) && value.every(rule.accepts),
  };
}

function objects(fields: Fields): Rule {
  return {
    words: "a list of objects",
    accepts: (value) => Array.isArray(value) && value.every(isObject),
    fields,
  };
}

function optional(rule: Rule): Rule {
  return { ...rule, accepts: (value) => value === undefined || rule.accepts(value) };
}

function objectWith(fields: Fields): Rule {
  return { ...plainObject, fields };
}

const resultFields: { readonly [Field in keyof Result]-?: Rule } = {
  experiment: text,
  label: text,
  quick: flag,
  data: objects({ role: text, name: text, signals: amount, digest: text }),
  command: text,
  settings: plainObject,
  device: objectWith({ name: text, description: text }),
  machine: objectWith({ cpu: text, cores: amount, system: text, node: text }),
  trainlets: objectWith({ version: text, commit: optionalText, sources: optionalText }),
  identity: objectWith({ settings: text, data: text, program: text, device: text }),
  date: day,
  seconds: amount,
  stageSeconds: {
    words: "an object of seconds",
    accepts: (value) => isObject(value) && Object.values(value).every(amount.accepts),
  },
  table: objectWith({
    header: listOf(text),
    rows: {
      words: "a list of rows",
      accepts: (value) => Array.isArray(value) && value.every(listOf(text).accepts),
    },
  }),
  claims: objects({
    id: text,
    source: text,
    text,
    paper: text,
    measured: text,
    holds: flag,
    undecided: optional(flag),
  }),
  departures: listOf(text),
  values: plainObject,
  files: listOf(text),
  figures: optional(objects({ name: text, caption: text })),
};

function requireFields(value: Record<string, unknown>, fields: Fields, name: string, path: string): void {
  for (const [field, rule] of Object.entries(fields)) {
    const found = value[field];
    if (!rule.accepts(found))
      throw new InputError(`${name}: damaged: ${path}${field} must be ${rule.words}, got ${show(found)}`);
    if (!rule.fields || found === undefined) continue;
    if (Array.isArray(found))
      found.forEach((item, i) => {
        requireFields(item, rule.fields ?? {}, name, `${path}${field}[${i}].`);
      });
    else requireFields(found as Record<string, unknown>, rule.fields, name, `${path}${field}.`);
  }
  const unknown = Object.keys(value).find((field) => !Object.hasOwn(fields, field));
  if (unknown !== undefined)
    throw new InputError(`${name}: damaged: ${visibleLine(path + unknown)} is not a field of a result`);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** `fig8 lfw-crop64`; the name of the experiment alone if it reads no data. */
export function describeRun({
  experiment,
  label,
  quick,
}: Pick<Result, "experiment" | "label" | "quick">): string {
  return [experiment, label, quick ? "quick" : ""].filter(Boolean).join(", ");
}
