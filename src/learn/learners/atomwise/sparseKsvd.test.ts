import { describe, expect, test } from "vitest";
import { DenseMatrix, SparseColumns } from "../../../core/matrix.js";
import { Rng } from "../../../core/random/rng.js";
import { syntheticPictures } from "../../../data/syntheticPictures.js";
import { createBase } from "../../../dictionaries/base.js";
import { dot, explicitBase, randomDense, wide } from "../../../kernels/conformance/oracle.case.js";
import { createReferenceKernels } from "../../../kernels/reference/index.js";
import { Matrix64 } from "../../../linalg/matrix64.js";
import { collect, learnerCase, pursue, randomAtoms, unitAtoms } from "../learner.case.js";
import { independentGroups } from "./independentAtoms.js";
import { sparseKsvd } from "./sparseKsvd.js";

learnerCase("sparse-ksvd", {
  sparseFactor: true,
  recovers: 0.8,
  planted: { epochs: 30, atomCare: { every: 3, maxCoherence: 0.95 } },
});

const base = createBase("odct:2", [4, 4]);
const phi = explicitBase(base.factors);
const [n, L] = [phi.rows, phi.cols];
const [m, k, p, N] = [12, 3, 2, 40] as const;
const meta = { learner: "sparse-ksvd", options: {}, seed: 1, examplesSeen: N, removeMean: true, coding: {} };

async function setUp(Y: DenseMatrix) {
  const kernels = createReferenceKernels();
  const start = randomAtoms(Rng.from(3), L, m, k);
  const sizes = { base, atoms: m, atomSparsity: k, batch: 16 };
  const options = {
    ...sizes,
    coding: { sparsity: p },
    momentum: 0,
    firstSteps: "paper" as const,
    stepDecay: 1,
    init: "examples" as const,
    average: false,
  };
  const learner = await sparseKsvd.create({ options, start, examples: N, kernels });
  const held = kernels.matrix(n, N);
  await kernels.writeMatrix(held, Y);
  return { kernels, start, learner, held };
}

/** One iteration as published, atom by atom with explicit matrices, in a given order. */
function publishedIteration(Y: Matrix64, D0: Matrix64, X: Matrix64, order: readonly number[]): Matrix64 {
  const D = new Matrix64(n, m, D0.data.slice());
  for (const j of order) {
    const users = [...Array(N).keys()].filter((i) => X.at(j, i) !== 0);
    const E = users.map((i) => {
      const others = new Float64Array(m);
      X.column(i).forEach((x, a) => (others[a] = a === j ? 0 : x));
      return Y.column(i).map((y, l) => y - others.reduce((sum, x, a) => sum + x * D.at(l, a), 0));
    });
    const z = new Float64Array(n);
    E.forEach((e, u) => e.forEach((value, l) => (z[l] += value * X.at(j, users[u]))));
    const d = new Float64Array(n);
    for (const [row, value] of pursue(phi, z, k)) phi.column(row).forEach((v, l) => (d[l] += v * value));
    const norm = Math.sqrt(dot(d, d));
    D.column(j).set(d.map((value) => value / norm));
    E.forEach((e, u) => (X.column(users[u])[j] = dot(D.column(j), e)));
  }
  return D;
}

describe("sparse-ksvd", () => {
  test("is one iteration as published: each atom sees the residual that those before it left", async () => {
    const Y = randomDense(Rng.from(9), n, N, 3);
    const { kernels, start, learner, held } = await setUp(Y);
    const order: number[] = [];
    const X = new Matrix64(m, N);
    for (let from = 0; from < N; from += 16) {
      const part = kernels.matrix(n, Math.min(16, N - from));
      await kernels.copyColumns(held, from, part);
      const coded = await kernels.readSparse(await learner.encoder.encode(part));
      X.data.set(wide(coded).data, from * m);
    }
    const { norms, D: unit } = unitAtoms(phi, start);
    await learner.update(held);
    const all = SparseColumns.fromEntries(
      m,
      p,
      Array.from({ length: N }, (_, i) =>
        [...X.column(i).entries()].filter(([, x]) => x !== 0).map(([j, x]): [number, number] => [j, x]),
      ),
    );
    const codes = kernels.sparse(m, N, p);
    await kernels.writeSparse(codes, all);
    for (const group of independentGroups(await kernels.readRows(codes), 512)) order.push(...group);
    const D0 = new Matrix64(
      n,
      m,
      unit.data.map((value, i) => value * norms[Math.floor(i / n)]),
    );
    const expected = publishedIteration(wide(Y), D0, X, order);
    const found = phi.times(wide((await learner.model(meta)).A));
    for (const j of order) expect(dot(found.column(j), expected.column(j))).toBeCloseTo(1, 3);
    learner.free();
  });

  test.each([1, 2, 3])("lowers its error in every iteration (seed %i)", async (seed) => {
    const { reports } = await collect(syntheticPictures(seed, 2, 60), {
      patch: [8, 8],
      atomSparsity: 6,
      coding: { sparsity: 4 },
      learner: "sparse-ksvd",
      examples: 2500,
      epochs: 8,
      holdout: 0,
      seed,
    });
    const errors = reports.slice(1).map(({ rmse }) => rmse);
    expect(errors.length).toBe(8);
    for (let t = 1; t < errors.length; t++) expect(errors[t]).toBeLessThan(errors[t - 1]);
  });

  test("D1 zero target: atoms without a target do not change", async () => {
    // zero examples use no atom
    const { start, learner, kernels, held } = await setUp(new DenseMatrix(n, N));
    const { D } = unitAtoms(phi, start);
    await learner.update(held);
    const same = unitAtoms(phi, (await learner.model(meta)).A).D;
    same.data.forEach((value, i) => expect(value).toBeCloseTo(D.data[i], 5));
    expect((await learner.report()).atomsUsed).toBe(0);
    expect(kernels.memory.used).toBeGreaterThan(0);
    learner.free();
  });

  test("D2 idle atoms: they are left to atom care, once per iteration", async () => {
    const options = { patch: [6, 6], base: "cropped:db2", atomSparsity: 4, coding: { sparsity: 2 } } as const;
    const more = { learner: "sparse-ksvd", examples: 300, epochs: 4, holdout: 0 } as const;
    const { reports } = await collect(syntheticPictures(1, 1, 40), { ...options, ...more });
    const replaced = reports.slice(1).map(({ atomsReplaced }) => atomsReplaced);
    expect(replaced.slice(0, -1).every((count) => count > 0)).toBe(true);
    expect(replaced.at(-1)).toBe(0); // atom care skips the last iteration
    const without = await collect(syntheticPictures(1, 1, 40), { ...options, ...more, atomCare: false });
    expect(without.reports.every(({ atomsReplaced }) => atomsReplaced === 0)).toBe(true);
  });
});
