/** Training that gives the same model on kernels of one process and of several ranks, with every learner. */

import { expect, test } from "vitest";
import { syntheticPictures } from "../../data/syntheticPictures.js";
import { learnerNames } from "../../learn/learners/registry.js";
import { train } from "../../learn/run/train.js";
import { modelToBytes } from "../../model/files.js";
import type { Kernels } from "../contract.js";

/** The last batch is smaller than the others, and neither divides evenly. */
const small = {
  patch: [6, 6],
  base: "odct:1.5",
  coding: { sparsity: 3 },
  batch: 50,
  examples: 330,
  epochs: 1,
};

/** A model that some kernels learn, as bytes; the kernels are closed. */
export async function learn(kernels: Kernels, options: object): Promise<Uint8Array> {
  const run = train(syntheticPictures(1, 1, 48), { ...small, holdout: 60, ...options, kernels });
  const bytes = modelToBytes(await run.model());
  await kernels.close();
  return bytes;
}

/** One test per learner: `clusters` make kernels of several ranks over those of `alone`. */
export function sameModels(
  alone: () => Promise<Kernels>,
  clusters: readonly (() => Promise<Kernels>)[],
): void {
  test.each(learnerNames)("%s learns the same model on any number of ranks", async (learner) => {
    const options = { learner, ...(learner === "sedil" ? { base: "identity" } : {}) };
    const expected = await learn(await alone(), options);
    for (const cluster of clusters) expect(await learn(await cluster(), options)).toEqual(expected);
  });
}
