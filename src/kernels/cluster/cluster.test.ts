import { expect, test } from "vitest";
import { syntheticPictures } from "../../data/syntheticPictures.js";
import { train } from "../../learn/run/train.js";
import { modelToBytes } from "../../model/files.js";
import type { Kernels } from "../contract.js";
import { createCpuKernels } from "../cpu/index.js";
import { createReferenceKernels } from "../reference/index.js";
import { followKernels } from "./follower.js";
import { leadKernels } from "./leader.js";
import { localRanks } from "./localRanks.case.js";

const learners = [
  "osdl",
  "odl",
  "sparse-odl",
  "niht",
  "sparse-ksvd",
  "ksvd",
  "pca",
  "sedil",
  "niht-batch",
] as const;
const options = {
  patch: [6, 6],
  base: "odct:1.5",
  coding: { sparsity: 3 },
  batch: 50,
  examples: 330,
  holdout: 60,
};

test.each(learners)("%s learns the same model on any number of ranks", async (learner) => {
  const learn = async (kernels: ReturnType<typeof createReferenceKernels>) =>
    modelToBytes(
      await train(syntheticPictures(1, 1, 48), {
        ...options,
        base: learner === "sedil" ? "identity" : "odct:1.5",
        learner,
        epochs: 2,
        kernels,
      }).model(),
    );
  const alone = await learn(createReferenceKernels());
  for (const size of [1, 2, 3]) {
    expect(await onRanks(size, async () => createReferenceKernels(), learn)).toEqual(alone);
  }
});

test("the cpu kernels give the same bits on three ranks", async () => {
  const learn = async (kernels: Awaited<ReturnType<typeof createCpuKernels>>) => {
    const bytes = modelToBytes(
      await train(syntheticPictures(1, 1, 64), { ...options, examples: 1030, kernels }).model(),
    );
    return bytes;
  };
  const alone = await learn(await createCpuKernels({ threads: 1 }));
  expect(await onRanks(3, () => createCpuKernels({ threads: 1 }), learn)).toEqual(alone);
});

/** The work on rank 0, while the others follow. */
async function onRanks<T>(
  size: number,
  create: () => Promise<Kernels>,
  work: (kernels: Kernels) => Promise<T>,
): Promise<T> {
  const [first, ...others] = localRanks(size);
  const followed = others.map(async (ranks) => followKernels(await create(), ranks));
  const kernels = leadKernels(await create(), first);
  const result = await work(kernels);
  await kernels.close();
  await Promise.all(followed);
  return result;
}
