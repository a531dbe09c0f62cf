import { expect, test } from "vitest";
import { syntheticPictures } from "../../data/syntheticPictures.js";
import { train } from "../../learn/run/train.js";
import { modelToBytes } from "../../model/files.js";
import { createCpuKernels } from "../cpu/index.js";
import { createReferenceKernels } from "../reference/index.js";
import { createClusterKernels } from "./index.js";
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
    const models = await Promise.all(
      localRanks(size).map((ranks) => learn(createClusterKernels(createReferenceKernels(), ranks))),
    );
    for (const bytes of models) expect(bytes).toEqual(alone);
  }
});

test("the cpu kernels give the same bits on three ranks", async () => {
  const learn = async (kernels: Awaited<ReturnType<typeof createCpuKernels>>) => {
    const bytes = modelToBytes(
      await train(syntheticPictures(1, 1, 64), { ...options, examples: 1030, kernels }).model(),
    );
    await kernels.close();
    return bytes;
  };
  const alone = await learn(await createCpuKernels({ threads: 1 }));
  const models = await Promise.all(
    localRanks(3).map(async (ranks) =>
      learn(createClusterKernels(await createCpuKernels({ threads: 1 }), ranks)),
    ),
  );
  for (const bytes of models) expect(bytes).toEqual(alone);
});
