import { describe, expect, test } from "vitest";
import { InputError } from "../core/errors.js";
import { DenseMatrix } from "../core/matrix.js";
import { makeNpy } from "../data/formats/npy.js";
import { createReferenceKernels } from "../kernels/reference/index.js";
import { modelFromArray } from "./arrays.js";
import { modelFromBytes, modelToBytes } from "./files.js";
import { Model } from "./model.js";

const kernels = createReferenceKernels();
const rowMajor = Float32Array.of(3, 0, 0, 1, 4, 0, 0, 0); // 4 × 2: columns (3, 0, 4, 0) and (0, 1, 0, 0)

describe("Model.from", () => {
  test("scales atoms to unit norm and leaves the given matrix alone", async () => {
    const given = new DenseMatrix(2, 1, Float32Array.of(3, 4));
    const model = Model.from(given, [2]);
    expect([...(await model.atoms(kernels)).data]).toEqual([0.6, 0.8].map(Math.fround));
    expect([...given.data]).toEqual([3, 4]);
  });

  test("codes a signal of two atoms exactly, and survives its file", async () => {
    const made = Model.from(
      [
        [1, 1, 1, 1],
        [1, -1, 1, -1],
      ],
      [2, 2],
      { coding: { sparsity: 2 }, removeMean: false },
    );
    const model = modelFromBytes(modelToBytes(made), "own.npz");
    expect(model.shape).toEqual([2, 2]);
    const Y = new DenseMatrix(4, 1, Float32Array.of(3, 1, 3, 1));
    const codes = await model.encode(Y, { sparsity: 2 }, kernels);
    expect([...(await model.decode(codes, kernels)).data]).toEqual([3, 1, 3, 1]);
  });

  test.each([
    [[[1, 2]], [3], "Model.from: atom 0 must have 3 samples, got 2"],
    [[], [3], "Model.from: atoms must be at least one, got 0"],
    [[[0, 0]], [2], "Model.from: atom 0 must not be zero"],
    [[[1, NaN]], [2], "Model.from: atoms must be finite, got NaN at index 1"],
    [new DenseMatrix(3, 1), [2], "Model.from: atoms must have 2 samples each, got 3"],
    ["D", [2], 'Model.from: atoms must be a matrix or a list of atoms, got "D"'],
    [[[1, 2]], [0], "Model.from: shape must be one or more positive integer sizes, got [0]"],
  ])("refuses %o of shape %j", (atoms, shape, message) => {
    expect(() => Model.from(atoms as never, shape)).toThrow(new InputError(message));
  });
});

describe("modelFromArray", () => {
  const D = makeNpy([4, 2], rowMajor);

  test("takes the columns of a matrix as atoms, square where that is possible", async () => {
    const model = modelFromArray(D, "D.npy");
    expect(model.shape).toEqual([2, 2]);
    expect([...(await model.atoms(kernels)).data]).toEqual([0.6, 0, 0.8, 0, 0, 1, 0, 0].map(Math.fround));
  });

  test("takes the shape of an atom that is given", () => {
    expect(modelFromArray(D, "D.npy", [4]).shape).toEqual([4]);
    expect(modelFromArray(makeNpy([3, 1], Float32Array.of(1, 2, 3)), "D.npy").shape).toEqual([3]);
  });

  test("counts atoms by the first axis of an array of more than two", async () => {
    const model = modelFromArray(makeNpy([2, 1, 2], Float32Array.of(0, 2, 3, 4)), "D.npy");
    expect(model.shape).toEqual([1, 2]);
    expect([...(await model.atoms(kernels)).data]).toEqual([0, 1, 0.6, 0.8].map(Math.fround));
  });

  test.each([
    [
      makeNpy([2], Float32Array.of(1, 2)),
      undefined,
      /^D\.npy: a dictionary must be a matrix .* got shape \(2\)$/,
    ],
    [D, [3], /^D\.npy: atoms of 3 must have 3 samples, got 4$/],
    [makeNpy([2, 1], new Float32Array(2)), undefined, /^D\.npy: atom 0 must not be zero$/],
  ])("refuses what cannot be a dictionary (%#)", (array, shape, message) => {
    expect(() => modelFromArray(array, "D.npy", shape)).toThrow(message);
  });
});
