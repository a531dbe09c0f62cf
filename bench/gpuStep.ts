/** Steps of OSDL on a device: how long a step of real training takes, and which operations it spends that on. */

import type { Signal } from "../src/core/signal.js";
import type { Kernels } from "../src/kernels/contract.js";
import { train } from "../src/learn/run/train.js";
import type { Problem } from "./problems.js";
import { type Options, sizesOf } from "./setting.js";
import { digits, table } from "./table.js";

/** What only makes handles, or does not take part in a step. */
const notTimed = /^(matrix|sparse|set|base|signals|head.*|free|workspace|close)$/;

/** Steps between two rounds of atom care, which are also the steps before those that are timed, and how many are timed. */
interface Schedule {
  readonly every: number;
  readonly timed: number;
}

/** Whole steps of one problem, with and without atom care, and their operations one by one. */
export async function benchStep(
  problem: Problem,
  examples: number,
  pictures: readonly Signal[],
  kernels: Kernels,
  { quick }: Options,
): Promise<string> {
  const { n, L, m, p, k } = sizesOf(problem);
  const batch = Math.min(examples, 4096);
  const schedule = quick ? { every: 2, timed: 4 } : { every: 25, timed: 50 };
  const setting = { problem, batch, pictures, schedule };
  const whole = await stepSeconds(setting, kernels, true);
  const alone = await stepSeconds(setting, kernels, false);
  const wait = await waitMs(kernels);
  const operations = await stepProfile(setting, kernels, wait);
  return [
    `${problem.name}: n=${n} L=${L} m=${m} p=${p} k=${k}\n`,
    `A whole step of OSDL, batch ${batch}, everything included: ${digits(whole * 1e3)} ms, ${digits((whole * 1e6) / batch)} µs per example. Without atom care: ${digits(alone * 1e3)} ms.\n`,
    `The operations of these steps, each waited for (medians, less ${digits(wait)} ms per wait):\n\n${operations}\n`,
  ].join("\n");
}

interface StepSetting {
  readonly problem: Problem;
  readonly batch: number;
  readonly pictures: readonly Signal[];
  readonly schedule: Schedule;
}

/** Real training of the steps of a schedule, and some more after them; reports come between its parts. */
function startTraining(
  { problem, batch, pictures, schedule: { every, timed } }: StepSetting,
  kernels: Kernels,
  atomCare: { readonly every: number } | false,
) {
  const { patch, sparsity, atomSparsity, redundancy } = problem;
  const options = { patch, atomSparsity, redundancy, coding: { sparsity }, batch, holdout: 0 };
  const examples = batch * (2 * every + timed); // there is no atom care in the last steps of a run
  return train(pictures, { ...options, atomCare, examples, reportEvery: every, kernels });
}

/** Seconds per step after the first steps, which compile shaders: sampling, learning, reports, and atom care if asked for. */
async function stepSeconds(setting: StepSetting, kernels: Kernels, cares: boolean): Promise<number> {
  const { every, timed } = setting.schedule;
  let start = 0;
  for await (const { step } of startTraining(setting, kernels, cares && { every })) {
    if (step === every) start = performance.now();
    if (step === every + timed) return (performance.now() - start) / 1000 / timed;
  }
  throw new Error("bench: the run ended too soon");
}

/** Milliseconds of waiting for a device that has nothing to do. */
async function waitMs(kernels: Kernels): Promise<number> {
  const done = kernels.matrix(1, 1);
  const waits: number[] = [];
  for (let turn = 0; turn < 51; turn++) {
    const start = performance.now();
    await kernels.readMatrix(done);
    waits.push(performance.now() - start);
  }
  kernels.free(done);
  return medianOf(waits);
}

/** Milliseconds of each call of an operation. */
type Spent = readonly number[];

/** Milliseconds per step of every operation in steps without atom care. */
async function stepProfile(setting: StepSetting, kernels: Kernels, wait: number): Promise<string> {
  const { every, timed } = setting.schedule;
  const spent = new Map<string, Spent>();
  let start = 0;
  for await (const { step } of startTraining(setting, watch(kernels, spent), false)) {
    if (step === every + timed) return profileTable(new Map(spent), performance.now() - start, timed, wait);
    if (step !== every) continue;
    spent.clear(); // operations until here compiled their shaders
    start = performance.now();
  }
  throw new Error("bench: the run ended too soon");
}

/** Medians: single calls meet the garbage collector. */
function profileTable(spent: ReadonlyMap<string, Spent>, all: number, steps: number, wait: number): string {
  const known = [...spent.values()].flat().reduce((sum, ms) => sum + ms, 0);
  const rows = [...spent]
    .map(([name, calls]) => ({
      name,
      calls: calls.length / steps,
      median: Math.max(0, medianOf(calls) - wait),
    }))
    .map((row) => ({ ...row, own: row.median * row.calls }))
    .sort((a, b) => b.own - a.own);
  const sum = rows.reduce((total, { own }) => total + own, 0);
  return table(
    ["operation", "ms per step", "calls per step"],
    [
      ...rows.map(({ name, own, calls }) => [name, digits(own), digits(calls)]),
      ["all of them", digits(sum), ""],
      ["between operations", digits((all - known) / steps), ""],
    ],
  );
}

function medianOf(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1];
}

/** The same kernels, with the time of each call kept. */
function watch(kernels: Kernels, spent: Map<string, Spent>): Kernels {
  const done = kernels.matrix(1, 1);
  const watched = Object.defineProperties({}, Object.getOwnPropertyDescriptors(kernels)) as Kernels;
  for (const [name, member] of Object.entries(kernels)) {
    if (typeof member !== "function" || notTimed.test(name)) continue;
    const value = async (...given: unknown[]) => {
      const start = performance.now();
      const result = await member.apply(kernels, given);
      await kernels.readMatrix(done);
      spent.set(name, [...(spent.get(name) ?? []), performance.now() - start]);
      return result;
    };
    Object.defineProperty(watched, name, { value, enumerable: true });
  }
  return watched;
}
