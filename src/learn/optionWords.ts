/**
 * What options of `train` are, in one line each: for `--help`, and for pages with the same options. Defaults are not
 * part of them; they are written in run/trainOptions.ts.
 */

import type { TrainOptions } from "./run/trainOptions.js";

export const optionWords = {
  patch: "patch size: 16 (16x16 in images), 32x24, 8x8x3 (colour), 8x8x8",
  base: "base dictionary, or one per axis",
  atoms: "number of atoms",
  atomSparsity: "non-zeros per atom: 250, or 10% of the patch",
  sparsity: "at most this many atoms per patch",
  learner: "algorithm",
  examples: "patches per epoch: 5000, 200k, 10M",
  epochs: "passes over the patches",
  batch: "patches per step (mini-batch)",
  seed: "seed of the random generator",
  start: "start from the atoms and the base of this dictionary",
  holdout:
    "patches held out for testing, at most half of all (by default, at most a tenth, or 50 of a small set)",
  testEvery: "patches between two tests",
  device: "where to compute",
} as const satisfies Partial<Record<keyof TrainOptions | "sparsity" | "device", string>>;
