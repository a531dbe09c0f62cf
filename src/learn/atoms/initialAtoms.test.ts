import { describe, expect, test } from "vitest";
import { SparseColumns } from "../../core/matrix.js";
import { Rng } from "../../core/random/rng.js";
import { makeSignal } from "../../core/signal.js";
import { createBase } from "../../dictionaries/base.js";
import { explicitBase } from "../../kernels/conformance/oracle.case.js";
import { train } from "../run/train.js";
import { initialAtoms, maxNonZeros, modelAtoms, mostUsedAtoms } from "./initialAtoms.js";

/** Rows and values of a column. */
function entries(A: SparseColumns, j: number): [number, number][] {
  const start = j * A.width;
  return Array.from({ length: A.counts[j] }, (_, s) => [A.indices[start + s], A.values[start + s]]);
}

describe("initialAtoms", () => {
  test("is the identity for as many atoms as base atoms", () => {
    expect(initialAtoms(6, 6, 3, Rng.from(1))).toEqual(SparseColumns.identity(6, 3));
  });

  test("adds mixtures of four base atoms with signs and equal weights", () => {
    const [L, m] = [30, 200] as const;
    const A = initialAtoms(L, m, 7, Rng.from(1));
    expect([A.rows, A.cols, A.width]).toEqual([L, m, 7]);
    expect(A.slice(0, L)).toEqual(SparseColumns.identity(L, 7));
    const signs = new Set<number>();
    for (let j = L; j < m; j++) {
      const rows = entries(A, j).map(([row]) => row);
      expect(rows.length).toBe(4);
      expect(rows).toEqual([...new Set(rows)].sort((a, b) => a - b));
      for (const [, value] of entries(A, j)) {
        expect(Math.abs(value)).toBe(0.5);
        signs.add(Math.sign(value));
      }
    }
    expect([...signs].sort()).toEqual([-1, 1]);
    // no two are the same up to sign
    const lines = Array.from({ length: m - L }, (_, i) => {
      const column = entries(A, L + i);
      return column.map(([row, value]) => `${row}:${value * Math.sign(column[0][1])}`).join();
    });
    expect(new Set(lines).size).toBe(m - L);
  });

  test.each([
    [1, 20, 1],
    [2, 20, 2],
    [9, 3, 3],
    [9, 4, 4],
  ])("mixes no more than the atom sparsity (%i) and the base atoms (%i) allow: %i", (width, L, mixed) => {
    const A = initialAtoms(L, L + 5, width, Rng.from(2));
    for (let j = L; j < L + 5; j++) {
      const column = entries(A, j);
      expect(column.length).toBe(mixed);
      expect(Math.hypot(...column.map(([, value]) => value))).toBeCloseTo(1, 6);
    }
  });

  test("depends only on the generator", () => {
    expect(initialAtoms(10, 30, 4, Rng.from(3))).toEqual(initialAtoms(10, 30, 4, Rng.from(3)));
    expect(initialAtoms(10, 30, 4, Rng.from(4))).not.toEqual(initialAtoms(10, 30, 4, Rng.from(3)));
  });
});

describe("mostUsedAtoms", () => {
  test("takes the base atoms with the most uses, in the order of Φ; of equal ones the first", () => {
    const A = mostUsedAtoms(Float32Array.of(1, 9, 2, 0, 2, 7), 3, 2);
    expect(entries(A, 0)).toEqual([[1, 1]]);
    expect(entries(A, 1)).toEqual([[2, 1]]);
    expect(entries(A, 2)).toEqual([[5, 1]]);
    expect([A.rows, A.cols, A.width]).toEqual([6, 3, 2]);
  });
});

describe("the starting atoms of a training run", () => {
  const patch = [3, 4] as const;
  const base = createBase("odct:1", patch); // orthonormal: each example is the sum of the base atoms it is made of
  const phi = explicitBase(base.factors);

  /** Examples of two base atoms each. */
  const examples = (pairs: readonly (readonly [number, number])[]) =>
    pairs.map(([a, b], i) => {
      const data = Float32Array.from({ length: phi.rows }, (_, r) => 50 * phi.at(r, a) + 20 * phi.at(r, b));
      return makeSignal(`example ${i}`, patch, data);
    });
  const data = examples([
    [2, 5],
    [2, 7],
    [2, 11],
    [5, 7],
    [7, 3],
    [11, 2],
  ]);

  async function start(atoms: number, sparsity: number): Promise<SparseColumns> {
    const options = {
      patch,
      base,
      atoms,
      atomSparsity: 4,
      coding: { sparsity },
      holdout: 0,
      removeMean: false,
    };
    const run = train(data, options);
    for await (const _ of run) break; // the report before the first mini-batch
    return (await run.model()).A;
  }

  test("are the base itself for m = L", async () => {
    const A = await start(12, 2);
    for (let j = 0; j < 12; j++) expect(entries(A, j).map(([row]) => row)).toEqual([j]);
  });

  test("are the base and mixtures of it for m > L", async () => {
    const A = await start(20, 2);
    expect(Array.from(A.counts)).toEqual([...Array(12).fill(1), ...Array(8).fill(4)]);
  });

  test("are the base atoms that code the examples most often for m < L", async () => {
    const rowsOf = (A: SparseColumns) => Array.from({ length: A.cols }, (_, j) => entries(A, j)[0][0]);
    expect(rowsOf(await start(3, 2))).toEqual([2, 5, 7]); // used 4, 2 and 3 times; 11 as often as 5, but later
    expect(rowsOf(await start(5, 2))).toEqual([2, 3, 5, 7, 11]);
    expect(rowsOf(await start(2, 1))).toEqual([2, 5]); // only the stronger atom of each counts
  });

  test.each([
    ["fewer atoms than the base has", { atoms: 5, init: "base" }, 7],
    ["base atoms and examples", { atoms: 20, init: "both" }, 4],
    ["the base", { init: "base" }, 0],
    ["examples", { init: "examples" }, 0],
  ] as const)("%s: the search for them reports how far it is", async (_, chosen, reports) => {
    const parts: number[] = [];
    const run = train(data, {
      ...{ patch, base, atomSparsity: 4, coding: { sparsity: 2 }, holdout: 0, batch: 1 },
      ...chosen,
      onReading: (part, work) => {
        if (work === "starting") parts.push(part);
      },
    });
    await run.plan();
    await run.close();
    expect(parts.length).toBe(reports);
    if (reports === 0) return;
    expect([parts[0], parts.at(-1)]).toEqual([0, 1]);
    expect(parts).toEqual(parts.toSorted((a, b) => a - b));
  });
});

describe("explicit atoms that start from the base", () => {
  const patch = [3, 4] as const;
  const base = createBase("odct:2", patch);
  const phi = explicitBase(base.factors); // 12 × 48, unit columns
  const data = Array.from({ length: 20 }, (_, i) =>
    makeSignal(
      `example ${i}`,
      patch,
      Float32Array.from({ length: 12 }, (_, r) => Math.sin(i + 3 * r)),
    ),
  );

  async function start(learner: "odl" | "ksvd", atoms: number) {
    const run = train(data, {
      patch,
      base,
      atoms,
      learner,
      init: "base",
      coding: { sparsity: 2 },
      holdout: 0,
    });
    for await (const _ of run) break; // the report before the first update
    return (await run.model()).atoms();
  }

  test.each(["odl", "ksvd"] as const)("are those of the base for %s", async (learner) => {
    const D = await start(learner, 48);
    D.data.forEach((value, i) => {
      expect(value).toBeCloseTo(phi.data[i], 6);
    });
  });

  test("are mixtures of base atoms besides for m > L, and base atoms for m < L", async () => {
    const more = await start("odl", 60);
    for (let j = 0; j < 60; j++) {
      expect(Math.hypot(...more.column(j))).toBeCloseTo(1, 5);
      if (j < 48) expect(more.column(j)[0]).toBeCloseTo(phi.column(j)[0], 6);
    }
    const fewer = await start("odl", 10);
    for (let j = 0; j < 10; j++) {
      const nearest = Math.max(
        ...Array.from({ length: 48 }, (_, i) => overlap(fewer.column(j), phi.column(i))),
      );
      expect(nearest).toBeCloseTo(1, 5);
    }
  });
});

function overlap(x: ArrayLike<number>, y: ArrayLike<number>): number {
  let sum = 0;
  for (let i = 0; i < x.length; i++) sum += x[i] * y[i];
  return sum;
}

describe("starting atoms from a model", () => {
  const A = SparseColumns.fromEntries(5, 3, [
    [
      [4, 0.5],
      [1, -2],
    ],
    [],
    [[0, 1]],
  ]);

  test("are its columns, with the norms they had, with room for the given width", () => {
    const start = modelAtoms({ A, norms: Float32Array.of(2, 0, 0.5) }, 2);
    expect(start.width).toBe(2);
    expect([...start.toDense().data]).toEqual([0, -4, 0, 0, 1, 0, 0, 0, 0, 0, 0.5, 0, 0, 0, 0]);
    expect(modelAtoms({ A, norms: undefined }, 4).toDense()).toEqual(A.toDense());
  });

  test("need room for as many non-zeros as the fullest atom has", () => {
    expect(maxNonZeros(A)).toBe(2);
    expect(maxNonZeros(new SparseColumns(3, 2, 2))).toBe(1);
  });
});
