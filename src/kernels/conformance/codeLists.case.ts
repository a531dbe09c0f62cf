/**
 * Conformance: codes by rows, which kernels may keep from one operation to the next. Whatever changes
 * the codes, all operations see the codes as they are now: entries that a refit made zero are no uses,
 * other codes take the place of the old ones, and a head has fewer.
 *
 * All numbers are small integers, which f32 adds exactly, so that results are compared to the bit.
 */

import { expect } from "vitest";
import { DenseMatrix, SparseColumns } from "../../core/matrix.js";
import type { Rng } from "../../core/random/rng.js";
import type { DeviceMatrix, DeviceSparse } from "../contract.js";
import type { Bench, ConformanceCase } from "./caseHandles.case.js";
import { expectTidy } from "./caseHandles.case.js";
import { expectExact, expectSame, randomIntegers, randomSparse, rowsOf, wide } from "./oracle.case.js";

export const codeListCases: readonly ConformanceCase[] = [
  {
    title: "copySparse puts columns at any place, and readRows reads entries by rows",
    async check(bench, rng, scale) {
      const [rows, cols, width] = [1 + rng.below(30), 1 + rng.below(40), 1 + rng.below(5)];
      const whole = randomSparse(rng, rows, cols, width, () => rng.normal() * scale);
      const count = rng.below(cols + 1);
      const first = rng.below(cols - count + 1);
      const part = randomSparse(rng, rows, count, width, () => rng.normal() * scale);
      if (count > 0) part.setColumn(0, [rows - 1], [0]); // a stored zero is not read
      const held = await bench.holdSparse(whole);
      const rowsBefore = bench.kernels.readRows(held); // not awaited: it sees the codes from before
      await bench.kernels.copySparse(await bench.putSparse(part), held, first);
      const copied = await bench.kernels.readSparse(held);
      expectTidy(copied);
      const expected = whole.toDense();
      expected.data.set(part.toDense().data, first * rows);
      expectSame(copied.toDense().data, expected.data, "copied columns");
      expectRows(await bench.kernels.readRows(held), expected);
      expectRows(await rowsBefore, whole.toDense());
    },
  },
  {
    title: "readRows reads several codes at a time",
    once: true,
    async check(bench, rng) {
      const { kernels } = bench;
      const codes = [400, 90, 700].map((cols) => randomSparse(rng, 50, cols, 3));
      const held: DeviceSparse[] = [];
      for (const X of codes) held.push(await bench.putSparse(X));
      const read = await Promise.all(held.map((X) => kernels.readRows(X)));
      read.forEach((rows, i) => expectRows(rows, codes[i].toDense()));
      expectRows(await kernels.readRows(held[0]), codes[0].toDense());
    },
  },
  {
    title: "operations on codes follow repeated refits, and codes that are replaced",
    async check(bench, rng) {
      const [n, m, N] = [1 + rng.below(9), 6 + rng.below(9), rng.below(60)];
      await expectFollowed(bench, rng, n, m, N);
    },
  },
  {
    title: "operations on codes follow repeated refits at sizes beyond any block",
    large: true,
    once: true,
    async check(bench, rng) {
      await expectFollowed(bench, rng, 70, 9, 1100); // few atoms that many examples use
      await expectFollowed(bench, rng, 5, 700, 90);
    },
  },
];

/** Codes and residuals on the device, and what they must be. */
interface Followed {
  readonly X: DeviceSparse;
  readonly R: DeviceMatrix;
  codes: SparseColumns;
  rest: DenseMatrix;
}

async function expectFollowed(bench: Bench, rng: Rng, n: number, m: number, N: number): Promise<void> {
  const { kernels } = bench;
  const codes = pairedCodes(rng, m, N);
  const rest = randomIntegers(rng, n, N, 2);
  const state = { X: await bench.holdSparse(codes), R: await bench.hold(rest), codes, rest };
  await expectCurrent(bench, rng, state);
  for (const refits of [true, true, false, true]) {
    await exchange(bench, rng, state, refits);
    await expectCurrent(bench, rng, state);
  }
  state.codes = pairedCodes(rng, m, N);
  await kernels.writeSparse(state.X, state.codes);
  await expectCurrent(bench, rng, state);
  await exchange(bench, rng, state, true);
  state.codes = pairedCodes(rng, m, N);
  await kernels.copySparse(await bench.putSparse(state.codes), state.X, 0);
  await expectCurrent(bench, rng, state);
  const scale = DenseMatrix.build(m, 1, (j) => (j === 1 ? 0 : j % 3 === 0 ? -1 : 1)); // atom 1 is no longer used
  await kernels.scaleRows(await bench.put(scale), state.X);
  state.codes.values.forEach((value, s) => {
    state.codes.values[s] = value * scale.data[state.codes.indices[s]];
  });
  await expectCurrent(bench, rng, state);
  const half = Math.floor(N / 2);
  const head = { X: kernels.headSparse(state.X, half), R: kernels.head(state.R, half) };
  const part = { ...head, codes: state.codes.slice(0, half).copy(), rest: state.rest.slice(0, half).copy() };
  await expectCurrent(bench, rng, part);
  await exchange(bench, rng, part, true);
  await expectCurrent(bench, rng, part);
}

/** Codes of which none uses atoms 0 and 1, or 2 and 3, and none the last atom. Some examples use nothing. */
function pairedCodes(rng: Rng, m: number, N: number): SparseColumns {
  const X = new SparseColumns(m, N, 5);
  for (let i = 0; i < N; i++) {
    const others = rng.distinct(1, m - 5).map((j) => 4 + j);
    const atoms = [rng.below(2), 2 + rng.below(2), ...others].slice(0, rng.below(4));
    X.setColumn(
      i,
      atoms,
      atoms.map(() => rng.below(5) - 2), // zeros too
    );
  }
  return X;
}

/** Exchange one or two atoms: the new ones are ± a unit vector, so that numbers stay small. */
async function exchange(bench: Bench, rng: Rng, state: Followed, refits: boolean): Promise<void> {
  const { codes, rest } = state;
  const [n, m] = [rest.rows, codes.rows];
  const members = [[0, 1], [2, 3], [rng.below(m - 1)], [1, m - 1]][rng.below(4)];
  const before = randomIntegers(rng, n, members.length, 1);
  const after = new DenseMatrix(n, members.length);
  members.forEach((_, at) => {
    after.column(at)[rng.below(n)] = rng.below(2) === 0 ? 1 : -1;
  });
  const S = await bench.putSet(m, members);
  const atoms = [await bench.put(before), await bench.put(after)] as const;
  await bench.kernels.exchangeAtoms(...atoms, S, state.X, state.R, refits);
  for (let i = 0; i < codes.cols; i++) {
    for (let s = i * codes.width; s < i * codes.width + codes.counts[i]; s++) {
      const at = members.indexOf(codes.indices[s]);
      if (at < 0 || codes.values[s] === 0) continue;
      const r = rest.column(i);
      before.column(at).forEach((d, l) => (r[l] += codes.values[s] * d));
      if (refits) codes.values[s] = after.column(at).reduce((sum, d, l) => sum + d * r[l], 0);
      after.column(at).forEach((d, l) => (r[l] -= codes.values[s] * d));
    }
  }
}

/** Every operation that goes by rows of X, against explicit matrices. */
async function expectCurrent(bench: Bench, rng: Rng, { X, R, codes, rest }: Followed): Promise<void> {
  const { kernels } = bench;
  const m = codes.rows;
  const dense = codes.toDense();
  expectExact(await kernels.readMatrix(R), wide(rest));
  expectExact((await kernels.readSparse(X)).toDense(), wide(dense));
  const counts = Float32Array.from({ length: m }, (_, j) =>
    Array.from({ length: codes.cols }, (_, i) => dense.at(j, i)).reduce(
      (sum, x) => sum + (x === 0 ? 0 : 1),
      0,
    ),
  );
  const members = [[1], [0, 3], [2, m - 1], [...Array(m).keys()]][rng.below(4)];
  const S = await bench.putSet(m, members);
  const grad = bench.keep(kernels.matrix(rest.rows, members.length));
  await kernels.gradient(R, X, S, grad);
  const X_S = rowsOf(wide(dense), members);
  const product = wide(rest).times(X_S.transpose());
  product.data.forEach((value, i) => (product.data[i] = -value));
  expectExact(await kernels.readMatrix(grad), product);
  if (rng.below(2) === 0) return; // so that a gradient also comes before lists are looked at in other ways
  const used = bench.keep(kernels.set(m));
  const uses = await bench.hold(new DenseMatrix(m, 1));
  await kernels.usedAtoms(X, used);
  await kernels.countUses(X, uses);
  const usedAtoms = [...counts.keys()].filter((j) => counts[j] > 0);
  expectSame(await kernels.readSet(used), usedAtoms, "used atoms");
  expectSame((await kernels.readMatrix(uses)).data, counts, "uses");
  expectRows(await kernels.readRows(X), dense);
}

/** Rows as `readRows` gives them. */
function expectRows(
  { cols, starts, columns, values }: Awaited<ReturnType<Bench["kernels"]["readRows"]>>,
  expected: DenseMatrix,
): void {
  expect([cols, starts.length]).toEqual([expected.cols, expected.rows + 1]);
  const found: number[] = [];
  const wanted: number[] = [];
  for (let j = 0; j < expected.rows; j++) {
    for (let e = starts[j]; e < starts[j + 1]; e++) found.push(j, columns[e], values[e]);
    for (let i = 0; i < expected.cols; i++) if (expected.at(j, i) !== 0) wanted.push(j, i, expected.at(j, i));
  }
  expectSame(found, wanted, "rows");
  expect([columns.length, values.length]).toEqual([starts[expected.rows], starts[expected.rows]]);
}
