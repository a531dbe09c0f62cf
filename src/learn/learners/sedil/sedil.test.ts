import { describe, expect, test } from "vitest";
import { InputError } from "../../../core/errors.js";
import { DenseMatrix, SparseColumns } from "../../../core/matrix.js";
import { Rng } from "../../../core/random/rng.js";
import { makeSignal } from "../../../core/signal.js";
import { syntheticPictures } from "../../../data/syntheticPictures.js";
import { baseCols, createBase } from "../../../dictionaries/base.js";
import {
  dot,
  explicitBase,
  randomDense,
  randomUnitDictionary,
  wide,
} from "../../../kernels/conformance/oracle.case.js";
import { createReferenceKernels } from "../../../kernels/reference/index.js";
import { kron, Matrix64 } from "../../../linalg/matrix64.js";
import { modelFromBytes, modelToBytes } from "../../../model/files.js";
import { Model } from "../../../model/model.js";
import { train } from "../../run/train.js";
import type { TrainOptions } from "../../run/trainOptions.js";
import { collect, learnerCase } from "../learner.case.js";
import type { LearnerName } from "../registry.js";
import { descend, startDescent } from "./sedil.js";
import { coherenceSlope, factorCoherence, SedilCost, unfold } from "./sedilCost.js";
import type { SedilPoint } from "./sphereProduct.js";

learnerCase("sedil", {
  options: { base: "identity", examples: 300, epochs: 12 },
  sparseFactor: false,
  recovers: 0,
  atoms: [36],
});

const weights = { sparsity: 0.1, sharpness: 5, coherence: 0.02 };

/** Unit columns, as f64. */
function randomFactor(rng: Rng, n: number, l: number): Matrix64 {
  return wide(randomUnitDictionary(rng, n, l).D);
}

async function setUp(seed: number, sizes: readonly (readonly [number, number])[], N: number) {
  const kernels = createReferenceKernels();
  const rng = Rng.from(seed);
  const factors = sizes.map(([n, l]) => randomFactor(rng, n, l));
  const L = sizes.reduce((product, [, l]) => product * l, 1);
  const Y = randomDense(
    rng,
    sizes.reduce((product, [n]) => product * n, 1),
    N,
  );
  const cost = new SedilCost(Y, L, weights, kernels);
  const X = randomDense(rng, L, N, 0.3);
  return { kernels, rng, factors, L, Y, X, cost };
}

describe("the cost of sedil", () => {
  test("is the sum that defines it", async () => {
    const { rng, factors, L, Y, cost } = await setUp(
      1,
      [
        [3, 4],
        [2, 3],
      ],
      5,
    );
    const X = randomDense(rng, L, 5);
    const { cost: value } = await cost.value({ factors, X });
    const fitted = explicitBase(factors).times(wide(X));
    let expected = 0;
    fitted.data.forEach((v, i) => (expected += (v - Y.data[i]) ** 2 / 2));
    X.data.forEach((x) => (expected += weights.sparsity * Math.log(1 + weights.sharpness * x * x)));
    expected /= 5;
    for (const factor of factors) {
      for (let j = 0; j < factor.cols; j++)
        for (let i = 0; i < j; i++)
          expected -= weights.coherence * Math.log(1 - dot(factor.column(i), factor.column(j)) ** 2);
    }
    expect(value).toBeCloseTo(expected, 5);
  });

  test.each([
    [[[4, 6]]],
    [
      [
        [3, 4],
        [4, 5],
      ],
    ],
    [
      [
        [3, 3],
        [4, 5],
        [3, 2],
      ],
    ],
  ] as [readonly (readonly [number, number])[]][])(
    "has derivatives that match central differences for factors of %j (S3 any axes)",
    async (sizes) => {
      const { rng, factors, L, cost } = await setUp(2, sizes, 4);
      const point = { factors, X: randomDense(rng, L, 4) };
      const { R } = await cost.value(point);
      const slope = await cost.gradient(point, R);
      const h = 2 ** -9; // products are f32: a wide difference, and a tolerance to match
      const near = (found: number, exact: number) =>
        expect(Math.abs(found - exact)).toBeLessThan(2e-3 * (1 + Math.abs(exact)));
      const moved = async (change: (copy: SedilPoint) => void) => {
        const copy = {
          factors: factors.map(({ rows, cols, data }) => new Matrix64(rows, cols, data.slice())),
          X: point.X.copy(),
        };
        change(copy);
        return (await cost.value(copy)).cost;
      };
      for (let axis = 0; axis < factors.length; axis++) {
        for (let i = 0; i < factors[axis].data.length; i++) {
          const up = await moved(({ factors: f }) => (f[axis].data[i] += h));
          const down = await moved(({ factors: f }) => (f[axis].data[i] -= h));
          near((up - down) / (2 * h), slope.factors[axis].data[i]);
        }
      }
      for (let i = 0; i < point.X.data.length; i++) {
        const up = await moved(({ X }) => (X.data[i] += h));
        const down = await moved(({ X }) => (X.data[i] -= h));
        near((4 * (up - down)) / (2 * h), slope.X.data[i]); // times N
      }
    },
  );

  test("has coherence 0 for orthogonal columns, and is infinite for equal ones", () => {
    expect(factorCoherence(Matrix64.identity(4))).toBeCloseTo(0, 12);
    expect(coherenceSlope(Matrix64.identity(4)).data.every((value) => value === 0)).toBe(true);
    expect(factorCoherence(new Matrix64(2, 2, Float64Array.of(1, 0, 1, 0)))).toBe(Infinity);
  });

  test("unfolds along an axis: one column per index, everything else in its rows", () => {
    const sizes = [2, 3, 4];
    const M = randomDense(Rng.from(3), 2 * 3 * 4, 2);
    const found = unfold(M, sizes, 1);
    expect([found.rows, found.cols]).toEqual([2 * 4 * 2, 3]);
    for (let c = 0; c < 2; c++)
      for (let o = 0; o < 2; o++)
        for (let r = 0; r < 3; r++)
          for (let i = 0; i < 4; i++)
            expect(found.at((c * 2 + o) * 4 + i, r)).toBe(M.at((o * 3 + r) * 4 + i, c));
  });
});

describe("sedil", () => {
  test("lowers its cost in every iteration, and keeps unit columns", async () => {
    const { factors, X, cost } = await setUp(
      4,
      [
        [3, 4],
        [4, 5],
      ],
      40,
    );
    const descent = await startDescent({ factors, X }, cost);
    for (let iteration = 0; iteration < 15; iteration++) {
      const before = descent.cost;
      expect(await descend(descent, cost)).toBe(true);
      expect(descent.cost).toBeLessThan(before);
      for (const factor of descent.point.factors)
        for (let j = 0; j < factor.cols; j++)
          expect(Math.abs(dot(factor.column(j), factor.column(j)) - 1)).toBeLessThan(1e-12);
    }
    cost.free();
  });

  test("S1 metric: examples that all occur twice give the same descent", async () => {
    const { kernels, factors, Y, X, L } = await setUp(5, [[4, 6]], 20);
    const twice = (M: DenseMatrix) => DenseMatrix.build(M.rows, 40, (r, i) => M.at(r, i % 20));
    const costs = [Y, twice(Y)].map((examples) => new SedilCost(examples, L, weights, kernels));
    const [one, two] = [
      await startDescent({ factors, X }, costs[0]),
      await startDescent({ factors, X: twice(X) }, costs[1]),
    ];
    for (let iteration = 0; iteration < 5; iteration++) {
      await descend(one, costs[0]);
      await descend(two, costs[1]);
      expect(two.cost).toBeCloseTo(one.cost, 6);
      one.point.factors[0].data.forEach((value, i) =>
        expect(two.point.factors[0].data[i]).toBeCloseTo(value, 5),
      );
    }
  });

  test("S2 retraction: gradients and directions stay orthogonal to the columns they move", async () => {
    const { factors, X, cost } = await setUp(
      6,
      [
        [3, 4],
        [3, 4],
      ],
      30,
    );
    const descent = await startDescent({ factors, X }, cost);
    for (let iteration = 0; iteration < 6; iteration++) {
      await descend(descent, cost);
      for (const { factors: along } of [descent.gradient, descent.direction]) {
        along.forEach((factor, axis) => {
          for (let j = 0; j < factor.cols; j++)
            expect(Math.abs(dot(factor.column(j), descent.point.factors[axis].column(j)))).toBeLessThan(
              1e-10,
            );
        });
      }
    }
  });

  test("S4 start: the factors of the base, and the codes of OMP, so that the first error is that of the base", async () => {
    const pictures = syntheticPictures(1, 1, 32);
    const firstError = async (learner: LearnerName, more: Partial<TrainOptions> = {}) => {
      const options = { patch: [4, 4], base: "odct:2", coding: { sparsity: 3 }, examples: 200, batch: 64 };
      const run = { epochs: 1, holdout: 0, reportEvery: 1 };
      return (await collect(pictures, { learner, ...options, ...run, ...more })).reports.at(-1)!.rmse;
    };
    // a learner of D = ΦA over the same set starts with A the identity, and reports the error of its codes
    expect(await firstError("sedil")).toBeCloseTo(await firstError("niht-batch", { atomSparsity: 1 }), 3);
  });

  test("recovers a planted separable dictionary up to sign and order", async () => {
    const rng = Rng.from(1).split("planted");
    const planted = [randomFactor(rng, 6, 8), randomFactor(rng, 6, 8)];
    const D = kron(planted[0], planted[1]);
    const data = Array.from({ length: 1500 }, (_, i) => {
      const y = new Float32Array(36);
      for (const atom of rng.distinct(3, 64)) {
        const x = (rng.uniform() < 0.5 ? -1 : 1) * (1 + rng.uniform());
        D.column(atom).forEach((value, r) => (y[r] += x * value));
      }
      return makeSignal(`example ${i}`, [6, 6], y);
    });
    const { model } = await collect(data, {
      ...{ patch: [6, 6], learner: "sedil", base: createBase(`odct:${8 / 6}`, [6, 6]), removeMean: false },
      ...{ coding: { sparsity: 3 }, examples: 1500, epochs: 200, holdout: 0, reportEvery: 200 },
    });
    planted.forEach((factor, axis) => {
      const found = model.base.factors[axis];
      const nearest = Array.from({ length: 8 }, (_, j) =>
        Math.max(...Array.from({ length: 8 }, (_, i) => Math.abs(dot(found.column(i), factor.column(j))))),
      );
      expect(nearest.filter((near) => near > 0.99).length).toBeGreaterThanOrEqual(7);
    });
  });

  test("is saved as its factors, with A the identity", async () => {
    const { model } = await collect(syntheticPictures(1, 1, 32), {
      ...{ patch: [4, 5], learner: "sedil", base: "odct:1.5", examples: 100, epochs: 3, holdout: 0 },
    });
    const back = modelFromBytes(modelToBytes(model), "a model");
    expect(back.base.factors.map(({ rows, cols }) => [rows, cols])).toEqual([
      [4, 6],
      [5, 8],
    ]);
    expect(back.A.counts.every((count) => count === 1)).toBe(true);
    expect(await back.atoms()).toEqual(await model.atoms());
  });

  test("starts from a dictionary whose atoms are those of its factors, with the error it had, and from no other", async () => {
    const [data, tests] = [syntheticPictures(1, 1, 20), syntheticPictures(2, 1, 12)];
    const common = { patch: [4, 5], coding: { sparsity: 2 }, examples: 60, epochs: 2, test: tests } as const;
    const learn = (more: Partial<TrainOptions>) => collect(data, { ...common, keep: "last", ...more });
    const { model: learned, reports } = await learn({ learner: "sedil", base: "odct:1.3" });
    const starting = async (start: Model) => (await learn({ learner: "sedil", start })).reports[0].testRmse;
    expect(await starting(learned)).toBe(reports.at(-1)!.testRmse);

    const { base, meta } = learned;
    const A = SparseColumns.identity(baseCols(base), 2);
    A.values.forEach((value, s) => (A.values[s] = s % 4 === 0 ? -value : value / 2));
    expect(await starting(new Model(base, A, meta))).toBe(reports.at(-1)!.testRmse);

    const permuted = SparseColumns.identity(baseCols(base), 1);
    permuted.indices.reverse();
    const sum = SparseColumns.identity(baseCols(base), 2);
    sum.setColumn(3, [3, 4], [1, 1]);
    const few = SparseColumns.identity(baseCols(base), 1).slice(0, 7);
    const others = [permuted, sum, few].map((A) => new Model(base, A, { ...meta, learner: "osdl" }));
    for (const start of [...others, Model.from(await learned.atoms(), [4, 5])]) {
      expect(() => train(data, { ...common, learner: "sedil", start })).toThrow(
        new InputError(
          `train: start must be a dictionary of sedil, or one with the atoms of a separable base, got one whose learner is ${start.meta.learner}`,
        ),
      );
    }
  });

  test("rejects a base with two equal atoms at once, and names one that has none", async () => {
    const data = syntheticPictures(1, 1, 64);
    expect(() => train(data, { patch: [64, 8], learner: "sedil" })).toThrow(
      new InputError(
        "train: base cropped:sym8 has two equal atoms for an axis of 64 samples, which sedil cannot use; odct:2 has none",
      ),
    );
    expect(() => train(data, { patch: [2, 8], learner: "sedil", base: "odct:2" })).toThrow(
      "train: base odct:2 has two equal atoms for an axis of 2 samples, which sedil cannot use; odct:1 has none",
    );
    const base = createBase("cropped:sym8", [64]);
    const meta = { learner: "osdl", options: {}, seed: 1, examplesSeen: 0, removeMean: true, coding: {} };
    const start = new Model(base, SparseColumns.identity(baseCols(base), 1), meta);
    expect(() => train(data[0].data, { patch: [64], learner: "sedil", start })).toThrow(
      "train: start has two equal atoms for an axis of 64 samples, which sedil cannot use",
    );
    for (const [patch, usable] of [
      [[64, 8], "odct:2"],
      [[2, 8], "odct:1"],
    ] as const)
      await train(data, { patch, learner: "sedil", base: usable }).close();
  });

  test("rejects other numbers of atoms than the base has, and a base that is not separable", () => {
    const data = syntheticPictures(1, 1, 32);
    expect(() => train(data, { patch: [4, 4], learner: "sedil", base: "identity", atoms: 17 })).toThrow(
      "train: atoms must be 16 for sedil, the number of base atoms, got 17",
    );
    const base = { name: "mine", shape: [4, 4], factors: [Matrix64.identity(16)] };
    expect(() => train(data, { patch: [4, 4], learner: "sedil", base })).toThrow(
      'train: base must have a factor for each axis for sedil, got "mine"',
    );
  });
});
