/** Gives a parser damaged files, and records whether it reads or rejects them. */

import { InputError } from "../../src/core/errors.js";
import { Rng } from "../../src/core/random/rng.js";
import { mutate } from "./mutate.js";
import type { Parser } from "./parsers.js";

export interface FuzzOutcome {
  readonly files: number;
  /** Files that were read in spite of the damage. */
  readonly read: number;
  readonly rejected: number;
  /** Any other outcome: the number of the file, and the error. */
  readonly faults: readonly string[];
  /** The largest growth of the process, in bytes. */
  readonly growth: number;
  readonly seconds: number;
  /** Seconds for the slowest file. */
  readonly slowest: number;
}

/** Damage `count` files, from a seed; each can be reproduced from its number. */
export async function fuzz(parser: Parser, count: number, seed: number): Promise<FuzzOutcome> {
  const { valid, parse, damage = mutate } = parser;
  const files = await valid();
  for (const file of files) await parse(file); // also loads libraries, before memory is measured
  const rng = Rng.from(seed);
  const faults: string[] = [];
  const before = process.memoryUsage.rss();
  const start = performance.now();
  let read = 0;
  let rejected = 0;
  let growth = 0;
  let slowest = 0;
  for (let i = 0; i < count; i++) {
    const own = rng.split(i);
    const pick = () => files[own.below(files.length)];
    const bytes = damage(pick(), own, pick());
    const from = performance.now();
    const error = await failureOf(async () => parse(bytes));
    slowest = Math.max(slowest, performance.now() - from);
    if (error === undefined) read++;
    else if (error instanceof InputError && !/[\n\r]/.test(error.message)) rejected++;
    else
      faults.push(`${parser.name} ${i}: ${error instanceof Error ? (error.stack ?? error.message) : error}`);
    growth = Math.max(growth, process.memoryUsage.rss() - before);
  }
  const seconds = (performance.now() - start) / 1000;
  return { files: count, read, rejected, faults, growth, seconds, slowest: slowest / 1000 };
}

async function failureOf(work: () => Promise<unknown>): Promise<unknown> {
  try {
    await work();
    return undefined;
  } catch (error) {
    return error ?? "nothing was thrown";
  }
}
