import { describe, expect, test } from "vitest";
import { InputError } from "../../core/errors.js";
import { DenseMatrix, SparseColumns } from "../../core/matrix.js";
import { Rng } from "../../core/random/rng.js";
import { syntheticPictures } from "../../data/syntheticPictures.js";
import { type BaseDictionary, createBase } from "../../dictionaries/base.js";
import { SparseDictionary } from "../../dictionaries/dictionary.js";
import {
  chainLength,
  dot,
  expectClose,
  explicitBase,
  magnitudes,
  randomDense,
  wide,
} from "../../kernels/conformance/oracle.case.js";
import { sumTolerance, unitRoundoff } from "../../kernels/conformance/tolerance.js";
import type { DeviceMatrix, Kernels } from "../../kernels/contract.js";
import { createReferenceKernels } from "../../kernels/reference/index.js";
import { Matrix64, normalizeColumns } from "../../linalg/matrix64.js";
import { symmetricEigen } from "../../linalg/symmetricEigen.js";
import { requireSameSettings } from "../run/runSettings.js";
import {
  collect,
  expectGramOfAtoms,
  learnerCase,
  picture,
  pursue,
  randomAtoms,
  unitAtoms,
  watchKernels,
} from "./learner.case.js";
import { createOsdl, freeOsdl, type OsdlOptions, osdlDefaults, osdlStep, osdlUpdate } from "./osdl.js";
import { type FirstSteps, risingMomentum, scaleStart, startDelay, startFactors } from "./shortStart.js";

learnerCase("osdl", { sparseFactor: true, recovers: 0.8 });

interface Sizes {
  readonly m: number;
  readonly k: number;
  readonly p: number;
  readonly N: number;
  readonly momentum: number;
  readonly firstSteps: FirstSteps;
  readonly refineBase: boolean;
  readonly seed: number;
  /** Deviation of the examples. */
  readonly units: number;
}

const usual: Sizes = {
  ...{ m: 40, k: 3, p: 2, N: 12, momentum: 0.9 },
  ...{ firstSteps: "paper", refineBase: false, seed: 1, units: 20 },
};
/** Random factors: no two base atoms are alike, so that no choice depends on rounding. */
const base: BaseDictionary = {
  name: "random",
  shape: [4, 3],
  factors: [
    [4, 7],
    [3, 5],
  ].map(([rows, cols]) => normalizeColumns("test", wide(randomDense(Rng.from(4), rows, cols)))),
};
const phi = explicitBase(base.factors);
const [n, L] = [phi.rows, phi.cols];
const chain = chainLength(base.factors);

/** A learner with random atoms, and batches of random examples for it. */
async function setUp(sizes: Partial<Sizes> = {}, kernels: Kernels = createReferenceKernels()) {
  const { m, k, p, N, momentum, firstSteps, refineBase, seed, units } = { ...usual, ...sizes };
  const rng = Rng.from(seed);
  const dictionary = await SparseDictionary.create(base, randomAtoms(rng, L, m, k), kernels, k);
  const options = { atomSparsity: k, coding: { sparsity: p }, momentum, firstSteps, refineBase, batch: N };
  const state = createOsdl(dictionary, options, kernels);
  const put = async (Y: DenseMatrix): Promise<DeviceMatrix> => {
    const held = kernels.matrix(Y.rows, Y.cols);
    await kernels.writeMatrix(held, Y);
    return held;
  };
  const draw = (count = N) => randomDense(rng, n, count, units);
  return { kernels, dictionary, state, put, draw, rng };
}

/** Everything that a step may change, on the host. */
async function read({ kernels, dictionary, state }: Awaited<ReturnType<typeof setUp>>) {
  return {
    A: await kernels.readSparse(dictionary.A),
    scale: await kernels.readMatrix(dictionary.scale),
    G: await kernels.readMatrix(dictionary.gram!),
    U: await kernels.readMatrix(state.momentum),
  };
}

/** The codes that the next step will use for Y. */
async function codesOf({ kernels, state }: Awaited<ReturnType<typeof setUp>>, Y: DeviceMatrix) {
  return kernels.readSparse(await state.encoder.encode(Y));
}

// — Algorithm 2 with explicit matrices, in f64 ———————————————————————————————————

function combineWith(a: Matrix64, b: Matrix64, entry: (x: number, y: number) => number): Matrix64 {
  return new Matrix64(
    a.rows,
    a.cols,
    a.data.map((value, i) => entry(value, b.data[i])),
  );
}

const norm = (M: Matrix64): number => Math.sqrt(dot(M.data, M.data));

/** f(A) = ½‖Y − ΦAX‖². */
function cost(Y: Matrix64, A: Matrix64, X: Matrix64): number {
  return norm(combineWith(Y, phi.times(A.times(X)), (y, fit) => y - fit)) ** 2 / 2;
}

/** ∇f(A) = Φᵀ(ΦAX − Y)Xᵀ. */
function gradientOf(Y: Matrix64, A: Matrix64, X: Matrix64): Matrix64 {
  const E = combineWith(phi.times(A.times(X)), Y, (fit, y) => fit - y);
  return phi.transpose().times(E).times(X.transpose());
}

/** Its rounding in f32, entry by entry: every sum of the chain relative to the magnitudes it adds. */
function gradientRounding(Y: Matrix64, A: SparseColumns, X: SparseColumns): Matrix64 {
  const size = magnitudes(phi);
  const fit = size.times(magnitudes(wide(A)).times(magnitudes(wide(X))));
  const E = combineWith(fit, magnitudes(Y), (a, b) => a + b);
  const M = size
    .transpose()
    .times(E)
    .times(magnitudes(wide(X)).transpose());
  const terms = 2 * chain + A.width * X.width + X.cols;
  return new Matrix64(
    M.rows,
    M.cols,
    M.data.map((value) => sumTolerance(terms, value)),
  );
}

/** Columns of M at `places`. */
function columnsAt(M: Matrix64, places: ArrayLike<number>): Matrix64 {
  const result = new Matrix64(M.rows, places.length);
  Array.from(places).forEach((j, at) => result.column(at).set(M.column(j)));
  return result;
}

/** SparseCode: OMP over unit atoms, scaled back to atoms as they are. */
function sparseCode(Y: Matrix64, A: SparseColumns, p: number): Matrix64 {
  const { D, norms } = unitAtoms(phi, A);
  const X = new Matrix64(A.cols, Y.cols);
  for (let i = 0; i < Y.cols; i++) {
    for (const [atom, x] of pursue(D, Y.column(i), p)) X.column(i)[atom] = x / norms[atom];
  }
  return X;
}

/** P_k of a column. */
function keepLargest(column: Float64Array, k: number): Float64Array {
  const rows = [...column.keys()].sort((a, b) => Math.abs(column[b]) - Math.abs(column[a]));
  return column.map((value, row) => (rows.indexOf(row) < k ? value : 0));
}

/** One iteration of Algorithm 2 as printed. */
function printedStep(Y: Matrix64, A: SparseColumns, U: Matrix64, options: Required<OsdlOptions>) {
  const { atomSparsity: k, coding, momentum: gamma } = options;
  const X = sparseCode(Y, A, coding.sparsity!);
  const S = [...Array(A.cols).keys()].filter((j) =>
    X.transpose()
      .column(j)
      .some((x) => x !== 0),
  );
  const grad = gradientOf(Y, wide(A), X);
  const moved = phi.times(grad.times(X));
  const eta = norm(grad) / norm(moved);
  const [newA, newU] = [wide(A), new Matrix64(U.rows, U.cols, U.data.slice())];
  for (const j of S) {
    U.column(j).forEach((u, l) => (newU.column(j)[l] = gamma * u + eta * grad.at(l, j)));
    newA.column(j).set(
      keepLargest(
        wide(A)
          .column(j)
          .map((a, l) => a - newU.at(l, j)),
        k,
      ),
    );
  }
  return { X, S, grad, eta, A: newA, U: newU };
}

describe("osdlStep", () => {
  test("is one iteration of Algorithm 2: A, U, S, η and the error agree with explicit f64 matrices", async () => {
    for (let seed = 1; seed <= 8; seed++) {
      const at = await setUp({ seed });
      await at.kernels.writeMatrix(at.state.momentum, randomDense(at.rng, L, usual.m));
      const before = await read(at);
      const Y = at.draw();
      const printed = printedStep(wide(Y), before.A, wide(before.U), at.state.options);
      const held = await at.put(Y);
      const X = await codesOf(at, held);
      const report = await osdlStep(at.state, held, at.kernels);
      const after = await read(at);

      expect([...(await at.kernels.readSet(at.state.tally.used))]).toEqual(printed.S);
      expect(report.atomsUsed).toBe(printed.S.length);
      expect(report.step).toBe(1);

      // The codes are off by their conditioning κ times the rounding of what they come from (two atoms of
      // coherence μ: κ ≤ 1/(1 − μ²)); the gradient inherits that, then η, U and A.
      const kappa = worstConditioning(before.G, X);
      const bound = gradientRounding(wide(Y), before.A, X);
      const rounding = new Matrix64(
        L,
        usual.m,
        bound.data.map((value) => value * 2 * kappa),
      );
      const relative =
        norm(rounding) / norm(printed.grad) +
        norm(magnitudes(phi).times(rounding.times(magnitudes(printed.X)))) /
          norm(phi.times(printed.grad.times(printed.X)));
      expect(Math.abs(report.stepSize / printed.eta - 1)).toBeLessThanOrEqual(2 * relative);
      const rmse = Math.sqrt((2 * cost(wide(Y), wide(before.A), printed.X)) / (n * usual.N));
      expect(Math.abs(report.rmse / rmse - 1)).toBeLessThanOrEqual(1e-5);

      const slack = (l: number, j: number) =>
        4 * unitRoundoff * (Math.abs(before.U.at(l, j)) + Math.abs(printed.A.at(l, j))) +
        printed.eta * (rounding.at(l, j) + 2 * relative * Math.abs(printed.grad.at(l, j)));
      const A = wide(after.A);
      for (let j = 0; j < usual.m; j++) {
        for (let l = 0; l < L; l++) {
          expect(Math.abs(after.U.at(l, j) - printed.U.at(l, j))).toBeLessThanOrEqual(slack(l, j));
          expect(A.at(l, j) === 0).toBe(printed.A.at(l, j) === 0);
          expect(Math.abs(A.at(l, j) - printed.A.at(l, j))).toBeLessThanOrEqual(slack(l, j));
        }
      }
    }
  });

  test("has a gradient that matches central differences of f", async () => {
    const at = await setUp();
    const before = await read(at);
    const Y = at.draw();
    const held = await at.put(Y);
    const X = await codesOf(at, held);
    await osdlUpdate(at.state, held, at.kernels);
    const S = await at.kernels.readSet(at.state.tally.used);
    const grad = await at.kernels.readMatrix(at.state.gradient);
    const [y, A, x] = [wide(Y), wide(before.A), wide(X)];
    const bound = gradientRounding(y, before.A, X);
    // f is quadratic: central differences are exact but for rounding, 2⁻⁵² of f over the step
    const h = 2 ** -8;
    const noise = (8 * 2 ** -52 * cost(y, A, x)) / h;
    S.forEach((j, at_S) => {
      for (let l = 0; l < L; l++) {
        const differ = (by: number): number => {
          const moved = new Matrix64(L, usual.m, A.data.slice());
          moved.column(j)[l] += by;
          return cost(y, moved, x);
        };
        const slope = (differ(h) - differ(-h)) / (2 * h);
        expect(Math.abs(grad.at(l, at_S) - slope)).toBeLessThanOrEqual(bound.at(l, j) + noise);
      }
    });
  });

  test("takes the step of (13): η = ‖∇f(A_S)‖ / ‖Φ ∇f(A_S) X_S‖", async () => {
    for (let seed = 1; seed <= 10; seed++) {
      const at = await setUp({ seed, p: 1 + (seed % 4), units: [0.01, 1, 300][seed % 3] });
      const before = await read(at);
      const Y = at.draw();
      const held = await at.put(Y);
      const X = await codesOf(at, held);
      const { stepSize } = await osdlStep(at.state, held, at.kernels);
      const grad = gradientOf(wide(Y), wide(before.A), wide(X)); // zero outside S
      const moved = phi.times(grad.times(wide(X)));
      const rounding = gradientRounding(wide(Y), before.A, X);
      const spread = magnitudes(phi).times(rounding.times(magnitudes(wide(X))));
      const relative = norm(rounding) / norm(grad) + norm(spread) / norm(moved);
      expect(Math.abs(stepSize / (norm(grad) / norm(moved)) - 1)).toBeLessThanOrEqual(2 * relative);
    }
  });

  // Along −∇f the quadratic f changes by −η‖∇‖² + ½η²‖Φ∇X‖², and (13) makes the last term ½‖∇‖². So a step of
  // (13) lowers the cost exactly where η > ½: where the examples are small next to the atoms, since η ∝ 1/units.
  test("changes the cost of its own batch by −(η − ½)‖∇‖² for γ = 0 and full atoms", async () => {
    for (const units of [64, 8, 1, 2 ** -6]) {
      const at = await setUp({ momentum: 0, k: L, units });
      const before = await read(at);
      const Y = at.draw();
      const held = await at.put(Y);
      const X = wide(await codesOf(at, held));
      const { stepSize: eta } = await osdlStep(at.state, held, at.kernels);
      const [y, A] = [wide(Y), wide(before.A)];
      const newA = wide((await read(at)).A);
      const grad = gradientOf(y, A, X);
      const change = cost(y, newA, X) - cost(y, A, X);
      const expected = -(eta - 0.5) * norm(grad) ** 2;
      // A is off by δ: f by at most ‖∇f(A new)‖‖δ‖ + ½‖ΦδX‖²
      const delta = (chain + L) * unitRoundoff * (norm(A) + eta * norm(grad));
      const curvature = norm(magnitudes(phi)) * norm(X);
      const slack = norm(gradientOf(y, newA, X)) * delta + (curvature * delta) ** 2 / 2;
      expect(Math.abs(change - expected)).toBeLessThanOrEqual(
        slack + 2 * chain * unitRoundoff * norm(grad) ** 2 * eta,
      );
      expect(change < 0).toBe(eta > 0.5);
    }
  });

  test("lowers the cost of its own batch for γ = 0, k-sparse atoms and a small enough step", async () => {
    for (let seed = 1; seed <= 10; seed++) {
      const at = await setUp({ seed, momentum: 0, units: 2 ** -8 });
      const before = await read(at);
      const Y = at.draw();
      const held = await at.put(Y);
      const X = wide(await codesOf(at, held));
      await osdlUpdate(at.state, held, at.kernels);
      const after = await read(at);
      expect(after.A.indices).toEqual(before.A.indices); // so P_k is a projection on the old supports
      expect(cost(wide(Y), wide(after.A), X)).toBeLessThan(cost(wide(Y), wide(before.A), X));
    }
  });

  test("keeps at most k non-zeros in every column of A, in ascending rows", async () => {
    const at = await setUp({ k: 4 });
    for (let step = 0; step < 30; step++) {
      await osdlUpdate(at.state, await at.put(at.draw()), at.kernels);
      const { A } = await read(at);
      for (let j = 0; j < A.cols; j++) {
        const rows = [...A.indices.subarray(j * A.width, j * A.width + A.counts[j])];
        expect(rows.length).toBeLessThanOrEqual(4);
        expect(rows).toEqual([...new Set(rows)].sort((a, b) => a - b));
      }
      expect(A.values.every(Number.isFinite)).toBe(true);
    }
  });

  test("leaves atoms outside S unchanged to the bit: A, U, their scales and G between them", async () => {
    const at = await setUp({ N: 3 });
    for (let step = 0; step < 25; step++) {
      const before = await read(at);
      await osdlUpdate(at.state, await at.put(at.draw()), at.kernels);
      const after = await read(at);
      const S = await at.kernels.readSet(at.state.tally.used);
      expect(S.length).toBeLessThanOrEqual(3 * usual.p);
      const idle = [...Array(usual.m).keys()].filter((j) => !S.includes(j));
      for (const j of idle) {
        expect(after.A.slice(j, j + 1)).toEqual(before.A.slice(j, j + 1));
        expect(after.U.column(j)).toEqual(before.U.column(j));
        expect(after.scale.data[j]).toBe(before.scale.data[j]);
        for (const i of idle) expect(after.G.at(i, j)).toBe(before.G.at(i, j));
      }
    }
  });

  test("keeps G and the scales consistent with the atoms over 250 batches", async () => {
    const at = await setUp({ N: 4 });
    for (let step = 0; step < 250; step++) await osdlUpdate(at.state, await at.put(at.draw()), at.kernels);
    await expectGramOfAtoms(at.dictionary, at.kernels);
  });

  test("counts the uses of each atom", async () => {
    const at = await setUp();
    const uses = new Float32Array(usual.m);
    for (let step = 0; step < 5; step++) {
      const Y = await at.put(at.draw());
      const codes = (await codesOf(at, Y)).toDense();
      codes.data.forEach((x, i) => (uses[i % usual.m] += x !== 0 ? 1 : 0));
      await osdlUpdate(at.state, Y, at.kernels);
    }
    expect((await at.kernels.readMatrix(at.state.tally.uses)).data).toEqual(uses);
  });

  test("reports the error of all batches since the last report", async () => {
    const [one, two] = [await setUp(), await setUp()];
    const batches = [one.draw(), one.draw(5), one.draw(9)];
    let energy = 0;
    for (const Y of batches) {
      const report = await osdlStep(one.state, await one.put(Y), one.kernels);
      energy += report.rmse ** 2 * Y.data.length;
    }
    for (const Y of batches.slice(0, 2)) await osdlUpdate(two.state, await two.put(Y), two.kernels);
    const { rmse, step } = await osdlStep(two.state, await two.put(batches[2]), two.kernels);
    expect(step).toBe(3);
    const samples = batches.reduce((sum, Y) => sum + Y.data.length, 0);
    expect(Math.abs(rmse / Math.sqrt(energy / samples) - 1)).toBeLessThanOrEqual(8 * unitRoundoff);
  });

  test("does the same with a smaller batch as a learner of that batch size", async () => {
    const [wideRoom, exactRoom] = [await setUp({ N: 12 }), await setUp({ N: 5 })];
    for (let step = 0; step < 4; step++) {
      const Y = wideRoom.draw(5);
      const reports = [
        await osdlStep(wideRoom.state, await wideRoom.put(Y), wideRoom.kernels),
        await osdlStep(exactRoom.state, await exactRoom.put(Y), exactRoom.kernels),
      ];
      expect(reports[0]).toEqual(reports[1]);
    }
    expect(await read(wideRoom)).toEqual(await read(exactRoom));
  });

  test("reads nothing back during an update, and frees everything it allocated", async () => {
    const watched = watchKernels();
    const at = await setUp({}, watched.kernels);
    const Y = await at.put(at.draw());
    const from = watched.calls.length;
    await osdlUpdate(at.state, Y, watched.kernels);
    const during = watched.calls.slice(from);
    expect(during.length).toBeGreaterThan(10);
    expect(during.filter((name) => /^(read|write|matrix|sparse|set$|free)/.test(name))).toEqual([]);
    freeOsdl(at.state, watched.kernels);
    at.dictionary.free();
    watched.kernels.free(Y);
    expect(watched.alive()).toBe(0);
  });
});

describe("osdlStep on unusual examples", () => {
  const flat = picture([9, 9], () => 0.1);

  test("a batch of constant patches, without their means, does not change the dictionary", async () => {
    const at = await setUp();
    await osdlUpdate(at.state, await at.put(at.draw()), at.kernels); // so that U is not zero
    const before = await read(at);
    const { kernels } = at;
    const [Y, means] = [kernels.matrix(n, usual.N), kernels.matrix(1, usual.N)];
    const windows = {
      signal: new Uint32Array(usual.N),
      start: Uint32Array.from({ length: usual.N }, (_, i) => i % 6),
    };
    await kernels.extract(kernels.signals([flat]), windows, base.shape, Y, means);
    const report = await osdlStep(at.state, Y, kernels);
    expect(report).toMatchObject({ stepSize: 0, atomsUsed: 0 });
    expect(await read(at)).toEqual(before);
  });

  test("zero examples among others change only the mean of the error", async () => {
    const [one, two] = [await setUp({ N: 12 }), await setUp({ N: 12 })];
    const Y = one.draw(6);
    const padded = DenseMatrix.build(n, 12, (r, i) => (i % 2 === 0 ? Y.at(r, i / 2) : 0));
    const alone = await osdlStep(one.state, await one.put(Y), one.kernels);
    const mixed = await osdlStep(two.state, await two.put(padded), two.kernels);
    expect(await read(two)).toEqual(await read(one));
    expect(mixed.rmse * Math.SQRT2).toBeCloseTo(alone.rmse, 5);
  });

  test("an empty batch changes nothing", async () => {
    const at = await setUp();
    const before = await read(at);
    const report = await osdlStep(at.state, await at.put(at.draw(0)), at.kernels);
    expect(report).toEqual({ step: 1, rmse: 0, stepSize: 0, atomsUsed: 0 });
    expect(await read(at)).toEqual(before);
  });

  test("the same example repeated is learned without NaN", async () => {
    const at = await setUp({ p: 3 });
    const y = at.draw(1);
    const Y = await at.put(DenseMatrix.build(n, usual.N, (r) => y.data[r]));
    const errors: number[] = [];
    for (let step = 0; step < 60; step++) errors.push((await osdlStep(at.state, Y, at.kernels)).rmse);
    expect(errors.every(Number.isFinite)).toBe(true);
    const { A, U, G } = await read(at);
    for (const { values } of [A, { values: U.data }, { values: G.data }]) {
      expect(values.every(Number.isFinite)).toBe(true);
    }
  });

  test("examples that the atoms represent exactly do not change them", async () => {
    const at = await setUp({ momentum: 0, p: 1 });
    const { D } = unitAtoms(phi, (await read(at)).A);
    const Y = DenseMatrix.build(n, usual.N, (r, i) => 20 * D.at(r, i));
    const before = wide((await read(at)).A);
    const { rmse } = await osdlStep(at.state, await at.put(Y), at.kernels);
    expect(rmse).toBeLessThanOrEqual(sumTolerance(2 * chain + 8, 20));
    // what remains is rounding; along it, (13) takes a step of order ‖∇‖ η at most
    const after = wide((await read(at)).A);
    expect(norm(combineWith(after, before, (a, b) => a - b))).toBeLessThan(1e-3 * norm(before));
  });
});

describe("departures from the text", () => {
  test("D0 at most k: an atom has as many non-zeros as it needs, up to k", async () => {
    const kernels = createReferenceKernels();
    const plain = createBase("identity", [6]);
    const dictionary = await SparseDictionary.create(plain, SparseColumns.identity(6, 4), kernels, 4);
    const state = createOsdl(dictionary, { atomSparsity: 4, coding: { sparsity: 1 }, batch: 2 }, kernels);
    // the first example, and so the gradient of its atom, has two non-zeros, the second has six
    const Y = kernels.matrix(6, 2);
    await kernels.writeMatrix(
      Y,
      new DenseMatrix(6, 2, Float32Array.of(5, 1, 0, 0, 0, 0, 1, 1.1, 1.2, 1.3, 1.4, 9)),
    );
    for (let step = 0; step < 3; step++) {
      await osdlUpdate(state, Y, kernels);
      expect([...(await kernels.readSparse(dictionary.A)).counts]).toEqual([2, 1, 1, 1, 1, 4]);
    }
  });

  test("D1 sign: atoms move against ∇f, and along H*(E − Ha), which the text calls the gradient", async () => {
    const at = await setUp({ momentum: 0, k: L });
    const before = await read(at);
    const Y = at.draw();
    const held = await at.put(Y);
    const X = wide(await codesOf(at, held));
    await osdlUpdate(at.state, held, at.kernels);
    const moved = combineWith(wide((await read(at)).A), wide(before.A), (a, b) => a - b);
    const grad = gradientOf(wide(Y), wide(before.A), X);
    const cosine = dot(moved.data, grad.data) / (norm(moved) * norm(grad));
    expect(Math.abs(cosine + 1)).toBeLessThan(1e-5);
    // a little along the move the cost falls; a little against it, it rises
    const along = (t: number) =>
      cost(
        wide(Y),
        combineWith(wide(before.A), moved, (a, d) => a + t * d),
        X,
      );
    expect(along(1e-6)).toBeLessThan(along(0));
    expect(along(-1e-6)).toBeGreaterThan(along(0));
  });

  test("D2 unit atoms: the pursuit ignores the norms of atoms, and its codes are scaled back", async () => {
    const [one, two] = [await setUp(), await setUp()];
    const { A } = await read(one);
    const factor = (j: number) => 2 ** ((j % 7) - 3) * (j % 2 === 0 ? 1 : -1);
    const rescaled = A.copy();
    A.values.forEach((value, s) => (rescaled.values[s] = value * factor(Math.floor(s / A.width))));
    await two.dictionary.replace(rescaled);
    const Y = one.draw();
    const codes = await codesOf(one, await one.put(Y));
    const others = await codesOf(two, await two.put(Y));
    expect(others.indices).toEqual(codes.indices);
    codes.values.forEach((x, s) => expect(others.values[s] * factor(codes.indices[s])).toBe(x));
  });

  test("D2 unit atoms: A itself is not normalised, its columns grow", async () => {
    const at = await setUp();
    const size = async () => {
      const { norms } = unitAtoms(phi, (await read(at)).A);
      return norms.reduce((sum, value) => sum + value, 0) / norms.length;
    };
    const before = await size();
    for (let step = 0; step < 40; step++) await osdlUpdate(at.state, await at.put(at.draw()), at.kernels);
    expect(await size()).toBeGreaterThan(1.5 * before);
  });

  test("D3 idle atoms: momentum outside S does not decay", async () => {
    const at = await setUp({ N: 1, p: 1 });
    const first = await at.put(at.draw());
    const [j] = (await codesOf(at, first)).indices as unknown as [number];
    await osdlUpdate(at.state, first, at.kernels);
    const U = (await read(at)).U.column(j).slice();
    expect(Math.hypot(...U)).toBeGreaterThan(0);
    let idle = 0;
    while (idle < 5) {
      const Y = await at.put(at.draw());
      if ((await codesOf(at, Y)).indices[0] === j) continue; // this one uses the atom
      await osdlUpdate(at.state, Y, at.kernels);
      idle++;
    }
    expect((await read(at)).U.column(j)).toEqual(U);
    // when the atom is used again, its old momentum counts once, with γ
    const { D } = unitAtoms(phi, (await read(at)).A);
    const again = DenseMatrix.build(n, 1, (r) => 20 * D.at(r, j) + at.rng.normal());
    const held = await at.put(again);
    const X = await codesOf(at, held);
    expect(X.indices[0]).toBe(j);
    const before = await read(at);
    const { stepSize } = await osdlStep(at.state, held, at.kernels);
    const grad = columnsAt(gradientOf(wide(again), wide(before.A), wide(X)), [j]);
    const expected = combineWith(
      new Matrix64(L, 1, Float64Array.from(U)),
      grad,
      (u, g) => 0.9 * u + stepSize * g,
    );
    const rounding = columnsAt(gradientRounding(wide(again), before.A, X), [j]);
    const after = new DenseMatrix(L, 1, (await read(at)).U.column(j).slice());
    expectClose(
      after,
      expected,
      4,
      combineWith(rounding, expected, (r, u) => (stepSize * r) / unitRoundoff + Math.abs(u)),
    );
  });

  test("D4 short start: atoms grow by powers of two, which changes neither unit atoms nor G by a bit", async () => {
    const at = await setUp({ firstSteps: "short" });
    const held = await at.put(at.draw());
    const before = await read(at);
    const X = await at.state.encoder.encode(held);
    const codes = await at.kernels.readSparse(X);
    const delay = startDelay({ atoms: usual.m, atomSparsity: usual.k, sparsity: usual.p, batch: usual.N });
    await scaleStart(at.dictionary, X, delay, at.kernels);
    const after = await read(at);
    const c = Array.from(before.scale.data, (s, j) => s / after.scale.data[j]);
    expect(c.every((factor) => Number.isInteger(Math.log2(factor)))).toBe(true);
    expect(after.A.values).toEqual(before.A.values.map((a, e) => a * c[Math.floor(e / before.A.width)]));
    expect(after.G).toEqual(before.G);
    const scaled = codes.values.map((x, e) => x / c[codes.indices[e]]);
    expect((await at.kernels.readSparse(X)).values).toEqual(scaled);
    expect((await codesOf(at, held)).values).toEqual(scaled); // as if coded over the scaled atoms
  });

  test("D4 short start: the first step is at most ‖Φ‖₂ times the line search, in any units and batch", async () => {
    const { values } = await symmetricEigen(phi.times(phi.transpose()));
    const bound = Math.sqrt(Math.max(...values)); // ‖Φ‖₂
    for (let seed = 1; seed <= 12; seed++) {
      const sizes = { seed, p: 1 + (seed % 4), N: [1, 12, 90][seed % 3], units: 10 ** ((seed % 5) - 2) };
      const short = await setUp({ ...sizes, firstSteps: "short" });
      const { stepSize } = await osdlStep(short.state, await short.put(short.draw()), short.kernels);
      const delay = startDelay({ atoms: usual.m, atomSparsity: usual.k, sparsity: sizes.p, batch: sizes.N });
      const longer = Math.sqrt(Math.max(1, 4 / delay));
      expect(1 / stepSize).toBeLessThanOrEqual(longer * bound * (1 + 1e-5));
    }
    const paper = await setUp({ units: 100 });
    const { stepSize } = await osdlStep(paper.state, await paper.put(paper.draw()), paper.kernels);
    expect(1 / stepSize).toBeGreaterThan(20 * bound);
  });

  test("D4 short start: the cost of a fixed batch falls in each of the first steps", async () => {
    const costs = async (firstSteps: FirstSteps) => {
      const at = await setUp({ firstSteps, N: 400, p: 2, k: L, units: 100 });
      const Y = at.draw();
      const held = await at.put(Y);
      const errors: number[] = [];
      for (let step = 0; step < 8; step++) errors.push((await osdlStep(at.state, held, at.kernels)).rmse);
      return errors;
    };
    const short = await costs("short");
    short.slice(1).forEach((rmse, t) => expect(rmse).toBeLessThan(short[t]));
    const paper = await costs("paper");
    expect(paper[1]).toBeGreaterThan(paper[0]);
  });

  test("D4 short start: momentum rises from 0 to γ, the slower the fewer uses an atom has per non-zero", () => {
    expect([0, 5, 20, 45, 1000].map((t) => risingMomentum(0.9, t, 5))).toEqual([0, 0.5, 0.8, 0.9, 0.9]);
    expect([0, 45].map((t) => risingMomentum(0, t, 5))).toEqual([0, 0]);
    const sizes = { atoms: 1000, atomSparsity: 40, sparsity: 10, batch: 500 }; // 5 uses per mini-batch
    expect(startDelay(sizes)).toBe(2);
    expect(startDelay({ ...sizes, batch: 50 })).toBe(20);
  });

  test("D4 short start: a smaller mini-batch counts by its examples", async () => {
    const { N } = usual;
    const gammas: number[] = [];
    const kernels = createReferenceKernels();
    const moveAtoms = kernels.moveAtoms.bind(kernels);
    kernels.moveAtoms = (k, U, S, A, step) => {
      gammas.push(step.gamma);
      return moveAtoms(k, U, S, A, step);
    };
    const at = await setUp({ firstSteps: "short" }, kernels);
    for (const count of [N, N, 1, N]) {
      const Y = await at.put(at.draw());
      await osdlUpdate(at.state, at.kernels.head(Y, count), at.kernels);
    }
    const delay = startDelay({ atoms: usual.m, atomSparsity: usual.k, sparsity: usual.p, batch: N });
    expect(gammas).toEqual([0, 1, 2, 2 + 1 / N].map((t) => risingMomentum(0.9, t, delay)));
  });

  test("D4 short start: reads back in its first update alone, and a batch without uses scales nothing", async () => {
    const watched = watchKernels();
    const at = await setUp({ firstSteps: "short" }, watched.kernels);
    const batches = [await at.put(at.draw()), await at.put(at.draw())];
    const reads: number[] = [];
    for (const Y of batches) {
      const from = watched.calls.length;
      await osdlUpdate(at.state, Y, watched.kernels);
      reads.push(watched.calls.slice(from).filter((name) => name.startsWith("read")).length);
    }
    expect(reads).toEqual([3, 0]);
    expect([...startFactors(new SparseColumns(5, 3, 2), 5)]).toEqual([1, 1, 1, 1, 1]);
  });

  test("D4 short start: atoms are scaled by the first mini-batch that has codes", async () => {
    const at = await setUp({ firstSteps: "short" });
    const before = await read(at);
    await osdlUpdate(at.state, await at.put(new DenseMatrix(at.dictionary.rows, usual.N)), at.kernels); // blank
    expect([at.state.scaled, (await read(at)).A]).toEqual([false, before.A]);
    const held = await at.put(at.draw());
    const paper = await setUp({ firstSteps: "paper" });
    const { stepSize } = await osdlStep(at.state, held, at.kernels);
    const long = await osdlStep(paper.state, await paper.put(paper.draw()), paper.kernels);
    expect(at.state.scaled).toBe(true);
    expect(1 / stepSize).toBeLessThan(1 / long.stepSize);
  });

  test("D5 refined base: norms and Gram matrix are those of the atoms over the new factors", async () => {
    const at = await setUp({ refineBase: true });
    const { base } = at.dictionary;
    for (let step = 0; step < 3; step++) {
      await osdlUpdate(at.state, await at.put(at.draw()), at.kernels);
      await expectGramOfAtoms(at.dictionary, at.kernels);
    }
    expect(at.dictionary.base.name).toBe(`${base.name}, refined`);
    expect(at.dictionary.base.factors).not.toEqual(base.factors);
  });

  test("D4 short start: atoms that have grown are not made shorter", async () => {
    const at = await setUp({ firstSteps: "short" });
    const A = (await read(at)).A.copy();
    A.values.forEach((a, e) => {
      A.values[e] = 1024 * a;
    });
    await at.dictionary.replace(A);
    const X = await at.state.encoder.encode(await at.put(at.draw()));
    await scaleStart(at.dictionary, X, 5, at.kernels);
    expect((await read(at)).A).toEqual(A);
  });
});

describe("the start of osdl", () => {
  const data = syntheticPictures(3, 1, 60);
  const small = {
    ...{ patch: [8, 8], atomSparsity: 6, coding: { sparsity: 3 }, batch: 64, examples: 640, epochs: 1 },
    ...{ holdout: 200, kernels: createReferenceKernels() },
  } as const;

  test("is the base; with `init: both`, the most used of base atoms and examples, which is better and is recorded", async () => {
    const start = async (init?: "base" | "both") => {
      const { reports, model } = await collect(data, { ...small, ...(init ? { init } : {}) });
      return { error: reports[0].testRmse!, options: model.meta.options };
    };
    const [usual, base, both] = [await start(), await start("base"), await start("both")];
    expect(usual).toEqual(base);
    expect(base.options).not.toHaveProperty("init");
    expect(both.options).toMatchObject({ init: "both", firstSteps: "short" });
    expect(both.error).toBeLessThan(0.95 * base.error);
  });

  test("must be the same when a run resumes; a checkpoint that does not name it began with the base", () => {
    const saved = { learner: "osdl" };
    expect(() => requireSameSettings(saved, { init: "base" })).not.toThrow();
    expect(() => requireSameSettings(saved, { init: "both" })).toThrow(
      "init must be base, as in the checkpoint, got both",
    );
    expect(() => requireSameSettings({ learner: "odl" }, { init: "examples" })).not.toThrow();
  });
});

describe("createOsdl", () => {
  const attempt = async (options: object): Promise<unknown> => {
    const kernels = createReferenceKernels();
    const A = randomAtoms(Rng.from(1), L, 20, 3);
    const dictionary = await SparseDictionary.create(base, A, kernels);
    const all = { atomSparsity: 3, coding: { sparsity: 2 }, ...options };
    try {
      return createOsdl(dictionary, all, kernels).options;
    } catch (error) {
      return error;
    }
  };

  test("fills in the defaults", async () => {
    expect(await attempt({})).toEqual({
      atomSparsity: 3,
      coding: { sparsity: 2 },
      momentum: 0.9,
      firstSteps: "paper",
      refineBase: false,
      batch: 512,
    });
    expect(osdlDefaults).toEqual({ momentum: 0.9, firstSteps: "paper", refineBase: false, batch: 512 });
  });

  test.each([
    [{ atomSparsity: 0 }, "atomSparsity must be an integer from 1 to 3, got 0"],
    [{ atomSparsity: 4 }, "atomSparsity must be an integer from 1 to 3, got 4"],
    [{ atomSparsity: 1.5 }, "atomSparsity must be an integer from 1 to 3, got 1.5"],
    [{ momentum: 1 }, "momentum must be a number of at least 0 and below 1, got 1"],
    [{ momentum: -0.1 }, "momentum must be a number of at least 0 and below 1, got -0.1"],
    [{ momentum: Number.NaN }, "momentum must be a number of at least 0 and below 1, got NaN"],
    [{ firstSteps: "long" }, 'firstSteps must be paper or short, got "long"'],
    [{ batch: 0 }, "batch must be an integer of at least 1, got 0"],
    [{ coding: { sparsity: 0 } }, "sparsity must be an integer from 1 to 20, got 0"],
    [{ coding: { sparsity: 21 } }, "sparsity must be an integer from 1 to 20, got 21"],
    [{ coding: { error: -1 } }, "error must be a number of at least 0, got -1"],
    [{ coding: { error: Number.NaN } }, "error must be a number of at least 0, got NaN"],
  ])("rejects %j", async (options, message) => {
    expect(await attempt(options)).toEqual(new InputError(`createOsdl: ${message}`));
  });

  test("rejects a coding rule without a limit", async () => {
    expect(String(await attempt({ coding: {} }))).toMatch(/createOsdl: sparsity or error must be given/);
  });

  test("rejects examples of another size", async () => {
    const at = await setUp();
    const Y = at.kernels.matrix(n + 1, 2);
    await expect(osdlUpdate(at.state, Y, at.kernels)).rejects.toThrow(
      new InputError(`Encoder.encode: Y must have as many rows as D (${n}), got ${n + 1}`),
    );
  });

  test("can code down to an error", async () => {
    const kernels = createReferenceKernels();
    const dictionary = await SparseDictionary.create(base, randomAtoms(Rng.from(1), L, 40, 3), kernels);
    const state = createOsdl(dictionary, { atomSparsity: 3, coding: { error: 2 }, batch: 20 }, kernels);
    const Y = kernels.matrix(n, 20);
    await kernels.writeMatrix(Y, randomDense(Rng.from(2), n, 20, 10));
    const { rmse } = await osdlStep(state, Y, kernels);
    expect(rmse).toBeLessThanOrEqual(2);
    expect(rmse).toBeGreaterThan(0.1);
  });
});

/** max over the codes of 1/(1 − μ²), μ the largest coherence of two atoms of a code. */
function worstConditioning(G: DenseMatrix, X: SparseColumns): number {
  let worst = 1;
  for (let i = 0; i < X.cols; i++) {
    const atoms = X.indices.subarray(i * X.width, i * X.width + X.counts[i]);
    for (const a of atoms)
      for (const b of atoms) if (a < b) worst = Math.max(worst, 1 / (1 - G.at(a, b) ** 2));
  }
  return worst;
}
