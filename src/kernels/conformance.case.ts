/**
 * The conformance suite: what any implementation of the kernel contract must do.
 *
 * Every operation is compared with explicit f64 matrices within derived bounds,
 * on sizes drawn at random: one to three axes, odd sizes, no columns at all, zero
 * columns, duplicated atoms, scales from 1e-12 to 1e12. `draws` is how many cases
 * of each; a slow device may take fewer.
 */

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { DenseMatrix, SparseColumns } from "../core/matrix.js";
import { Rng } from "../core/rng.js";
import { type Shape, sizeOf, stridesOf } from "../core/shape.js";
import { makeSignal } from "../core/signal.js";
import { Matrix64 } from "../linalg/matrix64.js";
import type { DeviceMatrix, DeviceSparse, Kernels } from "./contract.js";
import {
  chainLength,
  expectClose,
  expectGreedy,
  explicitBase,
  magnitudes,
  randomDense,
  randomFactors,
  wide,
} from "./oracle.case.js";
import { sumTolerance, unitRoundoff } from "./tolerance.js";

const scales = [1, 1e-12, 1e12];

export function conformance(name: string, create: () => Promise<Kernels>, draws = 12): void {
  describe(`${name} kernels conform`, () => {
    let kernels: Kernels;
    beforeAll(async () => {
      kernels = await create();
    });
    afterAll(async () => {
      await kernels.dispose();
    });

    async function put(matrix: DenseMatrix): Promise<DeviceMatrix> {
      const handle = kernels.matrix(matrix.rows, matrix.cols);
      await kernels.writeMatrix(handle, matrix);
      return handle;
    }
    async function putSparse(matrix: SparseColumns): Promise<DeviceSparse> {
      const handle = kernels.sparse(matrix.rows, matrix.cols, matrix.width);
      await kernels.writeSparse(handle, matrix);
      return handle;
    }
    async function putSet(capacity: number, members: readonly number[]) {
      const handle = kernels.set(capacity);
      await kernels.writeSet(handle, Uint32Array.from(members));
      return handle;
    }
    /** Run a property on random cases, each from its own generator. */
    function property(title: string, check: (rng: Rng, scale: number) => Promise<void>): void {
      test(title, async () => {
        for (let draw = 0; draw < draws; draw++) {
          await check(Rng.from(draw).split(title), scales[draw % scales.length]!);
        }
      });
    }

    test("keeps what is written, by columns", async () => {
      const rng = Rng.from(1);
      const M = randomDense(rng, 7, 5);
      const handle = await put(M);
      expect(await kernels.readMatrix(handle)).toEqual(M);
      expect((await kernels.readMatrix(kernels.head(handle, 2))).data).toEqual(M.slice(0, 2).data);
      const X = randomSparse(rng, 9, 5, 3);
      const sparse = kernels.sparse(9, 5, 4); // wider than what is written
      await kernels.writeSparse(sparse, X);
      expect((await kernels.readSparse(sparse)).toDense()).toEqual(X.toDense());
      expect((await kernels.readSparse(kernels.headSparse(sparse, 2))).toDense()).toEqual(
        X.slice(0, 2).toDense(),
      );
      expect(await kernels.readSet(await putSet(9, [1, 4, 8]))).toEqual(Uint32Array.of(1, 4, 8));
      expect((await kernels.readMatrix(kernels.matrix(4, 4))).data).toEqual(new Float32Array(16));
      kernels.free(handle, sparse);
    });

    property("analyze and synthesize are Φᵀ and Φ, and each other's adjoint", async (rng, scale) => {
      const { factors, phi, base } = randomBase(rng, kernels);
      const N = rng.below(6);
      const Y = randomDense(rng, phi.rows, N, scale);
      const C = randomDense(rng, phi.cols, N, scale);
      const Z = kernels.matrix(phi.cols, N);
      const V = kernels.matrix(phi.rows, N);
      await kernels.analyze(base, await put(Y), Z);
      await kernels.synthesize(base, await put(C), V);
      const terms = chainLength(factors);
      const size = magnitudes(phi);
      const hostZ = await kernels.readMatrix(Z);
      const hostV = await kernels.readMatrix(V);
      expectClose(hostZ, phi.transpose().times(wide(Y)), terms, size.transpose().times(magnitudes(wide(Y))));
      expectClose(hostV, phi.times(wide(C)), terms, size.times(magnitudes(wide(C))));
      for (let i = 0; i < N; i++) {
        const adjoint = Math.abs(dot(hostV.column(i), Y.column(i)) - dot(C.column(i), hostZ.column(i)));
        const bound = 2 * dot(size.times(magnitudes(wide(C))).column(i), Y.column(i).map(Math.abs));
        expect(adjoint).toBeLessThanOrEqual(sumTolerance(terms + 2, bound));
      }
    });

    property("residual is Y − ΦC, also in place", async (rng, scale) => {
      const { factors, phi, base } = randomBase(rng, kernels);
      const Y = randomDense(rng, phi.rows, 3, scale);
      const C = randomDense(rng, phi.cols, 3, scale);
      const R = kernels.matrix(phi.rows, 3);
      const held = await put(Y);
      const coefficients = await put(C);
      await kernels.residual(base, coefficients, held, R);
      const fitted = phi.times(wide(C));
      const exact = new Matrix64(
        Y.rows,
        3,
        Float64Array.from(Y.data, (y, i) => y - fitted.data[i]!),
      );
      const size = magnitudes(phi).times(magnitudes(wide(C)));
      Y.data.forEach((y, i) => {
        size.data[i]! += Math.abs(y);
      });
      expectClose(await kernels.readMatrix(R), exact, chainLength(factors) + 1, size);
      await kernels.residual(base, coefficients, held, held);
      expect(await kernels.readMatrix(held)).toEqual(await kernels.readMatrix(R));
    });

    property("correlate is diag(s)AᵀZ and combine is AX", async (rng, scale) => {
      const [L, m, N, k, p] = [
        1 + rng.below(40),
        1 + rng.below(30),
        rng.below(9),
        1 + rng.below(5),
        1 + rng.below(4),
      ];
      const A = randomSparse(rng, L, m, Math.min(k, L));
      const X = randomSparse(rng, m, N, Math.min(p, m), scale);
      const Z = randomDense(rng, L, N, scale);
      const s = randomDense(rng, m, 1);
      const P = kernels.matrix(m, N);
      const C = kernels.matrix(L, N);
      const heldA = await putSparse(A);
      await kernels.correlate(heldA, await put(Z), await put(s), P);
      await kernels.combine(heldA, await putSparse(X), C);
      const scaled = (M: Matrix64, weights: ArrayLike<number>) =>
        new Matrix64(
          M.rows,
          M.cols,
          M.data.map((value, i) => value * weights[i % M.rows]!),
        );
      const size = magnitudes(wide(A));
      const P64 = scaled(wide(A).transpose().times(wide(Z)), s.data);
      const sizeP = scaled(size.transpose().times(magnitudes(wide(Z))), s.data.map(Math.abs));
      expectClose(await kernels.readMatrix(P), P64, k + 1, sizeP);
      expectClose(
        await kernels.readMatrix(C),
        wide(A).times(wide(X)),
        k * p,
        size.times(magnitudes(wide(X))),
      );
    });

    property("refreshGram gives the unit Gram matrix, by columns, and touches nothing else", async (rng) => {
      const { factors, phi, base } = randomBase(rng, kernels);
      const L = phi.cols;
      const m = 2 + rng.below(12);
      const A = randomSparse(rng, L, m, Math.min(L, 3));
      if (m > 3) A.setColumn(2, [], []); // a zero atom
      const held = await putSparse(A);
      const G = kernels.matrix(m, m);
      const s = kernels.matrix(m, 1);
      await kernels.refreshGram(base, held, await putSet(m, [...A.counts.keys()]), G, s);
      const terms = 2 * chainLength(factors) + 2 * A.width;
      await expectUnitGram(kernels, G, s, phi, A, terms);

      const changed = [0, m - 1];
      const before = await kernels.readMatrix(G);
      for (const j of changed) A.setColumn(j, [rng.below(L)], [rng.normal() * 100]);
      await kernels.writeSparse(held, A);
      await kernels.refreshGram(base, held, await putSet(m, changed), G, s);
      await expectUnitGram(kernels, G, s, phi, A, terms);
      const after = await kernels.readMatrix(G);
      const outside = Array.from({ length: m }, (_, j) => j).filter((j) => !changed.includes(j));
      for (const i of outside) for (const j of outside) expect(after.at(i, j)).toBe(before.at(i, j));
      await kernels.refreshGram(base, held, await putSet(m, []), G, s);
      expect(await kernels.readMatrix(G)).toEqual(after);
    });

    property(
      "batchOmp takes the best atom each turn, fits by least squares, and stops as it should",
      async (rng, scale) => {
        const n = 2 + rng.below(12);
        const m = 1 + rng.below(40);
        const p = 1 + rng.below(Math.min(n, m, 8));
        const { D, G } = randomUnitDictionary(rng, n, m);
        const Y = randomDense(rng, n, 7, scale);
        Y.column(0).fill(0); // nothing to pursue
        Y.column(1).set(D.column(rng.below(m)).map((value) => value * 3 * scale)); // one atom: zero residual
        const P = DenseMatrix.build(m, 7, (j, i) => dot(D.column(j), Y.column(i)));
        const energies = DenseMatrix.build(1, 7, (_, i) => dot(Y.column(i), Y.column(i)));
        const residualEnergy = rng.uniform() < 0.5 ? 0 : 0.3 * n * scale * scale;
        const X = kernels.sparse(m, 7, p + rng.below(2));
        await kernels.batchOmp(
          await put(G),
          await put(P),
          await put(energies),
          { sparsity: p, residualEnergy },
          X,
        );
        const codes = await kernels.readSparse(X);
        expect(codes.counts[0]).toBe(0);
        expect(codes.counts[1]).toBeLessThanOrEqual(1);
        const G64 = wide(G);
        for (let i = 0; i < 7; i++) {
          const [from, to] = [i * codes.width, i * codes.width + codes.counts[i]!];
          const atoms = [...codes.indices.subarray(from, to)];
          // a scale of 1 keeps the absolute slack of the replay meaningful
          const rescaled = Array.from(P.column(i), (value) => value / scale);
          const values = Array.from(codes.values.subarray(from, to), (value) => value / scale);
          const limits = { sparsity: p, residualEnergy: residualEnergy / scale ** 2 };
          expectGreedy(G64, rescaled, energies.data[i]! / scale ** 2, limits, atoms, values);
        }
      },
    );

    property("batchOmp ends cleanly on duplicated atoms and on more atoms than dimensions", async (rng) => {
      const n = 3;
      const D = randomUnitDictionary(rng, n, 4).D;
      const twice = DenseMatrix.build(n, 8, (i, j) => D.at(i, j % 4));
      const G = DenseMatrix.build(8, 8, (i, j) => dot(twice.column(i), twice.column(j)));
      const Y = randomDense(rng, n, 5);
      const P = DenseMatrix.build(8, 5, (j, i) => dot(twice.column(j), Y.column(i)));
      const energies = DenseMatrix.build(1, 5, (_, i) => dot(Y.column(i), Y.column(i)));
      const X = kernels.sparse(8, 5, 8);
      await kernels.batchOmp(
        await put(G),
        await put(P),
        await put(energies),
        { sparsity: 8, residualEnergy: 0 },
        X,
      );
      const codes = await kernels.readSparse(X);
      codes.counts.forEach((count) => {
        expect(count).toBeLessThanOrEqual(4);
      });
      expect(codes.values.every(Number.isFinite)).toBe(true);
      const R = wide(twice).times(wide(codes));
      Y.data.forEach((y, i) => {
        expect(Math.abs(y - R.data[i]!)).toBeLessThanOrEqual(1e-3 * Math.hypot(...Y.data));
      });
    });

    test("batchOmp takes the first of equal atoms", async () => {
      const G = DenseMatrix.identity(5);
      const P = new DenseMatrix(5, 1, Float32Array.of(0, -2, 2, 2, 1));
      const X = kernels.sparse(5, 1, 3);
      const energies = new DenseMatrix(1, 1, Float32Array.of(13));
      await kernels.batchOmp(
        await put(G),
        await put(P),
        await put(energies),
        { sparsity: 3, residualEnergy: 0 },
        X,
      );
      const codes = await kernels.readSparse(X);
      expect([...codes.indices]).toEqual([1, 2, 3]);
      expect([...codes.values]).toEqual([-2, 2, 2]);
    });

    property("scaleRows, usedAtoms and countUses follow the non-zeros of X", async (rng, scale) => {
      const m = 1 + rng.below(50);
      const X = randomSparse(rng, m, rng.below(12), Math.min(m, 4), scale);
      if (X.cols > 2) X.setColumn(1, [0], [0]); // a stored zero is not a use
      const s = randomDense(rng, m, 1);
      const held = await putSparse(X);
      const S = kernels.set(m);
      const uses = await put(DenseMatrix.build(m, 1, (i) => i));
      await kernels.usedAtoms(held, S);
      await kernels.countUses(held, uses);
      const counts = new Float32Array(m);
      X.toDense().data.forEach((value, i) => {
        if (value !== 0) counts[i % m]! += 1;
      });
      expect([...(await kernels.readSet(S))]).toEqual([...counts.keys()].filter((row) => counts[row]! > 0));
      expect((await kernels.readMatrix(uses)).data).toEqual(counts.map((count, row) => count + row));
      await kernels.scaleRows(await put(s), held);
      const scaled = X.toDense().data.map((value, i) => value * s.data[i % m]!);
      expect((await kernels.readSparse(held)).toDense().data.map((v) => v + 0)).toEqual(
        scaled.map((v) => v + 0),
      );
    });

    property("gradient is −W X_Sᵀ and applyCodes is its product with X_S", async (rng, scale) => {
      const [L, m, N] = [1 + rng.below(30), 1 + rng.below(20), rng.below(9)];
      const X = randomSparse(rng, m, N, Math.min(m, 3), scale);
      const W = randomDense(rng, L, N, scale);
      const held = await putSparse(X);
      const members = [...new Set(X.indices)].filter((_, i) => i % 3 !== 2).sort((a, b) => a - b);
      const S = await putSet(m, members);
      const grad = kernels.matrix(L, m);
      await kernels.gradient(await put(W), held, S, grad);
      const X_S = rowsOf(wide(X), members);
      const negative = new Matrix64(
        L,
        N,
        wide(W).data.map((value) => -value),
      );
      const size = magnitudes(wide(W)).times(magnitudes(X_S).transpose());
      const host = (await kernels.readMatrix(grad)).slice(0, members.length);
      expectClose(host, negative.times(X_S.transpose()), N, size);
      const V = kernels.matrix(L, N);
      await kernels.applyCodes(grad, S, held, V);
      const exact = wide(host).times(X_S);
      expectClose(await kernels.readMatrix(V), exact, X.width, magnitudes(wide(host)).times(magnitudes(X_S)));
    });

    property("momentum is γU_S + ηg on S alone", async (rng, scale) => {
      const [L, m] = [1 + rng.below(30), 3 + rng.below(20)];
      const U = randomDense(rng, L, m, scale);
      const g = randomDense(rng, L, m, scale);
      const scalars = DenseMatrix.build(3, 1, (i) => i * 0.25);
      const members = [0, m - 1];
      const held = await put(U);
      await kernels.momentum(0.9, await put(scalars), 2, await put(g), await putSet(m, members), held);
      const result = await kernels.readMatrix(held);
      for (let j = 0; j < m; j++) {
        const at = members.indexOf(j);
        for (let l = 0; l < L; l++) {
          if (at < 0) expect(result.at(l, j)).toBe(U.at(l, j));
          else {
            const [a, b] = [0.9 * U.at(l, j), 0.5 * g.at(l, at)];
            expect(Math.abs(result.at(l, j) - (a + b))).toBeLessThanOrEqual(
              sumTolerance(2, Math.abs(a) + Math.abs(b)),
            );
          }
        }
      }
    });

    property(
      "moveAtoms keeps the k largest of A_S − U_S, ties to the lower row, and leaves the rest alone",
      async (rng, scale) => {
        const [L, m] = [1 + rng.below(70), 3 + rng.below(10)];
        const k = 1 + rng.below(L);
        const A = randomSparse(rng, L, m, k, scale);
        const U = randomDense(rng, L, m, scale);
        if (rng.uniform() < 0.5) U.data.forEach((u, i) => (U.data[i] = Math.sign(u) * scale)); // many ties
        U.column(m - 1).fill(0);
        const members = [0, 1, m - 1];
        const held = await putSparse(A);
        await kernels.moveAtoms(k, await put(U), await putSet(m, members), held);
        const result = await kernels.readSparse(held);
        const dense = result.toDense();
        for (let j = 0; j < m; j++) {
          const before = A.slice(j, j + 1).toDense().data;
          const moved = before.map((a, l) => a - U.at(l, j));
          const rows = [...moved.keys()]
            .sort((a, b) => Math.abs(moved[b]!) - Math.abs(moved[a]!) || a - b)
            .slice(0, k);
          const expected = members.includes(j) ? moved.map((v, l) => (rows.includes(l) ? v : 0)) : before;
          expect([...dense.column(j)].map((v) => v + 0)).toEqual([...expected].map((v) => v + 0));
          const used = [...result.indices.subarray(j * k, j * k + result.counts[j]!)];
          if (members.includes(j)) expect(used).toEqual([...used].sort((a, b) => a - b));
        }
      },
    );

    property("norms, their ratio, energies and coherence", async (rng, scale) => {
      const [rows, cols] = [1 + rng.below(60), 1 + rng.below(20)];
      const M = randomDense(rng, rows, cols, scale);
      const held = await put(M);
      const S = await putSet(cols, [...Array(Math.ceil(cols / 2)).keys()]);
      const scalars = kernels.matrix(4, 1);
      await kernels.squaredNorm(held, scalars, 0);
      await kernels.squaredNorm(held, scalars, 1, { S });
      await kernels.normRatio(scalars, 0, 1, 2);
      await kernels.normRatio(scalars, 0, 3, 3);
      await kernels.squaredNorm(held, scalars, 1, { add: true });
      const [whole, both, ratio, none] = (await kernels.readMatrix(scalars)).data;
      const half = dot(M.slice(0, Math.ceil(cols / 2)).data, M.slice(0, Math.ceil(cols / 2)).data);
      const all = dot(M.data, M.data);
      expect(Math.abs(whole! - all)).toBeLessThanOrEqual(sumTolerance(rows * cols, all));
      expect(Math.abs(both! - all - half)).toBeLessThanOrEqual(sumTolerance(2 * rows * cols, all + half));
      const exact = half > 0 ? Math.sqrt(all / half) : 0;
      expect(Math.abs(ratio! - exact)).toBeLessThanOrEqual(sumTolerance(2 * rows * cols + 4, exact));
      expect(none).toBe(0);
      const energies = kernels.matrix(1, cols);
      await kernels.columnEnergies(held, energies);
      (await kernels.readMatrix(energies)).data.forEach((energy, j) => {
        const column = dot(M.column(j), M.column(j));
        expect(Math.abs(energy - column)).toBeLessThanOrEqual(sumTolerance(rows, column));
      });
      const square = randomDense(rng, cols, cols, scale);
      const coherence = kernels.matrix(cols, 1);
      await kernels.coherence(await put(square), coherence);
      const largest = Array.from({ length: cols }, (_, j) =>
        Math.max(0, ...square.column(j).subarray(0, j).map(Math.abs)),
      );
      expect([...(await kernels.readMatrix(coherence)).data]).toEqual(largest);
    });

    property("extract cuts windows of one to three axes and removes their means", async (rng) => {
      const axes = 1 + rng.below(3);
      const patch: Shape = Array.from({ length: axes }, () => 1 + rng.below(4));
      const signals = [0, 1, 2].map((s) => {
        const shape = patch.map((size) => size + rng.below(5));
        return makeSignal(`signal ${s}`, shape, randomDense(rng, sizeOf(shape), 1, 100).data);
      });
      const N = rng.below(8);
      const places = Array.from({ length: N }, () => {
        const signal = rng.below(3);
        return {
          signal,
          origin: signals[signal]!.shape.map((size, axis) => rng.below(size - patch[axis]! + 1)),
        };
      });
      const windows = {
        signal: Uint32Array.from(places, ({ signal }) => signal),
        start: Uint32Array.from(places, ({ signal, origin }) =>
          offset(origin, stridesOf(signals[signal]!.shape)),
        ),
      };
      const factor = rng.uniform() < 0.5 ? 1 : 0.25;
      const store = kernels.signals(signals, factor);
      const n = sizeOf(patch);
      const [whole, centred, means] = [kernels.matrix(n, N), kernels.matrix(n, N), kernels.matrix(1, N)];
      await kernels.extract(store, windows, patch, whole, null);
      await kernels.extract(store, windows, patch, centred, means);
      const raw = await kernels.readMatrix(whole);
      const hostMeans = await kernels.readMatrix(means);
      const rest = await kernels.readMatrix(centred);
      for (let i = 0; i < N; i++) {
        const { signal, origin } = places[i]!;
        const strides = stridesOf(signals[signal]!.shape);
        const inside = stridesOf(patch);
        for (let r = 0; r < n; r++) {
          const place = patch.map((size, axis) => origin[axis]! + (Math.floor(r / inside[axis]!) % size));
          expect(raw.at(r, i)).toBe(signals[signal]!.data[offset(place, strides)]! * factor);
          const size = Math.abs(raw.at(r, i)) + Math.abs(hostMeans.data[i]!);
          expect(Math.abs(rest.at(r, i) + hostMeans.data[i]! - raw.at(r, i))).toBeLessThanOrEqual(
            2 * unitRoundoff * size,
          );
        }
        const mean = raw.column(i).reduce((sum, value) => sum + value, 0) / n;
        const size = raw.column(i).reduce((sum, value) => sum + Math.abs(value), 0) / n;
        expect(Math.abs(hostMeans.data[i]! - mean)).toBeLessThanOrEqual(sumTolerance(n, size));
      }
      kernels.free(store);
    });
  });
}

function dot(x: ArrayLike<number>, y: ArrayLike<number>): number {
  let sum = 0;
  for (let i = 0; i < x.length; i++) sum += x[i]! * y[i]!;
  return sum;
}

function offset(place: readonly number[], strides: readonly number[]): number {
  return dot(place, strides);
}

function rowsOf(M: Matrix64, rows: readonly number[]): Matrix64 {
  const result = new Matrix64(rows.length, M.cols);
  for (let j = 0; j < M.cols; j++)
    rows.forEach((row, i) => (result.data[j * rows.length + i] = M.at(row, j)));
  return result;
}

/** Columns of random length up to `width`, rows in random order. */
function randomSparse(rng: Rng, rows: number, cols: number, width: number, scale = 1): SparseColumns {
  const sparse = new SparseColumns(rows, cols, width);
  for (let j = 0; j < cols; j++) {
    const chosen = rng.distinct(rng.below(width + 1), rows);
    sparse.setColumn(
      j,
      chosen,
      chosen.map(() => Math.fround(rng.normal() * scale)),
    );
  }
  return sparse;
}

/** A base of one to three axes of small, odd and unequal sizes. */
function randomBase(rng: Rng, kernels: Kernels) {
  const axes = 1 + rng.below(3);
  const sizes = Array.from({ length: axes }, () => [1 + rng.below(6), 1 + rng.below(8)] as const);
  const factors = randomFactors(rng, sizes);
  return { factors, phi: explicitBase(factors), base: kernels.base(factors) };
}

function randomUnitDictionary(rng: Rng, n: number, m: number) {
  const D = DenseMatrix.build(n, m, () => rng.normal());
  for (let j = 0; j < m; j++) {
    const norm = Math.sqrt(dot(D.column(j), D.column(j)));
    D.column(j).forEach((value, i) => (D.data[j * n + i] = value / norm));
  }
  return { D, G: DenseMatrix.build(m, m, (i, j) => dot(D.column(i), D.column(j))) };
}

/** G and its scales against explicit D = ΦA: values, symmetry to the bit, zero atoms. */
async function expectUnitGram(
  kernels: Kernels,
  G: DeviceMatrix,
  scale: DeviceMatrix,
  phi: Matrix64,
  A: SparseColumns,
  terms: number,
): Promise<void> {
  const D = phi.times(wide(A));
  const size = magnitudes(phi).times(magnitudes(wide(A)));
  const norms = Array.from({ length: A.cols }, (_, j) => Math.sqrt(dot(D.column(j), D.column(j))));
  const host = await kernels.readMatrix(G);
  const scales = await kernels.readMatrix(scale);
  for (let j = 0; j < A.cols; j++) {
    if (norms[j] === 0) expect(scales.data[j]).toBe(0);
    for (let i = 0; i < A.cols; i++) {
      expect(host.at(i, j)).toBe(host.at(j, i));
      const product = norms[i]! * norms[j]!;
      const exact = product === 0 ? 0 : dot(D.column(i), D.column(j)) / product;
      // rounding of the inner product and of both norms, each relative to Σ|φ||a|
      const spread = (c: number) => dot(size.column(c), size.column(c)) / norms[c]! ** 2;
      const magnitude = product === 0 ? 0 : Math.sqrt(spread(i) * spread(j)) + spread(i) + spread(j);
      expect(Math.abs(host.at(i, j) - exact)).toBeLessThanOrEqual(sumTolerance(terms, magnitude));
    }
  }
}
