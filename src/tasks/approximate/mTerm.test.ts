import { describe, expect, test } from "vitest";
import { InputError } from "../../core/errors.js";
import { DenseMatrix, SparseColumns } from "../../core/matrix.js";
import { Rng } from "../../core/random/rng.js";
import { makeSignal } from "../../core/signal.js";
import { syntheticPictures } from "../../data/syntheticPictures.js";
import { createBase } from "../../dictionaries/base.js";
import { randomDense, randomSparse } from "../../kernels/conformance/oracle.case.js";
import { unitRoundoff } from "../../kernels/conformance/tolerance.js";
import { createReferenceKernels } from "../../kernels/reference/index.js";
import { Model } from "../../model/model.js";
import { wavelet } from "../../wavelets/filters.js";
import { periodicSynthesisMatrix } from "../../wavelets/transform.js";
import { approximatorOf, mTermErrors, psnrOfErrors, samplePatches } from "./mTerm.js";

const kernels = createReferenceKernels();
const pictures = syntheticPictures(5, 2, 48);

/** ΦA with random A, m = 40 atoms for 4×4 patches. */
function randomParts(seed: number) {
  const base = createBase("cropped:haar", [4, 4]);
  const L = base.factors.reduce((product, { cols }) => product * cols, 1);
  return { base, A: randomSparse(Rng.from(seed), L, 40, 3) };
}

const samples = (count: number, patch = [4, 4]) =>
  samplePatches(pictures, { patch, count, seed: 3, kernels });

/** The least error of a patch over all choices of M coefficients of an orthonormal basis. */
function exhaustive(coefficients: readonly number[], M: number): number {
  const sets = Array.from({ length: 2 ** coefficients.length }, (_, set) => set);
  const kept = (set: number, i: number) => (set >> i) % 2 === 1;
  const errors = sets
    .filter((set) => coefficients.filter((_, i) => kept(set, i)).length === M)
    .map((set) => coefficients.reduce((sum, value, i) => sum + (kept(set, i) ? 0 : value ** 2), 0));
  return Math.min(...errors);
}

describe("the M-term error over an orthonormal basis", () => {
  test("is the best of all choices of M coefficients", async () => {
    const Y = randomDense(Rng.from(1), 8, 5);
    const W = periodicSynthesisMatrix(8, wavelet("db2"), 3);
    const transform = (patch: Float32Array) =>
      Array.from({ length: 8 }, (_, j) => W.column(j).reduce((sum, value, i) => sum + value * patch[i], 0));
    const errors = await mTermErrors({ transform }, Y, 8, kernels);
    for (let M = 0; M <= 8; M++) {
      const best = Array.from({ length: Y.cols }, (_, i) => exhaustive(transform(Y.column(i)), M));
      const mean = best.reduce((sum, error) => sum + error, 0) / Y.data.length;
      expect(errors[M]).toBeCloseTo(mean, 12);
    }
  });

  test("is the same by OMP and by OLS", async () => {
    const Y = await samples(20, [8, 8]);
    const parts = { base: createBase("separable:sym4", [8, 8]), A: SparseColumns.identity(64, 1) };
    const [omp, ols] = [
      await mTermErrors(parts, Y, 20, kernels),
      await mTermErrors(parts, Y, 20, kernels, { pursuit: "ols" }),
    ];
    ols.forEach((error, M) => {
      expect(Math.abs(error - omp[M])).toBeLessThan(64 * unitRoundoff * omp[0]);
    });
  });

  test("is the same by OMP and by the analysis of the kernels", async () => {
    const Y = await samples(40, [8, 8]);
    const base = createBase("separable:sym4", [8, 8]);
    const byAnalysis = await mTermErrors({ base }, Y, 20, kernels);
    const A = SparseColumns.identity(64, 1);
    const byPursuit = await mTermErrors({ base, A }, Y, 20, kernels);
    const slack = 64 * unitRoundoff * byAnalysis[0]; // energies are tracked in f32
    byPursuit.forEach((error, M) => {
      expect(Math.abs(error - byAnalysis[M])).toBeLessThanOrEqual(slack);
    });
  });

  test("is zero if all coefficients are kept", async () => {
    const Y = await samples(10, [8, 8]);
    for (const name of ["wavelet:sym4", "separable:haar", "identity"]) {
      const errors = await mTermErrors(approximatorOf(name, [8, 8]), Y, 64, kernels);
      expect(errors[64]).toBe(0);
    }
  });
});

test("a wavelet that is not orthogonal is a dictionary: its largest coefficients are not the best", () => {
  expect("transform" in approximatorOf("wavelet:sym8", [8, 8])).toBe(true);
  for (const name of ["bior4.4", "rbio4.4", "dmey"])
    expect("base" in approximatorOf(`wavelet:${name}`, [8, 8])).toBe(true);
});

describe("the M-term error over a dictionary", () => {
  test("is the same from one run as from one run per M", async () => {
    const { base, A } = randomParts(2);
    const Y = await samples(30);
    const meta = {
      learner: "none",
      options: {},
      seed: 0,
      examplesSeen: 0,
      removeMean: false,
      coding: { sparsity: 1 },
    };
    const model = new Model(base, A, meta);
    for (const [pursuit, M] of (["omp", "ols"] as const).flatMap((name) =>
      [1, 2, 4, 6].map((terms) => [name, terms] as const),
    )) {
      const errors = await mTermErrors({ base, A }, Y, 6, kernels, { pursuit });
      const back = await model.decode(await model.encode(Y, { sparsity: M, pursuit }, kernels), kernels);
      const energy = Y.data.reduce((sum, value, i) => sum + (value - back.data[i]) ** 2, 0);
      // ‖y‖² − ‖z‖² against the samples of y − Dx: f32 codes of these 16 samples, relative to the whole energy
      const slack = 64 * unitRoundoff * errors[0];
      expect(Math.abs(errors[M] - energy / Y.data.length)).toBeLessThanOrEqual(slack);
    }
  });

  test("is the same over panels as over all patches at once", async () => {
    const parts = randomParts(3);
    const Y = await samples(1100);
    const whole = await mTermErrors(parts, Y, 4, kernels);
    const pieces = [Y.slice(0, 300), Y.slice(300, 1100)];
    const errors = await Promise.all(pieces.map((piece) => mTermErrors(parts, piece, 4, kernels)));
    whole.forEach((error, M) => {
      expect(error).toBeCloseTo((300 * errors[0][M] + 800 * errors[1][M]) / 1100, 6);
    });
  });

  test("needs no memory afterwards", async () => {
    const own = createReferenceKernels();
    await mTermErrors(randomParts(4), await samples(3), 3, own);
    expect(own.memory.used).toBe(0);
  });

  test("stays constant if there are fewer atoms than terms", async () => {
    const base = createBase("identity", [4, 4]);
    const A = randomSparse(Rng.from(1), 16, 2, 1);
    A.setColumn(0, [3], [1]);
    A.setColumn(1, [7], [1]);
    const errors = await mTermErrors({ base, A }, await samples(5), 9, kernels);
    expect(errors[9]).toBe(errors[2]);
  });
});

describe("an M-term curve", () => {
  test.each(["wavelet:sym8", "separable:sym8", "cropped:sym8", "odct:2"])(
    "of %s starts at the energy and never rises",
    async (name) => {
      const Y = await samples(50, [8, 8]);
      const errors = await mTermErrors(approximatorOf(name, [8, 8]), Y, 16, kernels);
      const energy = Y.data.reduce((sum, value) => sum + value * value, 0) / Y.data.length;
      expect(errors[0]).toBeCloseTo(energy, 9);
      for (let M = 1; M <= 16; M++) expect(errors[M]).toBeLessThanOrEqual(errors[M - 1]);
    },
  );

  test("is in the units of the patches", async () => {
    const Y = await samples(20);
    const errors = await mTermErrors(randomParts(6), Y, 3, kernels);
    const small = await mTermErrors(randomParts(6), Y.scaled(2 ** -60), 3, kernels);
    expect([...small]).toEqual([...errors].map((error) => error * 2 ** -120));
  });

  test("in PSNR has an 8-bit peak by default", () => {
    expect(psnrOfErrors(Float64Array.of(255 ** 2, 255, 0))).toEqual([
      0,
      expect.closeTo(24.0654, 4),
      Infinity,
    ]);
  });
});

describe("samplePatches", () => {
  test("removes means: a brighter picture gives the same patches", async () => {
    const Y = await samples(20);
    const brighter = pictures.map(({ name, shape, data }) =>
      makeSignal(
        name,
        shape,
        data.map((value) => value + 64),
      ),
    );
    const again = await samplePatches(brighter, { patch: [4, 4], count: 20, seed: 3, kernels });
    Y.data.forEach((value, i) => {
      expect(Math.abs(value - again.data[i])).toBeLessThan(1e-3);
    });
    for (let i = 0; i < Y.cols; i++)
      expect(Math.abs(Y.column(i).reduce((sum, value) => sum + value, 0))).toBeLessThan(1e-3);
  });
});

test("mTermErrors and approximatorOf reject invalid arguments", async () => {
  const Y = new DenseMatrix(16, 2);
  const parts = randomParts(1);
  await expect(mTermErrors(parts, Y, 0, kernels)).rejects.toThrow(
    new InputError("mTermErrors: maxTerms must be an integer from 1 to 16, got 0"),
  );
  await expect(mTermErrors(parts, new DenseMatrix(16, 0), 1, kernels)).rejects.toThrow(
    new InputError("mTermErrors: there must be at least one patch, got none"),
  );
  await expect(mTermErrors(parts, new DenseMatrix(9, 1), 1, kernels)).rejects.toThrow(
    new InputError("mTermErrors: patches must have 16 samples, got 9"),
  );
  expect(() => approximatorOf("ridgelet", [4, 4])).toThrow(InputError);
  expect(() => approximatorOf("wavelet:sym99", [4, 4])).toThrow(/unknown wavelet "sym99"/);
});
