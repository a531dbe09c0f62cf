import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { InputError } from "./errors.js";
import { DenseMatrix, SparseColumns } from "./matrix.js";
import { Rng } from "./random/rng.js";

const sizes = fc.record({ rows: fc.nat(6), cols: fc.nat(6), seed: fc.nat() });

describe("DenseMatrix", () => {
  test("is column-major", () => {
    const M = DenseMatrix.build(2, 3, (i, j) => 10 * i + j);
    expect([...M.data]).toEqual([0, 10, 1, 11, 2, 12]);
    expect(M.at(1, 2)).toBe(12);
    expect([...M.column(1)]).toEqual([1, 11]);
    expect([...DenseMatrix.identity(2).data]).toEqual([1, 0, 0, 1]);
    expect([...new DenseMatrix(2, 2).data]).toEqual([0, 0, 0, 0]);
  });

  test("columns and slices share its memory, a copy does not", () => {
    const M = DenseMatrix.build(2, 4, (i, j) => 10 * i + j);
    const copy = M.copy();
    M.column(1)[0] = 7;
    expect(M.at(0, 1)).toBe(7);
    const part = M.slice(1, 3);
    expect([part.rows, part.cols, part.at(0, 0)]).toEqual([2, 2, 7]);
    part.data[3] = 8;
    expect(M.at(1, 2)).toBe(8);
    part.slice(1, 2).column(0)[0] = 9; // a slice of a slice
    expect(M.at(0, 2)).toBe(9);
    expect(copy).toEqual(DenseMatrix.build(2, 4, (i, j) => 10 * i + j));
    expect(M.slice(1, 3).copy().data.buffer.byteLength).toBe(4 * 4);
  });

  test("slices of any range hold its columns", () => {
    fc.assert(
      fc.property(sizes, fc.nat(6), fc.nat(6), ({ rows, cols }, a, b) => {
        const from = Math.min(a, b, cols);
        const to = Math.min(Math.max(a, b), cols);
        const M = DenseMatrix.build(rows, cols, (i, j) => 10 * i + j);
        expect(M.slice(from, to).copy()).toEqual(
          DenseMatrix.build(rows, to - from, (i, j) => 10 * i + j + from),
        );
      }),
    );
  });

  test("scaled is a copy multiplied by a factor", () => {
    const M = DenseMatrix.build(2, 2, (i, j) => 10 * i + j);
    expect([...M.scaled(0.5).data]).toEqual([0, 5, 0.5, 5.5]);
    expect(M.at(1, 1)).toBe(11);
  });

  test("may have no rows or no columns", () => {
    expect(new DenseMatrix(0, 3).column(2).length).toBe(0);
    expect(new DenseMatrix(3, 0).slice(0, 0).cols).toBe(0);
  });

  test("rejects sizes that do not fit", () => {
    expect(() => new DenseMatrix(2, 3, new Float32Array(5))).toThrow(
      new InputError("DenseMatrix: data must hold 2 × 3 values, got 5"),
    );
    expect(() => new DenseMatrix(1.5, 2, new Float32Array(3))).toThrow(
      new InputError("DenseMatrix: rows must be an integer of at least 0, got 1.5"),
    );
    expect(() => new DenseMatrix(2, 3).slice(1, 4)).toThrow(InputError);
    expect(() => new DenseMatrix(2, 3).slice(2, 1)).toThrow(InputError);
  });
});

/** Columns of random entries, and the entries. */
function randomColumns(rng: Rng, rows: number, cols: number, width: number) {
  const entries = Array.from({ length: cols }, () =>
    rng
      .distinct(rng.below(Math.min(rows, width) + 1), rows)
      .map((row): [number, number] => [row, Math.fround(1 + rng.uniform())]),
  );
  return { entries, sparse: SparseColumns.fromEntries(rows, width, entries) };
}

describe("SparseColumns", () => {
  test("hold the entries of each column in order, followed by zeros", () => {
    fc.assert(
      fc.property(sizes, fc.nat(4), ({ rows, cols, seed }, width) => {
        const { entries, sparse } = randomColumns(Rng.from(seed), rows, cols, width);
        expect([sparse.rows, sparse.cols, sparse.width]).toEqual([rows, cols, width]);
        entries.forEach((column, j) => {
          const slots = Array.from({ length: width }, (_, s) => column[s] ?? [0, 0]);
          expect(sparse.counts[j]).toBe(column.length);
          expect([...sparse.indices.subarray(j * width, (j + 1) * width)]).toEqual(slots.map(([row]) => row));
          expect([...sparse.values.subarray(j * width, (j + 1) * width)]).toEqual(slots.map(([, x]) => x));
        });
      }),
    );
  });

  test("have the same dense matrix for any order of entries and any width", () => {
    fc.assert(
      fc.property(sizes, fc.nat(4), ({ rows, cols, seed }, width) => {
        const { entries, sparse } = randomColumns(Rng.from(seed), rows, cols, width);
        const dense = DenseMatrix.build(
          rows,
          cols,
          (i, j) => entries[j].find(([row]) => row === i)?.[1] ?? 0,
        );
        expect(sparse.toDense()).toEqual(dense);
        const turned = entries.map((column) => column.toReversed());
        expect(SparseColumns.fromEntries(rows, width + 2, turned).toDense()).toEqual(dense);
      }),
    );
  });

  test("slices share memory, a copy does not", () => {
    const { sparse } = randomColumns(Rng.from(3), 5, 4, 3);
    const copy = sparse.copy();
    const dense = sparse.toDense();
    const part = sparse.slice(1, 3);
    expect(part.toDense()).toEqual(dense.slice(1, 3).copy());
    part.setColumn(0, [4, 2], [8, 9]);
    expect([sparse.toDense().at(4, 1), sparse.toDense().at(2, 1), sparse.counts[1]]).toEqual([8, 9, 2]);
    expect(copy.toDense()).toEqual(dense);
  });

  test("replace a whole column with setColumn, and no other", () => {
    const { sparse } = randomColumns(Rng.from(4), 5, 3, 3);
    sparse.setColumn(1, [0, 1, 2], [1, 1, 1]);
    const before = sparse.copy();
    sparse.setColumn(1, Uint32Array.of(3), Float32Array.of(0.5));
    expect([...sparse.indices.subarray(3, 6), ...sparse.values.subarray(3, 6)]).toEqual([3, 0, 0, 0.5, 0, 0]);
    for (const j of [0, 2]) expect(sparse.slice(j, j + 1).copy()).toEqual(before.slice(j, j + 1).copy());
  });

  test("include the identity", () => {
    expect(SparseColumns.identity(4, 1).toDense()).toEqual(DenseMatrix.identity(4));
    expect(SparseColumns.identity(4, 3).toDense()).toEqual(DenseMatrix.identity(4));
    expect(SparseColumns.identity(0, 3).cols).toBe(0);
  });

  test("reject rows and lengths that do not fit", () => {
    const sparse = new SparseColumns(4, 2, 2);
    expect(() => sparse.setColumn(0, [0, 1, 2], [1, 1, 1])).toThrow(
      new InputError("SparseColumns.setColumn: number of entries must be an integer from 0 to 2, got 3"),
    );
    expect(() => sparse.setColumn(0, [4], [1])).toThrow(
      new InputError("SparseColumns.setColumn: row must be an integer from 0 to 3, got 4"),
    );
    expect(() => SparseColumns.identity(3, 0)).toThrow(InputError);
    expect(() => new SparseColumns(4, 2, 2, new Uint32Array(3))).toThrow(
      new InputError("SparseColumns: indices, values and counts must fit 2 columns of width 2"),
    );
    expect(() => new SparseColumns(4, 2, 0.5, new Uint32Array(1), new Float32Array(1))).toThrow(InputError);
  });
});
