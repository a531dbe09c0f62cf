/** Coding on kernels that keep no Gram matrix, as at sizes where it would not fit: the codes are the same. */

import { afterAll, describe, expect, test } from "vitest";
import { type DenseMatrix, SparseColumns } from "../core/matrix.js";
import { Rng } from "../core/random/rng.js";
import { baseCols, createBase } from "../dictionaries/base.js";
import { openDictionary, SparseDictionary, unitColumns } from "../dictionaries/dictionary.js";
import { randomDense } from "../kernels/conformance/oracle.case.js";
import type { Kernels } from "../kernels/contract.js";
import { createCpuKernels } from "../kernels/cpu/index.js";
import { createReferenceKernels } from "../kernels/reference/index.js";
import { Encoder } from "./encoder.js";

const base = createBase("cropped:db2", [9, 8]);
const n = 72;
const m = 150;

/** Atoms of three non-zeros and of any norm. */
function someAtoms(): SparseColumns {
  const rng = Rng.from(1);
  const A = new SparseColumns(baseCols(base), m, 3);
  for (let j = 0; j < m; j++)
    A.setColumn(
      j,
      rng.distinct(3, A.rows).sort((a, b) => a - b),
      [rng.normal(), 2 * rng.normal(), rng.normal()],
    );
  return A;
}

const A = someAtoms();
const Y = randomDense(Rng.from(2), n, 37);
const cpu = await createCpuKernels({ threads: 2 });
const bare = await createCpuKernels({ threads: 2, mostGramAtoms: 40 });
const single = await createCpuKernels({ threads: 1, mostGramAtoms: 40 });
afterAll(async () => {
  for (const kernels of [cpu, bare, single]) await kernels.close();
});

async function codes(kernels: Kernels, pursuit: "omp" | "ols", explicit?: DenseMatrix) {
  const dictionary = await openDictionary({ base, A, dictionary: explicit }, kernels);
  const limits = { sparsity: 9, residualEnergy: 20, pursuit };
  const encoder = new Encoder(dictionary, limits, 40, kernels);
  const held = kernels.matrix(n, Y.cols);
  await kernels.writeMatrix(held, Y);
  const X = await kernels.readSparse(await encoder.encode(held));
  const keeps = dictionary.gram !== undefined;
  encoder.free();
  dictionary.free();
  kernels.free(held);
  return { X, keeps };
}

function expectSameCodes(one: SparseColumns, other: SparseColumns): void {
  expect(one.counts).toEqual(other.counts);
  expect(one.indices).toEqual(other.indices);
  const far = one.values.findIndex((value, i) => Math.abs(value - other.values[i]) > 1e-4);
  expect(far, "the first coefficient that differs").toBe(-1);
}

describe.each(["omp", "ols"] as const)("%s without a Gram matrix", (pursuit) => {
  test("gives the codes of the pursuit with one, on cpu and reference", async () => {
    const whole = await codes(cpu, pursuit);
    expect(whole.keeps).toBe(true);
    for (const kernels of [bare, createReferenceKernels({ mostGramAtoms: m - 1 })]) {
      const found = await codes(kernels, pursuit);
      expect(found.keeps).toBe(false);
      expectSameCodes(found.X, whole.X);
    }
  });

  test("gives the same bits on any number of threads", async () => {
    expect((await codes(single, pursuit)).X).toEqual((await codes(bare, pursuit)).X);
  });

  test("codes over explicit dictionaries, too", async () => {
    const D = unitColumns(randomDense(Rng.from(3), n, m));
    expectSameCodes((await codes(bare, pursuit, D)).X, (await codes(cpu, pursuit, D)).X);
  });
});

test("atoms are as close to earlier ones with a Gram matrix as without", async () => {
  const [one, other] = await Promise.all(
    [cpu, bare].map(async (kernels) => {
      const dictionary = await SparseDictionary.create(base, A, kernels);
      const coherence = kernels.matrix(m, 1);
      await dictionary.coherence(coherence);
      return (await kernels.readMatrix(coherence)).data;
    }),
  );
  expect(one.some((value) => value > 0.5)).toBe(true);
  one.forEach((value, j) => {
    expect(Math.abs(value - other[j])).toBeLessThan(1e-5);
  });
});

test("kernels keep a Gram matrix up to their limit", async () => {
  const kernels = createReferenceKernels({ mostGramAtoms: m });
  expect((await SparseDictionary.create(base, A, kernels)).gram).toMatchObject({ rows: m, cols: m });
});
