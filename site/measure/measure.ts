/** Measures a job on some kernels: patches per second. The data are made here: times depend on sizes, not on pictures. */

import { createBase, DenseMatrix, syntheticPictures, train } from "trainlets";
import { Encoder, type Kernels, type SparseColumns, SparseDictionary, samplePatches } from "trainlets/parts";
import type { Problem } from "../../bench/problems.js";
import type { Job } from "./jobs.js";

/** Seconds that one measurement takes, about. */
const duration = 1.5;
/** Patches coded at a time. */
const atOnce = 2048;

const pictures = syntheticPictures(1, 4, 512);

export function measure({ does, problem, patches }: Job, kernels: Kernels): Promise<number> {
  return does === "code" ? coding(problem, patches, kernels) : learning(problem, patches, kernels);
}

/** Coding of many patches over ΦA as in `bench peers`: Gram matrix, projection, pursuit and reading the codes. */
async function coding(problem: Problem, most: number, kernels: Kernels): Promise<number> {
  const { patch, sparsity, atomSparsity, redundancy } = problem;
  const base = createBase("cropped:sym8", patch);
  const start = { examples: 1024, batch: 512, epochs: 1, holdout: 0, atomCare: false } as const;
  const options = { base, patch, atomSparsity, redundancy, coding: { sparsity }, ...start };
  const { A } = await train(pictures, { ...options, kernels }).model();
  const few = await samplePatches(pictures, { patch, count: atOnce, seed: 1, kernels });
  const code = (patches: DenseMatrix) => codeSeconds({ base, A }, patches, sparsity, kernels);
  await code(few.slice(0, 256)); // shaders and the JIT compiler
  const rate = few.cols / (await code(few));
  const count = Math.min(most, Math.round(rate * duration));
  if (count <= few.cols) return rate;
  const many = repeated(few, count);
  return count / Math.min(await code(many), await code(many));
}

/** More patches than were cut: the same ones again, so that a slow machine need not cut many. */
function repeated(patches: DenseMatrix, count: number): DenseMatrix {
  const { rows, cols, data } = patches;
  const all = new Float32Array(rows * count);
  for (let from = 0; from < count; from += cols)
    all.set(data.subarray(0, rows * Math.min(cols, count - from)), rows * from);
  return new DenseMatrix(rows, count, all);
}

async function codeSeconds(
  { base, A }: { readonly base: ReturnType<typeof createBase>; readonly A: SparseColumns },
  patches: DenseMatrix,
  sparsity: number,
  kernels: Kernels,
): Promise<number> {
  const start = performance.now();
  const D = await SparseDictionary.create(base, A, kernels);
  const encoder = new Encoder(D, { sparsity, residualEnergy: 0, pursuit: "omp" }, atOnce, kernels);
  const Y = kernels.matrix(patches.rows, atOnce);
  for (let from = 0; from < patches.cols; from += atOnce) {
    const to = Math.min(from + atOnce, patches.cols);
    const y = kernels.head(Y, to - from);
    await kernels.writeMatrix(y, patches.slice(from, to));
    await kernels.readSparse(await encoder.encode(y));
  }
  const seconds = (performance.now() - start) / 1000;
  encoder.free();
  D.free();
  kernels.free(Y);
  return seconds;
}

/** Steps of OSDL after the first ones, which compile shaders: sampling, coding, the update and reports. */
async function learning(problem: Problem, batch: number, kernels: Kernels): Promise<number> {
  const { patch, sparsity, atomSparsity, redundancy } = problem;
  const [every, first] = batch > 1000 ? [1, 2] : [5, 10];
  const options = { patch, redundancy, atomSparsity, coding: { sparsity }, batch, holdout: 0 };
  const run = train(pictures, { ...options, examples: 200_000, epochs: 1, reportEvery: every, kernels });
  let begin: { readonly time: number; readonly examples: number } | undefined;
  let rate = 0;
  for await (const { step, examples } of run) {
    const time = performance.now();
    if (step < first) continue;
    begin ??= { time, examples };
    const seconds = (time - begin.time) / 1000;
    if (seconds > 0) rate = (examples - begin.examples) / seconds;
    if (seconds > 2 * duration) break;
  }
  return rate;
}
