/**
 * Conformance: Batch-OMP, checked by a replay of each of its turns in f64, and the energies
 * it starts from.
 */

import { expect } from "vitest";
import { DenseMatrix, type SparseColumns } from "../../core/matrix.js";
import type { Rng } from "../../core/random/rng.js";
import { type DeviceMatrix, dependenceFloor, type PursuitLimits } from "../contract.js";
import type { Bench, ConformanceCase, Room } from "./caseHandles.case.js";
import {
  dot,
  expectGreedy,
  gramOf,
  randomDense,
  randomIntegers,
  randomUnitDictionary,
  wide,
} from "./oracle.case.js";
import { sumTolerance } from "./tolerance.js";

export const pursuitCases: readonly ConformanceCase[] = [
  {
    title: "columnEnergies are ‖y‖²",
    async check(bench, rng, scale) {
      const Y = randomDense(rng, 1 + rng.below(60), rng.below(20), scale);
      const energies = await bench.room(1, Y.cols);
      await bench.kernels.columnEnergies(await bench.put(Y), energies.handle);
      (await energies.read()).data.forEach((energy, i) => {
        const exact = dot(Y.column(i), Y.column(i));
        expect(Math.abs(energy - exact)).toBeLessThanOrEqual(sumTolerance(Y.rows, exact));
      });
    },
  },
  {
    title: "columnEnergies are exact on small integers, at sizes beyond any block",
    large: true,
    once: true,
    async check(bench, rng) {
      const Y = randomIntegers(rng, 1155, 300, 3);
      const energies = await bench.room(1, 300);
      await bench.kernels.columnEnergies(await bench.put(Y), energies.handle);
      const exact = Array.from({ length: 300 }, (_, i) => dot(Y.column(i), Y.column(i)));
      expect([...(await energies.read()).data]).toEqual(exact);
    },
  },
  {
    title: "batchOmp takes the best atom each turn, fits by least squares, and stops for the right reason",
    async check(bench, rng, scale) {
      const [n, m] = [2 + rng.below(12), 1 + rng.below(40)];
      const p = 1 + rng.below(Math.min(n, m, 8));
      const { D, G } = randomUnitDictionary(rng, n, m);
      const Y = randomDense(rng, n, 7, scale);
      Y.column(0).fill(0); // nothing to pursue
      Y.column(1).set(D.column(rng.below(m)).map((value) => value * 3 * scale)); // one atom: zero residual
      const residualEnergy = rng.uniform() < 0.5 ? 0 : 0.3 * n * scale * scale;
      const codes = await pursue(bench, D, G, Y, { sparsity: p, residualEnergy }, p + rng.below(2), scale);
      expect(codes.counts[0]).toBe(0);
      expect(codes.counts[1]).toBeLessThanOrEqual(1);
    },
  },
  {
    title: "batchOmp is greedy at sizes beyond any block",
    large: true,
    once: true,
    async check(bench, rng) {
      const { D, G } = randomUnitDictionary(rng, 60, 1100);
      const Y = randomDense(rng, 60, 70);
      Y.column(65).set(D.column(1099)); // the last atom alone
      const path = await bench.room(12, Y.cols);
      const codes = await pursue(bench, D, G, Y, { sparsity: 12, residualEnergy: 0 }, 13, 1, path);
      expect([...codes.indices.subarray(65 * 13, 66 * 13), codes.counts[65]]).toEqual([
        1099,
        ...new Array(12).fill(0),
        1,
      ]);
      await pursue(bench, D, G, Y, { sparsity: 12, residualEnergy: 20 }, 12);
    },
  },
  {
    title: "batchOmp writes the residual energy after every turn, and repeats the last",
    async check(bench, rng, scale) {
      const n = 4 + rng.below(12);
      const p = 2 + rng.below(n - 3);
      const inner = randomUnitDictionary(rng, n - 1, 1 + rng.below(30)).D;
      const D = DenseMatrix.build(n, inner.cols, (i, j) => (i === 0 ? 0 : inner.at(i - 1, j))); // axis 0 is out of reach
      const Y = randomDense(rng, n, 6, scale);
      Y.column(0).fill(0);
      Y.column(1).fill(0)[0] = scale; // no atom helps
      Y.column(2).set(D.column(0).map((value) => value * scale)); // one atom, after which little is left
      const path = await bench.room(p, Y.cols);
      const limits = { sparsity: p, residualEnergy: rng.uniform() < 0.5 ? 0 : 0.5 * scale * scale };
      const codes = await pursue(bench, D, gramOf(D), Y, limits, p, scale, path);
      const energies = await path.read();
      expect([...energies.column(0)]).toEqual(new Array(p).fill(0));
      expect([...energies.column(1)]).toEqual(new Array(p).fill(Math.fround(Math.fround(scale) ** 2)));
      const plain = await pursue(bench, D, gramOf(D), Y, limits, p, scale);
      expect(plain, "the codes do not depend on it").toEqual(codes);
    },
  },
  {
    title: "batchOmp leaves nothing in its path but the energies, whatever ran before",
    once: true,
    async check(bench, rng) {
      const { kernels } = bench;
      const { D, G } = randomUnitDictionary(rng, 12, 30);
      const Y = randomDense(rng, 12, 37);
      for (const p of [8, 5]) {
        const path = await bench.hold(new DenseMatrix(p, Y.cols));
        const room = { handle: path, read: () => kernels.readMatrix(path) };
        await pursue(bench, D, G, Y, { sparsity: p, residualEnergy: 0 }, p, 1, room);
        const norm = await bench.hold(new DenseMatrix(1, 1));
        await kernels.addSquaredNorm(path, norm, 0);
        const { data } = await room.read();
        const exact = dot(data, data);
        const [found] = (await kernels.readMatrix(norm)).data;
        expect(Math.abs(found - exact)).toBeLessThanOrEqual(sumTolerance(data.length, exact));
      }
    },
  },
  {
    title: "batchOmp is greedy in long pursuits, and stops when nothing is left",
    large: true,
    once: true,
    async check(bench, rng) {
      const { D, G } = randomUnitDictionary(rng, 50, 333);
      const Y = randomDense(rng, 50, 9);
      const few = [7, 332, 120];
      Y.column(4).fill(0);
      for (const atom of few) D.column(atom).forEach((value, i) => (Y.column(4)[i] += 2 * value));
      D.column(8).forEach((value, i) => (Y.column(5)[i] = value + 1e-4 * Y.column(5)[i])); // a sudden drop
      const limits = { sparsity: 40, residualEnergy: 0 };
      const codes = await pursue(bench, D, G, Y, limits, 40);
      expect(codes.counts[0]).toBe(40);
      await pursue(bench, D, G, Y, { ...limits, residualEnergy: 1 }, 41);
    },
  },
  {
    title: "batchOmp follows a pursuit over orthogonal atoms through hundreds of turns",
    large: true,
    once: true,
    async check(bench, rng) {
      const [m, p] = [1056, 270];
      const P = randomDense(rng, m, 1);
      const energy = dot(P.column(0), P.column(0));
      const codes = await fromProjections(bench, DenseMatrix.identity(m), P, [energy], p);
      const order = Array.from(P.data.keys()).sort((a, b) => Math.abs(P.data[b]) - Math.abs(P.data[a]));
      expect([...codes.indices]).toEqual(order.slice(0, p));
      expect([...codes.values]).toEqual(order.slice(0, p).map((atom) => P.data[atom]));
    },
  },
  {
    title: "batchOmp gives the same bits again",
    once: true,
    async check(bench, rng) {
      const { D, G } = randomUnitDictionary(rng, 30, 300);
      const Y = randomDense(rng, 30, 40);
      const limits = { sparsity: 9, residualEnergy: 3 };
      const first = await pursue(bench, D, G, Y, limits, 9);
      expect(await pursue(bench, D, G, Y, limits, 9)).toEqual(first);
    },
  },
  {
    title: "batchOmp ends cleanly on duplicated atoms and on more atoms than dimensions",
    async check(bench, rng: Rng) {
      const D = randomUnitDictionary(rng, 3, 4).D;
      const twice = DenseMatrix.build(3, 8, (i, j) => D.at(i, j % 4));
      const Y = randomDense(rng, 3, 5);
      const codes = await pursue(bench, twice, gramOf(twice), Y, { sparsity: 8, residualEnergy: 0 }, 8);
      codes.counts.forEach((count) => {
        expect(count).toBeLessThanOrEqual(4);
      });
      expect(codes.values.every(Number.isFinite)).toBe(true);
    },
  },
  {
    title: "batchOmp takes the first of equal atoms, in the order of taking",
    once: true,
    async check(bench) {
      const P = new DenseMatrix(5, 2, Float32Array.of(0, -2, 2, 2, 1, 1, 2, 4, -4, 0));
      const codes = await fromProjections(bench, DenseMatrix.identity(5), P, [13, 37], 3);
      expect([...codes.indices]).toEqual([1, 2, 3, 2, 3, 1]);
      expect([...codes.values]).toEqual([-2, 2, 2, 4, -4, 2]);
    },
  },
  {
    title: "batchOmp stops at an atom that depends on those taken, and only there",
    once: true,
    async check(bench) {
      // d₁ is 1 − c from d₀, at a squared distance of about 2c; y = d₀ − e/2, with e ⟂ d₀ in their plane
      for (const [c, count] of [
        [dependenceFloor / 4, 1],
        [dependenceFloor * 2, 2],
      ] as const) {
        const G = new DenseMatrix(2, 2, Float32Array.of(1, 1 - c, 1 - c, 1));
        const P = new DenseMatrix(2, 1, Float32Array.of(1, 1 - c - Math.sqrt(2 * c - c * c) / 2));
        const codes = await fromProjections(bench, G, P, [1.25], 2);
        expect(codes.counts[0], `1 − ${c}`).toBe(count);
        expect(codes.values.every(Number.isFinite)).toBe(true);
      }
    },
  },
];

/** Code the columns of Y over unit atoms, and check every turn; `scale` is the size of Y. */
async function pursue(
  bench: Bench,
  D: DenseMatrix,
  G: DenseMatrix,
  Y: DenseMatrix,
  limits: PursuitLimits,
  width: number,
  scale = 1,
  path?: Room<DeviceMatrix, DenseMatrix>,
): Promise<SparseColumns> {
  const P = DenseMatrix.build(D.cols, Y.cols, (j, i) => dot(D.column(j), Y.column(i)));
  const energies = DenseMatrix.build(1, Y.cols, (_, i) => dot(Y.column(i), Y.column(i)));
  const X = await bench.sparseRoom(D.cols, Y.cols, width);
  const [heldG, heldP, held] = [await bench.put(G), await bench.put(P), await bench.put(energies)];
  await bench.kernels.batchOmp(heldG, heldP, held, limits, X.handle, path?.handle);
  const codes = await X.read();
  const left = await path?.read();
  const G64 = wide(G);
  for (let i = 0; i < Y.cols; i++) {
    const [from, to] = [i * width, i * width + codes.counts[i]];
    const atoms = [...codes.indices.subarray(from, to)];
    // a scale of 1 keeps the absolute slack of the replay meaningful
    const rescaled = Array.from(P.column(i), (value) => value / scale);
    const values = Array.from(codes.values.subarray(from, to), (value) => value / scale);
    const unit = { ...limits, residualEnergy: limits.residualEnergy / scale ** 2 };
    const turns = left && Array.from(left.column(i), (value) => value / scale ** 2);
    expectGreedy(G64, rescaled, energies.data[i] / scale ** 2, unit, atoms, values, turns);
  }
  return codes;
}

/** Codes from an invented Gram matrix and projections. */
async function fromProjections(
  bench: Bench,
  G: DenseMatrix,
  P: DenseMatrix,
  energies: readonly number[],
  sparsity: number,
): Promise<SparseColumns> {
  const X = await bench.sparseRoom(P.rows, P.cols, sparsity);
  const held = await bench.put(new DenseMatrix(1, P.cols, Float32Array.from(energies)));
  await bench.kernels.batchOmp(
    await bench.put(G),
    await bench.put(P),
    held,
    { sparsity, residualEnergy: 0 },
    X.handle,
  );
  return X.read();
}
