import { describe, expect, test } from "vitest";
import { InputError } from "../core/errors.js";
import { DenseMatrix } from "../core/matrix.js";
import { Rng } from "../core/random/rng.js";
import { createReferenceKernels } from "../kernels/reference/index.js";
import { code } from "./code.js";
import { Model } from "./model.js";

const kernels = createReferenceKernels();
const rng = Rng.from(7);
const D = DenseMatrix.build(12, 20, (_, j) => (j + 1) * rng.normal());
const Y = DenseMatrix.build(12, 30, () => 50 * rng.normal());

/** ‖y − Dx‖ of column j. */
function errorOf(X: DenseMatrix, j: number): number {
  let sum = 0;
  for (let i = 0; i < D.rows; i++) {
    let value = Y.at(i, j);
    for (let a = 0; a < D.cols; a++) value -= D.at(i, a) * X.at(a, j);
    sum += value * value;
  }
  return Math.sqrt(sum);
}

describe("code", () => {
  test("gives the codes of a model with the same atoms, in units of the atoms as they are", async () => {
    const X = await code(D, Y, { sparsity: 3, kernels });
    expect([X.rows, X.cols]).toEqual([20, 30]);
    const model = Model.from(D, [12], { removeMean: false });
    const unit = (await model.encode(Y, { sparsity: 3 }, kernels)).X;
    expect(X.indices).toEqual(unit.indices);
    const back = await model.decode({ X: unit, means: new Float32Array(30) }, kernels);
    const dense = X.toDense();
    for (let j = 0; j < Y.cols; j++) {
      const expected = Math.sqrt(back.column(j).reduce((s, v, i) => s + (v - Y.at(i, j)) ** 2, 0));
      expect(errorOf(dense, j)).toBeCloseTo(expected, 2);
    }
  });

  test("reaches an error, and OLS is at least as good as OMP with two atoms on average", async () => {
    const X = (await code(D, Y, { error: 10, kernels })).toDense();
    for (let j = 0; j < Y.cols; j++) expect(errorOf(X, j)).toBeLessThan(10.001 * Math.sqrt(12));
    const total = (dense: DenseMatrix) =>
      Array.from({ length: 30 }, (_, j) => errorOf(dense, j) ** 2).reduce((a, b) => a + b);
    const omp = total((await code(D, Y, { sparsity: 2, kernels })).toDense());
    const ols = total((await code(D, Y, { sparsity: 2, pursuit: "ols", kernels })).toDense());
    expect(ols).toBeLessThanOrEqual(omp);
  });

  test("takes lists of columns, and chooses kernels by itself", async () => {
    const atoms = [
      [1, 0, 0],
      [0, 3, 0],
    ];
    const X = await code(atoms, [[2, 6, 0], new Float64Array([0, 0, 5])], { sparsity: 2 });
    expect([...X.toDense().column(0)]).toEqual([2, 2]);
    expect([...X.counts]).toEqual([2, 0]);
  });

  test("refuses what does not fit", async () => {
    const refuses = (call: Promise<unknown>, message: string) =>
      expect(call).rejects.toThrow(new InputError(message));
    await refuses(
      code(D, new DenseMatrix(11, 1), { sparsity: 1 }),
      "code: Y must have 12 rows, as D has, got 11",
    );
    await refuses(
      code([[1, 2], [3]], [[1, 2]], { sparsity: 1 }),
      "code: column 1 of D must have 2 samples, got 1",
    );
    await refuses(code([[1, 2]], [[1, 2]], {}), "code: sparsity or error must be given, got neither");
    await refuses(
      code([[1, 2]], [[1, 2]], { sparsity: 2 }),
      "code: sparsity must be an integer from 1 to 1, got 2",
    );
    await refuses(code([], [[1, 2]], { sparsity: 1 }), "code: D must not be empty");
    await refuses(code([[0, 0]], [[1, 2]], { sparsity: 1 }), "code: atom 0 must not be zero");
    await refuses(
      code([[1, 2]], [[1, 2]], { atoms: 1 } as never),
      "code: unknown option atoms; known: sparsity, error, pursuit, kernels",
    );
  });
});
