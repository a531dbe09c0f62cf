/**
 * Conformance: explicit dictionaries. The updates of ODL and K-SVD take one atom after
 * the other, so they are replayed: up to rounding, each atom must be what f64 computes
 * from the atoms that the kernels had before it.
 */

import { expect } from "vitest";
import { DenseMatrix, type SparseColumns } from "../../core/matrix.js";
import type { Rng } from "../../core/random/rng.js";
import { Matrix64 } from "../../linalg/matrix64.js";
import { type AtomRange, momentFloor } from "../contract.js";
import type { Bench, ConformanceCase } from "./caseHandles.case.js";
import {
  dot,
  expectClose,
  expectExact,
  expectSame,
  magnitudes,
  quotient,
  randomDense,
  randomIntegers,
  randomSparse,
  randomUnitDictionary,
  root,
  wide,
} from "./oracle.case.js";
import { sumTolerance, unitRoundoff } from "./tolerance.js";

export const explicitCases: readonly ConformanceCase[] = [
  {
    title: "correlate is DᵀY, combine is DX, remainder is Y − DX, also in place",
    async check(bench, rng, scale) {
      const [n, m, N] = [1 + rng.below(40), 1 + rng.below(40), rng.below(40)];
      const p = Math.min(m, 1 + rng.below(5));
      const D = randomDense(rng, n, m);
      const X = randomSparse(rng, m, N, p, () => rng.normal() * scale);
      const Y = randomDense(rng, n, N, scale);
      const { P, V, R } = await products(bench, D, X, Y);
      const [d, x, y] = [wide(D), wide(X), wide(Y)];
      expectClose(P, d.transpose().times(y), n, magnitudes(d).transpose().times(magnitudes(y)));
      const size = magnitudes(d).times(magnitudes(x));
      expectClose(V, d.times(x), p, size);
      const whole = new Matrix64(
        n,
        N,
        size.data.map((value, i) => value + Math.abs(y.data[i])),
      );
      expectClose(R, minus(y, d.times(x)), p + 1, whole);
      const inPlace = await bench.hold(Y);
      await bench.kernels.remainder(await bench.put(D), await bench.putSparse(X), inPlace, inPlace);
      expect(await bench.kernels.readMatrix(inPlace)).toEqual(R);
    },
  },
  {
    title: "correlate, combine and remainder are exact on small integers, at sizes beyond any block",
    large: true,
    once: true,
    async check(bench, rng) {
      for (const [n, m, N] of [
        [130, 1100, 70],
        [37, 65, 300],
        [800, 130, 125],
      ] as const) {
        const D = randomIntegers(rng, n, m, 3);
        const X = randomSparse(rng, m, N, 12, () => rng.below(5) - 2);
        const Y = randomIntegers(rng, n, N, 3);
        const { P, V, R } = await products(bench, D, X, Y);
        expectExact(P, wide(D).transpose().times(wide(Y)));
        expectExact(V, wide(D).times(wide(X)));
        expectExact(R, minus(wide(Y), wide(D).times(wide(X))));
      }
    },
  },
  {
    title: "correlate of a dictionary with itself is symmetric to the bit",
    large: true,
    once: true,
    async check(bench, rng) {
      for (const [n, m] of [
        [3, 5],
        [50, 133],
        [21, 1100],
        [400, 245],
      ] as const) {
        const D = randomDense(rng, n, m);
        const [held, G] = [await bench.put(D), await bench.room(m, m)];
        await bench.kernels.correlate(held, held, G.handle);
        const gram = await G.read();
        const size = magnitudes(wide(D))
          .transpose()
          .times(magnitudes(wide(D)));
        expectClose(gram, wide(D).transpose().times(wide(D)), n, size);
        expectSymmetric(gram);
      }
    },
  },
  {
    title: "addMoments is βB + YXᵀ and βC + XXᵀ",
    async check(bench, rng, scale) {
      const [n, m, N] = [1 + rng.below(40), 1 + rng.below(30), rng.below(40)];
      const p = Math.min(m, 1 + rng.below(4));
      const X = randomSparse(rng, m, N, p, () => rng.normal() * scale);
      const Y = randomDense(rng, n, N, scale);
      const [B, C] = [
        randomDense(rng, n, m, scale * scale),
        symmetric(randomDense(rng, m, m, scale * scale)),
      ];
      const beta = [0, 0.75, 1][rng.below(3)];
      const after = await moments(bench, beta, Y, X, B, C);
      const [x, y] = [wide(X), wide(Y)];
      expectClose(after.B, mixed(beta, B, y.times(x.transpose())), N + 2, sizes(beta, B, y, x));
      expectClose(after.C, mixed(beta, C, x.times(x.transpose())), N + 2, sizes(beta, C, x, x));
      expectSymmetric(after.C);
    },
  },
  {
    title: "addMoments is exact on small integers, at sizes beyond any block",
    large: true,
    once: true,
    async check(bench, rng) {
      const [n, m, N] = [133, 1100, 300];
      const X = randomSparse(rng, m, N, 9, () => rng.below(5) - 2);
      const Y = randomIntegers(rng, n, N, 3);
      const [B, C] = [randomIntegers(rng, n, m, 9), symmetric(randomIntegers(rng, m, m, 9))];
      const after = await moments(bench, 0.5, Y, X, B, C);
      expectExact(after.B, mixed(0.5, B, wide(Y).times(wide(X).transpose())));
      expectExact(after.C, mixed(0.5, C, wide(X).times(wide(X).transpose())));
    },
  },
  {
    title: "descendAtoms moves each atom in turn, and does not change those without weight",
    async check(bench, rng, scale) {
      await expectDescent(bench, rng, 1 + rng.below(40), 1 + rng.below(50), scale);
      await expectDescent(bench, rng, 1 + rng.below(40), 10, scale, 4, {
        first: rng.below(5),
        count: rng.below(6),
      });
    },
  },
  {
    title: "descendAtoms is correct at sizes beyond any block",
    large: true,
    once: true,
    async check(bench, rng) {
      await expectDescent(bench, rng, 37, 300, 1);
      await expectDescent(bench, rng, 37, 300, 1, 4, { first: 70, count: 150 });
      await expectDescent(bench, rng, 29, 560, 1, 40);
      await expectDescent(bench, rng, 1061, 70, 1);
      await expectDescent(bench, rng, 9, 1100, 1);
      await expectDescent(bench, rng, 9, 1100, 1, 4, { first: 37, count: 1050 });
    },
  },
  {
    title: "refitAtoms fits each atom in turn, and its coefficients, to the error without it",
    async check(bench, rng, scale) {
      const [n, m, N] = [1 + rng.below(30), 1 + rng.below(20), rng.below(60)];
      await expectRefit(bench, rng, n, m, N, Math.min(m, 1 + rng.below(4)), scale);
    },
  },
  {
    title: "refitAtoms is correct at sizes beyond any block",
    large: true,
    once: true,
    async check(bench, rng) {
      await expectRefit(bench, rng, 21, 9, 700, 3, 1);
      await expectRefit(bench, rng, 1061, 3, 20, 2, 1);
    },
  },
  {
    title: "addOuter is C + YYᵀ, symmetric to the bit",
    large: true,
    async check(bench, rng, scale) {
      const [n, N] = [1 + rng.below(60), rng.below(40)];
      const Y = randomDense(rng, n, N, scale);
      const C = symmetric(randomDense(rng, n, n, scale * scale));
      const held = await bench.hold(C);
      await bench.kernels.addOuter(await bench.put(Y), held);
      const after = await bench.kernels.readMatrix(held);
      const y = wide(Y);
      expectClose(after, mixed(1, C, y.times(y.transpose())), N + 1, sizes(1, C, y, y));
      expectSymmetric(after);
    },
  },
  {
    title: "addOuter is exact on small integers, at sizes beyond any block",
    large: true,
    once: true,
    async check(bench, rng) {
      const Y = randomIntegers(rng, 277, 530, 3);
      const C = symmetric(randomIntegers(rng, 277, 277, 9));
      const held = await bench.hold(C);
      await bench.kernels.addOuter(await bench.put(Y), held);
      expectExact(await bench.kernels.readMatrix(held), mixed(1, C, wide(Y).times(wide(Y).transpose())));
    },
  },
];

async function products(bench: Bench, D: DenseMatrix, X: SparseColumns, Y: DenseMatrix) {
  const [d, x, y] = [await bench.put(D), await bench.putSparse(X), await bench.put(Y)];
  const [P, V, R] = [
    await bench.room(D.cols, Y.cols),
    await bench.room(D.rows, Y.cols),
    await bench.room(D.rows, Y.cols),
  ];
  await bench.kernels.correlate(d, y, P.handle);
  await bench.kernels.combine(d, x, V.handle);
  await bench.kernels.remainder(d, x, y, R.handle);
  return { P: await P.read(), V: await V.read(), R: await R.read() };
}

async function moments(
  bench: Bench,
  beta: number,
  Y: DenseMatrix,
  X: SparseColumns,
  B: DenseMatrix,
  C: DenseMatrix,
) {
  const [b, c] = [await bench.hold(B), await bench.hold(C)];
  await bench.kernels.addMoments(beta, await bench.put(Y), await bench.putSparse(X), b, c);
  return { B: await bench.kernels.readMatrix(b), C: await bench.kernels.readMatrix(c) };
}

/** Replay: every atom from the new ones before it and the old ones after it. */
async function expectDescent(
  bench: Bench,
  rng: Rng,
  n: number,
  m: number,
  scale: number,
  sparsity = 4,
  atoms?: AtomRange,
): Promise<void> {
  const { D } = randomUnitDictionary(rng, n, m);
  const X = randomSparse(rng, m, 3 * m, Math.min(m, sparsity), () => rng.normal() * scale);
  const idle = rng.below(m);
  for (let s = 0; s < X.values.length; s++) if (X.indices[s] === idle) X.values[s] = 0;
  const x = wide(X);
  const C = rounded(x.times(x.transpose()));
  const B = rounded(wide(randomDense(rng, n, X.cols, scale)).times(x.transpose()));
  const held = await bench.hold(D);
  const step = rng.below(2) === 0 ? undefined : 0.5 + rng.uniform();
  await bench.kernels.descendAtoms(await bench.put(B), await bench.put(C), held, step, atoms);
  const { first, count } = atoms ?? { first: 0, count: m };
  const omega = Math.fround(step ?? 1);
  const after = await bench.kernels.readMatrix(held);
  const now = D.copy();
  for (let j = 0; j < m; j++) {
    const weight = C.at(j, j);
    if (weight < momentFloor || j < first || j >= first + count) {
      expectSame(after.column(j), D.column(j), `atom ${j}`);
      continue;
    }
    const [u, size] = [new Float64Array(n), new Float64Array(n)];
    for (let i = 0; i < m; i++) {
      const c = C.at(i, j);
      now.column(i).forEach((d, r) => {
        u[r] -= c * d;
        size[r] += Math.abs(c) * (Math.abs(d) + Math.abs(D.at(r, i))); // a change is a difference of both
      });
    }
    for (let r = 0; r < n; r++) {
      u[r] = D.at(r, j) + (omega * (B.at(r, j) + u[r])) / weight;
      size[r] = Math.abs(D.at(r, j)) + (omega * (Math.abs(B.at(r, j)) + size[r])) / weight;
    }
    expectDirection(after.column(j), u, size, 2 * m + quotient + 4, `atom ${j}`);
    now.column(j).set(after.column(j));
  }
}

/** Replay: every atom from the new atoms and coefficients before it, the old ones after it, and R at the start. */
async function expectRefit(
  bench: Bench,
  rng: Rng,
  n: number,
  m: number,
  N: number,
  p: number,
  scale: number,
): Promise<void> {
  const { D } = randomUnitDictionary(rng, n, m);
  const X = randomSparse(rng, m, N, p, () => rng.normal() * scale);
  const R = randomDense(rng, n, N, scale);
  if (N > 0) X.setColumn(0, [0], [0]); // a stored zero is not a use
  const [r, x, d] = [await bench.hold(R), await bench.holdSparse(X), await bench.hold(D)];
  await bench.kernels.refitAtoms(r, x, d);
  const { kernels } = bench;
  const [R1, X1, D1] = [
    await kernels.readMatrix(r),
    await kernels.readSparse(x),
    await kernels.readMatrix(d),
  ];
  expectSame(X1.indices, X.indices, "the support");
  const [now, atoms] = [X.copy(), D.copy()];
  const start = minus(wide(R), minus(new Matrix64(n, N), wide(D).times(wide(X)))); // Y = R + DX
  const size = addedMagnitudes(R, D, X);
  for (let j = 0; j < m; j++) {
    const slots = [...X.values.keys()].filter((s) => X.indices[s] === j && X.values[s] !== 0);
    const [u, bound] = [new Float64Array(n), new Float64Array(n)];
    const errors = slots.map((s) => {
      const i = Math.floor(s / X.width);
      const error = start.column(i).slice();
      for (let t = i * X.width; t < i * X.width + X.counts[i]; t++) {
        if (t !== s) atoms.column(now.indices[t]).forEach((a, q) => (error[q] -= a * now.values[t]));
      }
      error.forEach((e, q) => {
        u[q] += e * X.values[s];
        bound[q] += size.at(q, i) * Math.abs(X.values[s]);
      });
      return error;
    });
    if (slots.length === 0) {
      expectSame(D1.column(j), D.column(j), `atom ${j}`);
      continue;
    }
    const terms = slots.length + 4 * p + 4;
    expectDirection(D1.column(j), u, bound, terms, `atom ${j}`);
    atoms.column(j).set(D1.column(j));
    slots.forEach((s, at) => {
      const i = Math.floor(s / X.width);
      const exact = dot(errors[at], D1.column(j));
      const most = dot(size.column(i), D1.column(j).map(Math.abs));
      const error = Math.abs(X1.values[s] - exact);
      if (!(error <= sumTolerance(n + 4 * p + 4, most)))
        expect.fail(`coefficient of atom ${j}, example ${i}: ${X1.values[s]} should be ${exact}`);
      now.values[s] = X1.values[s];
    });
  }
  expectClose(R1, minus(start, wide(D1).times(wide(X1))), 4 * p + n + 4, addedMagnitudes(R, D, X, D1, X1));
}

/** |R| + 2|D||X|, and the same of new atoms and codes, if given: a bound on all intermediate residuals. */
function addedMagnitudes(
  R: DenseMatrix,
  D: DenseMatrix,
  X: SparseColumns,
  D1: DenseMatrix = D,
  X1: SparseColumns = X,
): Matrix64 {
  const before = magnitudes(wide(D)).times(magnitudes(wide(X)));
  const after = magnitudes(wide(D1)).times(magnitudes(wide(X1)));
  // a new coefficient is at most the norm of the error without the atom
  return new Matrix64(
    R.rows,
    R.cols,
    before.data.map((value, i) => {
      const column = Math.floor(i / R.rows);
      const norm = Math.sqrt(
        dot(R.column(column), R.column(column)) + dot(before.column(column), before.column(column)),
      );
      return Math.abs(R.data[i]) + 2 * value + 2 * after.data[i] + 2 * norm;
    }),
  );
}

/** d = u/‖u‖, where entry r of u is known to the rounding of `terms` products of magnitude size[r]. */
function expectDirection(
  d: Float32Array,
  u: Float64Array,
  size: Float64Array,
  terms: number,
  what: string,
): void {
  const norm = Math.sqrt(dot(u, u));
  const bounds = size.map((value) => sumTolerance(terms, value) / norm);
  const whole = Math.sqrt(dot(bounds, bounds)); // of the norm, relative
  d.forEach((value, r) => {
    const exact = u[r] / norm;
    const slack = bounds[r] + Math.abs(exact) * whole + (root + quotient + d.length) * unitRoundoff;
    if (!(Math.abs(value - exact) <= slack)) expect.fail(`${what}: ${value} should be ${exact} ± ${slack}`);
  });
}

function minus(a: Matrix64, b: Matrix64): Matrix64 {
  return new Matrix64(
    a.rows,
    a.cols,
    a.data.map((value, i) => value - b.data[i]),
  );
}

/** βM + product. */
function mixed(beta: number, M: DenseMatrix, product: Matrix64): Matrix64 {
  return new Matrix64(
    M.rows,
    M.cols,
    product.data.map((value, i) => value + beta * M.data[i]),
  );
}

/** β|M| + |a||b|ᵀ. */
function sizes(beta: number, M: DenseMatrix, a: Matrix64, b: Matrix64): Matrix64 {
  const product = magnitudes(a).times(magnitudes(b).transpose());
  return new Matrix64(
    M.rows,
    M.cols,
    product.data.map((value, i) => value + beta * Math.abs(M.data[i])),
  );
}

function symmetric(M: DenseMatrix): DenseMatrix {
  return DenseMatrix.build(M.rows, M.cols, (i, j) => M.at(Math.min(i, j), Math.max(i, j)));
}

function rounded(M: Matrix64): DenseMatrix {
  return new DenseMatrix(M.rows, M.cols, Float32Array.from(M.data));
}

function expectSymmetric(M: DenseMatrix): void {
  for (let j = 0; j < M.cols; j++) {
    for (let i = 0; i < j; i++)
      if (!Object.is(M.at(i, j), M.at(j, i))) expect.fail(`not symmetric at (${i}, ${j})`);
  }
}
