import { describe, expect, test } from "vitest";
import { InputError } from "../core/errors.js";
import { SparseColumns } from "../core/matrix.js";
import { Rng } from "../core/rng.js";
import type { Shape } from "../core/shape.js";
import {
  expectClose,
  expectUnitGram,
  explicitBase,
  magnitudes,
  randomSparse,
  wide,
} from "../kernels/conformance/oracle.case.js";
import { unitRoundoff } from "../kernels/conformance/tolerance.js";
import { createReferenceKernels } from "../kernels/reference/index.js";
import { baseCols, createBase } from "./base.js";
import { SparseDictionary } from "./sparseDictionary.js";

const kernels = createReferenceKernels();

async function make(name: string, shape: Shape, m: number, k: number, seed: number) {
  const base = createBase(name, shape);
  const A = randomSparse(Rng.from(seed), baseCols(base), m, k);
  return { base, A, dictionary: await SparseDictionary.create(base, A, kernels) };
}

const bases: [string, Shape][] = [
  ["cropped:sym8", [9]],
  ["cropped:haar", [4, 5]],
  ["odct:1.5", [5, 4]],
  ["separable:db2", [2, 3, 4]],
];

describe.each(bases)("D = ΦA over %s of shape %o", (name, shape) => {
  test("is kron(φ₀, φ₁, …) A", async () => {
    const { base, A, dictionary } = await make(name, shape, 17, 4, 1);
    expect([dictionary.rows, dictionary.cols]).toEqual([explicitBase(base.factors).rows, 17]);
    const D = kernels.matrix(dictionary.rows, 17);
    const unit = kernels.sparse(17, 17, 1);
    await kernels.writeSparse(unit, SparseColumns.identity(17, 1));
    await kernels.reconstruct(dictionary.phi, dictionary.A, unit, D);
    const phi = explicitBase(base.factors);
    const size = magnitudes(phi).times(magnitudes(wide(A)));
    expectClose(await kernels.readMatrix(D), phi.times(wide(A)), 0, size); // f64 sums, one rounding
  });

  test("has the Gram matrix of its unit atoms, with a diagonal of ones", async () => {
    const { base, A, dictionary } = await make(name, shape, 23, 3, 2);
    const G = await kernels.readMatrix(dictionary.gram);
    const scale = await kernels.readMatrix(dictionary.scale);
    expectUnitGram(G, scale.data, base.factors, A);
    A.counts.forEach((count, j) => {
      // ‖Φa‖² times the square of 1/‖Φa‖, rounded to f32 before and after
      if (count > 0) expect(Math.abs(G.at(j, j) - 1)).toBeLessThanOrEqual(4 * unitRoundoff);
      else expect([G.at(j, j), scale.data[j]]).toEqual([0, 0]);
    });
  });

  test("keeps it through hundreds of changes of a few atoms", async () => {
    const m = 23;
    const { base, A, dictionary } = await make(name, shape, m, 3, 3);
    const rng = Rng.from(4);
    for (let turn = 0; turn < 300; turn++) {
      const changed = rng.distinct(rng.below(5), m).sort((a, b) => a - b);
      for (const j of changed) {
        const rows = rng.distinct(rng.below(4), A.rows);
        A.setColumn(
          j,
          rows,
          rows.map(() => rng.normal() * 10 ** (rng.below(7) - 3)),
        );
      }
      await kernels.writeSparse(dictionary.A, A);
      await dictionary.refreshAtoms(Uint32Array.from(changed));
    }
    const [G, scale] = [
      await kernels.readMatrix(dictionary.gram),
      await kernels.readMatrix(dictionary.scale),
    ];
    expectUnitGram(G, scale.data, base.factors, A);
    const fresh = await SparseDictionary.create(base, A, kernels);
    expect(await kernels.readMatrix(fresh.scale)).toEqual(scale); // the same sums, in the same order
    const again = await kernels.readMatrix(fresh.gram);
    // ⟨Φaᵢ, Φaⱼ⟩ may have come from either side: it differs in f64 alone, and by one rounding to f32
    G.data.forEach((value, i) => {
      expect(Math.abs(value - again.data[i])).toBeLessThanOrEqual(2 * unitRoundoff);
    });
  });
});

test("of a base is the base: A is the identity", async () => {
  const base = createBase("separable:haar", [8]); // orthonormal
  const dictionary = await SparseDictionary.ofBase(base, kernels);
  expect((await kernels.readSparse(dictionary.A)).toDense()).toEqual(SparseColumns.identity(8, 1).toDense());
  const G = await kernels.readMatrix(dictionary.gram);
  const identity = SparseColumns.identity(8, 1).toDense();
  G.data.forEach((value, i) => {
    expect(Math.abs(value - identity.data[i])).toBeLessThanOrEqual(4 * unitRoundoff);
  });
});

test("replaces all of A, also by atoms that are zero", async () => {
  const { base, dictionary } = await make("cropped:haar", [6], 5, 2, 5);
  const A = randomSparse(Rng.from(6), baseCols(base), 5, 2);
  A.setColumn(0, [], []);
  A.setColumn(4, [1], [0]); // a stored zero
  await dictionary.replace(A);
  const [G, scale] = [await kernels.readMatrix(dictionary.gram), await kernels.readMatrix(dictionary.scale)];
  expectUnitGram(G, scale.data, base.factors, A);
  for (const j of [0, 4]) {
    expect(scale.data[j]).toBe(0);
    expect(G.column(j).every((value) => value === 0)).toBe(true);
  }
});

test("has as much room in each column of A as it is told", async () => {
  const base = createBase("identity", [4]);
  const A = SparseColumns.identity(4, 1);
  expect((await SparseDictionary.create(base, A, kernels)).A.width).toBe(1);
  const roomy = await SparseDictionary.create(base, A, kernels, 3);
  expect(roomy.A.width).toBe(3);
  expect((await kernels.readSparse(roomy.A)).toDense()).toEqual(A.toDense());
});

test("refuses an A that is not over the base", async () => {
  await expect(
    SparseDictionary.create(createBase("odct:2", [4, 4]), SparseColumns.identity(16, 1), kernels),
  ).rejects.toThrow(
    new InputError("SparseDictionary: A must have a row for each of the 64 base atoms, got 16"),
  );
});

test("gives back all that it held", async () => {
  const own = createReferenceKernels();
  const before = own.memory.used;
  const dictionary = await SparseDictionary.ofBase(createBase("odct:2", [4, 4]), own);
  expect(own.memory.used).toBeGreaterThanOrEqual(before + 4 * 64 * 64);
  dictionary.free();
  expect(own.memory.used).toBe(before);
});
