/**
 * Conformance: pursuits among a few atoms of each example. The few are found here anew, and the codes are
 * checked as those of a dictionary that has these atoms alone (ols.case.ts).
 */

import { expect } from "vitest";
import { DenseMatrix, SparseColumns } from "../../core/matrix.js";
import type { Rng } from "../../core/random/rng.js";
import type { NearAtoms, PursuitLimits } from "../contract.js";
import type { Bench, ConformanceCase } from "./caseHandles.case.js";
import { expectLeast } from "./ols.case.js";
import { dot, gramOf, randomDense, randomUnitDictionary } from "./oracle.case.js";

export const ompNearCases: readonly ConformanceCase[] = [
  {
    title: "ompNear is a pursuit over the atoms of a column and the largest of W",
    async check(bench, rng, scale) {
      const [n, m] = [6 + rng.below(8), 12 + rng.below(35)];
      const { D } = randomUnitDictionary(rng, n, m);
      const Y = randomDense(rng, n, 5, scale);
      Y.column(0).fill(0); // nothing to pursue
      const A = randomColumns(rng, m, 13, 3);
      const near = { first: rng.below(4), step: 2, choices: 3 + rng.below(8) };
      const residualEnergy = rng.uniform() < 0.5 ? 0 : 0.3 * n * scale * scale;
      const codes = await expectNear(
        bench,
        { D, Y, W: randomDense(rng, m, 5, scale), A, near },
        6,
        residualEnergy,
      );
      expect(codes.counts[0]).toBe(0);
    },
  },
  {
    title: "ompNear is a pursuit over few atoms at sizes beyond any block",
    large: true,
    once: true,
    async check(bench, rng) {
      const { D } = randomUnitDictionary(rng, 40, 661);
      const Y = randomDense(rng, 40, 18);
      const A = randomColumns(rng, 661, 40, 30);
      const given = { D, Y, W: randomDense(rng, 661, 18), A, near: { first: 20, choices: 75 } };
      const codes = await expectNear(bench, given, 9, 0);
      expect(await expectNear(bench, given, 9, 0), "again").toEqual(codes);
    },
  },
  {
    title: "ompNear takes by OMP what batchOmp takes of the few atoms",
    once: true,
    async check(bench, rng) {
      const { D } = randomUnitDictionary(rng, 20, 60);
      const Y = randomDense(rng, 20, 4);
      const given = { D, Y, W: randomDense(rng, 60, 4), A: randomColumns(rng, 60, 4, 5) };
      const limits = { sparsity: 5, residualEnergy: 0, pursuit: "omp" } as const;
      const codes = await codesOf(bench, { ...given, near: { first: 0, choices: 12 } }, limits);
      for (let i = 0; i < Y.cols; i++) {
        const rows = fewAtoms(given.W.column(i), given.A, i, 12);
        const few = DenseMatrix.build(20, rows.length, (r, c) => D.at(r, rows[c]));
        const alone = await bench.sparseRoom(rows.length, 1, 5);
        const [P, e] = [projections(few, Y.slice(i, i + 1)), energiesOf(Y.slice(i, i + 1))];
        const held = [await bench.put(gramOf(few)), await bench.put(P), await bench.put(e)] as const;
        await bench.kernels.batchOmp(...held, limits, alone.handle);
        const taken = [...(await alone.read()).indices].map((atom) => rows[atom]);
        expect([...codes.indices.subarray(5 * i, 5 * i + 5)], `example ${i}`).toEqual(taken);
      }
    },
  },
  {
    title:
      "ompNear chooses the lower of equal rows, atoms of A whatever their W, and none without a correlation",
    once: true,
    async check(bench) {
      const P = new DenseMatrix(6, 2, Float32Array.of(1, 2, 3, 4, 5, 6, 1, 2, 3, 4, 5, 6));
      const W = new DenseMatrix(6, 2, Float32Array.of(1, -1, 1, 0, 0, 0, 0, 0, 0, 0, 7, 0));
      const A = new SparseColumns(
        6,
        2,
        1,
        Uint32Array.of(5, 2),
        Float32Array.of(0, 1e-30),
        Uint32Array.of(1, 1),
      );
      const X = await bench.sparseRoom(6, 2, 3);
      const held = [
        await bench.put(DenseMatrix.identity(6)),
        await bench.put(P),
        await bench.put(W),
      ] as const;
      const energies = await bench.put(new DenseMatrix(1, 2, Float32Array.of(91, 91)));
      const limits = { sparsity: 3, residualEnergy: 0, pursuit: "ols" } as const;
      const columns = await bench.holdSparse(A);
      await bench.kernels.ompNear(...held, energies, columns, { first: 0, choices: 3 }, limits, X.handle);
      const codes = await X.read();
      expect([...codes.indices]).toEqual([5, 1, 0, 4, 2, 0]);
      expect([...codes.values]).toEqual([6, 2, 1, 5, 3, 0]);
      expect([...codes.counts]).toEqual([3, 2]);
    },
  },
];

interface Given {
  readonly D: DenseMatrix;
  readonly Y: DenseMatrix;
  readonly W: DenseMatrix;
  readonly A: SparseColumns;
  readonly near: NearAtoms;
}

/** Columns of distinct rows, the first of them empty. */
function randomColumns(rng: Rng, rows: number, cols: number, width: number): SparseColumns {
  const A = new SparseColumns(rows, cols, width);
  for (let j = 1; j < cols; j++) {
    const chosen = new Set(Array.from({ length: width }, () => rng.below(rows)));
    A.setColumn(
      j,
      [...chosen],
      [...chosen].map(() => rng.uniform() + 0.5),
    );
  }
  return A;
}

/** The atoms that an example chooses among, ascending. */
function fewAtoms(w: Float32Array, A: SparseColumns, column: number, choices: number): number[] {
  const own = [...A.indices.subarray(column * A.width, column * A.width + A.counts[column])];
  const others = [...w.keys()].filter((row) => w[row] !== 0 && !own.includes(row));
  others.sort((a, b) => Math.abs(w[b]) - Math.abs(w[a]) || a - b);
  return [...own, ...others].slice(0, choices).sort((a, b) => a - b);
}

function projections(D: DenseMatrix, Y: DenseMatrix): DenseMatrix {
  return DenseMatrix.build(D.cols, Y.cols, (j, i) => dot(D.column(j), Y.column(i)));
}

function energiesOf(Y: DenseMatrix): DenseMatrix {
  return DenseMatrix.build(1, Y.cols, (_, i) => dot(Y.column(i), Y.column(i)));
}

async function codesOf(bench: Bench, given: Given, limits: PursuitLimits): Promise<SparseColumns> {
  const { D, Y, W, A, near } = given;
  const X = await bench.sparseRoom(D.cols, Y.cols, limits.sparsity);
  const dense = [gramOf(D), projections(D, Y), W, energiesOf(Y)];
  const [G, P, w, energies] = await Promise.all(dense.map((M) => bench.put(M)));
  await bench.kernels.ompNear(G, P, w, energies, await bench.putSparse(A), near, limits, X.handle);
  return X.read();
}

/** Codes by OLS, each checked over the few atoms of its example. */
async function expectNear(
  bench: Bench,
  given: Given,
  sparsity: number,
  residualEnergy: number,
): Promise<SparseColumns> {
  const { D, Y, W, A, near } = given;
  const limits = { sparsity, residualEnergy, pursuit: "ols" } as const;
  const codes = await codesOf(bench, given, limits);
  for (let i = 0; i < Y.cols; i++) {
    const rows = fewAtoms(W.column(i), A, near.first + i * (near.step ?? 1), near.choices);
    const few = DenseMatrix.build(D.rows, rows.length, (r, c) => D.at(r, rows[c]));
    const [from, to] = [i * sparsity, i * sparsity + codes.counts[i]];
    const atoms = codes.indices.subarray(from, to).map((row) => rows.indexOf(row));
    expectLeast(few, Y.column(i), limits, { atoms, values: codes.values.subarray(from, to) });
  }
  return codes;
}
