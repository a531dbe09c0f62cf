/**
 * Conformance: the contents of handles, which of them share memory, and the order in which
 * operations take effect.
 */

import { expect } from "vitest";
import { DenseMatrix, SparseColumns } from "../../core/matrix.js";
import type { Rng } from "../../core/random/rng.js";
import { Matrix64 } from "../../linalg/matrix64.js";
import type { Bench, ConformanceCase } from "./caseHandles.case.js";
import { expectTidy } from "./caseHandles.case.js";
import { expectSame, randomDense, randomSparse } from "./oracle.case.js";

export const memoryCases: readonly ConformanceCase[] = [
  {
    title: "handles start empty and keep what is written, by columns",
    once: true,
    async check(bench, rng) {
      const { kernels } = bench;
      expect((await kernels.readMatrix(bench.keep(kernels.matrix(4, 4)))).data).toEqual(new Float32Array(16));
      const sparse = bench.keep(kernels.sparse(9, 5, 4));
      expect(await kernels.readSparse(sparse)).toEqual(new SparseColumns(9, 5, 4));
      const S = bench.keep(kernels.set(9));
      expect(await kernels.readSet(S)).toEqual(new Uint32Array());

      const M = randomDense(rng, 7, 5);
      const held = await bench.hold(M);
      expect([held.rows, held.cols]).toEqual([7, 5]);
      expect(await kernels.readMatrix(held)).toEqual(M);
      const X = randomSparse(rng, 9, 5, 3); // narrower than the handle
      await kernels.writeSparse(sparse, X);
      const back = await kernels.readSparse(sparse);
      expect([back.rows, back.cols, back.width]).toEqual([9, 5, 4]);
      expect(back.toDense()).toEqual(X.toDense());
      expectTidy(back);
      await kernels.writeSet(S, Uint32Array.of(1, 4, 8));
      expect(await kernels.readSet(S)).toEqual(Uint32Array.of(1, 4, 8));
      await kernels.writeSet(S, Uint32Array.of(2));
      expect(await kernels.readSet(S)).toEqual(Uint32Array.of(2));
    },
  },
  {
    title: "a head shares the memory of the whole",
    once: true,
    async check(bench, rng) {
      const { kernels } = bench;
      const M = randomDense(rng, 3, 5);
      const held = await bench.hold(M);
      const head = kernels.head(held, 2);
      expect([head.rows, head.cols]).toEqual([3, 2]);
      expect((await kernels.readMatrix(head)).data).toEqual(M.slice(0, 2).data.slice());
      M.slice(0, 2).data.fill(8);
      await kernels.writeMatrix(head, M.slice(0, 2));
      expect(await kernels.readMatrix(held)).toEqual(M);
      M.data.fill(9);
      await kernels.writeMatrix(held, M);
      expect((await kernels.readMatrix(head)).data).toEqual(new Float32Array(6).fill(9));
      expect((await kernels.readMatrix(kernels.head(head, 1))).data).toEqual(new Float32Array(3).fill(9));

      const X = randomSparse(rng, 6, 5, 3);
      const sparse = await bench.holdSparse(X);
      const columns = kernels.headSparse(sparse, 2);
      expect([columns.rows, columns.cols, columns.width]).toEqual([6, 2, 3]);
      expect((await kernels.readSparse(columns)).toDense()).toEqual(X.slice(0, 2).copy().toDense());
      const other = randomSparse(rng, 6, 2, 3);
      await kernels.writeSparse(columns, other);
      const expected = X.toDense();
      expected.data.set(other.toDense().data);
      expect((await kernels.readSparse(sparse)).toDense()).toEqual(expected);
    },
  },
  {
    title: "writeColumns replaces some columns and leaves the others",
    async check(bench, rng) {
      const [rows, cols, width] = [1 + rng.below(90), 1 + rng.below(40), 1 + rng.below(70)];
      const X = randomSparse(rng, rows, cols, Math.min(rows, width));
      const held = await bench.holdSparse(X);
      const places = Uint32Array.from(rng.distinct(rng.below(cols + 1), cols));
      const fresh = randomSparse(rng, rows, places.length, rng.below(X.width + 1));
      await bench.kernels.writeColumns(held, places, fresh);
      const expected = X.copy();
      places.forEach((place, j) => {
        const entries = [j * fresh.width, j * fresh.width + fresh.counts[j]] as const;
        expected.setColumn(place, fresh.indices.subarray(...entries), fresh.values.subarray(...entries));
      });
      expect(await bench.kernels.readSparse(held)).toEqual(expected);
    },
  },
  {
    title: "copyColumns copies columns from any first one",
    async check(bench, rng) {
      const [rows, cols] = [1 + rng.below(9), 1 + rng.below(20)];
      await expectCopied(bench, randomDense(rng, rows, cols), rng.below(cols), rng);
    },
  },
  {
    title: "copyColumns is correct at sizes beyond any block",
    large: true,
    once: true,
    check: (bench, rng) => expectCopied(bench, randomDense(rng, 1155, 1300), 150, rng),
  },
  {
    title: "writing sparse columns again leaves nothing of the old ones",
    async check(bench, rng) {
      const held = await bench.holdSparse(randomSparse(rng, 8, 6, 4));
      const X = randomSparse(rng, 8, 6, 1 + rng.below(4));
      X.setColumn(0, [], []);
      await bench.kernels.writeSparse(held, X);
      const back = await bench.kernels.readSparse(held);
      expect(back.toDense()).toEqual(X.toDense());
      expect(back.counts).toEqual(X.counts);
      expectTidy(back);
    },
  },
  {
    title: "reading and writing copy",
    once: true,
    async check(bench, rng) {
      const { kernels } = bench;
      const M = randomDense(rng, 4, 3);
      const [held, original] = [await bench.hold(M), M.copy()];
      M.data.fill(1); // the source, after it was written
      const read = await kernels.readMatrix(held);
      expect(read).toEqual(original);
      await kernels.writeMatrix(held, M); // the handle, after it was read
      expect(read).toEqual(original);
      read.data.fill(2); // what was read
      expect(await kernels.readMatrix(held)).toEqual(M);

      const X = SparseColumns.identity(4, 2);
      const sparse = await bench.holdSparse(X);
      X.setColumn(0, [3], [7]);
      const codes = await kernels.readSparse(sparse);
      expect(codes.toDense()).toEqual(DenseMatrix.identity(4));
      await kernels.writeSparse(sparse, X);
      expect(codes.toDense()).toEqual(DenseMatrix.identity(4));
      codes.values.fill(2);
      expect((await kernels.readSparse(sparse)).toDense()).toEqual(X.toDense());

      const members = Uint32Array.of(0, 2);
      const S = bench.keep(kernels.set(4));
      await kernels.writeSet(S, members);
      members[0] = 1;
      const atoms = await kernels.readSet(S);
      expect(atoms).toEqual(Uint32Array.of(0, 2));
      atoms[0] = 1;
      expect(await kernels.readSet(S)).toEqual(Uint32Array.of(0, 2));
    },
  },
  {
    title: "sparse columns may have no room for entries",
    once: true,
    async check(bench, rng) {
      const { kernels } = bench;
      const base = bench.keep(kernels.base([Matrix64.identity(5)]));
      const A = await bench.putSparse(randomSparse(rng, 5, 4, 2));
      const X = await bench.putSparse(new SparseColumns(4, 3, 0));
      const Y = await bench.room(5, 3);
      await kernels.reconstruct(base, A, X, Y.handle);
      expect((await Y.read()).data.every((value) => value === 0)).toBe(true);
      const S = bench.keep(kernels.set(4));
      await kernels.usedAtoms(X, S);
      expect(await kernels.readSet(S)).toEqual(new Uint32Array());
    },
  },
  {
    title: "memory counts handles until they are freed",
    once: true,
    async check({ kernels }, rng) {
      const before = kernels.memory.used;
      const [M, X, S] = [kernels.matrix(100, 30), kernels.sparse(50, 40, 3), kernels.set(10)];
      await kernels.writeMatrix(kernels.head(M, 2), randomDense(rng, 100, 2));
      expect(kernels.memory.used - before).toBeGreaterThanOrEqual(4 * (100 * 30 + 40 * 2 * 3));
      expect(kernels.memory.used).toBeLessThanOrEqual(kernels.memory.limit);
      kernels.free(M, X, S);
      expect(kernels.memory.used).toBe(before);
    },
  },
  {
    title: "a new handle holds zeros, also where memory was freed",
    once: true,
    async check({ kernels }, rng) {
      for (let turn = 0; turn < 3; turn++) {
        const [M, X] = [kernels.matrix(33, 7), kernels.sparse(33, 7, 2)];
        expect((await kernels.readMatrix(M)).data.every((value) => value === 0)).toBe(true);
        expect((await kernels.readSparse(X)).counts.every((count) => count === 0)).toBe(true);
        await kernels.writeMatrix(M, randomDense(rng, 33, 7));
        await kernels.writeSparse(X, randomSparse(rng, 33, 7, 2));
        kernels.free(M, X);
      }
    },
  },
  {
    title: "operations take effect in the order they are called, awaited or not",
    once: true,
    async check(bench) {
      const { kernels } = bench;
      const ones = DenseMatrix.build(300, 7, () => 1);
      const S = await bench.putSet(7, [0, 1, 2, 3, 4, 5, 6]);
      const U = await bench.hold(ones);
      const A = await bench.holdSparse(new SparseColumns(300, 7, 1));
      const one = await bench.put(new DenseMatrix(1, 1, Float32Array.of(1)));
      const step = { gamma: 2, scalars: one, eta: 0, grad: await bench.put(ones) };
      const scalars = await bench.hold(new DenseMatrix(2, 1));
      const pending = [
        ...Array.from({ length: 5 }, () => kernels.moveAtoms(1, U, S, A, step)), // u ← 2u + 1: 63 in the end
        kernels.addSquaredNorm(kernels.head(U, 1), scalars, 0),
        kernels.writeMatrix(U, ones),
        kernels.addSquaredNorm(kernels.head(U, 1), scalars, 1),
      ];
      const read = await kernels.readMatrix(scalars);
      expect([...read.data]).toEqual([300 * 63 ** 2, 300]);
      await Promise.all(pending);
    },
  },
];

async function expectCopied(bench: Bench, M: DenseMatrix, first: number, rng: Rng): Promise<void> {
  const count = rng.below(M.cols - first + 1);
  const target = await bench.room(M.rows, count);
  await bench.kernels.copyColumns(await bench.put(M), first, target.handle);
  expectSame((await target.read()).data, M.slice(first, first + count).data, "the copy");
}
