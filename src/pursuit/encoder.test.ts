import { describe, expect, test } from "vitest";
import { InputError } from "../core/errors.js";
import { DenseMatrix, SparseColumns } from "../core/matrix.js";
import { Rng } from "../core/random/rng.js";
import { makeSignal } from "../core/signal.js";
import { baseCols, createBase } from "../dictionaries/base.js";
import { SparseDictionary } from "../dictionaries/dictionary.js";
import { dot, explicitBase, randomDense, randomSparse, wide } from "../kernels/conformance/oracle.case.js";
import { unitRoundoff as u } from "../kernels/conformance/tolerance.js";
import type { DeviceMatrix } from "../kernels/contract.js";
import { createReferenceKernels } from "../kernels/reference/index.js";
import { codingError, Encoder } from "./encoder.js";

const kernels = createReferenceKernels();

async function hold(matrix: DenseMatrix): Promise<DeviceMatrix> {
  const held = kernels.matrix(matrix.rows, matrix.cols);
  await kernels.writeMatrix(held, matrix);
  return held;
}
const base = createBase("cropped:sym4", [4, 5]);
const phi = explicitBase(base.factors);
const n = phi.rows;
const m = 60;

/** Atoms of very different norms, one of them zero. */
function someAtoms(): SparseColumns {
  const rng = Rng.from(1);
  const A = randomSparse(rng, baseCols(base), m, 3, () => rng.normal());
  for (let j = 0; j < m; j++) {
    const weight = 10 ** (rng.below(7) - 3);
    if (A.counts[j] === 0) A.setColumn(j, [j % A.rows], [1]);
    for (let s = 3 * j; s < 3 * j + 3; s++) A.values[s] *= weight;
  }
  A.setColumn(7, [], []);
  return A;
}

async function encode(A: SparseColumns, Y: DenseMatrix, sparsity: number, residualEnergy = 0) {
  const dictionary = await SparseDictionary.create(base, A, kernels);
  const encoder = new Encoder(dictionary, { sparsity, residualEnergy }, Y.cols + 1, kernels);
  const held = await hold(Y);
  const codes = await encoder.encode(held);
  const R = kernels.matrix(Y.rows, Y.cols);
  await encoder.residual(held, codes, R);
  return { X: await kernels.readSparse(codes), R: await kernels.readMatrix(R) };
}

const chosenAtoms = (X: SparseColumns, i: number) => [
  ...X.indices.subarray(i * X.width, i * X.width + X.counts[i]),
];
const A = someAtoms();
const Y = randomDense(Rng.from(2), n, 25);

describe("Encoder", () => {
  test("gives codes over the unnormalised atoms: R = Y − ΦAX", async () => {
    const { X, R } = await encode(A, Y, 5);
    const fitted = phi.times(wide(A)).times(wide(X));
    Y.data.forEach((y, i) => {
      // f64 sums of f32 numbers, rounded once: of terms no larger than a few times y
      expect(Math.abs(R.data[i] - (y - fitted.data[i]))).toBeLessThanOrEqual(4 * u * (Math.abs(y) + 1));
    });
    expect([...X.counts]).toEqual(new Array(25).fill(5));
    expect(X.indices.includes(7), "the zero atom").toBe(false);
  });

  test("finds the same DX, bit for bit, if the columns of A are scaled by powers of two of either sign", async () => {
    const rng = Rng.from(3);
    const scaled = A.copy();
    const factors = Array.from(
      { length: m },
      () => (rng.uniform() < 0.5 ? -1 : 1) * 2 ** (rng.below(21) - 10),
    );
    scaled.values.forEach((value, s) => {
      scaled.values[s] = value * factors[Math.floor(s / scaled.width)];
    });
    const one = await encode(A, Y, 6);
    const other = await encode(scaled, Y, 6);
    expect(other.R).toEqual(one.R);
    expect(other.X.indices).toEqual(one.X.indices);
    one.X.values.forEach((x, s) => {
      expect(other.X.values[s] * factors[one.X.indices[s]]).toBe(x);
    });
  });

  test("finds the same residual, up to rounding, if the atoms are scaled by any other factors", async () => {
    const rng = Rng.from(4);
    const identity = SparseColumns.identity(n, 1);
    const scaled = identity.copy();
    for (let j = 0; j < n; j++) scaled.values[j] = rng.normal() * 10 ** (rng.below(9) - 4);
    const plain = createBase("identity", [n]); // orthogonal atoms: each coefficient has only its own rounding
    const run = async (atoms: SparseColumns) => {
      const dictionary = await SparseDictionary.create(plain, atoms, kernels);
      const encoder = new Encoder(dictionary, { sparsity: 6, residualEnergy: 0 }, Y.cols, kernels);
      const [held, R] = [await hold(Y), kernels.matrix(n, Y.cols)];
      await encoder.residual(held, await encoder.encode(held), R);
      return kernels.readMatrix(R);
    };
    const one = await run(identity);
    const other = await run(scaled);
    Y.data.forEach((y, i) => {
      expect(Math.abs(one.data[i] - other.data[i])).toBeLessThanOrEqual(8 * u * Math.abs(y));
    });
  });

  test("leaves a residual orthogonal to the atoms it chose", async () => {
    const { X, R } = await encode(A, Y, 6);
    const D = phi.times(wide(A));
    for (let i = 0; i < Y.cols; i++) {
      const taken = chosenAtoms(X, i);
      const norms = taken.map((j) => Math.sqrt(dot(D.column(j), D.column(j))));
      const size = taken.reduce((sum, _, t) => sum + Math.abs(X.values[i * 6 + t]) * norms[t], 0);
      taken.forEach((j, t) => {
        const angle = dot(D.column(j), R.column(i)) / norms[t];
        // P and G are rounded to f32 once; x twice; R once
        const bound = 6 * u * (size + Math.sqrt(dot(Y.column(i), Y.column(i))));
        expect(Math.abs(angle)).toBeLessThanOrEqual(bound);
      });
    }
  });

  test("chooses the same first atoms, however many it may use", async () => {
    const runs = await Promise.all([1, 2, 3, 4, 5, 6, 7].map((p) => encode(A, Y, p)));
    for (let p = 1; p < 7; p++) {
      const shorter = runs[p - 1];
      const longer = runs[p];
      for (let i = 0; i < Y.cols; i++) {
        expect(chosenAtoms(longer.X, i).slice(0, p)).toEqual(chosenAtoms(shorter.X, i));
        const before = shorter.R.column(i);
        const after = longer.R.column(i);
        expect(dot(after, after)).toBeLessThan(dot(before, before));
      }
    }
  });

  test("stops at the given error, and not earlier", async () => {
    const error = 0.4;
    const { X, R } = await encode(A, Y, n, n * error ** 2);
    const few = await encode(A, Y, 3, n * error ** 2);
    expect(Math.max(...X.counts)).toBeGreaterThan(Math.min(...X.counts)); // each example as it needs
    for (let i = 0; i < Y.cols; i++) {
      const energy = dot(Y.column(i), Y.column(i));
      // ‖r‖² = ‖y‖² − ⟨x, P⟩ of numbers rounded to f32
      const slack = (X.counts[i] + 8) * u * energy;
      expect(dot(R.column(i), R.column(i))).toBeLessThanOrEqual(n * error ** 2 + slack);
      expect(few.X.counts[i]).toBe(Math.min(3, X.counts[i]));
    }
    for (let p = 1; p < Math.max(...X.counts); p++) {
      const shorter = await encode(A, Y, p);
      for (let i = 0; i < Y.cols; i++) {
        const r = shorter.R.column(i);
        const slack = (p + 8) * u * dot(Y.column(i), Y.column(i));
        if (p < X.counts[i]) expect(dot(r, r)).toBeGreaterThan(n * error ** 2 - slack);
      }
    }
  });

  test("gives an empty code to zero examples, and to examples within the given error", async () => {
    const zeros = new DenseMatrix(n, 3);
    zeros.column(1).fill(0.1);
    const { X, R } = await encode(A, zeros, 4, n * 0.2 ** 2);
    expect([...X.counts]).toEqual([0, 0, 0]);
    expect(R).toEqual(zeros);
    expect([...(await encode(A, new DenseMatrix(n, 2), 4)).X.counts]).toEqual([0, 0]);
  });

  test("codes an atom by that atom alone, whatever its norm", async () => {
    const D = phi.times(wide(A));
    const cosine = (i: number, j: number) =>
      dot(D.column(i), D.column(j)) / Math.hypot(...D.column(i)) / Math.hypot(...D.column(j));
    // atoms without a near copy
    const atoms = [...Array(m).keys()]
      .filter((j) => A.counts.every((count, i) => i === j || count === 0 || Math.abs(cosine(i, j)) < 0.999))
      .filter((j) => j !== 7);
    expect(atoms.length).toBeGreaterThan(30);
    const alone = DenseMatrix.build(n, atoms.length, (i, j) => -2 * D.at(i, atoms[j]));
    const { X } = await encode(A, alone, 4);
    atoms.forEach((atom, i) => {
      expect(chosenAtoms(X, i)).toEqual([atom]);
      expect(Math.abs(X.values[i * 4] + 2)).toBeLessThanOrEqual(2 * 8 * u);
    });
  });

  test("uses no more atoms than a signal has dimensions, up to rounding", async () => {
    const small = createBase("odct:3", [3]);
    const dictionary = await SparseDictionary.ofBase(small, kernels);
    const encoder = new Encoder(dictionary, { sparsity: 9, residualEnergy: 0 }, 10, kernels);
    const signals = randomDense(Rng.from(5), 3, 10);
    const X = await kernels.readSparse(await encoder.encode(await hold(signals)));
    expect(Math.max(...X.counts)).toBeLessThanOrEqual(4); // three span the space; one more where rounding left a rest
    expect(X.values.every(Number.isFinite)).toBe(true);
  });

  test("codes batches of any size from 0 to its capacity", async () => {
    const dictionary = await SparseDictionary.create(base, A, kernels);
    const encoder = new Encoder(dictionary, { sparsity: 3, residualEnergy: 0 }, 25, kernels);
    const held = await hold(Y);
    const whole = await kernels.readSparse(await encoder.encode(held));
    const part = await kernels.readSparse(await encoder.encode(kernels.head(held, 4)));
    expect(part).toEqual(whole.slice(0, 4).copy());
    expect((await encoder.encode(kernels.matrix(n, 0))).cols).toBe(0);
    await expect(encoder.encode(kernels.matrix(n, 26))).rejects.toThrow(
      new InputError("Encoder.encode: number of examples must be an integer from 0 to 25, got 26"),
    );
    await expect(encoder.encode(kernels.matrix(n + 1, 2))).rejects.toThrow(
      new InputError(`Encoder.encode: Y must have as many rows as D (${n}), got ${n + 1}`),
    );
  });

  test("frees all its memory", async () => {
    const own = createReferenceKernels();
    const dictionary = await SparseDictionary.create(base, A, own);
    const before = own.memory.used;
    const encoder = new Encoder(dictionary, { sparsity: 3, residualEnergy: 0 }, 25, own);
    expect(own.memory.used).toBeGreaterThan(before);
    encoder.free();
    expect(own.memory.used).toBe(before);
  });
});

describe("codingError", async () => {
  const shape = [3, 4];
  const n = 12;
  const dictionary = await SparseDictionary.ofBase(createBase("odct:1.5", shape), kernels);
  const makeEncoder = (capacity: number, sparsity = 3) =>
    new Encoder(dictionary, { sparsity, residualEnergy: 0 }, capacity, kernels);

  /** A picture of 5 × 14 and 11 windows, side by side in its first row. */
  const picture = makeSignal("picture", [5, 14], randomDense(Rng.from(1), 70, 1, 50).data);
  const windows = { signal: new Uint32Array(11), start: Uint32Array.from({ length: 11 }, (_, i) => i) };
  const store = kernels.signals([picture]);

  /** ‖Y − DX‖_F / √(nN), a batch at once. */
  async function explicitError(removeMean: boolean): Promise<number> {
    const Y = kernels.matrix(n, 11);
    await kernels.extract(store, windows, shape, Y, removeMean ? kernels.matrix(1, 11) : null);
    const encoder = makeEncoder(11);
    const R = kernels.matrix(n, 11);
    await encoder.residual(Y, await encoder.encode(Y), R);
    const { data } = await kernels.readMatrix(R);
    return Math.sqrt(dot(data, data) / (n * 11));
  }

  test.each([true, false])(
    "is the root-mean-square residual per sample (means removed: %o)",
    async (removeMean) => {
      const exact = await explicitError(removeMean);
      for (const capacity of [1, 4, 11, 100]) {
        const error = await codingError(makeEncoder(capacity), { store, windows }, removeMean, kernels);
        // one rounding to f32 per batch, of a sum of squares
        expect(Math.abs(error - exact)).toBeLessThanOrEqual((11 / capacity + 2) * u * exact);
      }
    },
  );

  test("falls to zero as the number of atoms grows", async () => {
    const errors: number[] = [];
    for (const p of [1, 2, 4, 8, 12])
      errors.push(await codingError(makeEncoder(5, p), { store, windows }, true, kernels));
    for (let i = 1; i < errors.length; i++) expect(errors[i]).toBeLessThan(errors[i - 1]);
    // the pursuit ends when ‖r‖² is below the rounding of ‖y‖²
    expect(errors[4]).toBeLessThanOrEqual(Math.sqrt(20 * u) * 50);
  });

  test("is zero for constant examples without their means", async () => {
    const flat = kernels.signals([makeSignal("flat", [3, 14], new Float32Array(42).fill(0.1))]);
    expect(await codingError(makeEncoder(4), { store: flat, windows }, true, kernels)).toBe(0);
  });

  test("is NaN if there are no examples", async () => {
    const none = { signal: new Uint32Array(), start: new Uint32Array() };
    expect(await codingError(makeEncoder(4), { store, windows: none }, true, kernels)).toBeNaN();
  });

  test("scales with the units of the data", async () => {
    const quarter = kernels.signals([picture], 0.25);
    const one = await codingError(makeEncoder(4), { store, windows }, true, kernels);
    expect(await codingError(makeEncoder(4), { store: quarter, windows }, true, kernels)).toBe(one / 4);
  });

  test("frees all its memory", async () => {
    const own = createReferenceKernels();
    const small = await SparseDictionary.create(
      createBase("identity", [4]),
      SparseColumns.identity(4, 1),
      own,
    );
    const encoder = new Encoder(small, { sparsity: 1, residualEnergy: 0 }, 3, own);
    const signal = own.signals([
      makeSignal(
        "s",
        [9],
        Float32Array.from({ length: 9 }, (_, i) => i * i),
      ),
    ]);
    const before = own.memory.used;
    const five = { signal: new Uint32Array(5), start: Uint32Array.of(0, 1, 2, 3, 4) };
    await codingError(encoder, { store: signal, windows: five }, false, own);
    expect(own.memory.used).toBe(before);
  });
});
