import { describe, expect, test } from "vitest";
import { InputError } from "../core/errors.js";
import { DenseMatrix, SparseColumns } from "../core/matrix.js";
import { Rng } from "../core/random/rng.js";
import type { Shape } from "../core/shape.js";
import {
  dot,
  expectClose,
  expectUnitGram,
  explicitBase,
  magnitudes,
  randomDense,
  randomSparse,
  randomUnitDictionary,
  wide,
} from "../kernels/conformance/oracle.case.js";
import { unitRoundoff } from "../kernels/conformance/tolerance.js";
import { createReferenceKernels } from "../kernels/reference/index.js";
import { Encoder } from "../pursuit/encoder.js";
import { baseCols, baseRows, createBase } from "./base.js";
import {
  explicitBase as baseOfExplicit,
  ExplicitDictionary,
  openDictionary,
  SparseDictionary,
  unitColumns,
} from "./dictionary.js";

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
    const G = await kernels.readMatrix(dictionary.gram!);
    const scale = await kernels.readMatrix(dictionary.scale);
    expectUnitGram(G, scale.data, base.factors, A);
    A.counts.forEach((count, j) => {
      // ‖Φa‖² times the square of 1/‖Φa‖, rounded to f32 before and after
      if (count > 0) expect(Math.abs(G.at(j, j) - 1)).toBeLessThanOrEqual(4 * unitRoundoff);
      else expect([G.at(j, j), scale.data[j]]).toEqual([0, 0]);
    });
  });

  test("keeps its Gram matrix right through hundreds of changes of a few atoms", async () => {
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
    const G = await kernels.readMatrix(dictionary.gram!);
    const scale = await kernels.readMatrix(dictionary.scale);
    expectUnitGram(G, scale.data, base.factors, A);
    const fresh = await SparseDictionary.create(base, A, kernels);
    expect(await kernels.readMatrix(fresh.scale)).toEqual(scale); // the same sums, in the same order
    const again = await kernels.readMatrix(fresh.gram!);
    // ⟨Φaᵢ, Φaⱼ⟩ may have come from either side: it differs in f64 alone, and by one rounding to f32
    G.data.forEach((value, i) => {
      expect(Math.abs(value - again.data[i])).toBeLessThanOrEqual(2 * unitRoundoff);
    });
  });
});

describe("SparseDictionary", () => {
  test("made of a base alone has A = I", async () => {
    const base = createBase("separable:haar", [8]); // orthonormal
    const dictionary = await SparseDictionary.ofBase(base, kernels);
    expect((await kernels.readSparse(dictionary.A)).toDense()).toEqual(
      SparseColumns.identity(8, 1).toDense(),
    );
    const G = await kernels.readMatrix(dictionary.gram!);
    const identity = SparseColumns.identity(8, 1).toDense();
    G.data.forEach((value, i) => {
      expect(Math.abs(value - identity.data[i])).toBeLessThanOrEqual(4 * unitRoundoff);
    });
  });

  test("replaces all of A, also with zero atoms", async () => {
    const { base, dictionary } = await make("cropped:haar", [6], 5, 2, 5);
    const A = randomSparse(Rng.from(6), baseCols(base), 5, 2);
    A.setColumn(0, [], []);
    A.setColumn(4, [1], [0]); // a stored zero
    await dictionary.replace(A);
    const G = await kernels.readMatrix(dictionary.gram!);
    const scale = await kernels.readMatrix(dictionary.scale);
    expectUnitGram(G, scale.data, base.factors, A);
    for (const j of [0, 4]) {
      expect(scale.data[j]).toBe(0);
      expect(G.column(j).every((value) => value === 0)).toBe(true);
    }
  });

  test("has as much room in each column of A as is asked for", async () => {
    const base = createBase("identity", [4]);
    const A = SparseColumns.identity(4, 1);
    expect((await SparseDictionary.create(base, A, kernels)).A.width).toBe(1);
    const roomy = await SparseDictionary.create(base, A, kernels, 3);
    expect(roomy.A.width).toBe(3);
    expect((await kernels.readSparse(roomy.A)).toDense()).toEqual(A.toDense());
  });

  test("rejects an A that does not fit the base", async () => {
    await expect(
      SparseDictionary.create(createBase("odct:2", [4, 4]), SparseColumns.identity(16, 1), kernels),
    ).rejects.toThrow(
      new InputError("SparseDictionary: A must have a row for each of the 64 base atoms, got 16"),
    );
  });

  test("frees all its memory", async () => {
    const own = createReferenceKernels();
    const before = own.memory.used;
    const dictionary = await SparseDictionary.ofBase(createBase("odct:2", [4, 4]), own);
    expect(own.memory.used).toBeGreaterThanOrEqual(before + 4 * 64 * 64);
    dictionary.free();
    expect(own.memory.used).toBe(before);
  });
});

describe("ExplicitDictionary", () => {
  const shape = [3, 4];
  const n = 12;
  const m = 20;
  const { D, G } = randomUnitDictionary(Rng.from(1), n, m);

  async function hold(M: DenseMatrix) {
    const handle = kernels.matrix(M.rows, M.cols);
    await kernels.writeMatrix(handle, M);
    return handle;
  }

  test("holds its atoms and their Gram matrix, and refreshes it after a change", async () => {
    const dictionary = await ExplicitDictionary.create(shape, D, kernels);
    expect([dictionary.rows, dictionary.cols, dictionary.shape]).toEqual([n, m, shape]);
    expect(await kernels.readMatrix(dictionary.gram!)).toEqual(G);
    const other = randomUnitDictionary(Rng.from(2), n, m);
    await kernels.writeMatrix(dictionary.atoms, other.D);
    await dictionary.refresh();
    expect(await kernels.readMatrix(dictionary.gram!)).toEqual(other.G);
    const before = kernels.memory.used;
    dictionary.free();
    expect(kernels.memory.used).toBe(before - 4 * (n * m + m * m));
  });

  test("gives the same codes as the same dictionary as a base with A = I", async () => {
    const Y = randomDense(Rng.from(3), n, 15);
    const base = baseOfExplicit(shape, D);
    const explicit = await openDictionary({ base, dictionary: D }, kernels);
    const sparse = await openDictionary({ base, A: SparseColumns.identity(m, 1) }, kernels);
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
    const Y = randomDense(Rng.from(4), n, 6);
    const X = randomSparse(Rng.from(5), m, 6, 3);
    const y = await hold(Y);
    const x = kernels.sparse(m, 6, 3);
    await kernels.writeSparse(x, X);
    await dictionary.residual(y, x, y);
    const fitted = wide(D).times(wide(X));
    (await kernels.readMatrix(y)).data.forEach((r, i) =>
      expect(r).toBeCloseTo(Y.data[i] - fitted.data[i], 5),
    );
    dictionary.free();
  });

  test("rejects atoms of another size than the signals", async () => {
    await expect(ExplicitDictionary.create([5, 5], D, kernels)).rejects.toThrow(
      "ExplicitDictionary: atoms must have 25 samples, like the signals, got 12",
    );
  });

  test("can be a base itself: Φ = D", () => {
    const base = baseOfExplicit(shape, D);
    expect([base.name, base.shape, baseRows(base), baseCols(base)]).toEqual(["explicit", shape, n, m]);
    expect([...base.factors[0].data]).toEqual([...D.data]);
    expect(base.factors).toBe(base.factors);
  });
});

test("unitColumns scales to unit norm, and leaves zero columns alone", () => {
  const M = unitColumns(new DenseMatrix(2, 2, Float32Array.of(3, 4, 0, 0)));
  expect(dot(M.column(0), M.column(0))).toBeCloseTo(1, 6);
  expect([...M.column(1)]).toEqual([0, 0]);
});
