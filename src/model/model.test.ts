import { describe, expect, test } from "vitest";
import { InputError } from "../core/errors.js";
import { DenseMatrix, SparseColumns } from "../core/matrix.js";
import { Rng } from "../core/random/rng.js";
import type { Shape } from "../core/shape.js";
import { baseCols, baseRows, createBase } from "../dictionaries/base.js";
import { SparseDictionary } from "../dictionaries/dictionary.js";
import {
  dot,
  expectClose,
  explicitBase,
  magnitudes,
  randomDense,
  randomSparse,
  randomUnitDictionary,
  wide,
} from "../kernels/conformance/oracle.case.js";
import { unitRoundoff as u } from "../kernels/conformance/tolerance.js";
import { createReferenceKernels } from "../kernels/reference/index.js";
import { Model, type ModelMeta } from "./model.js";

const kernels = createReferenceKernels();
const meta: ModelMeta = {
  learner: "osdl",
  options: {},
  seed: 1,
  examplesSeen: 0,
  removeMean: true,
  coding: { sparsity: 3 },
};

function ofBase(name: string, shape: Shape, changes: Partial<ModelMeta> = {}): Model {
  const base = createBase(name, shape);
  return new Model(base, SparseColumns.identity(baseCols(base), 1), { ...meta, ...changes });
}

const norm = (x: ArrayLike<number>) => Math.sqrt(dot(x, x));

describe("encode and decode", () => {
  test.each<[string, Shape]>([
    ["separable:sym8", [16]],
    ["cropped:sym4", [6, 5]],
    ["odct:2", [2, 3, 4]],
  ])("return the signals if all atoms are allowed: %s of shape %o", async (name, shape) => {
    const model = ofBase(name, shape);
    const n = baseRows(model.base);
    const Y = DenseMatrix.build(n, 600, () => 0); // more than one panel
    const rng = Rng.from(1);
    for (let i = 0; i < Y.cols; i++) {
      const offset = rng.normal() * 100;
      const scale = 10 ** (rng.below(9) - 4);
      for (let r = 0; r < n; r++) Y.column(i)[r] = offset + rng.normal() * scale;
    }
    const codes = await model.encode(Y, { sparsity: n }, kernels);
    expect(codes.X.cols).toBe(600);
    const back = await model.decode(codes, kernels);
    for (let i = 0; i < Y.cols; i++) {
      const centred = Y.column(i).map((y) => y - codes.means[i]);
      const error = norm(back.column(i).map((value, r) => value - Y.at(r, i)));
      // the pursuit ends where ‖r‖² is lost in the rounding of ‖y‖²; then the mean comes back
      const bound = Math.sqrt((n + 8) * u) * norm(centred) + 4 * u * norm(Y.column(i));
      expect(error).toBeLessThanOrEqual(bound);
    }
  });

  test("remove the mean of each signal, and add it again", async () => {
    const model = ofBase("cropped:haar", [3, 4]);
    const Y = randomDense(Rng.from(2), 12, 7, 10);
    for (let i = 0; i < 84; i++) Y.data[i] += 100;
    const { X, means } = await model.encode(Y, { sparsity: 2 }, kernels);
    for (let i = 0; i < 7; i++) {
      const mean = Y.column(i).reduce((sum, value) => sum + value, 0) / 12;
      expect(Math.abs(means[i] - mean)).toBeLessThanOrEqual(u * mean);
    }
    const fitted = explicitBase(model.base.factors).times(wide(model.A)).times(wide(X));
    const back = await model.decode({ X, means }, kernels);
    back.data.forEach((value, i) => {
      const exact = fitted.data[i] + means[Math.floor(i / 12)];
      expect(Math.abs(value - exact)).toBeLessThanOrEqual(4 * u * (Math.abs(fitted.data[i]) + 200));
    });
  });

  test("code constant signals by their means alone", async () => {
    const model = ofBase("cropped:sym8", [5, 5]);
    const Y = DenseMatrix.build(25, 4, (_, i) => [0, 0.1, -255, 1e10][i]);
    const { X, means } = await model.encode(Y, { sparsity: 3 }, kernels);
    expect([...X.counts]).toEqual([0, 0, 0, 0]);
    expect(means).toEqual(Float32Array.of(0, 0.1, -255, 1e10));
    expect(await model.decode({ X, means }, kernels)).toEqual(Y);
  });

  test("keep the means if the model does not remove them", async () => {
    const model = ofBase("separable:haar", [4], { removeMean: false });
    const Y = DenseMatrix.build(4, 2, (_, i) => i + 1);
    const { X, means } = await model.encode(Y, { sparsity: 4 }, kernels);
    expect([...means]).toEqual([0, 0]);
    expect([...X.counts]).toEqual([1, 1]); // the scaling function
    const back = await model.decode({ X, means }, kernels);
    back.data.forEach((value, i) => {
      expect(Math.abs(value - Y.data[i])).toBeLessThanOrEqual(8 * u * Y.data[i]);
    });
  });

  test.each([false, true])(
    "give a signal of any magnitude its own code; means removed: %s",
    async (removeMean) => {
      const model = ofBase("odct:2", [12], { removeMean });
      const usual = randomDense(Rng.from(6), 12, 5);
      const expected = (await model.encode(usual, { sparsity: 3 }, kernels)).X.toDense();
      const units = [1, 2 ** -60, 2 ** 30, 0, 2 ** -19];
      for (let j = 0; j < 5; j++)
        expected.column(j).forEach((x, i, column) => (column[i] = x * units[j] + 0)); // no −0
      const Y = DenseMatrix.build(12, 5, (r, j) => usual.at(r, j) * units[j]);
      expect((await model.encode(Y, { sparsity: 3 }, kernels)).X.toDense()).toEqual(expected);
    },
  );

  test("use the coding rule of the training by default", async () => {
    const Y = randomDense(Rng.from(3), 12, 30);
    expect(Math.max(...(await ofBase("odct:2", [12]).encode(Y, undefined, kernels)).X.counts)).toBe(3);
    const byError = ofBase("odct:2", [12], { coding: { error: 0.5 } });
    const { X, means } = await byError.encode(Y, undefined, kernels);
    const back = await byError.decode({ X, means }, kernels);
    for (let i = 0; i < 30; i++) {
      const error = norm(back.column(i).map((value, r) => value - Y.at(r, i)));
      expect(error / Math.sqrt(12)).toBeLessThanOrEqual(0.5 + 1e-5); // ‖r‖² is off by 20u‖y‖² at the most
    }
    expect(new Set(X.counts).size).toBeGreaterThan(1);
  });

  test("work for no signals at all", async () => {
    const model = ofBase("odct:2", [4]);
    const codes = await model.encode(new DenseMatrix(4, 0), { sparsity: 2 }, kernels);
    expect([codes.X.rows, codes.X.cols, codes.means.length]).toEqual([8, 0, 0]);
    expect((await model.decode(codes, kernels)).cols).toBe(0);
  });

  test("do not change the signals they are given", async () => {
    const Y = randomDense(Rng.from(4), 6, 5);
    const before = Y.copy();
    await ofBase("odct:2", [6]).encode(Y, { sparsity: 2 }, kernels);
    expect(Y).toEqual(before);
  });

  test("give the same codes through an open coder, again and again, which frees its memory when closed", async () => {
    const own = createReferenceKernels();
    const model = ofBase("odct:2", [12]);
    const coder = await model.open(own);
    const held = own.memory.used;
    for (const cols of [3, 0, 600]) {
      const Y = randomDense(Rng.from(cols), 12, cols);
      expect(await coder.encode(Y, { sparsity: 2 })).toEqual(await model.encode(Y, { sparsity: 2 }, kernels));
      expect(own.memory.used).toBe(held);
    }
    await expect(coder.encode(new DenseMatrix(5, 1))).rejects.toThrow("signals must have 12 samples, got 5");
    await coder.close();
    expect(own.memory.used).toBe(0);
  });

  test("reject signals, coding rules and codes that do not fit", async () => {
    const model = ofBase("odct:2", [2, 3]);
    await expect(model.encode(new DenseMatrix(5, 1), { sparsity: 1 }, kernels)).rejects.toThrow(
      new InputError("Model.encode: signals must have 6 samples, got 5"),
    );
    const bad = new DenseMatrix(6, 2);
    bad.data[8] = Number.NaN;
    await expect(model.encode(bad, { sparsity: 1 }, kernels)).rejects.toThrow(
      new InputError("Model.encode: signals must be finite, got NaN at index 8"),
    );
    await expect(model.encode(new DenseMatrix(6, 1), { sparsity: 25 }, kernels)).rejects.toThrow(
      new InputError("Model.encode: sparsity must be an integer from 1 to 24, got 25"),
    );
    await expect(model.encode(new DenseMatrix(6, 1), {}, kernels)).rejects.toThrow(
      new InputError("Model.encode: sparsity or error must be given, got neither"),
    );
    const codes = { X: new SparseColumns(23, 1, 1), means: new Float32Array(1) };
    await expect(model.decode(codes, kernels)).rejects.toThrow(
      new InputError("Model.decode: codes must have a row for each of the 24 atoms, got 23"),
    );
  });

  test("free their memory", async () => {
    const own = createReferenceKernels();
    const model = ofBase("odct:2", [2, 3]);
    const Y = randomDense(Rng.from(5), 6, 5);
    await model.decode(await model.encode(Y, { sparsity: 2 }, own), own);
    await model.atoms(own);
    expect(own.memory.used).toBe(0);
  });
});

describe("Model", () => {
  test("made from a dictionary in training has its atoms, scaled to unit norm", async () => {
    const base = createBase("cropped:sym4", [4, 4]);
    const rng = Rng.from(6);
    const A = randomSparse(rng, baseCols(base), 20, 3, () => rng.normal() * 10 ** (rng.below(5) - 2));
    A.setColumn(3, [], []);
    const dictionary = await SparseDictionary.create(base, A, kernels, 4);
    const model = await Model.of(dictionary, meta, kernels, new Uint32Array(20));
    expect(model.uses).toEqual(new Uint32Array(20));
    expect(model.shape).toEqual([4, 4]);
    const D = explicitBase(base.factors).times(wide(A));
    const unit = await model.atoms(kernels);
    for (let j = 0; j < 20; j++) {
      const size = norm(D.column(j));
      if (size === 0) expect(norm(unit.column(j))).toBe(0);
      // 1/‖Φa‖, the scaled a and the atom are rounded once each; a, relative to Σ|φ||a|
      const spread =
        norm(
          magnitudes(explicitBase(base.factors))
            .times(magnitudes(wide(A)))
            .column(j),
        ) / (size || 1);
      unit.column(j).forEach((value, r) => {
        expect(Math.abs(value - D.at(r, j) / (size || 1))).toBeLessThanOrEqual(4 * u * spread);
      });
    }
    expect((await kernels.readSparse(dictionary.A)).toDense()).toEqual(A.toDense()); // itself not touched
  });

  test("returns its atoms D = ΦA, also more than fit into one panel", async () => {
    const base = createBase("cropped:haar", [2, 3]);
    const A = randomSparse(Rng.from(7), baseCols(base), 600, 2);
    const D = await new Model(base, A, meta).atoms(kernels);
    const phi = explicitBase(base.factors);
    expectClose(D, phi.times(wide(A)), 0, magnitudes(phi).times(magnitudes(wide(A))));
  });

  test("chooses its own kernels by default", async () => {
    const model = ofBase("odct:2", [2, 3]);
    const Y = randomDense(Rng.from(8), 6, 5);
    const codes = await model.encode(Y, { sparsity: 6 });
    const back = await model.decode(codes);
    for (let i = 0; i < 5; i++) {
      const error = norm(back.column(i).map((value, r) => value - Y.at(r, i)));
      expect(error).toBeLessThanOrEqual(Math.sqrt(16 * u) * norm(Y.column(i)));
    }
    const atoms = await model.atoms();
    expect([atoms.rows, atoms.cols]).toEqual([6, 24]);
  });

  test("rejects an A that does not fit its base", () => {
    expect(() => new Model(createBase("identity", [4]), SparseColumns.identity(5, 1), meta)).toThrow(
      new InputError("Model: A must have a row for each of the 4 base atoms, got 5"),
    );
  });
});

describe("an explicit dictionary", () => {
  test("gives the same codes, signals and atoms as the same dictionary over a base", async () => {
    const rng = Rng.from(8);
    const { D } = randomUnitDictionary(rng, 12, 30);
    const explicit = Model.explicit([3, 4], D, meta);
    const base = { name: "mine", shape: [3, 4], factors: [wide(D)] };
    const over = new Model(base, SparseColumns.identity(30, 1), meta);
    const Y = randomDense(rng, 12, 40, 5);
    const a = await explicit.encode(Y, undefined, kernels);
    const b = await over.encode(Y, undefined, kernels);
    expect(a.X.indices).toEqual(b.X.indices);
    expect(a.means).toEqual(b.means);
    const c = await explicit.decode(a, kernels);
    const d = await over.decode(a, kernels);
    c.data.forEach((value, i) => expect(value).toBeCloseTo(d.data[i], 4));
    const atoms = await explicit.atoms(kernels);
    expect(atoms).toEqual(D);
    atoms.data.fill(0); // a copy
    expect((await explicit.atoms(kernels)).data).toEqual(D.data);
  });
});
