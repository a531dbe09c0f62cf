/**
 * Conformance: the update of Algorithm 2: the atoms in use, the gradient, the numbers of
 * its step size, momentum and P_k.
 */

import { expect } from "vitest";
import { DenseMatrix, type SparseColumns } from "../../core/matrix.js";
import type { Rng } from "../../core/random/rng.js";
import { Matrix64 } from "../../linalg/matrix64.js";
import type { Bench, ConformanceCase } from "./caseHandles.case.js";
import { expectTidy } from "./caseHandles.case.js";
import {
  chainLength,
  dot,
  expectClose,
  expectExact,
  expectSame,
  explicitBase,
  magnitudes,
  quotient,
  randomDense,
  randomFactors,
  randomIntegers,
  randomSparse,
  root,
  rowsOf,
  wide,
} from "./oracle.case.js";
import { sumTolerance } from "./tolerance.js";

export const updateCases: readonly ConformanceCase[] = [
  {
    title: "scaleRows, usedAtoms and countUses follow the non-zeros of X",
    async check(bench, rng, scale) {
      const m = 1 + rng.below(50);
      await expectUses(
        bench,
        rng,
        randomSparse(rng, m, rng.below(12), Math.min(m, 4), () => rng.normal() * scale),
      );
    },
  },
  {
    title: "scaleRows, usedAtoms and countUses are correct at sizes beyond any block",
    large: true,
    once: true,
    async check(bench, rng) {
      await expectUses(bench, rng, randomSparse(rng, 2100, 300, 6));
    },
  },
  {
    title: "gradient is −W X_Sᵀ",
    async check(bench, rng, scale) {
      const [L, m, N] = [1 + rng.below(30), 1 + rng.below(20), rng.below(9)];
      const X = randomSparse(rng, m, N, Math.min(m, 3), () => rng.normal() * scale);
      const W = randomDense(rng, L, N, scale);
      // some of the atoms of X, and some that it does not use
      const members = [...Array(m).keys()].filter(() => rng.uniform() < 0.6);
      const X_S = rowsOf(wide(X), members);
      const grad = await gradientOf(bench, X, W, members, m);
      const size = magnitudes(wide(W)).times(magnitudes(X_S).transpose());
      expectClose(grad, negative(wide(W)).times(X_S.transpose()), N, size);
    },
  },
  {
    title: "gradient is exact on small integers, at sizes beyond any block",
    large: true,
    once: true,
    async check(bench, rng) {
      const [L, m, N] = [530, 1100, 140];
      const X = randomSparse(rng, m, N, 9, () => rng.below(5) - 2);
      const W = randomIntegers(rng, L, N, 3);
      const members = [...Array(m).keys()].filter((j) => j % 3 !== 1);
      const X_S = rowsOf(wide(X), members);
      const grad = await gradientOf(bench, X, W, members, m);
      expectExact(grad, negative(wide(W)).times(X_S.transpose()));
    },
  },
  {
    title: "movedEnergy is ‖Φ grad X_S‖², at any size",
    async check(bench, rng, scale) {
      const [m, N] = [1 + rng.below(20), [0, 3, 16, 37, 90][rng.below(5)]];
      await expectMovedEnergy(bench, rng, { factors: randomFactors(rng), m, N, scale });
    },
  },
  {
    title: "movedEnergy does not depend on the sizes of an earlier call",
    async check(bench, rng, scale) {
      // fewer atoms than examples, and more: kernels may apply Φ to either
      for (const m of [20, 60]) {
        for (const side of [8, 7]) {
          const factors = [0, 1].map(() => wide(randomDense(rng, side, side + 2)));
          await expectMovedEnergy(bench, rng, { factors, m, N: 37, scale });
        }
      }
    },
  },
  {
    title: "exchangeAtoms replaces the atoms of S, with the same or with the best coefficients",
    async check(bench, rng, scale) {
      const [n, m, N] = [1 + rng.below(70), 1 + rng.below(20), rng.below(40)];
      await expectExchanged(bench, rng, n, m, N, scale);
    },
  },
  {
    title: "exchangeAtoms is correct at sizes beyond any block",
    large: true,
    once: true,
    async check(bench, rng) {
      await expectExchanged(bench, rng, 530, 900, 1300, 1);
      await expectExchanged(bench, rng, 1155, 1100, 70, 1);
    },
  },
  {
    title: "acceptAtoms replaces the atoms whose fits are closer, by unit ones, and leaves the others",
    async check(bench, rng) {
      const [L, m] = [1 + rng.below(90), 1 + rng.below(40)];
      const width = 1 + rng.below(Math.min(L, 70));
      await expectAccepted(bench, rng, L, m, width);
    },
  },
  {
    title: "acceptAtoms is correct at sizes beyond any block",
    large: true,
    once: true,
    check: (bench, rng) => expectAccepted(bench, rng, 300, 600, 130),
  },
  {
    title:
      "thresholdAtoms is P_k of columns of A and half of W, and takeEntries and addEntries a step along a part of W",
    async check(bench, rng, scale) {
      const [L, m] = [1 + rng.below(90), 1 + rng.below(40)];
      await expectThresholded(bench, rng, { L, m, width: 1 + rng.below(Math.min(L, 70)), scale });
    },
  },
  {
    title: "thresholdAtoms, takeEntries and addEntries are correct at sizes beyond any block",
    large: true,
    once: true,
    check: (bench, rng) => expectThresholded(bench, rng, { L: 1300, m: 600, width: 130, scale: 1 }),
  },
  {
    title: "acceptAtoms leaves no entries by rows from before",
    once: true,
    async check(bench, rng) {
      const { kernels } = bench;
      const A = await bench.holdSparse(randomSparse(rng, 7, 5, 3));
      await kernels.readRows(A); // which kernels may keep
      const ones = await bench.put(DenseMatrix.build(1, 5, () => 1));
      const none = await bench.put(new DenseMatrix(1, 5));
      await kernels.acceptAtoms(await bench.putSparse(randomSparse(rng, 7, 5, 2)), ones, none, ones, A, 0);
      const { values } = await kernels.readSparse(A);
      const byRows = (await kernels.readRows(A)).values;
      expectSame(byRows.sort(), values.filter((value) => value !== 0).sort(), "entries by rows");
    },
  },
  {
    title: "moveAtoms adds its step to U, γU_S + ηg, on S alone",
    async check(bench, rng, scale) {
      const [L, m] = [1 + rng.below(30), 3 + rng.below(20)];
      const members = [...Array(m).keys()].filter(() => rng.uniform() < 0.5);
      const [U, g] = [randomDense(rng, L, m, scale), randomDense(rng, L, m, scale)];
      const held = await bench.hold(U);
      const scalars = await bench.put(DenseMatrix.build(3, 1, (i) => i * 0.25));
      const A = await bench.holdSparse(randomSparse(rng, L, m, 1));
      const step = { gamma: 0.9, scalars, eta: 2, grad: await bench.put(g) };
      await bench.kernels.moveAtoms(1, held, await bench.putSet(m, members), A, step);
      const result = await bench.kernels.readMatrix(held);
      for (let j = 0; j < m; j++) {
        const at = members.indexOf(j);
        if (at < 0) expectSame(result.column(j), U.column(j), `column ${j}`);
        for (let l = 0; at >= 0 && l < L; l++) {
          const [a, b] = [0.9 * U.at(l, j), 0.5 * g.at(l, at)];
          const bound = sumTolerance(2, Math.abs(a) + Math.abs(b));
          expect(Math.abs(result.at(l, j) - (a + b))).toBeLessThanOrEqual(bound);
        }
      }
    },
  },
  {
    title: "moveAtoms adds its step exactly to small integers, at sizes beyond any block",
    large: true,
    once: true,
    async check(bench, rng) {
      const [L, m] = [1155, 300];
      const members = [...Array(m).keys()].filter((j) => j % 3 !== 1);
      const [U, g] = [randomIntegers(rng, L, m, 9), randomIntegers(rng, L, m, 9)];
      const held = await bench.hold(U);
      const scalars = await bench.put(new DenseMatrix(1, 1, Float32Array.of(2)));
      const A = await bench.holdSparse(randomSparse(rng, L, m, 1));
      const step = { gamma: 0.5, scalars, eta: 0, grad: await bench.put(g) };
      await bench.kernels.moveAtoms(1, held, await bench.putSet(m, members), A, step);
      const expected = wide(U);
      members.forEach((j, at) => {
        expected.column(j).set(U.column(j).map((u, l) => 0.5 * u + 2 * g.at(l, at)));
      });
      expectExact(await bench.kernels.readMatrix(held), expected);
    },
  },
  {
    title:
      "moveAtoms keeps the k largest of A_S − U_S, of equal ones the lower row, and does not change the rest",
    async check(bench, rng, scale) {
      const [L, m] = [1 + rng.below(70), 3 + rng.below(10)];
      await expectMoved(bench, rng, L, m, 1 + rng.below(L), scale);
    },
  },
  {
    title: "moveAtoms keeps the k largest at sizes beyond any block",
    large: true,
    once: true,
    async check(bench, rng) {
      for (const k of [1, 600, 4098]) await expectMoved(bench, rng, 4099, 4, k, 1);
      await expectMoved(bench, rng, 300, 300, 40, 1);
    },
  },
  {
    title: "moveAtoms adds its step to U before P_k sees it, to the bit",
    async check(bench, rng, scale) {
      const { kernels } = bench;
      const [L, m, k] = [1 + rng.below(70), 3 + rng.below(10), 1 + rng.below(4)];
      const A = randomSparse(rng, L, m, Math.min(L, k), () => rng.normal() * scale);
      const U = randomDense(rng, L, m, scale);
      const S = await bench.putSet(
        m,
        [...Array(m).keys()].filter(() => rng.uniform() < 0.6),
      );
      const grad = await bench.put(randomDense(rng, L, m, scale));
      const scalars = await bench.put(DenseMatrix.build(2, 1, (i) => i / 4));
      const [A1, U1] = [await bench.holdSparse(A), await bench.hold(U)];
      await kernels.moveAtoms(Math.min(L, k), U1, S, A1, { gamma: 0.5, scalars, eta: 1, grad });
      const stepped = await kernels.readMatrix(U1);
      const [A2, U2] = [await bench.holdSparse(A), await bench.hold(stepped)];
      await kernels.moveAtoms(Math.min(L, k), U2, S, A2, { gamma: 1, scalars, eta: 0, grad }); // U stays
      expectSame((await kernels.readMatrix(U2)).data, stepped.data, "U");
      expect(await kernels.readSparse(A1)).toEqual(await kernels.readSparse(A2));
    },
  },
  {
    title: "clearColumns clears the columns S, with `rows` the rows S as well, and nothing else",
    async check(bench, rng, scale) {
      await expectCleared(bench, rng, 1 + rng.below(30), 1 + rng.below(40), scale);
    },
  },
  {
    title: "clearColumns is correct at sizes beyond any block",
    large: true,
    once: true,
    check: (bench, rng) => expectCleared(bench, rng, 70, 1100, 1),
  },
  {
    title: "addSquaredNorm adds ‖M‖², and normRatio is √(a/b), or 0",
    async check(bench, rng, scale) {
      const { kernels } = bench;
      const [rows, cols] = [1 + rng.below(60), 1 + rng.below(20)];
      const M = randomDense(rng, rows, cols, scale);
      const held = await bench.put(M);
      const count = rng.below(cols + 1);
      const scalars = await bench.hold(new DenseMatrix(6, 1, Float32Array.of(0, 0, 12345, 0, 12345, 12345)));
      await kernels.addSquaredNorm(held, scalars, 0);
      await kernels.addSquaredNorm(kernels.head(held, count), scalars, 1);
      await kernels.normRatio(scalars, 0, 1, 2);
      await kernels.addSquaredNorm(kernels.head(held, 0), scalars, 3);
      await kernels.normRatio(scalars, 3, 0, 4);
      await kernels.normRatio(scalars, 0, 3, 3);
      await kernels.addSquaredNorm(held, scalars, 1);
      const [whole, both, ratio, noDivisor, nothing, other] = (await kernels.readMatrix(scalars)).data;
      const part = dot(M.slice(0, count).data, M.slice(0, count).data);
      const all = dot(M.data, M.data);
      expect(Math.abs(whole - all)).toBeLessThanOrEqual(sumTolerance(rows * cols, all));
      expect(Math.abs(both - all - part)).toBeLessThanOrEqual(sumTolerance(rows * cols + 1, all + part));
      const exact = part > 0 ? Math.sqrt(all / part) : 0;
      const terms = 2 * rows * cols + 2 * root + quotient;
      expect(Math.abs(ratio - exact)).toBeLessThanOrEqual(sumTolerance(terms, exact));
      expect([noDivisor, nothing, other]).toEqual([0, 0, 12345]);
    },
  },
  {
    title: "addSquaredNorm is exact on small integers, at sizes beyond any block",
    large: true,
    once: true,
    async check(bench, rng) {
      const M = randomIntegers(rng, 1155, 300, 3);
      const held = await bench.put(M);
      const scalars = await bench.hold(new DenseMatrix(2, 1, Float32Array.of(0, 5)));
      await bench.kernels.addSquaredNorm(held, scalars, 0);
      await bench.kernels.addSquaredNorm(bench.kernels.head(held, 131), scalars, 1);
      const part = M.slice(0, 131).data;
      expect([...(await bench.kernels.readMatrix(scalars)).data]).toEqual([
        dot(M.data, M.data),
        5 + dot(part, part),
      ]);
    },
  },
];

/** The three operations that look at which atoms X uses. */
async function expectUses(bench: Bench, rng: Rng, X: SparseColumns): Promise<void> {
  const { kernels } = bench;
  const m = X.rows;
  if (X.cols > 2) X.setColumn(1, [0], [0]); // a stored zero is not a use
  const held = await bench.putSparse(X);
  const S = bench.keep(kernels.set(m));
  await kernels.writeSet(S, Uint32Array.of(m - 1)); // old members must go
  const uses = await bench.hold(DenseMatrix.build(m, 1, (i) => i));
  await kernels.usedAtoms(held, S);
  await kernels.countUses(held, uses);
  const counts = new Float32Array(m);
  X.toDense().data.forEach((value, i) => {
    if (value !== 0) counts[i % m] += 1;
  });
  expectSame(
    await kernels.readSet(S),
    [...counts.keys()].filter((row) => counts[row] > 0),
    "S",
  );
  expectSame(
    (await kernels.readMatrix(uses)).data,
    counts.map((count, row) => count + row),
    "uses",
  );

  const s = randomDense(rng, m, 1);
  const scaled = await bench.holdSparse(X);
  await kernels.scaleRows(await bench.put(s), scaled);
  const result = await kernels.readSparse(scaled);
  expectTidy(result);
  expect(result.counts).toEqual(X.counts);
  const expected = X.toDense().data.map((value, i) => value * s.data[i % m]);
  expect(result.toDense().data.every((value, i) => value === expected[i])).toBe(true);
}

/** The first |S| columns of the gradient, after checking that the others did not change. */
async function gradientOf(
  bench: Bench,
  X: SparseColumns,
  W: DenseMatrix,
  members: readonly number[],
  m: number,
): Promise<DenseMatrix> {
  const { kernels } = bench;
  const held = await bench.putSparse(X);
  const S = await bench.putSet(m, members);
  const grad = await bench.hold(DenseMatrix.build(W.rows, m, () => 12345));
  const scalars = await bench.hold(DenseMatrix.build(2, 1, () => 7));
  await kernels.gradient(await bench.put(W), held, S, grad, { scalars, slot: 1 });
  const whole = await kernels.readMatrix(grad);
  const { data } = whole.slice(0, members.length);
  const [other, energy] = (await kernels.readMatrix(scalars)).data;
  expect(other).toBe(7);
  const exact = dot(data, data);
  const inRange = exact < 2 ** 127; // data of 1e12 have a gradient of 1e24, whose square f32 does not hold
  if (inRange) expect(Math.abs(energy - exact)).toBeLessThanOrEqual(sumTolerance(data.length, exact));
  expect(
    whole.slice(members.length, m).data.every((value) => value === 12345),
    "columns behind |S|",
  ).toBe(true);
  return whole.slice(0, members.length);
}

interface MoveSizes {
  readonly factors: readonly Matrix64[];
  readonly m: number;
  readonly N: number;
  readonly scale: number;
}

/** ‖Φ grad X_S‖² in its slot, and the other slots as they were. */
async function expectMovedEnergy(bench: Bench, rng: Rng, { factors, m, N, scale }: MoveSizes): Promise<void> {
  const { kernels } = bench;
  const phi = explicitBase(factors);
  const X = randomSparse(rng, m, N, Math.min(m, 4));
  const members = [...Array(m).keys()].filter(() => rng.uniform() < 0.7);
  const grad = randomDense(rng, phi.cols, m, scale);
  const scalars = await bench.hold(DenseMatrix.build(3, 1, () => 7));
  await kernels.movedEnergy(
    bench.keep(kernels.base(factors)),
    await bench.put(grad),
    await bench.putSet(m, members),
    await bench.putSparse(X),
    scalars,
    1,
  );
  const energy = (await kernels.readMatrix(scalars)).data;
  const X_S = rowsOf(wide(X), members);
  const g = wide(grad.slice(0, members.length));
  const moved = phi.times(g.times(X_S)).data;
  const size = magnitudes(phi).times(magnitudes(g).times(magnitudes(X_S))).data;
  const exact = dot(moved, moved);
  // each entry within γ|·| of its own: the energy within twice that of Σ|·|², and its own sum
  const terms = 2 * (chainLength(factors) + X.width) + moved.length;
  expect([energy[0], energy[2]]).toEqual([7, 7]);
  expect(Math.abs(energy[1] - exact)).toBeLessThanOrEqual(sumTolerance(terms, dot(size, size)));
}

/** R and X after an exchange, against explicit columns. Examples that use no atom of S keep their bits. */
async function expectExchanged(
  bench: Bench,
  rng: Rng,
  n: number,
  m: number,
  N: number,
  scale: number,
): Promise<void> {
  const { kernels } = bench;
  const X = randomSparse(rng, m, N, Math.min(m, 5), () => rng.normal() * scale);
  if (N > 2) X.setColumn(1, [0], [0]); // a stored zero is not a use
  const members = independentAtoms(X, 0.7, rng);
  const [before, after] = [randomDense(rng, n, m), randomDense(rng, n, m)];
  const R = randomDense(rng, n, N, scale);
  const [from, to, S] = [await bench.put(before), await bench.put(after), await bench.putSet(m, members)];
  for (const refits of [false, true]) {
    const [codes, rest] = [await bench.holdSparse(X), await bench.hold(R)];
    await kernels.exchangeAtoms(from, to, S, codes, rest, refits);
    const [newX, newR] = [await kernels.readSparse(codes), await kernels.readMatrix(rest)];
    expect(newX.indices).toEqual(X.indices);
    for (let i = 0; i < N; i++) {
      const slots = Array.from({ length: X.counts[i] }, (_, s) => i * X.width + s);
      const changed = slots.find((s) => members.includes(X.indices[s]) && X.values[s] !== 0);
      for (const s of slots)
        if (s !== changed && newX.values[s] !== X.values[s]) expect.fail(`slot ${s} of X changed`);
      if (changed === undefined) {
        expectSame(newR.column(i), R.column(i), `column ${i}`);
        continue;
      }
      const at = members.indexOf(X.indices[changed]);
      const [x, old, fresh] = [X.values[changed], before.column(at), after.column(at)];
      const error = Float64Array.from(R.column(i), (r, l) => r + x * old[l]);
      const size = Float64Array.from(R.column(i), (r, l) => Math.abs(r) + Math.abs(x * old[l]));
      const weight = refits ? dot(error, fresh) : x;
      const sure = refits ? sumTolerance(n + 2, dot(size, fresh.map(Math.abs))) : 0;
      expect(Math.abs(newX.values[changed] - weight)).toBeLessThanOrEqual(sure);
      newR.column(i).forEach((r, l) => {
        const bound = sumTolerance(4, size[l] + Math.abs(weight * fresh[l])) + sure * Math.abs(fresh[l]);
        const exact = error[l] - weight * fresh[l];
        if (!(Math.abs(r - exact) <= bound)) expect.fail(`R[${l}, ${i}]: ${r} should be ${exact} ± ${bound}`);
      });
    }
  }
}

/** Atoms of which no example uses two; each possible one is taken with a probability. */
function independentAtoms(X: SparseColumns, probability: number, rng: Rng): number[] {
  const taken = new Set<number>();
  const users = (atom: number) =>
    [...Array(X.cols).keys()].filter((i) =>
      X.indices.subarray(i * X.width, i * X.width + X.counts[i]).includes(atom),
    );
  return [...Array(X.rows).keys()].filter((atom) => {
    const examples = users(atom);
    if (rng.uniform() > probability || examples.some((i) => taken.has(i))) return false;
    for (const i of examples) taken.add(i);
    return true;
  });
}

/** P_k of random columns, half of the time with many ties; one column of U is zero. */
async function expectMoved(
  bench: Bench,
  rng: Rng,
  L: number,
  m: number,
  k: number,
  scale: number,
): Promise<void> {
  const { kernels } = bench;
  const width = Math.min(L, k + rng.below(3)); // there may be room for more than k
  const A = randomSparse(rng, L, m, k, () => rng.normal() * scale);
  const U = randomDense(rng, L, m, scale);
  if (rng.uniform() < 0.5) U.data.forEach((u, i) => (U.data[i] = Math.sign(u) * scale)); // many ties
  U.column(rng.below(m)).fill(0);
  const members = [...Array(m).keys()].filter(() => rng.uniform() < 0.5);
  const held = bench.keep(kernels.sparse(L, m, width));
  await kernels.writeSparse(held, A);
  const step = { gamma: 1, scalars: await bench.put(new DenseMatrix(1, 1)), eta: 0 }; // U stays
  const grad = await bench.put(randomDense(rng, L, m, scale));
  await kernels.moveAtoms(k, await bench.put(U), await bench.putSet(m, members), held, { ...step, grad });
  const result = await kernels.readSparse(held);
  expectTidy(result);
  const dense = result.toDense();
  for (let j = 0; j < m; j++) {
    const before = A.slice(j, j + 1).toDense().data;
    const expected = members.includes(j)
      ? largestOf(
          before.map((a, l) => a - U.at(l, j)),
          k,
        )
      : before;
    expect(
      dense.column(j).every((value, l) => value === expected[l]),
      `column ${j}`,
    ).toBe(true);
    if (!members.includes(j)) continue;
    const rows = [...result.indices.subarray(j * width, j * width + result.counts[j])];
    expect(rows).toEqual([...expected.keys()].filter((l) => expected[l] !== 0)); // ascending, no stored zeros
  }
}

async function expectCleared(bench: Bench, rng: Rng, n: number, m: number, scale: number): Promise<void> {
  const [B, C] = [randomDense(rng, n, m, scale), randomDense(rng, m, m, scale)];
  const members = [...Array(m).keys()].filter(() => rng.uniform() < 0.3);
  const [b, c] = [await bench.hold(B), await bench.hold(C)];
  const S = await bench.putSet(m, members);
  await bench.kernels.clearColumns(S, b);
  await bench.kernels.clearColumns(S, c, { rows: true });
  const gone = new Set(members);
  const left = (M: DenseMatrix, rows: boolean) =>
    M.data.map((value, i) =>
      gone.has(Math.floor(i / M.rows)) || (rows && gone.has(i % M.rows)) ? 0 : value,
    );
  expectSame((await bench.kernels.readMatrix(b)).data, left(B, false), "B");
  expectSame((await bench.kernels.readMatrix(c)).data, left(C, true), "C");
}

/** The k largest magnitudes, of equal ones the lower row; zero elsewhere. */
function largestOf(values: Float32Array, k: number): Float32Array {
  const ranked = [...values.keys()].sort((a, b) => Math.abs(values[b]) - Math.abs(values[a]) || a - b);
  const kept = new Float32Array(values.length);
  for (const row of ranked.slice(0, k)) kept[row] = values[row];
  return kept;
}

function negative(M: Matrix64): Matrix64 {
  return new Matrix64(
    M.rows,
    M.cols,
    M.data.map((value) => -value),
  );
}

interface ThresholdSizes {
  readonly L: number;
  readonly m: number;
  readonly width: number;
  readonly scale: number;
}

/** Every other or every atom of a part of A. μ is a power of two, so that all kernels keep the same entries. */
async function expectThresholded(
  bench: Bench,
  rng: Rng,
  { L, m, width, scale }: ThresholdSizes,
): Promise<void> {
  const { kernels } = bench;
  const step = 1 + rng.below(2);
  const N = rng.below(Math.floor(m / step) + 1);
  const first = rng.below(m - step * Math.max(0, N - 1));
  const A = randomSparse(rng, L, m, 1 + rng.below(width), () => rng.normal() * scale);
  const W = randomDense(rng, L, N, scale);
  const C = kernels.sparse(L, N, width);
  const V = kernels.sparse(L, N, width);
  const w = await bench.put(W);
  await kernels.thresholdAtoms(await bench.putSparse(A), { first, step }, 0.5, w, C);
  const kept = await kernels.readSparse(C);
  expectTidy(kept);
  const atoms = A.toDense();
  for (let j = 0; j < N; j++) {
    const moved = W.column(j).map((x, l) => atoms.at(l, first + step * j) + 0.5 * x);
    expectSame(kept.toDense().column(j), largestOf(moved, width), `column ${j}`);
    const rows = [...kept.indices.subarray(j * width, j * width + kept.counts[j])];
    expect(rows).toEqual([...rows].sort((a, b) => a - b));
  }

  await kernels.takeEntries(w, C, V);
  const taken = await kernels.readSparse(V);
  expectSame(taken.indices, kept.indices, "rows");
  expectSame(taken.counts, kept.counts, "counts");
  const used = (s: number) => s % width < kept.counts[Math.floor(s / width)];
  expectSame(
    taken.values,
    Float32Array.from(kept.indices, (row, s) => (used(s) ? W.at(row, Math.floor(s / width)) : 0)),
    "entries of W",
  );

  const energies = DenseMatrix.build(1, N, () =>
    rng.below(6) === 0 ? 0 : scale * scale * (1 + rng.uniform()),
  );
  await kernels.addEntries(V, await bench.put(energies), C);
  const stepped = await kernels.readSparse(C);
  expectSame(stepped.indices, kept.indices, "rows after the step");
  for (let j = 0; j < N; j++) {
    const own = taken.values.subarray(j * width, (j + 1) * width);
    const alpha = energies.data[j] > 0 ? dot(own, own) / energies.data[j] : 0;
    for (let s = j * width; s < (j + 1) * width; s++) {
      const [a, b] = [kept.values[s], alpha * taken.values[s]];
      const bound = sumTolerance(width + 4, Math.abs(a) + Math.abs(b));
      expect(Math.abs(stepped.values[s] - (a + b))).toBeLessThanOrEqual(bound);
    }
  }
  kernels.free(C, V);
}

/** Fits of some atoms, in the middle of A, with energies and distances on both sides of the limit. */
async function expectAccepted(bench: Bench, rng: Rng, L: number, m: number, width: number): Promise<void> {
  const { kernels } = bench;
  const N = rng.below(m + 1);
  const first = rng.below(m - N + 1);
  const A = randomSparse(rng, L, m, width);
  const C = randomSparse(rng, L, N, 1 + rng.below(width));
  const energies = DenseMatrix.build(1, N, () => (rng.below(8) === 0 ? 0 : 0.2 + 0.8 * rng.uniform()));
  const left = DenseMatrix.build(1, N, (_, j) => 1 - energies.data[j] + 0.5 * rng.uniform());
  const limits = Array.from(energies.data, (e, j) => (left.data[j] - (1 - Math.sqrt(e)) ** 2) / Math.sqrt(e));
  const distances = DenseMatrix.build(1, N, (_, j) => limits[j] * (rng.below(2) === 0 ? 0.99 : 1.01));
  const held = await bench.holdSparse(A);
  const fits = await bench.putSparse(C);
  const numbers = [await bench.put(energies), await bench.put(left), await bench.put(distances)] as const;
  await kernels.acceptAtoms(fits, ...numbers, held, first);
  const result = await kernels.readSparse(held);
  for (let atom = 0; atom < m; atom++) {
    const j = atom - first;
    const accepted = j >= 0 && j < N && energies.data[j] > 0 && limits[j] < distances.data[j];
    const source = accepted ? C.slice(j, j + 1) : A.slice(atom, atom + 1);
    const factor = accepted ? 1 / Math.sqrt(energies.data[j]) : 1;
    const { indices, values, counts } = result.slice(atom, atom + 1);
    const used = source.counts[0];
    expectSame(counts, source.counts, `the count of atom ${atom}`);
    const rows = new Uint32Array(width);
    rows.set(source.indices.subarray(0, used));
    expectSame(indices, rows, `rows of atom ${atom}`);
    const exact = Array.from({ length: width }, (_, s) => (s < used ? source.values[s] * factor : 0));
    const wrong = exact.findIndex((x, s) => !(Math.abs(values[s] - x) <= sumTolerance(4, Math.abs(x))));
    expect(wrong, `values of atom ${atom}`).toBe(-1);
  }
}
