import { describe, expect, test } from "vitest";
import { DenseMatrix, SparseColumns } from "../core/matrix.js";
import { Rng } from "../core/rng.js";
import {
  dot,
  randomDense,
  randomSparse,
  randomUnitDictionary,
  wide,
} from "../kernels/conformance/oracle.case.js";
import { createReferenceKernels } from "../kernels/reference/index.js";
import { Encoder } from "../pursuit/encoder.js";
import { baseCols, baseRows } from "./base.js";
import { ExplicitDictionary, explicitBase, unitColumns } from "./explicitDictionary.js";
import { openDictionary } from "./openDictionary.js";

const kernels = createReferenceKernels();
const [shape, n, m] = [[3, 4], 12, 20] as const;
const { D, G } = randomUnitDictionary(Rng.from(1), n, m);

async function hold(M: DenseMatrix) {
  const handle = kernels.matrix(M.rows, M.cols);
  await kernels.writeMatrix(handle, M);
  return handle;
}

describe("an explicit dictionary", () => {
  test("holds its atoms and their Gram matrix, and follows a change", async () => {
    const dictionary = await ExplicitDictionary.create(shape, D, kernels);
    expect([dictionary.rows, dictionary.cols, dictionary.shape]).toEqual([n, m, shape]);
    expect(await kernels.readMatrix(dictionary.gram)).toEqual(G);
    const other = randomUnitDictionary(Rng.from(2), n, m);
    await kernels.writeMatrix(dictionary.atoms, other.D);
    await dictionary.refresh();
    expect(await kernels.readMatrix(dictionary.gram)).toEqual(other.G);
    const before = kernels.memory.used;
    dictionary.free();
    expect(kernels.memory.used).toBe(before - 4 * (n * m + m * m));
  });

  test("is coded over as the same dictionary is as a base with A = I", async () => {
    const Y = randomDense(Rng.from(3), n, 15);
    const [explicit, sparse] = [
      await openDictionary({ base: explicitBase(shape, D), dictionary: D }, kernels),
      await openDictionary({ base: explicitBase(shape, D), A: SparseColumns.identity(m, 1) }, kernels),
    ];
    expect(explicit).toBeInstanceOf(ExplicitDictionary);
    const codes: DenseMatrix[] = [];
    for (const dictionary of [explicit, sparse]) {
      const encoder = new Encoder(dictionary, { sparsity: 3, residualEnergy: 0 }, 15, kernels);
      expect(encoder.shape).toEqual(shape);
      codes.push((await kernels.readSparse(await encoder.encode(await hold(Y)))).toDense());
      encoder.free();
      dictionary.free();
    }
    codes[0].data.forEach((value, i) => expect(value).toBeCloseTo(codes[1].data[i], 4));
  });

  test("has the residual Y − DX", async () => {
    const dictionary = await ExplicitDictionary.create(shape, D, kernels);
    const [Y, X] = [randomDense(Rng.from(4), n, 6), randomSparse(Rng.from(5), m, 6, 3)];
    const [y, x] = [await hold(Y), kernels.sparse(m, 6, 3)];
    await kernels.writeSparse(x, X);
    await dictionary.residual(y, x, y);
    const fitted = wide(D).times(wide(X));
    (await kernels.readMatrix(y)).data.forEach((r, i) =>
      expect(r).toBeCloseTo(Y.data[i] - fitted.data[i], 5),
    );
    dictionary.free();
  });

  test("refuses atoms of another size than the signals", async () => {
    await expect(ExplicitDictionary.create([5, 5], D, kernels)).rejects.toThrow(
      "ExplicitDictionary: atoms must have 25 samples, as the signals have, got 12",
    );
  });

  test("is a base of its own: Φ = D", () => {
    const base = explicitBase(shape, D);
    expect([base.name, base.shape, baseRows(base), baseCols(base)]).toEqual(["explicit", shape, n, m]);
    expect([...base.factors[0].data]).toEqual([...D.data]);
    expect(base.factors).toBe(base.factors);
  });
});

test("unitColumns scales to unit norm, and leaves zero alone", () => {
  const M = unitColumns(new DenseMatrix(2, 2, Float32Array.of(3, 4, 0, 0)));
  expect(dot(M.column(0), M.column(0))).toBeCloseTo(1, 6);
  expect([...M.column(1)]).toEqual([0, 0]);
});
