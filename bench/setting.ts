/** What all measurements share: data, dictionaries of the form ΦA, timing, the machine. */

import { execFileSync } from "node:child_process";
import { cpus } from "node:os";
import type { DenseMatrix, SparseColumns } from "../src/core/matrix.js";
import { Rng } from "../src/core/random/rng.js";
import { sizeOf } from "../src/core/shape.js";
import type { Signal } from "../src/core/signal.js";
import { readImage } from "../src/data/node/images.js";
import { PatchSampler, type Windows } from "../src/data/sampling/patchSampler.js";
import { syntheticPictures } from "../src/data/syntheticPictures.js";
import { type BaseDictionary, baseCols, createBase } from "../src/dictionaries/base.js";
import type { Kernels } from "../src/kernels/contract.js";
import { createCpuKernels } from "../src/kernels/cpu/index.js";
import { train } from "../src/learn/run/train.js";
import { version } from "../src/model/version.js";
import type { Problem } from "./problems.js";

export interface Options {
  readonly threads: number;
  readonly quick: boolean;
  readonly images: readonly string[];
  /** For `learners`, `colour` and `atoms`: pictures to test on; `learners` otherwise sets patches of `images` aside. */
  readonly test: readonly string[];
  /** For `small`: arrays of signals, or volumes. */
  readonly data: readonly string[];
  /** For `codec`: the dictionary to compress with; for `atoms`: those to look at. */
  readonly dictionary: readonly string[];
  /** For `gpu`: the folder that has the package of the rival, if it is not installed. */
  readonly rival?: string | undefined;
  /** For `gpu` and `learners`, the sections to run, for `small`, the learners; separated by commas; by default all. */
  readonly only?: string | undefined;
  /** For `gpu`: features of Dawn to enable, separated by commas. */
  readonly dawn?: string | undefined;
  /** For `soak`, `learners` and `withoutGram`: where to compute; for `soak`, for how long. */
  readonly device: string;
  readonly minutes: number;
  /** For `learners`: the most examples of a run. */
  readonly most: number;
  /** The name of the result files. */
  readonly save?: string | undefined;
}

export async function readPictures(images: readonly string[]): Promise<Signal[]> {
  if (images.length === 0) return syntheticPictures(1, 4, 512);
  return Promise.all(images.map(readImage));
}

/** A dictionary to measure with: the base, and an A from a short training. */
export interface Dictionary {
  readonly base: BaseDictionary;
  readonly A: SparseColumns;
}

export async function makeDictionary(
  problem: Problem,
  pictures: readonly Signal[],
  given?: Kernels,
): Promise<Dictionary> {
  const { patch, sparsity, atomSparsity, redundancy } = problem;
  const base = createBase("cropped:sym8", patch);
  const options = {
    base,
    patch,
    atomSparsity,
    redundancy,
    coding: { sparsity },
    examples: 3072,
    batch: 1024,
    epochs: 1,
    holdout: 0,
  };
  const kernels = given ?? (await createCpuKernels());
  const model = await train(pictures, { ...options, atomCare: false, kernels }).model();
  if (!given) await kernels.close();
  return { base, A: model.A };
}

/** Patches with their means removed, one per column. */
export async function makePatches(
  problem: Problem,
  pictures: readonly Signal[],
  count: number,
): Promise<DenseMatrix> {
  const sampler = new PatchSampler(
    pictures,
    { patch: problem.patch, holdout: 0, examples: count },
    Rng.from(1),
  );
  return cutPatches(problem, pictures, sampler.trainingWindows(0, 0, sampler.examples));
}

/** The seed of the split between training and test patches. */
export const splitSeed = 1;

/** The patches that `train` with `splitSeed` learns from in its first epoch, and those it tests on. */
export async function makeSplit(
  problem: Problem,
  pictures: readonly Signal[],
  examples: number,
  holdout = 5000,
) {
  const size = { patch: problem.patch, holdout, examples };
  const sampler = new PatchSampler(pictures, size, Rng.from(splitSeed));
  return {
    train: await cutPatches(problem, pictures, sampler.trainingWindows(0, 0, sampler.examples)),
    test: await cutPatches(problem, pictures, sampler.testWindows()),
  };
}

async function cutPatches(
  problem: Problem,
  pictures: readonly Signal[],
  windows: Windows,
): Promise<DenseMatrix> {
  const kernels = await createCpuKernels({ threads: 1 });
  const N = windows.signal.length;
  const store = kernels.signals(pictures);
  const Y = kernels.matrix(sizeOf(problem.patch), N);
  const means = kernels.matrix(1, N);
  await kernels.extract(store, windows, problem.patch, Y, means);
  const patches = await kernels.readMatrix(Y);
  await kernels.close();
  return patches;
}

export function sizesOf(problem: Problem) {
  const L = baseCols(createBase("cropped:sym8", problem.patch));
  return {
    n: sizeOf(problem.patch),
    L,
    m: L * problem.redundancy,
    p: problem.sparsity,
    k: problem.atomSparsity,
  };
}

/** Seconds of the fastest of some runs, after one that is not counted. */
export async function fastestRun(turns: number, work: () => Promise<unknown>): Promise<number> {
  await work();
  let best = Infinity;
  for (let turn = 0; turn < turns; turn++) best = Math.min(best, await timeRun(work));
  return best;
}

async function timeRun(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return (performance.now() - start) / 1000;
}

/** Root-mean-square difference of two matrices. */
export function rmsDifference(a: DenseMatrix, b: DenseMatrix): number {
  let energy = 0;
  for (let i = 0; i < a.data.length; i++) energy += (a.data[i] - b.data[i]) ** 2;
  return Math.sqrt(energy / a.data.length);
}

/** Copy a matrix to the device. */
export async function upload(kernels: Kernels, matrix: DenseMatrix) {
  const handle = kernels.matrix(matrix.rows, matrix.cols);
  await kernels.writeMatrix(handle, matrix);
  return handle;
}

/** The machine and the versions, in one paragraph. */
export function describeMachine(options: Options): string {
  const model = cpus()[0]?.model.trim() ?? "unknown processor";
  const commit = gitCommit();
  return `${model}, ${cpus().length} logical cores; Node ${process.versions.node}; trainlets ${version}${commit}; patches of ${describePictures(options.images)}`;
}

function describePictures(paths: readonly string[]): string {
  if (paths.length === 0) return "synthetic pictures";
  const names = paths.map((path) => path.split("/").at(-1));
  return names.length > 3 ? `${names.length} pictures (${names[0]}, …)` : names.join(", ");
}

function gitCommit(): string {
  try {
    const options = {
      encoding: "utf8" as const,
      stdio: ["ignore" as const, "pipe" as const, "ignore" as const],
    };
    return ` at ${execFileSync("git", ["rev-parse", "--short", "HEAD"], options).trim()}`;
  } catch {
    return "";
  }
}
