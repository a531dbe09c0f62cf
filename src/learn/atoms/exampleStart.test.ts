import { describe, expect, test } from "vitest";
import { DenseMatrix, SparseColumns } from "../../core/matrix.js";
import { Rng } from "../../core/random/rng.js";
import { baseCols, baseRows, createBase } from "../../dictionaries/base.js";
import { dot, explicitBase, wide } from "../../kernels/conformance/oracle.case.js";
import type { DeviceMatrix, PursuitName } from "../../kernels/contract.js";
import { createReferenceKernels } from "../../kernels/reference/index.js";
import type { CodingRule } from "../../pursuit/encoder.js";
import type { StartingAtoms } from "../learners/learner.js";
import { chosenFactor } from "./exampleStart.js";

const base = createBase("odct:1", [4, 4]);
const [n, L] = [baseRows(base), baseCols(base)];
const phi = explicitBase(base.factors);

/** The start of a run over these examples, and the atoms ΦA⁰. */
async function start(
  init: StartingAtoms,
  atoms: number,
  examples: DenseMatrix,
  k = 3,
  coding: CodingRule = { sparsity: 1 },
) {
  const kernels = createReferenceKernels();
  const batch = 8;
  const options = { base, atoms, atomSparsity: k, batch, coding, init };
  async function* firstExamples(limit = 100): AsyncGenerator<DeviceMatrix> {
    const count = Math.min(limit, examples.cols);
    const Y = kernels.matrix(n, batch);
    for (let from = 0; from < count; from += batch) {
      const y = kernels.head(Y, Math.min(batch, count - from));
      await kernels.writeMatrix(y, examples.slice(from, from + y.cols).copy());
      yield y;
    }
    kernels.free(Y);
  }
  const rest = { momentum: 0, firstSteps: "paper" as const, stepDecay: 1, average: false };
  const setting = { options: { ...options, ...rest }, model: undefined, examples: examples.cols };
  const A = await chosenFactor({ ...setting, firstExamples, rng: Rng.from(1), kernels });
  expect(kernels.memory.used).toBe(0);
  return { A, D: phi.times(wide(A)) };
}

/** Examples that are multiples of columns of Φ, these atoms in turn. */
function multiples(atoms: readonly number[], count: number): DenseMatrix {
  return DenseMatrix.build(n, count, (r, i) => (1 + i) * phi.column(atoms[i % atoms.length])[r]);
}

/** Mixtures of two columns of Φ, the same pairs again and again. */
function pairs(count: number): DenseMatrix {
  const scaled = (r: number, j: number) => phi.column(j)[r] + phi.column(j + 1)[r];
  return DenseMatrix.build(n, count, (r, i) => (i + 1) * scaled(r, 2 * (i % 4)));
}

describe("chosenFactor", () => {
  test("base: the identity, whatever the examples", async () => {
    expect((await start("base", L, pairs(20))).A).toEqual(SparseColumns.identity(L, 3));
  });

  test("examples: unit atoms along the examples; random directions if there are too few", async () => {
    const examples = pairs(4);
    const { A, D } = await start("examples", 6, examples, 2);
    for (let j = 0; j < 6; j++) expect(dot(D.column(j), D.column(j))).toBeCloseTo(1, 5);
    for (let j = 0; j < 4; j++) {
      const size = Math.sqrt(dot(examples.column(j), examples.column(j)));
      expect(dot(D.column(j), examples.column(j)) / size).toBeCloseTo(1, 5);
    }
    expect(Math.max(...A.counts)).toBeLessThanOrEqual(2);
  });

  test("both: base atoms where examples are base atoms, examples where they are mixtures", async () => {
    const simple = await start("both", 3, multiples([2, 7, 11], 30));
    expect([...simple.A.counts]).toEqual([1, 1, 1]);
    expect([...simple.A.indices.filter((_, s) => s % 3 === 0)]).toEqual([2, 7, 11]);
    const mixed = await start("both", 4, pairs(40));
    expect([...mixed.A.counts]).toEqual([2, 2, 2, 2]);
  });

  test("both: an example that is an atom does not count as a use of it", async () => {
    // the first eight differ from all that follow, which are coded
    const examples = DenseMatrix.build(n, 24, (r, i) =>
      i < 8 ? pairs(8).at(r, i) : phi.column(12 + (i % 2))[r],
    );
    const { A } = await start("both", 8, examples);
    expect([...A.counts.subarray(0, 8)].filter((count) => count > 1)).toEqual([]);
  });

  test("both: counts uses by OMP, whichever pursuit learns", async () => {
    const rng = Rng.from(2);
    const examples = DenseMatrix.build(n, 80, () => rng.normal());
    const chosen = async (pursuit: PursuitName) =>
      (await start("both", 12, examples, 3, { sparsity: 4, pursuit })).A;
    expect(await chosen("ols")).toEqual(await chosen("omp"));
  });

  test("both: works with one example, zero examples and more atoms than candidates", async () => {
    for (const examples of [pairs(1), new DenseMatrix(n, 5), pairs(3)]) {
      const { A, D } = await start("both", L + 7, examples);
      expect(A.cols).toBe(L + 7);
      for (let j = 0; j < A.cols; j++) expect(dot(D.column(j), D.column(j))).toBeGreaterThan(0.01);
    }
  });
});
