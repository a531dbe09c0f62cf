import { describe, expect, test } from "vitest";
import { DenseMatrix, SparseColumns } from "../../../core/matrix.js";
import { Rng } from "../../../core/random/rng.js";
import { createBase } from "../../../dictionaries/base.js";
import { SparseDictionary } from "../../../dictionaries/dictionary.js";
import {
  dot,
  explicitBase,
  randomDense,
  randomSparse,
  wide,
} from "../../../kernels/conformance/oracle.case.js";
import { createReferenceKernels } from "../../../kernels/reference/index.js";
import { Matrix64 } from "../../../linalg/matrix64.js";
import { expectGramOfAtoms, randomAtoms, unitAtoms, watchKernels } from "../learner.case.js";
import { type AtomGroup, AtomSweep, copyColumn } from "./atomSweep.js";
import { independentGroups, rowEnergies } from "./independentAtoms.js";

const rowsOf = async (X: SparseColumns) => {
  const kernels = createReferenceKernels();
  const held = kernels.sparse(X.rows, X.cols, X.width);
  await kernels.writeSparse(held, X);
  return kernels.readRows(held);
};

const base = createBase("odct:2", [4, 4]);
const phi = explicitBase(base.factors);
const [n, L] = [phi.rows, phi.cols];
const [m, k, p, N] = [20, 4, 3, 30] as const;

describe("independentGroups", () => {
  test("contain every used atom once, and no two atoms of a group in one example", async () => {
    for (const [draw, most] of [3, 100, 1, 7].entries()) {
      const X = randomSparse(Rng.from(draw), 80, 40, 4);
      X.setColumn(0, [79], [0]); // a stored zero does not count as a use
      const groups = independentGroups(await rowsOf(X), most);
      const used = new Set(
        [...X.indices].filter((_, s) => X.values[s] !== 0 && s % X.width < X.counts[Math.floor(s / X.width)]),
      );
      expect(groups.flatMap((group) => [...group]).sort((a, b) => a - b)).toEqual(
        [...used].sort((a, b) => a - b),
      );
      for (const group of groups) {
        expect(group.length).toBeLessThanOrEqual(most);
        expect([...group]).toEqual([...group].sort((a, b) => a - b));
        for (let i = 0; i < X.cols; i++) {
          const rows = [...X.indices.subarray(i * 4, i * 4 + X.counts[i])];
          const inGroup = rows.filter((row, s) => group.includes(row) && X.values[i * 4 + s] !== 0);
          expect(inGroup.length).toBeLessThanOrEqual(1);
        }
      }
    }
  });

  test("are one group if every code has one atom, and one per atom if a code has them all", async () => {
    const one = SparseColumns.fromEntries(5, 1, [[[3, 1]], [[1, 1]], [[3, 2]]]);
    expect(independentGroups(await rowsOf(one), 9)).toEqual([Uint32Array.of(1, 3)]);
    const all = SparseColumns.fromEntries(3, 3, [
      [
        [2, 1],
        [0, 1],
        [1, 1],
      ],
    ]);
    expect(independentGroups(await rowsOf(all), 9)).toEqual([
      Uint32Array.of(0),
      Uint32Array.of(1),
      Uint32Array.of(2),
    ]);
    expect(independentGroups(await rowsOf(new SparseColumns(4, 2, 1)), 9)).toEqual([]);
  });

  test("rowEnergies are the squared norms of the rows", async () => {
    const X = randomSparse(Rng.from(2), 9, 12, 4);
    const rows = wide(X).transpose();
    rowEnergies(await rowsOf(X)).forEach((energy, j) => {
      expect(energy).toBeCloseTo(dot(rows.column(j), rows.column(j)), 10);
    });
  });
});

async function setUp(refits = true) {
  const watched = watchKernels();
  const { kernels } = watched;
  const rng = Rng.from(4);
  const A = randomAtoms(rng, L, m, k);
  const dictionary = await SparseDictionary.create(base, A, kernels, k);
  const codes = randomSparse(rng, m, N, p);
  const Y = randomDense(rng, n, N);
  const [X, R, held] = [kernels.sparse(m, N, p), kernels.matrix(n, N), kernels.matrix(n, N)];
  await kernels.writeSparse(X, codes);
  await kernels.writeMatrix(held, Y);
  await kernels.residual(dictionary.phi, dictionary.A, X, held, R);
  const fresh = randomAtoms(rng, L, m, k); // what each atom becomes
  const { norms } = unitAtoms(phi, fresh);
  const size = (j: number) => (refits ? 1 : 1 + j / 3);
  for (let s = 0; s < fresh.values.length; s++)
    fresh.values[s] *= size(Math.floor(s / k)) / norms[Math.floor(s / k)];
  return { watched, kernels, A, dictionary, codes, Y, X, R, fresh };
}

/** Atoms exchanged one by one with explicit matrices, and what each saw. */
function exchangedOneByOne(
  { A, codes, Y, fresh }: Awaited<ReturnType<typeof setUp>>,
  order: number[],
  refits: boolean,
) {
  const [D, after, X] = [phi.times(wide(A)), phi.times(wide(fresh)), wide(codes)];
  const fit = D.times(X);
  const R = new Matrix64(
    n,
    N,
    Float64Array.from(Y.data, (y, i) => y - fit.data[i]),
  );
  const seen = new Map<number, { pull: Float64Array; target: Float64Array }>();
  for (const j of order) {
    const [pull, target] = [new Float64Array(n), new Float64Array(n)];
    for (let i = 0; i < N; i++) {
      const [x, r] = [X.at(j, i), R.column(i)];
      if (x === 0) continue;
      const error = r.map((value, l) => value + x * D.at(l, j));
      r.forEach((value, l) => (pull[l] -= value * x));
      error.forEach((value, l) => (target[l] -= value * x));
      const next = refits ? dot(error, after.column(j)) : x;
      X.column(i)[j] = next;
      error.forEach((value, l) => (R.column(i)[l] = value - next * after.at(l, j)));
    }
    seen.set(j, { pull, target });
  }
  return { R, X, seen };
}

describe.each(["keep", "refit"] as const)("AtomSweep, coefficients: %s", (coefficients) => {
  const refits = coefficients === "refit";
  test("updates atom after atom, each with the residual that those before it left", async () => {
    const setting = await setUp(refits);
    const { kernels, dictionary, A, X, R, fresh, watched } = setting;
    const held = watched.alive();
    const sweep = await AtomSweep.create(dictionary, kernels);
    const order: number[] = [];
    const pulls = new Map<number, Float32Array>();
    const targets = new Map<number, Float32Array>();
    const update = async (group: AtomGroup) => {
      const T = kernels.matrix(n, group.atoms.length);
      await group.targets(T);
      const [seen, wanted] = [await kernels.readMatrix(group.pull), await kernels.readMatrix(T)];
      kernels.free(T);
      const columns = new SparseColumns(L, group.atoms.length, k);
      group.atoms.forEach((atom, at) => {
        order.push(atom);
        pulls.set(atom, seen.column(at));
        targets.set(atom, wanted.column(at));
        expect(group.columns.slice(at, at + 1).toDense()).toEqual(A.slice(atom, atom + 1).toDense());
        copyColumn(fresh, atom, columns, at);
      });
      return columns;
    };
    const { atoms: updated, norms } = await sweep.run(X, R, update, coefficients);
    sweep.free();
    expect(watched.alive()).toBe(held);
    expect([...updated]).toEqual([...order].sort((a, b) => a - b));
    const expected = exchangedOneByOne(setting, order, refits);
    const near = (actual: ArrayLike<number>, exact: ArrayLike<number>) => {
      for (let l = 0; l < exact.length; l++) expect(actual[l]).toBeCloseTo(exact[l], 3);
    };
    near((await kernels.readMatrix(R)).data, expected.R.data);
    near((await kernels.readSparse(X)).toDense().data, expected.X.data);
    for (const j of order) {
      near(pulls.get(j)!, expected.seen.get(j)!.pull);
      near(targets.get(j)!, expected.seen.get(j)!.target);
    }
    const after = await kernels.readSparse(dictionary.A);
    for (let j = 0; j < m; j++) {
      const source = order.includes(j) ? fresh : A;
      expect(norms[j]).toBeCloseTo(order.includes(j) && !refits ? 1 + j / 3 : 1, 4);
      near(
        after.slice(j, j + 1).toDense().data,
        source
          .slice(j, j + 1)
          .toDense()
          .data.map((value) => value / norms[j]),
      );
    }
    await expectGramOfAtoms(dictionary, kernels);
  });
});

test("a sweep over empty codes changes nothing", async () => {
  const { kernels, dictionary, A, X, R } = await setUp();
  await kernels.writeSparse(X, new SparseColumns(m, N, p));
  await kernels.writeMatrix(R, new DenseMatrix(n, N));
  const sweep = await AtomSweep.create(dictionary, kernels);
  const { atoms: none } = await sweep.run(
    X,
    R,
    async () => Promise.reject(new Error("no atom is updated")),
    "refit",
  );
  expect(none.length).toBe(0);
  expect((await kernels.readSparse(dictionary.A)).toDense()).toEqual(A.toDense());
});
