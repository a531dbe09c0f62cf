import { expect, test } from "vitest";
import { SparseColumns } from "../../core/matrix.js";
import { Rng } from "../../core/random/rng.js";
import { Matrix64 } from "../../linalg/matrix64.js";
import { conformance } from "../conformance/conformance.case.js";
import { createCpuKernels } from "../cpu/index.js";
import { createReferenceKernels } from "../reference/index.js";
import type { Communicator, Rates } from "./communicator.js";
import { DividedOperations } from "./dividedOperations.js";
import { dividesAll, dividesNothing, localCluster, localRanks } from "./localRanks.case.js";
import { learn, sameModels } from "./sameModels.case.js";

const reference = async () => createReferenceKernels();
const cpu = () => createCpuKernels({ threads: 1 });

for (const size of [1, 2, 3, 4]) {
  const options = { draws: 1, misuse: size === 2, large: false };
  conformance(`reference on ${size} ranks:`, () => localCluster(size, reference), options);
  conformance(`cpu on ${size} ranks:`, () => localCluster(size, cpu), options);
}

sameModels(
  cpu,
  [2, 3].map((size) => () => localCluster(size, cpu)),
);

test.each<readonly [string, { readonly rates?: Rates; readonly options?: object }]>([
  ["nothing is divided", { rates: dividesNothing }],
  ["there are fewer examples than ranks", { options: { examples: 3, batch: 2, holdout: 0 } }],
  ["most atoms are not used by a batch", { options: { examples: 24, batch: 4, coding: { sparsity: 2 } } }],
])("the model is the same on four ranks where %s", async (_, { rates = dividesAll, options = {} }) => {
  expect(await learn(await localCluster(4, cpu, rates), options)).toEqual(await learn(await cpu(), options));
});

test("a Gram matrix is exchanged in several rounds, to the bits of one process", async () => {
  const [L, m, size] = [40, 300, 3];
  const gramOf = async (ranks?: Communicator) => {
    const kernels = await cpu();
    const base = kernels.base([Matrix64.identity(L)]);
    const [A, S] = [kernels.sparse(L, m, 4), kernels.set(m)];
    const [G, scale] = [kernels.matrix(m, m), kernels.matrix(m, 1)];
    const on = ranks ? new DividedOperations(kernels, kernels.divided!, ranks, 16 * m * 2) : kernels;
    await kernels.writeSparse(A, randomAtoms(1, L, m));
    for (const step of [1, 3]) {
      await kernels.writeSet(
        S,
        Uint32Array.from({ length: Math.ceil(m / step) }, (_, i) => i * step),
      );
      await on.refreshGram(base, A, S, G, scale);
      await kernels.writeSparse(A, changedEvery(3, randomAtoms(1, L, m), randomAtoms(2, L, m)));
    }
    return (await kernels.readMatrix(G)).data;
  };
  const alone = await gramOf();
  for (const G of await Promise.all(localRanks(size).map(gramOf))) expect(G).toEqual(alone);
});

/** Sparse columns of four entries each. */
function randomAtoms(seed: number, rows: number, cols: number): SparseColumns {
  const rng = Rng.from(seed);
  const atoms = new SparseColumns(rows, cols, 4);
  for (let e = 0; e < 4 * cols; e++) {
    atoms.indices[e] = ((e % 4) * rows) / 4 + rng.below(rows / 4);
    atoms.values[e] = rng.normal();
  }
  atoms.counts.fill(4);
  return atoms;
}

/** The columns of `atoms`, every `step`-th one replaced. */
function changedEvery(step: number, atoms: SparseColumns, others: SparseColumns): SparseColumns {
  for (let e = 0; e < atoms.values.length; e++) {
    if (Math.floor(e / 4) % step !== 0) continue;
    atoms.indices[e] = others.indices[e];
    atoms.values[e] = others.values[e];
  }
  return atoms;
}
