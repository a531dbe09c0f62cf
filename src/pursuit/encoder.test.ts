import { describe, expect, test } from "vitest";
import { InputError } from "../core/errors.js";
import { DenseMatrix, SparseColumns } from "../core/matrix.js";
import { Rng } from "../core/rng.js";
import { baseCols, createBase } from "../dictionaries/base.js";
import { SparseDictionary } from "../dictionaries/sparseDictionary.js";
import { dot, explicitBase, randomDense, randomSparse, wide } from "../kernels/conformance/oracle.case.js";
import { unitRoundoff as u } from "../kernels/conformance/tolerance.js";
import { createReferenceKernels } from "../kernels/reference/index.js";
import { Encoder } from "./encoder.js";

const kernels = createReferenceKernels();
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
  const held = kernels.matrix(Y.rows, Y.cols);
  await kernels.writeMatrix(held, Y);
  const codes = await encoder.encode(held);
  const R = kernels.matrix(Y.rows, Y.cols);
  await encoder.residual(held, codes, R);
  return { X: await kernels.readSparse(codes), R: await kernels.readMatrix(R) };
}

const atomsOf = (X: SparseColumns, i: number) => [
  ...X.indices.subarray(i * X.width, i * X.width + X.counts[i]),
];
const A = someAtoms();
const Y = randomDense(Rng.from(2), n, 25);

describe("Encoder", () => {
  test("gives codes over the atoms as they are: R = Y − ΦAX", async () => {
    const { X, R } = await encode(A, Y, 5);
    const fitted = phi.times(wide(A)).times(wide(X));
    Y.data.forEach((y, i) => {
      // f64 sums of f32 numbers, rounded once: of terms no larger than a few times y
      expect(Math.abs(R.data[i] - (y - fitted.data[i]))).toBeLessThanOrEqual(4 * u * (Math.abs(y) + 1));
    });
    expect([...X.counts]).toEqual(new Array(25).fill(5));
    expect(X.indices.includes(7), "the zero atom").toBe(false);
  });

  test("does not see the sizes and signs of the columns of A: DX is the same to the bit for powers of two", async () => {
    const rng = Rng.from(3);
    const scaled = A.copy();
    const factors = Array.from(
      { length: m },
      () => (rng.uniform() < 0.5 ? -1 : 1) * 2 ** (rng.below(21) - 10),
    );
    scaled.values.forEach((value, s) => {
      scaled.values[s] = value * factors[Math.floor(s / scaled.width)];
    });
    const [one, other] = [await encode(A, Y, 6), await encode(scaled, Y, 6)];
    expect(other.R).toEqual(one.R);
    expect(other.X.indices).toEqual(one.X.indices);
    one.X.values.forEach((x, s) => {
      expect(other.X.values[s] * factors[one.X.indices[s]]).toBe(x);
    });
  });

  test("nor for any other factor, up to rounding", async () => {
    const rng = Rng.from(4);
    const identity = SparseColumns.identity(n, 1);
    const scaled = identity.copy();
    for (let j = 0; j < n; j++) scaled.values[j] = rng.normal() * 10 ** (rng.below(9) - 4);
    const plain = createBase("identity", [n]); // atoms at right angles: each coefficient has its own rounding only
    const run = async (atoms: SparseColumns) => {
      const dictionary = await SparseDictionary.create(plain, atoms, kernels);
      const encoder = new Encoder(dictionary, { sparsity: 6, residualEnergy: 0 }, Y.cols, kernels);
      const R = kernels.matrix(n, Y.cols);
      await encoder.residual(Y, await encoder.encode(Y), R);
      return kernels.readMatrix(R);
    };
    const [one, other] = [await run(identity), await run(scaled)];
    Y.data.forEach((y, i) => {
      expect(Math.abs(one.data[i] - other.data[i])).toBeLessThanOrEqual(8 * u * Math.abs(y));
    });
  });

  test("leaves a residual at right angles to the atoms taken", async () => {
    const { X, R } = await encode(A, Y, 6);
    const D = phi.times(wide(A));
    for (let i = 0; i < Y.cols; i++) {
      const taken = atomsOf(X, i);
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

  test("takes the same atoms first, however many it may take", async () => {
    const runs = await Promise.all([1, 2, 3, 4, 5, 6, 7].map((p) => encode(A, Y, p)));
    for (let p = 1; p < 7; p++) {
      const [shorter, longer] = [runs[p - 1], runs[p]];
      for (let i = 0; i < Y.cols; i++) {
        expect(atomsOf(longer.X, i).slice(0, p)).toEqual(atomsOf(shorter.X, i));
        const [before, after] = [shorter.R.column(i), longer.R.column(i)];
        expect(dot(after, after)).toBeLessThan(dot(before, before));
      }
    }
  });

  test("stops at the error that was asked for, and no earlier", async () => {
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

  test("gives zero examples an empty code, and no atoms to an error already met", async () => {
    const zeros = new DenseMatrix(n, 3);
    zeros.column(1).fill(0.1);
    const { X, R } = await encode(A, zeros, 4, n * 0.2 ** 2);
    expect([...X.counts]).toEqual([0, 0, 0]);
    expect(R).toEqual(zeros);
    expect([...(await encode(A, new DenseMatrix(n, 2), 4)).X.counts]).toEqual([0, 0]);
  });

  test("codes an atom by itself, whatever its norm", async () => {
    const D = phi.times(wide(A));
    const cosine = (i: number, j: number) =>
      dot(D.column(i), D.column(j)) / Math.hypot(...D.column(i)) / Math.hypot(...D.column(j));
    // those without a double
    const atoms = [...Array(m).keys()]
      .filter((j) => A.counts.every((count, i) => i === j || count === 0 || Math.abs(cosine(i, j)) < 0.999))
      .filter((j) => j !== 7);
    expect(atoms.length).toBeGreaterThan(30);
    const alone = DenseMatrix.build(n, atoms.length, (i, j) => -2 * D.at(i, atoms[j]));
    const { X } = await encode(A, alone, 4);
    atoms.forEach((atom, i) => {
      expect(atomsOf(X, i)).toEqual([atom]);
      expect(Math.abs(X.values[i * 4] + 2)).toBeLessThanOrEqual(2 * 8 * u);
    });
  });

  test("fits a signal of a few dimensions with as many atoms, and stops there", async () => {
    const small = createBase("odct:3", [3]);
    const dictionary = await SparseDictionary.ofBase(small, kernels);
    const encoder = new Encoder(dictionary, { sparsity: 9, residualEnergy: 0 }, 10, kernels);
    const signals = randomDense(Rng.from(5), 3, 10);
    const X = await kernels.readSparse(await encoder.encode(signals));
    expect(Math.max(...X.counts)).toBeLessThanOrEqual(4); // three span the space; one more where rounding left a rest
    expect(X.values.every(Number.isFinite)).toBe(true);
  });

  test("serves batches of any size up to its capacity, none included", async () => {
    const dictionary = await SparseDictionary.create(base, A, kernels);
    const encoder = new Encoder(dictionary, { sparsity: 3, residualEnergy: 0 }, 25, kernels);
    const whole = await kernels.readSparse(await encoder.encode(Y));
    const part = await kernels.readSparse(await encoder.encode(kernels.head(Y, 4)));
    expect(part).toEqual(whole.slice(0, 4).copy());
    expect((await encoder.encode(new DenseMatrix(n, 0))).cols).toBe(0);
    await expect(encoder.encode(new DenseMatrix(n, 26))).rejects.toThrow(
      new InputError("Encoder.encode: number of examples must be an integer from 0 to 25, got 26"),
    );
    await expect(encoder.encode(new DenseMatrix(n + 1, 2))).rejects.toThrow(
      new InputError(`Encoder.encode: Y must have as many rows as D (${n}), got ${n + 1}`),
    );
  });

  test("gives back all that it held", async () => {
    const own = createReferenceKernels();
    const dictionary = await SparseDictionary.create(base, A, own);
    const before = own.memory.used;
    const encoder = new Encoder(dictionary, { sparsity: 3, residualEnergy: 0 }, 25, own);
    expect(own.memory.used).toBeGreaterThan(before);
    encoder.free();
    expect(own.memory.used).toBe(before);
  });
});
