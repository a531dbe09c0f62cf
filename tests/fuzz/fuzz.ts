/** Give a parser damaged files, and see that it ends in one of the two ways it may. */

import { InputError } from "../../src/core/errors.js";
import { Rng } from "../../src/core/rng.js";
import { mutate } from "./mutate.js";
import type { Parser } from "./parsers.js";

export interface FuzzOutcome {
  readonly files: number;
  /** Files that were read in spite of the damage. */
  readonly read: number;
  readonly refused: number;
  /** What else happened: the seed of the file, and what was thrown. */
  readonly faults: readonly string[];
  /** Bytes that the process grew by, at most. */
  readonly growth: number;
  readonly seconds: number;
  /** The longest that one file took. */
  readonly slowest: number;
}

/** Damage `count` files, from a seed; each can be made again from its own number. */
export async function fuzz(parser: Parser, count: number, seed: number): Promise<FuzzOutcome> {
  const { valid, parse, damage = mutate } = parser;
  const files = await valid();
  for (const file of files) await parse(file); // also loads what it needs
  const rng = Rng.from(seed);
  const faults: string[] = [];
  const [before, start] = [process.memoryUsage.rss(), performance.now()];
  let [read, refused, growth, slowest] = [0, 0, 0, 0];
  for (let i = 0; i < count; i++) {
    const own = rng.split(i);
    const pick = () => files[own.below(files.length)];
    const bytes = damage(pick(), own, pick());
    const from = performance.now();
    const error = await failureOf(async () => parse(bytes));
    slowest = Math.max(slowest, performance.now() - from);
    if (error === undefined) read++;
    else if (error instanceof InputError && !/[\n\r]/.test(error.message)) refused++;
    else
      faults.push(`${parser.name} ${i}: ${error instanceof Error ? (error.stack ?? error.message) : error}`);
    growth = Math.max(growth, process.memoryUsage.rss() - before);
  }
  const seconds = (performance.now() - start) / 1000;
  return { files: count, read, refused, faults, growth, seconds, slowest: slowest / 1000 };
}

async function failureOf(work: () => Promise<unknown>): Promise<unknown> {
  try {
    await work();
    return undefined;
  } catch (error) {
    return error ?? "nothing was thrown";
  }
}
