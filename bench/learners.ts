/**
 * The learners of sparse and of dense atoms side by side: test error and time of `osdl`, `odl` and `sparse-odl`, with
 * codes by OMP and by OLS, at the sizes of figure 5 and of the universal dictionaries, after 100,000 examples, a
 * million, and all of them. A mark says where `sparse-odl` is below both others, and within 1.5 times the time of `osdl`
 * from 32×32 on.
 */

import { sizeOf } from "../src/core/shape.js";
import type { Signal } from "../src/core/signal.js";
import { chooseKernels, type DeviceName } from "../src/kernels/chooseDevice.js";
import type { Kernels, PursuitName } from "../src/kernels/contract.js";
import { train } from "../src/learn/run/train.js";
import type { Options } from "./setting.js";
import { readPictures } from "./setting.js";
import { digits, table } from "./table.js";

/** One table: a size, its sparsities, and how much is learned from. */
interface Grid {
  readonly name: string;
  readonly patch: readonly [number, number];
  /** p and k. */
  readonly sparsity: number;
  readonly atomSparsity: number;
  /** m; by default as many as the base has. */
  readonly atoms?: number;
  readonly examples: number;
  readonly epochs: number;
  readonly batch: number;
}

/** Experiment 1 of the paper, with k at both shares of figure 5, and the universal dictionaries. */
const grids: readonly Grid[] = [
  ...figure5([12, 12], 4, [7, 36]),
  ...figure5([20, 20], 10, [20, 40]),
  ...figure5([32, 32], 20, [20, 51]),
  {
    ...{ name: "universal32", patch: [32, 32], sparsity: 60, atomSparsity: 250, atoms: 6272 },
    ...{ examples: 10_000_000, epochs: 2, batch: 4096 },
  },
  {
    ...{ name: "universal64", patch: [64, 64], sparsity: 100, atomSparsity: 600, atoms: 10_000 },
    ...{ examples: 3_800_000, epochs: 1, batch: 4096 },
  },
];

function figure5(patch: readonly [number, number], sparsity: number, nonZeros: readonly number[]): Grid[] {
  const run = { examples: 200_000, epochs: 5, batch: 512 };
  return nonZeros.map((k) => ({
    ...{ name: `${patch.join("x")}-k${k}`, patch, sparsity, atomSparsity: k },
    ...run,
  }));
}

const learners = ["osdl", "odl", "sparse-odl"] as const;
const pursuits: readonly PursuitName[] = ["omp", "ols"];
/** Examples after which errors are compared, besides all. */
const budgets = [100_000, 1_000_000] as const;
/** Samples from which on time is compared, and the most that `sparse-odl` may take, as a multiple of `osdl`. */
const timed = { from: 32 * 32, most: 1.5 } as const;

interface Learned {
  readonly learner: (typeof learners)[number];
  /** Before learning, after each budget, and at the end. */
  readonly errors: readonly number[];
  readonly seconds: number;
}

export async function benchLearners(options: Options): Promise<string> {
  const pictures = await readPictures(options.images);
  const test = options.test.length > 0 ? await readPictures(options.test) : undefined;
  const chosen = options.only?.split(",") ?? grids.map(({ name }) => name);
  const { kernels } = await chooseKernels(options.device as DeviceName, { threads: options.threads });
  const sections = [kernels.description];
  for (const grid of grids.filter(({ name }) => chosen.includes(name))) {
    const scaled = options.quick ? { ...grid, examples: grid.examples / 20, epochs: 1 } : grid;
    for (const pursuit of pursuits) {
      const results: Learned[] = [];
      for (const learner of learners) {
        results.push(await learn(scaled, learner, pursuit, pictures, test, kernels));
        process.stderr.write(`${grid.name}, ${pursuit}, ${learner}: ${results.at(-1)!.errors.join(" ")}\n`);
      }
      sections.push(`${describe(scaled)}, codes by ${pursuit}:`, compare(scaled, results));
    }
  }
  await kernels.close();
  return sections.join("\n\n");
}

async function learn(
  grid: Grid,
  learner: Learned["learner"],
  pursuit: PursuitName,
  pictures: readonly Signal[],
  test: readonly Signal[] | undefined,
  kernels: Kernels,
): Promise<Learned> {
  const { patch, sparsity, atomSparsity, atoms, examples, epochs, batch } = grid;
  const own = learner === "odl" ? {} : { atomSparsity };
  const run = train(pictures, {
    ...{ patch, learner, examples, epochs, batch, kernels, testEvery: 100_000, ...own },
    ...(atoms === undefined ? {} : { atoms }),
    ...(test ? { test } : {}),
    coding: { sparsity, pursuit },
  });
  await run.plan();
  const start = performance.now();
  const tested: { examples: number; error: number }[] = [];
  for await (const { examples, testRmse } of run) {
    if (testRmse !== undefined) tested.push({ examples, error: testRmse });
  }
  const seconds = (performance.now() - start) / 1000 - run.testSeconds;
  const at = budgetsOf(grid).map((budget) => tested.find(({ examples }) => examples >= budget)!);
  return { learner, errors: at.map(({ error }) => error), seconds };
}

/** None, those of the budgets that the run reaches, and all. */
function budgetsOf({ examples, epochs }: Grid): number[] {
  const all = examples * epochs;
  return [0, ...budgets.filter((budget) => budget < all), all];
}

function describe({ name, patch, sparsity, atomSparsity, examples, epochs, batch }: Grid): string {
  const passes = epochs === 1 ? "once" : `${epochs} times`;
  return `${name}: n=${sizeOf(patch)} p=${sparsity} k=${atomSparsity}, ${examples} examples ${passes} in batches of ${batch}`;
}

function compare(grid: Grid, results: readonly Learned[]): string {
  const all = budgetsOf(grid);
  const [osdl] = results;
  const rows = results.map(({ learner, errors, seconds }) => {
    const others = results.filter((other) => other.learner !== learner);
    const ours = learner === "sparse-odl";
    const cells = errors.map((error, i) => {
      const ahead = others.every((other) => error < other.errors[i]);
      return `${error.toFixed(3)}${ours && i > 0 ? (ahead ? ", ahead" : ", not ahead") : ""}`;
    });
    const share = seconds / osdl.seconds;
    const judged = ours && sizeOf(grid.patch) >= timed.from;
    const verdict = judged ? (share <= timed.most ? ", met" : ", not met") : "";
    return [learner, ...cells, digits(seconds), `${share.toFixed(2)}×${verdict}`];
  });
  const header = all.map((count, i) => (i === 0 ? "start" : `after ${count}`));
  return table(["learner", ...header, "s", "time of osdl"], rows);
}
