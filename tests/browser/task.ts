/**
 * One small training run through the public entry: the same code in Node, in a page and
 * in a worker of a page, so that the results can be compared bit for bit.
 */

import {
  chooseKernels,
  code,
  DenseMatrix,
  type DeviceName,
  modelToBytes,
  openLearner,
  syntheticPictures,
  train,
} from "trainlets";
import type { Kernels } from "trainlets/parts";

export interface Task {
  readonly device: DeviceName;
  /** By default as many as there are cores. */
  readonly threads?: number;
  /** The name of the base dictionary; by default that of `train`. */
  readonly base?: string;
  /** Examples to learn from; by default those of six steps. */
  readonly examples?: number;
  /** Whether to learn from batches too, and to code over a matrix. */
  readonly pushes?: boolean;
}

export interface Learned {
  /** The description of the kernels that were used. */
  readonly kernels: string;
  /** Root-mean-square error on held-out patches: before the first step, and at the end. */
  readonly testRmse: readonly number[];
  /** SHA-256 of the model file, in hexadecimal digits. */
  readonly sha256: string;
  /** The same of a model learned from batches, and of codes over a matrix. */
  readonly pushed: string | undefined;
}

/** Learn a dictionary of 8×8 atoms, more than the base has, in a few steps with atom care. */
export async function learn({
  device,
  threads,
  base,
  examples = 768,
  pushes = true,
}: Task): Promise<Learned> {
  const { kernels } = await chooseKernels(device, { threads });
  try {
    const run = train(syntheticPictures(3, 2, 64), {
      patch: [8, 8],
      base,
      atoms: 300,
      coding: { sparsity: 4 },
      batch: 128,
      examples,
      epochs: 1,
      holdout: 200,
      atomCare: { every: 5 },
      seed: 5,
      kernels,
    });
    const testRmse: number[] = [];
    for await (const report of run) if (report.testRmse !== undefined) testRmse.push(report.testRmse);
    const bytes = modelToBytes(await run.model());
    const pushed = pushes ? await sha256(await push(kernels, base)) : undefined;
    return { kernels: kernels.description, testRmse, sha256: await sha256(bytes), pushed };
  } finally {
    await kernels.close();
  }
}

/** Learn from one picture after the other, and code vectors over a matrix; all bytes of both. */
async function push(kernels: Kernels, base: string | undefined): Promise<Uint8Array> {
  const learner = openLearner({
    patch: [8, 8],
    base,
    coding: { sparsity: 2 },
    batch: 64,
    examples: 128,
    kernels,
  });
  for (const picture of syntheticPictures(4, 2, 32)) await learner.partialFit(picture);
  const bytes = modelToBytes(await learner.model());
  const D = DenseMatrix.build(16, 24, (i, j) => Math.fround(((i * 7 + j * 13) % 31) - 15.5));
  const { indices, values } = await code(D, D.slice(0, 5), { sparsity: 3, kernels });
  const parts = [bytes, new Uint8Array(indices.buffer), new Uint8Array(values.buffer)];
  return Uint8Array.from(parts.flatMap((part) => [...part]));
}

async function sha256(bytes: Uint8Array): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", bytes as Uint8Array<ArrayBuffer>);
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
