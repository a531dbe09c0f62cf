/**
 * A line of a metrics file, from text. A file may be damaged or written by anybody, so every field
 * that something reads later is checked here, by the tables below.
 */

import type { MetricsLine } from "./runRecord.js";

/** A line, or undefined if the text is not a line of metrics. */
export function parseMetricsLine(text: string): MetricsLine | undefined {
  let line: unknown;
  try {
    line = JSON.parse(text);
  } catch {
    return undefined;
  }
  const kind = isRecord(line) && Object.hasOwn(line, "kind") ? line.kind : undefined;
  const known = kind === "plan" || kind === "report" || kind === "end";
  return known && lines[kind](line) ? (line as MetricsLine) : undefined;
}

type Check = (value: unknown) => boolean;

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

const text: Check = (value) => typeof value === "string";
const flag: Check = (value) => typeof value === "boolean";
/** Far more than data in f32 can give, and few enough powers of ten for the axis of a chart. */
const largest = 1e100;
const finite: Check = (value) => typeof value === "number" && Math.abs(value) <= largest;
/** A count, a size or a time. */
const amount: Check = (value) => finite(value) && (value as number) >= 0;
/** JSON has no infinity: a limit without end is null. */
const limit: Check = (value) => value === null || amount(value);

const optional =
  (check: Check): Check =>
  (value) =>
    value === undefined || check(value);
const orNull =
  (check: Check): Check =>
  (value) =>
    value === null || check(value);
const listOf =
  (check: Check): Check =>
  (value) =>
    Array.isArray(value) && value.every(check);
const oneOf =
  (...names: readonly string[]): Check =>
  (value) =>
    names.includes(value as string);
/** An object whose own fields meet these checks; it may have more. */
const fields =
  (checks: Readonly<Record<string, Check>>): Check =>
  (value) =>
    isRecord(value) &&
    Object.entries(checks).every(([name, check]) =>
      check(Object.hasOwn(value, name) ? value[name] : undefined),
    );

const needs = listOf(fields({ what: text, bytes: amount }));

const settings = fields({
  patch: (value) => listOf(amount)(value) && (value as unknown[]).length > 0,
  base: text,
  learner: text,
  atoms: amount,
  atomSparsity: limit,
  coding: fields({ sparsity: optional(amount), error: optional(amount), pursuit: optional(text) }),
  batch: amount,
  examplesAtOnce: amount,
  epochs: amount,
  examples: amount,
  available: amount,
  steps: amount,
  momentum: finite,
  stepDecay: finite,
  seed: finite,
  holdout: amount,
  testEvery: limit,
  atomCare: orNull(fields({ every: amount })),
  removeMean: flag,
  minutes: limit,
});

const machine = fields({
  device: text,
  description: text,
  processor: text,
  cores: amount,
  memory: amount,
  system: text,
  node: text,
});

const endings = ["epochs", "no improvement", "time", "aborted"] as const;

const lines: Readonly<Record<MetricsLine["kind"], Check>> = {
  plan: fields({
    time: text,
    version: text,
    output: text,
    resumedAt: optional(amount),
    settings,
    machine,
    memory: needs,
    disk: needs,
  }),
  report: fields({
    time: text,
    step: amount,
    epoch: amount,
    examples: amount,
    seconds: amount,
    rmse: orNull(finite),
    testRmse: optional(finite),
    stepSize: finite,
    atomsUsed: amount,
    atomsReplaced: amount,
    memory: fields({ process: amount, device: optional(amount) }),
    ended: optional(oneOf(...endings)),
    kept: optional(
      fields({
        step: amount,
        examples: amount,
        testRmse: optional(finite),
        startRmse: optional(finite),
        bestRmse: optional(finite),
      }),
    ),
  }),
  end: fields({
    time: text,
    ended: oneOf(...endings, "failed"),
    examples: amount,
    seconds: amount,
    error: optional(text),
    output: optional(text),
  }),
};
