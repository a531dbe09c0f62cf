import { describe, expect, test } from "vitest";
import { DenseMatrix, SparseColumns } from "../../core/matrix.js";
import { Rng } from "../../core/random/rng.js";
import { sizeOf } from "../../core/shape.js";
import { makeSignal, type Signal } from "../../core/signal.js";
import { syntheticPictures } from "../../data/syntheticPictures.js";
import { baseCols, createBase } from "../../dictionaries/base.js";
import { nearSpan, nearSpanProblem } from "../../kernels/conformance/ols.case.js";
import { createReferenceKernels } from "../../kernels/reference/index.js";
import { Model } from "../../model/model.js";
import { pictureOf } from "./colour.js";
import { type InpaintOptions, inpaint, missingIn } from "./inpaint.js";
import { MaskedPursuit } from "./maskedPursuit.js";

const kernels = createReferenceKernels();
const meta = {
  learner: "none",
  options: {},
  seed: 0,
  examplesSeen: 0,
  removeMean: false,
  coding: { sparsity: 4 },
};

function modelOf(name: string, patch: readonly number[]): Model {
  const base = createBase(name, patch);
  return new Model(base, SparseColumns.identity(baseCols(base), 1), meta);
}

/** Each sample missing with a probability. */
function randomMask(size: number, share: number, seed: number): Uint8Array {
  const rng = Rng.from(seed);
  return Uint8Array.from({ length: size }, () => (rng.uniform() < share ? 1 : 0));
}

/** The root-mean-square error over the samples of a mask. */
function errorOver(mask: Uint8Array, a: Signal, b: Signal): number {
  let [energy, count] = [0, 0];
  mask.forEach((gone, i) => {
    energy += gone * (a.data[i] - b.data[i]) ** 2;
    count += gone;
  });
  return Math.sqrt(energy / count);
}

/** A mean squared error over the known samples, and atoms per known sample. */
const limitsOf = (meanSquaredError: number, atomsPerSample: number) => ({
  residualEnergy: (known: number) => known * meanSquaredError,
  maxAtoms: (known: number) => Math.floor(known * atomsPerSample),
});

describe("masked pursuit", () => {
  const model = modelOf("odct:2", [4, 4]);
  const rng = Rng.from(1);
  const Y = DenseMatrix.build(16, 30, () => rng.normal());

  test.each(["omp", "ols"] as const)("with no sample missing is the plain one, by %s", async (name) => {
    const error = 0.6;
    const limits = { ...limitsOf(error ** 2, 0.5), pursuit: name };
    const pursuit = await MaskedPursuit.create(model, limits, kernels);
    const masked = await pursuit.restore(Y, new Uint8Array(16 * 30).fill(1));
    pursuit.free();
    const coding = { error, sparsity: 8, pursuit: name };
    const plain = await model.decode(await model.encode(Y, coding, kernels), kernels);
    masked.data.forEach((value, i) => void expect(value).toBeCloseTo(plain.data[i], 4));
  });

  test("by ols is ols over the known samples of the atoms", async () => {
    const D = await model.atoms(kernels);
    const known = Array.from({ length: 16 }, (_, i) => i % 5 !== 2); // the same for all signals
    const rows = known.flatMap((is, i) => (is ? [i] : []));
    const restricted = Model.from(
      DenseMatrix.build(rows.length, D.cols, (r, j) => D.at(rows[r], j)),
      [rows.length],
      { removeMean: false },
    );
    const seen = DenseMatrix.build(16, 30, (i, j) => (known[i] ? Y.at(i, j) : 0));
    const limits = { ...limitsOf(0, 0.25), pursuit: "ols" } as const;
    const pursuit = await MaskedPursuit.create(model, limits, kernels);
    const X = await pursuit.encode(
      seen,
      Uint8Array.from({ length: 480 }, (_, i) => (known[i % 16] ? 1 : 0)),
    );
    pursuit.free();
    const y = DenseMatrix.build(rows.length, 30, (r, j) => Y.at(rows[r], j));
    const coding = { sparsity: Math.floor(rows.length / 4), pursuit: "ols" } as const;
    const plain = (await restricted.encode(y, coding, kernels)).X;
    for (let j = 0; j < 30; j++) {
      const atoms = ({ indices, width, counts }: SparseColumns) => [
        ...indices.subarray(j * width, j * width + counts[j]),
      ];
      expect(atoms(X)).toEqual(atoms(plain));
    }
  });

  test.each(nearSpan)(
    "by ols passes over an atom whose direction has large coefficients ($delta)",
    async ({ delta, order }) => {
      const { D, y } = nearSpanProblem(delta);
      const hidden = (column: (i: number) => number) => (i: number) =>
        i === 2 ? 0 : column(i < 2 ? i : i - 1);
      const atoms = DenseMatrix.build(5, 4, (i, j) => hidden((r) => D.at(r, j))(i));
      const wide = Model.from(atoms, [5], { removeMean: false });
      const limits = { residualEnergy: () => 0, maxAtoms: () => 4, pursuit: "ols" } as const;
      const pursuit = await MaskedPursuit.create(wide, limits, kernels);
      const seen = DenseMatrix.build(5, 1, (i) => hidden((r) => y[r])(i));
      const X = await pursuit.encode(seen, Uint8Array.of(1, 1, 0, 1, 1));
      pursuit.free();
      expect([...X.indices.subarray(0, X.counts[0])]).toEqual(order);
    },
  );

  test("finds a sparse signal again from half of its samples, the missing ones included", async () => {
    const D = await model.atoms(kernels);
    const sparse = DenseMatrix.build(16, 64, (i, j) => 3 * D.at(i, j));
    const known = Uint8Array.from(randomMask(16 * 64, 0.5, 2), (gone) => 1 - gone);
    const seen = new DenseMatrix(
      16,
      64,
      sparse.data.map((value, i) => (known[i] ? value : 0)),
    );
    const pursuit = await MaskedPursuit.create(model, limitsOf(1e-8, 0.25), kernels);
    const found = await pursuit.restore(seen, known);
    pursuit.free();
    const exact = Array.from({ length: 64 }, (_, j) =>
      found.column(j).every((value, i) => Math.abs(value - sparse.at(i, j)) < 1e-3),
    );
    // two atoms may be the same over what is known, and then the first is taken
    expect(exact.filter(Boolean).length).toBeGreaterThan(50);
  });

  test("leaves a residual over the known samples that no taken atom explains, within its limit", async () => {
    const known = Uint8Array.from(randomMask(16 * 30, 0.3, 3), (gone) => 1 - gone);
    const seen = new DenseMatrix(
      16,
      30,
      Y.data.map((value, i) => (known[i] ? value : 0)),
    );
    const pursuit = await MaskedPursuit.create(model, limitsOf(0.3, 0.9), kernels);
    const found = await pursuit.restore(seen, known);
    pursuit.free();
    for (let j = 0; j < 30; j++) {
      let [left, count, inner, energy] = [0, 0, 0, 0];
      for (let i = 0; i < 16; i++) {
        if (!known[j * 16 + i]) continue;
        const residual = seen.at(i, j) - found.at(i, j);
        left += residual ** 2;
        inner += residual * found.at(i, j);
        energy += seen.at(i, j) ** 2;
        count++;
      }
      expect(left).toBeLessThanOrEqual(Math.max(0.3 * count, 1e-6) + 1e-6);
      expect(Math.abs(inner)).toBeLessThan(1e-4 * energy); // least squares: orthogonal to the fit
    }
  });

  test("of nothing but zeros, or of no known sample, is zero", async () => {
    const pursuit = await MaskedPursuit.create(model, limitsOf(0, 0.5), kernels);
    const zeros = await pursuit.restore(
      new DenseMatrix(16, 2),
      Uint8Array.from({ length: 32 }, (_, i) => (i < 16 ? 1 : 0)),
    );
    pursuit.free();
    expect(zeros.data.every((value) => value === 0)).toBe(true);
    expect(kernels.memory.used).toBe(0);
  });
});

describe("inpainting", () => {
  const [picture] = syntheticPictures(5, 1, 48);
  const quick: InpaintOptions = {
    patch: [8, 8],
    stride: 2,
    rounds: 1,
    training: { base: "odct:2", examples: 800, epochs: 1 },
    kernels,
  };
  const deviationOf = ({ data }: Signal) => {
    const mean = data.reduce((sum, value) => sum + value, 0) / data.length;
    return Math.sqrt(data.reduce((sum, value) => sum + (value - mean) ** 2, 0) / data.length);
  };
  const deviation = deviationOf(picture);

  test.each([1, 2])(
    "fills half of a picture far better than its mean, and keeps the other half, in %d rounds",
    async (rounds) => {
      const missing = randomMask(48 * 48, 0.5, 4);
      const gaps = { ...picture, data: picture.data.map((value, i) => (missing[i] ? Number.NaN : value)) };
      expect(missingIn(gaps)).toEqual(missing);
      const [filled] = await inpaint([{ signal: gaps, missing }], { ...quick, rounds });
      expect(errorOver(missing, filled, picture)).toBeLessThan(0.5 * deviation);
      missing.forEach((gone, i) => void (gone || expect(filled.data[i]).toBe(picture.data[i])));
    },
  );

  test("with nothing missing gives the signal back", async () => {
    const [same] = await inpaint([{ signal: picture, missing: new Uint8Array(48 * 48) }], quick);
    expect(same).toBe(picture);
  });

  test("fills a constant with the constant, also in a hole larger than the patch", async () => {
    const flat = makeSignal("flat", [40, 40], new Float32Array(1600).fill(31));
    const missing = Uint8Array.from({ length: 1600 }, (_, i) => {
      const [r, c] = [Math.floor(i / 40), i % 40];
      return r >= 8 && r < 34 && c >= 6 && c < 33 ? 1 : 0;
    });
    const [filled] = await inpaint([{ signal: flat, missing }], quick);
    filled.data.forEach((value) => void expect(value).toBeCloseTo(31, 4));
  });

  test("fills all but one sample with that sample", async () => {
    const missing = new Uint8Array(48 * 48).fill(1);
    missing[1000] = 0;
    const [filled] = await inpaint([{ signal: picture, missing }], quick);
    filled.data.forEach((value) => void expect(value).toBeCloseTo(picture.data[1000], 3));
  });

  test.each([
    { shape: [600], patch: [32], period: 60 },
    { shape: [10, 11, 12], patch: [4, 4, 4], period: 132 },
  ])("works on signals of shape $shape", async ({ shape, patch, period }) => {
    const signal = makeSignal(
      "smooth",
      shape,
      Float32Array.from({ length: sizeOf(shape) }, (_, i) => Math.sin((6 * Math.floor(i / period)) / 10)),
    );
    const missing = randomMask(sizeOf(shape), 0.4, 6);
    const [filled] = await inpaint([{ signal, missing }], { ...quick, patch });
    expect(errorOver(missing, filled, signal)).toBeLessThan(0.2);
  });

  test("works with a given dictionary", async () => {
    const missing = randomMask(48 * 48, 0.3, 7);
    const [filled] = await inpaint([{ signal: picture, missing }], {
      kernels,
      stride: 2,
      dictionary: modelOf("cropped:sym8", [8, 8]),
    });
    expect(errorOver(missing, filled, picture)).toBeLessThan(0.4 * deviation);
  });

  test.each(["luma-chroma", "joint"] as const)(
    "fills a colour picture (%s), and keeps the known channels of a pixel",
    async (colour) => {
      const clean = pictureOf(syntheticPictures(6, 3, 32), "colour");
      const missing = randomMask(32 * 32 * 3, 0.2, 9);
      const [filled] = await inpaint([{ signal: clean, missing }], { ...quick, stride: 4, colour });
      expect([filled.name, filled.shape]).toEqual(["colour", [32, 32, 3]]);
      expect(errorOver(missing, filled, clean)).toBeLessThan(0.5 * deviationOf(clean));
      missing.forEach((gone, i) => void (gone || expect(filled.data[i]).toBe(clean.data[i])));
      if (colour === "joint") return;
      const [usual] = await inpaint([{ signal: clean, missing }], { ...quick, stride: 4 });
      expect(usual).toEqual(filled);
    },
  );

  test("stops when it is aborted", async () => {
    const controller = new AbortController();
    const missing = randomMask(48 * 48, 0.5, 4);
    const onProgress = () => controller.abort();
    const ended = inpaint([{ signal: picture, missing }], {
      ...quick,
      onProgress,
      signal: controller.signal,
    });
    await expect(ended).rejects.toThrow("aborted");
    expect(kernels.memory.used).toBe(0);
  });

  test("rejects what it cannot use", async () => {
    const mask = randomMask(48 * 48, 0.5, 8);
    const refused = (options: InpaintOptions, missing = mask) =>
      expect(inpaint([{ signal: picture, missing }], { ...quick, ...options })).rejects;
    const { name } = picture;
    await refused({}, new Uint8Array(9)).toThrow(
      `inpaint: the mask of ${name} must have 2304 samples, got 9`,
    );
    await refused({}, new Uint8Array(48 * 48).fill(1)).toThrow(
      `inpaint: ${name} must have a known sample, got all of them missing`,
    );
    await refused({ patch: [49, 8] }).toThrow(`inpaint: ${name} must be at least 49x8, the patch, got 48x48`);
    await refused({ error: -1 }).toThrow("inpaint: error must be a number of at least 0, got -1");
    await refused({ rounds: 0 }).toThrow("inpaint: rounds must be an integer of at least 1, got 0");
    await refused({ stride: 0 }).toThrow("inpaint: stride must be an integer from 1 to 8, got 0");
    const holed = { ...picture, data: picture.data.map((value, i) => (i === 5 ? Number.NaN : value)) };
    await expect(inpaint([{ signal: holed, missing: new Uint8Array(48 * 48) }], quick)).rejects.toThrow(
      `inpaint: known samples of ${name} must be finite, got NaN at index 5`,
    );
  });
});
