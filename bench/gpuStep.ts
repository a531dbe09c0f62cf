/** Where the time of a step of OSDL goes: each operation of real training, waited for. */

import type { Signal } from "../src/core/signal.js";
import type { Kernels } from "../src/kernels/contract.js";
import { train } from "../src/learn/run/train.js";
import type { Problem } from "./setting.js";
import { digits, table } from "./table.js";

/** What only makes handles, or does not take part in a step. */
const notTimed = /^(matrix|sparse|set|base|signals|head.*|free|workspace|close)$/;

interface Spent {
  readonly ms: number;
  readonly calls: number;
}

/**
 * Milliseconds per step of every operation, from the first to the last step, atom care included. Waiting for each
 * operation costs some tenths of a millisecond that a run does not pay.
 */
export async function stepProfile(
  { patch, sparsity, atomSparsity, redundancy }: Problem,
  batch: number,
  steps: number,
  pictures: readonly Signal[],
  kernels: Kernels,
): Promise<string> {
  const spent = new Map<string, Spent>();
  const watched = watch(kernels, spent);
  const options = { patch, atomSparsity, redundancy, coding: { sparsity }, batch, holdout: 0 };
  const run = train(pictures, { ...options, examples: batch * steps, reportEvery: steps, kernels: watched });
  let start = 0;
  for await (const { step } of run) {
    if (step > 0) continue;
    start = performance.now();
    spent.clear(); // what came before the first step
  }
  const all = performance.now() - start;
  const known = [...spent.values()].reduce((sum, { ms }) => sum + ms, 0);
  const rows = [...spent]
    .sort(([, a], [, b]) => b.ms - a.ms)
    .filter(([, { ms }]) => ms / steps >= 0.01)
    .map(([name, { ms, calls }]) => [name, digits(ms / steps), digits(calls / steps)]);
  return table(
    ["operation", "ms per step", "calls per step"],
    [...rows, ["between operations", digits((all - known) / steps), ""]],
  );
}

/** The same kernels, with the time of each operation added up. */
function watch(kernels: Kernels, spent: Map<string, Spent>): Kernels {
  const done = kernels.matrix(1, 1);
  const watched = Object.defineProperties({}, Object.getOwnPropertyDescriptors(kernels)) as Kernels;
  for (const [name, member] of Object.entries(kernels)) {
    if (typeof member !== "function" || notTimed.test(name)) continue;
    const value = async (...given: unknown[]) => {
      const start = performance.now();
      const result = await member.apply(kernels, given);
      await kernels.readMatrix(done);
      const { ms, calls } = spent.get(name) ?? { ms: 0, calls: 0 };
      spent.set(name, { ms: ms + performance.now() - start, calls: calls + 1 });
      return result;
    };
    Object.defineProperty(watched, name, { value, enumerable: true });
  }
  return watched;
}
