/**
 * Conformance: products with Φ and with sparse columns, the unit Gram matrix of D = ΦA,
 * and the coherence of its atoms.
 */

import { expect } from "vitest";
import { DenseMatrix } from "../../core/matrix.js";
import type { Rng } from "../../core/random/rng.js";
import { Matrix64 } from "../../linalg/matrix64.js";
import type { DeviceBase } from "../contract.js";
import type { Bench, ConformanceCase } from "./caseHandles.case.js";
import {
  chainLength,
  dot,
  expectClose,
  expectExact,
  expectSame,
  expectUnitGram,
  explicitBase,
  magnitudes,
  randomDense,
  randomFactors,
  randomIntegers,
  randomSparse,
  scaledRows,
  wide,
} from "./oracle.case.js";
import { sumTolerance } from "./tolerance.js";

export const dictionaryCases: readonly ConformanceCase[] = [
  {
    title: "analyze and synthesize are Φᵀ and Φ, and each other's adjoint",
    async check(bench, rng, scale) {
      const factors = randomFactors(rng);
      const phi = explicitBase(factors);
      const base = bench.keep(bench.kernels.base(factors));
      expect([base.rows, base.cols]).toEqual([phi.rows, phi.cols]);
      const N = rng.below(6);
      const Y = randomDense(rng, phi.rows, N, scale);
      const C = randomDense(rng, phi.cols, N, scale);
      const [Z, V] = [await bench.room(phi.cols, N), await bench.room(phi.rows, N)];
      await bench.kernels.analyze(base, await bench.put(Y), Z.handle);
      await bench.kernels.synthesize(base, await bench.put(C), V.handle);
      const terms = chainLength(factors);
      const size = magnitudes(phi);
      const [hostZ, hostV] = [await Z.read(), await V.read()];
      expectClose(hostZ, phi.transpose().times(wide(Y)), terms, size.transpose().times(magnitudes(wide(Y))));
      expectClose(hostV, phi.times(wide(C)), terms, size.times(magnitudes(wide(C))));
      for (let i = 0; i < N; i++) {
        const adjoint = Math.abs(dot(hostV.column(i), Y.column(i)) - dot(C.column(i), hostZ.column(i)));
        const bound = 2 * dot(size.times(magnitudes(wide(C))).column(i), Y.column(i).map(Math.abs));
        expect(adjoint).toBeLessThanOrEqual(sumTolerance(terms + 2, bound));
      }
    },
  },
  {
    title: "project is diag(s)AᵀΦᵀY, reconstruct is ΦAX, residual is Y − ΦAX, also in place, and Φᵀ of it",
    async check(bench, rng, scale) {
      const { kernels } = bench;
      const factors = randomFactors(rng);
      const phi = explicitBase(factors);
      const base = bench.keep(kernels.base(factors));
      const [L, m, N] = [phi.cols, 1 + rng.below(30), rng.below(40)];
      const [k, p] = [Math.min(L, 1 + rng.below(5)), Math.min(m, 1 + rng.below(4))];
      const A = randomSparse(rng, L, m, k);
      const X = randomSparse(rng, m, N, p, () => rng.normal() * scale);
      const Y = randomDense(rng, phi.rows, N, scale);
      const s = randomDense(rng, m, 1);
      const [heldA, heldX, heldY] = [await bench.putSparse(A), await bench.putSparse(X), await bench.put(Y)];
      const [P, V, R] = [
        await bench.room(m, N),
        await bench.room(phi.rows, N),
        await bench.room(phi.rows, N),
      ];
      await kernels.project(base, heldA, await bench.put(s), heldY, P.handle);
      await kernels.reconstruct(base, heldA, heldX, V.handle);
      await kernels.residual(base, heldA, heldX, heldY, R.handle);
      const D = phi.times(wide(A));
      const size = magnitudes(phi).times(magnitudes(wide(A)));
      const exactP = scaledRows(D.transpose().times(wide(Y)), s.data);
      const sizeP = scaledRows(size.transpose().times(magnitudes(wide(Y))), s.data.map(Math.abs));
      // through A: Φᵀ, then k terms; through the columns of D: Φ and k terms each, then n
      expectClose(await P.read(), exactP, chainLength(factors) + k + phi.rows + 1, sizeP);
      const fitted = D.times(wide(X));
      const sizeV = size.times(magnitudes(wide(X)));
      const terms = chainLength(factors) + k * p;
      expectClose(await V.read(), fitted, terms, sizeV);
      Y.data.forEach((y, i) => {
        sizeV.data[i] += Math.abs(y);
      });
      expectClose(await R.read(), minus(Y, fitted), terms + 1, sizeV);
      const [inPlace, W] = [await bench.hold(Y), await bench.room(L, N)];
      await kernels.residual(base, heldA, heldX, inPlace, inPlace, W.handle);
      const hostR = await R.read();
      expect(await kernels.readMatrix(inPlace)).toEqual(hostR);
      const sizeW = magnitudes(phi)
        .transpose()
        .times(magnitudes(wide(hostR)));
      expectClose(await W.read(), phi.transpose().times(wide(hostR)), chainLength(factors), sizeW);
    },
  },
  {
    title: "products are exact on small integers, at sizes beyond any block",
    large: true,
    once: true,
    async check(bench, rng) {
      const N = 70;
      for (const sizes of [
        [[130, 1100]],
        [
          [7, 33],
          [9, 35],
        ],
        [
          [3, 5],
          [4, 65],
          [5, 6],
        ],
      ] as const) {
        const factors = sizes.map(([rows, cols]) => wide(randomIntegers(rng, rows, cols, 2)));
        const phi = explicitBase(factors);
        const base = bench.keep(bench.kernels.base(factors));
        const [Y, C] = [randomIntegers(rng, phi.rows, N, 3), randomIntegers(rng, phi.cols, N, 3)];
        const [Z, V] = [await bench.room(phi.cols, N), await bench.room(phi.rows, N)];
        const [heldY, heldC] = [await bench.put(Y), await bench.put(C)];
        await bench.kernels.analyze(base, heldY, Z.handle);
        await bench.kernels.synthesize(base, heldC, V.handle);
        const fitted = phi.times(wide(C));
        expectExact(await Z.read(), phi.transpose().times(wide(Y)));
        expectExact(await V.read(), fitted);
        await expectExactDictionary(bench, rng, phi, base, Y);
      }
    },
  },
  {
    title: "refreshGram computes the unit Gram matrix by columns, and touches nothing else",
    async check(bench, rng) {
      const { kernels } = bench;
      const factors = randomFactors(rng);
      const base = bench.keep(kernels.base(factors));
      const [L, m] = [base.cols, 2 + rng.below(12)];
      const A = randomSparse(rng, L, m, Math.min(L, 3));
      if (m > 3) A.setColumn(2, [], []); // a zero atom
      const held = await bench.holdSparse(A);
      const G = await bench.hold(randomDense(rng, m, m));
      const scale = await bench.hold(randomDense(rng, m, 1));
      await kernels.refreshGram(base, held, await bench.putSet(m, A.counts.keys()), G, scale);
      const first = await kernels.readMatrix(G);
      const firstScales = await kernels.readMatrix(scale);
      expectUnitGram(first, firstScales.data, factors, A);

      // Change two atoms, one perhaps to zero, and mark the entries that must not change.
      const changed = [0, m - 1];
      const outside = [...A.counts.keys()].filter((j) => !changed.includes(j));
      for (const j of changed) A.setColumn(j, [rng.below(L)], [rng.normal() * 100]);
      if (rng.uniform() < 0.3) A.setColumn(0, [], []);
      const mark = (i: number, j: number) => 1000 + Math.min(i, j) * m + Math.max(i, j);
      const marked = first.copy();
      for (const i of outside) for (const j of outside) marked.data[j * m + i] = mark(i, j);
      await kernels.writeMatrix(G, marked);
      await kernels.writeSparse(held, A);
      await kernels.refreshGram(base, held, await bench.putSet(m, changed), G, scale);
      const [second, scales] = [await kernels.readMatrix(G), await kernels.readMatrix(scale)];
      for (const i of outside) {
        expect(scales.data[i]).toBe(firstScales.data[i]);
        for (const j of outside) {
          expect(second.at(i, j)).toBe(mark(i, j));
          second.data[j * m + i] = first.at(i, j);
        }
      }
      expectUnitGram(second, scales.data, factors, A);

      await kernels.writeMatrix(G, marked);
      await kernels.refreshGram(base, held, await bench.putSet(m, []), G, scale);
      expect(await kernels.readMatrix(G)).toEqual(marked);
      expect(await kernels.readMatrix(scale)).toEqual(scales);
    },
  },
  {
    title: "refreshGram is correct at sizes beyond any block, the first time and the second",
    large: true,
    once: true,
    async check(bench, rng) {
      const { kernels } = bench;
      const factors = [wide(randomDense(rng, 7, 20)), wide(randomDense(rng, 9, 17))];
      const base = bench.keep(kernels.base(factors));
      const m = 530;
      const A = randomSparse(rng, base.cols, m, 9);
      const held = await bench.holdSparse(A);
      const [G, scale] = [await bench.hold(randomDense(rng, m, m)), await bench.hold(randomDense(rng, m, 1))];
      await kernels.refreshGram(base, held, await bench.putSet(m, A.counts.keys()), G, scale);
      const changed = [...A.counts.keys()].filter((j) => j % 4 === 1 || (j > 256 && j < 300));
      const fresh = randomSparse(rng, base.cols, m, 9);
      for (const j of changed) {
        const [start, end] = [j * 9, j * 9 + fresh.counts[j]];
        A.setColumn(j, fresh.indices.subarray(start, end), fresh.values.subarray(start, end));
      }
      await kernels.writeSparse(held, A);
      await kernels.refreshGram(base, held, await bench.putSet(m, changed), G, scale);
      const [host, scales] = [await kernels.readMatrix(G), await kernels.readMatrix(scale)];
      expectUnitGram(host, scales.data, factors, A);
      const alone = await bench.hold(randomDense(rng, m, 1));
      const all = await bench.putSet(m, A.counts.keys());
      await kernels.refreshGram(base, held, all, null, alone);
      expectSame((await kernels.readMatrix(alone)).data, scales.data, "scales without a Gram matrix");
    },
  },
  {
    title: "coherence is the largest |Gᵢⱼ| of earlier atoms",
    async check(bench, rng, scale) {
      await expectCoherence(bench, 1 + rng.below(20), rng, scale);
    },
  },
  {
    title: "coherence is correct at sizes beyond any block",
    large: true,
    once: true,
    check: (bench, rng) => expectCoherence(bench, 1100, rng, 1),
  },
];

function minus(Y: DenseMatrix, fitted: Matrix64): Matrix64 {
  return new Matrix64(
    Y.rows,
    Y.cols,
    Float64Array.from(Y.data, (y, i) => y - fitted.data[i]),
  );
}

/** project, reconstruct and residual of a dictionary of small integers, wider than any block: exact. */
async function expectExactDictionary(
  bench: Bench,
  rng: Rng,
  phi: Matrix64,
  base: DeviceBase,
  Y: DenseMatrix,
): Promise<void> {
  const { kernels } = bench;
  const [m, N] = [1100, Y.cols];
  const integer = () => rng.below(5) - 2;
  const A = randomSparse(rng, phi.cols, m, 70, integer);
  const X = randomSparse(rng, m, N, 10, integer);
  const s = randomIntegers(rng, m, 1, 3);
  const [heldA, heldX, heldY] = [await bench.putSparse(A), await bench.putSparse(X), await bench.put(Y)];
  const [P, V, R] = [await bench.room(m, N), await bench.room(phi.rows, N), await bench.room(phi.rows, N)];
  await kernels.project(base, heldA, await bench.put(s), heldY, P.handle);
  await kernels.reconstruct(base, heldA, heldX, V.handle);
  const W = await bench.room(phi.cols, N);
  await kernels.residual(base, heldA, heldX, heldY, R.handle, W.handle);
  const D = phi.times(wide(A));
  expectExact(await P.read(), scaledRows(D.transpose().times(wide(Y)), s.data));
  expectExact(await V.read(), D.times(wide(X)));
  const left = minus(Y, D.times(wide(X)));
  expectExact(await R.read(), left);
  const magnitude = magnitudes(phi).transpose().times(magnitudes(left));
  expectClose(await W.read(), phi.transpose().times(left), phi.rows, magnitude); // beyond 2²⁴: not exact in f32
}

async function expectCoherence(bench: Bench, m: number, rng: Rng, scale: number): Promise<void> {
  const G = randomDense(rng, m, m, scale);
  const coherence = await bench.hold(DenseMatrix.build(m, 1, () => 12345));
  await bench.kernels.coherence(await bench.put(G), coherence);
  const largest = Array.from({ length: m }, (_, j) =>
    Math.max(0, ...G.column(j).subarray(0, j).map(Math.abs)),
  );
  expectSame((await bench.kernels.readMatrix(coherence)).data, largest, "coherence");
  const from = m >> 1;
  const alone = await bench.hold(DenseMatrix.build(m, 1, () => 12345));
  await bench.kernels.coherence(await bench.put(G.slice(from, m).copy()), alone, from);
  const expected = largest.map((value, j) => (j < from ? 12345 : value));
  expectSame((await bench.kernels.readMatrix(alone)).data, expected, "coherence of the last atoms");
}
