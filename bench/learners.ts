/**
 * The learners of sparse and of dense atoms side by side: test error and time of `osdl`, `odl`, `sparse-odl` and averaged `osdl`, with
 * codes by OMP and by OLS, at the sizes of figure 5 and of the universal dictionaries, from 100,000 examples, a
 * million, and all of them. Every cell is a run of its own, planned for its examples and with the defaults of `train`: a
 * learner that begins or ends differently in a short run does so here. Marks say where ours are below both of the paper's,
 * and from 32×32 on, where they take at most 1.5 times as long per example as `osdl`. That is the time of learning: finding
 * the starting atoms is done once, and its seconds stand before it.
 *
 * With `--save NAME` finished runs are kept (learnerRuns.ts) and not made again; `--most 0` makes none, and shows those that are kept.
 */

import { InputError } from "../src/core/errors.js";
import { grouped } from "../src/core/formatText.js";
import { requireOneOf } from "../src/core/require.js";
import { sizeOf } from "../src/core/shape.js";
import type { Signal } from "../src/core/signal.js";
import { chooseKernels, type DeviceName } from "../src/kernels/chooseDevice.js";
import type { Kernels, PursuitName } from "../src/kernels/contract.js";
import type { LearnerName } from "../src/learn/learners/registry.js";
import { train } from "../src/learn/run/train.js";
import { LearnerRuns, type RunName, type RunResult } from "./learnerRuns.js";
import { describeMachine, type Options, readPictures } from "./setting.js";
import { digits, table } from "./table.js";

/** A size, its sparsities, and how much is learned from. */
interface Grid {
  readonly name: string;
  readonly patch: readonly [number, number];
  /** p and k. */
  readonly sparsity: number;
  readonly atomSparsity: number;
  /** m; by default as many as the base has. */
  readonly atoms?: number;
  /** Different examples, and all that are seen: those of all epochs. */
  readonly examples: number;
  readonly all: number;
  /** Examples per mini-batch of the longest run, and of that of `osdl` where it differs; shorter runs have smaller ones. */
  readonly batch: number;
  readonly osdlBatch?: number;
  /** Mini-batches between rounds of atom care, if not the default. */
  readonly careEvery?: number;
  readonly tested: number;
}

/** Experiment 1 of the paper, with k at both shares of figure 5, and the universal dictionaries. */
const grids: readonly Grid[] = [
  ...figure5([12, 12], 4, [7, 36]),
  ...figure5([20, 20], 10, [20, 40]),
  ...figure5([32, 32], 20, [20, 51]),
  {
    ...{ name: "universal32", patch: [32, 32], sparsity: 60, atomSparsity: 250, atoms: 6272 },
    ...{ examples: 10_000_000, all: 20_000_000, batch: 4096, osdlBatch: 16_384, careEvery: 100, tested: 600 },
  },
  {
    ...{ name: "universal64", patch: [64, 64], sparsity: 100, atomSparsity: 600, atoms: 10_000 },
    ...{ examples: 3_800_000, all: 3_800_000, batch: 4096, careEvery: 100, tested: 600 },
  },
];

function figure5(patch: readonly [number, number], sparsity: number, nonZeros: readonly number[]): Grid[] {
  const size = { examples: 200_000, all: 1_000_000, batch: 512, tested: 5000 };
  return nonZeros.map((k) => ({
    ...{ name: `${patch.join("x")}-k${k}`, patch, sparsity, atomSparsity: k },
    ...size,
  }));
}

/** Those of the paper, and ours, which should be ahead of them: `osdl-average` is `osdl --average`. */
const learners = ["osdl", "odl", "sparse-odl", "osdl-average"] as const;
const ours: readonly string[] = learners.slice(2);
const pursuits: readonly PursuitName[] = ["omp", "ols"];
/** Examples of the shorter runs. */
const budgets = [100_000, 1_000_000] as const;
/** Mini-batches that a run has at least, where its batches can be made smaller for that; and the smallest of them. */
const shortest = { updates: 200, batch: 512 } as const;
/** Samples from which on time is compared, and the most that ours may take, as a multiple of `osdl`. */
const timed = { from: 32 * 32, most: 1.5 } as const;

/** Which runs of the grid are made. */
interface Choice {
  readonly grids: readonly Grid[];
  readonly pursuits: readonly PursuitName[];
  readonly learners: readonly string[];
  /** The most examples of a run. */
  readonly most: number;
}

/** The tables, and where the runs in them were made: some may be older. */
export async function benchLearners(
  options: Options,
): Promise<{ readonly text: string; readonly machine: string }> {
  const choice = chosenOf(options);
  const pictures = await readPictures(options.images);
  const test = options.test.length > 0 ? await readPictures(options.test) : undefined;
  const { kernels } = await chooseKernels(options.device as DeviceName, { threads: options.threads });
  const place = { device: kernels.description, machine: describeMachine(options) };
  const runs = LearnerRuns.open(options.save, choice.most > 0 ? kernels.description : undefined);
  for (const grid of choice.grids) {
    for (const run of plannedRuns(grid, choice)) {
      if (runs.find(run)) continue;
      const result = await learn(grid, run, pictures, test, kernels);
      runs.add(run, result, place);
      process.stderr.write(`${JSON.stringify({ ...run, ...result })}\n`);
    }
  }
  await kernels.close();
  const sections = choice.grids.flatMap((grid) =>
    pursuits.flatMap((pursuit) => section(grid, pursuit, runs) ?? []),
  );
  return { text: sections.join("\n\n"), machine: runs.places.join("; and ") };
}

/** `--only` names grids, pursuits and learners; `--quick` makes the short runs alone, `--most` those of at most this many examples. */
function chosenOf({ only, quick, most }: Options): Choice {
  const words = only?.split(",") ?? [];
  for (const word of words)
    requireOneOf("bench", "word in --only", word, [
      ...grids.map(({ name }) => name),
      ...pursuits,
      ...learners,
    ]);
  if (!(most >= 0)) throw new InputError(`bench: --most must be a number of examples, got ${most}`);
  const among = <T extends string>(all: readonly T[]): readonly T[] => {
    const named = all.filter((name) => words.includes(name));
    return named.length > 0 ? named : all;
  };
  const names = among(grids.map(({ name }) => name));
  return {
    grids: grids.filter(({ name }) => names.includes(name)),
    pursuits: among(pursuits),
    learners: among(learners),
    most: quick ? Math.min(budgets[0], most) : most,
  };
}

/** The runs of a grid that are asked for, the shortest first. */
function plannedRuns(grid: Grid, { pursuits, learners, most }: Choice): RunName[] {
  return budgetsOf(grid)
    .filter((budget) => budget <= most)
    .flatMap((budget) =>
      pursuits.flatMap((pursuit) => learners.map((learner) => nameOf(grid, pursuit, learner, budget))),
    );
}

/** Those of the budgets that are less than all, and all. */
function budgetsOf({ all }: Grid): number[] {
  return [...budgets.filter((budget) => budget < all), all];
}

/** ODL does not depend on k: one run serves all grids of a size. */
function nameOf(grid: Grid, pursuit: PursuitName, learner: string, budget: number): RunName {
  const name = learner === "odl" ? grid.name.replace(/-k\d+$/, "") : grid.name;
  return { grid: name, pursuit, learner, budget, batch: batchOf(grid, learner, budget) };
}

/** Mini-batches of the grid, or the largest power of two that gives a run enough of them. */
function batchOf({ batch, osdlBatch = batch }: Grid, learner: string, budget: number): number {
  const enough = 2 ** Math.floor(Math.log2(budget / shortest.updates));
  return Math.min(learner.startsWith("osdl") ? osdlBatch : batch, Math.max(shortest.batch, enough));
}

async function learn(
  grid: Grid,
  { learner, pursuit, budget, batch }: RunName,
  pictures: readonly Signal[],
  test: readonly Signal[] | undefined,
  kernels: Kernels,
): Promise<RunResult> {
  const { patch, sparsity, atomSparsity, atoms, careEvery, tested } = grid;
  const examples = Math.min(grid.examples, budget);
  const isAveraged = learner === "osdl-average";
  const run = train(pictures, {
    ...(isAveraged ? { learner: "osdl", average: true } : { learner: learner as LearnerName }),
    ...{ patch, examples, epochs: budget / examples, batch },
    ...{ kernels, coding: { sparsity, pursuit }, holdout: tested, testEvery: budget },
    ...(learner === "odl" ? {} : { atomSparsity }),
    ...(atoms === undefined ? {} : { atoms }),
    ...(test ? { test } : {}),
    ...(careEvery === undefined ? {} : { atomCare: { every: careEvery } }),
  });
  const opened = performance.now();
  await run.plan();
  const begun = performance.now();
  const errors: number[] = [];
  for await (const { testRmse } of run) if (testRmse !== undefined) errors.push(testRmse);
  const seconds = (performance.now() - begun) / 1000 - run.testSeconds;
  return { start: errors[0], rmse: errors.at(-1)!, setup: (begun - opened) / 1000, seconds };
}

/** The runs of a grid with one pursuit as a table; undefined without any run. */
function section(grid: Grid, pursuit: PursuitName, runs: LearnerRuns): string[] | undefined {
  const all = budgetsOf(grid);
  const results = learners.map((learner) =>
    all.map((budget) => runs.find(nameOf(grid, pursuit, learner, budget))),
  );
  if (results.flat().every((result) => result === undefined)) return undefined;
  const rows = learners.map((learner, l) => [
    learner,
    ...all.flatMap((_, b) => {
      const [osdl, odl] = results.map((others) => others[b]);
      return cells(grid, results[l][b], { osdl, odl }, ours.includes(learner));
    }),
  ]);
  const header = all.flatMap((budget) => [`start, ${grouped(budget)}`, "end", "s", "time of osdl"]);
  return [`${describe(grid)}, codes by ${pursuit}:`, table(["learner", ...header], rows)];
}

function describe(grid: Grid): string {
  const { name, patch, sparsity, atomSparsity, examples } = grid;
  const batches = budgetsOf(grid).map((budget) => {
    const [own, others] = ["osdl", "odl"].map((learner) => batchOf(grid, learner, budget));
    return `${others} for ${grouped(budget)}${own === others ? "" : ` (osdl ${own})`}`;
  });
  return `${name}: n=${sizeOf(patch)} p=${sparsity} k=${atomSparsity}, at most ${grouped(examples)} different examples, mini-batches of ${batches.join(", ")}`;
}

/** The error at the start and at the end, seconds with those of the start, and the share of the time of OSDL. */
function cells(
  grid: Grid,
  result: RunResult | undefined,
  { osdl, odl }: { readonly osdl: RunResult | undefined; readonly odl: RunResult | undefined },
  isOurs: boolean,
): string[] {
  if (!result) return ["—", "—", "—", "—"];
  const { start, rmse, setup, seconds } = result;
  const ahead = osdl && odl && rmse < osdl.rmse && rmse < odl.rmse;
  const verdict = isOurs && osdl && odl ? (ahead ? ", ahead" : ", not ahead") : "";
  const share = osdl ? seconds / osdl.seconds : Number.NaN;
  const judged = isOurs && osdl && sizeOf(grid.patch) >= timed.from;
  const inTime = judged ? (share <= timed.most ? ", met" : ", not met") : "";
  return [
    start.toFixed(3),
    `${rmse.toFixed(3)}${verdict}`,
    `${digits(setup)} + ${digits(seconds)}`,
    `${digits(share)}×${inTime}`,
  ];
}
