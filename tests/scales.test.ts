/**
 * Results do not depend on the units of the data: samples times a power of two give results times that
 * power, to the bit. Nor do they depend on other windows: one extreme sample leaves all windows that do
 * not have it as they were, to the bit.
 */

import fc from "fast-check";
import { afterAll, describe, expect, test } from "vitest";
import { DenseMatrix, SparseColumns } from "../src/core/matrix.js";
import { Rng } from "../src/core/random/rng.js";
import type { Shape } from "../src/core/shape.js";
import type { Signal } from "../src/core/signal.js";
import { syntheticPictures } from "../src/data/syntheticPictures.js";
import { baseCols, createBase } from "../src/dictionaries/base.js";
import { createCpuKernels } from "../src/kernels/cpu/index.js";
import { createReferenceKernels } from "../src/kernels/reference/index.js";
import { train } from "../src/learn/run/train.js";
import { modelToBytes } from "../src/model/files.js";
import { Model } from "../src/model/model.js";
import { approximatorOf, mTermErrors, samplePatches } from "../src/tasks/approximate/mTerm.js";
import { type CompressionTarget, Compressor } from "../src/tasks/codec/compress.js";
import { decompress } from "../src/tasks/codec/decompress.js";
import { denoise } from "../src/tasks/restore/denoise.js";
import { inpaint } from "../src/tasks/restore/inpaint.js";
import { addNoise, forgetSamples } from "../src/tasks/restore/trialDamage.js";

const cpu = await createCpuKernels({ threads: 1 });
const devices = [
  ["reference", createReferenceKernels()],
  ["cpu", cpu],
] as const;
afterAll(() => cpu.close());

const exponents = [-100, -37, 61, 100];
const [picture] = syntheticPictures(3, 1, 28);
const noisy = addNoise(picture, 12, Rng.from(2));

/** The base itself as a dictionary, or with its first atoms mixed. */
function modelOf(name: string, shape: Shape): Model {
  const base = createBase(name, shape);
  const coding = { sparsity: 4 };
  const meta = { learner: "none", options: {}, seed: 0, examplesSeen: 0, removeMean: true, coding };
  return new Model(base, SparseColumns.identity(baseCols(base), 1), meta);
}
const model = modelOf("odct:2", [6, 6]);

const times = (data: Float32Array, k: number) => data.map((value) => value * 2 ** k);
const scaled = (signal: Signal, k: number): Signal => ({ ...signal, data: times(signal.data, k) });

describe.each(devices)("data times a power of two, on %s:", (_, kernels) => {
  test.each([{ sparsity: 5 }, { error: 6 }])("codes (%j)", async (coding) => {
    const rng = Rng.from(1);
    const Y = DenseMatrix.build(36, 40, () => 100 + 40 * rng.normal());
    const plain = await model.encode(Y, coding, kernels);
    for (const k of exponents) {
      const rule = { ...coding, ...("error" in coding ? { error: 6 * 2 ** k } : {}) };
      const codes = await model.encode(new DenseMatrix(36, 40, times(Y.data, k)), rule, kernels);
      expect(codes.X.indices).toEqual(plain.X.indices);
      expect(codes.X.values).toEqual(times(plain.X.values, k));
      expect(codes.means).toEqual(times(plain.means, k));
      const decoded = await model.decode(codes, kernels);
      expect(decoded.data).toEqual(times((await model.decode(plain, kernels)).data, k));
    }
  });

  test("approximations with few terms", async () => {
    const options = { patch: [6, 6], count: 30, seed: 1, kernels };
    const Y = await samplePatches([picture], options);
    for (const name of ["odct:2", "odct:1", "wavelet:haar"]) {
      const contender = approximatorOf(name, [6, 6]);
      const plain = await mTermErrors(contender, Y, 8, kernels);
      for (const k of exponents) {
        const patches = await samplePatches([scaled(picture, k)], options);
        expect(patches.data).toEqual(times(Y.data, k));
        const errors = await mTermErrors(contender, patches, 8, kernels);
        expect(errors).toEqual(plain.map((value) => value * 4 ** k));
      }
    }
  });

  test.each<CompressionTarget>([{ psnr: 30 }, { bytes: 150 }])("compressed files (%j)", async (target) => {
    const compressor = await Compressor.open(model, kernels);
    const array = { shape: picture.shape, data: picture.data, colour: false };
    const { bytes, psnr } = await compressor.compress(array, target);
    const plain = decompress(bytes, model, "plain.tlt").data as Float32Array;
    for (const k of exponents) {
      const other = { ...array, data: times(picture.data, k) };
      const extra = Math.abs(k + 7) < 64 ? 1 : 2; // bytes of the exponent: the largest sample is in [2^7, 2^8)
      const limit = "bytes" in target ? { bytes: target.bytes + extra } : target;
      const file = await compressor.compress(other, limit);
      expect(file.bytes.length).toBe(bytes.length + extra);
      expect(file.psnr).toBe(psnr);
      expect(decompress(file.bytes, model, "scaled.tlt").data).toEqual(times(plain, k));
    }
    compressor.free();
  });

  test.each(["given", "estimated"])("denoised signals, with the noise %s", async (how) => {
    const training = { examples: 200, epochs: 1, batch: 64, base: "odct:2" };
    const options = { patch: [6, 6], stride: 3, training, kernels };
    const sigma = how === "given" ? 12 : undefined;
    const plain = await denoise(noisy, { ...options, sigma });
    for (const k of exponents) {
      const level = sigma === undefined ? undefined : sigma * 2 ** k;
      const result = await denoise(scaled(noisy, k), { ...options, sigma: level });
      expect(result.sigma).toEqual(plain.sigma.map((value) => value * 2 ** k));
      expect(result.signals[0].data).toEqual(times(plain.signals[0].data, k));
    }
  });

  test("inpainted signals", async () => {
    const missing = new Uint8Array(picture.data.length);
    forgetSamples(missing, 0.3, Rng.from(4));
    const training = { examples: 200, batch: 64 };
    const fill = async (signal: Signal) =>
      (await inpaint([{ signal, missing }], { patch: [6, 6], stride: 3, training, kernels }))[0].data;
    const plain = await fill(picture);
    for (const k of exponents) expect(await fill(scaled(picture, k))).toEqual(times(plain, k));
  });

  test("learned dictionaries", async () => {
    const options = { patch: 6, base: "odct:2", examples: 300, epochs: 1, batch: 100, holdout: 0, kernels };
    const learned = async (k: number) => modelToBytes(await train(scaled(picture, k), options).model());
    const plain = await learned(0);
    for (const k of exponents) expect(await learned(k)).toEqual(plain);
  });
});

describe.each(devices)("an extreme sample, on %s,", (_, kernels) => {
  const extreme = fc.constantFrom(1e37, -1e38, 1e20, 1e-30, 1e-45, -1e12);

  test("does not change the codes of other signals, to the bit", async () => {
    const rng = Rng.from(1);
    const Y = DenseMatrix.build(36, 24, (_, j) => (j % 5 === 0 ? 0.01 : 1) * (100 + 40 * rng.normal()));
    const rules = fc.constantFrom({ sparsity: 3 }, { error: 5 }, { sparsity: 9, error: 0.5 });
    const positions = fc.array(fc.nat(23), { minLength: 1, maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(rules, extreme, positions, fc.nat(35), async (coding, value, columns, row) => {
        const spoiled = Y.copy();
        for (const j of columns) {
          if (Math.abs(value) < 1) spoiled.column(j).fill(0);
          spoiled.column(j)[row] = value;
        }
        const [plain, codes] = [
          await model.encode(Y, coding, kernels),
          await model.encode(spoiled, coding, kernels),
        ];
        for (let j = 0; j < Y.cols; j++) {
          expect(Number.isFinite(codes.means[j])).toBe(true);
          if (columns.includes(j)) continue;
          expect(entriesOf(codes.X, j)).toEqual(entriesOf(plain.X, j));
          expect(codes.means[j]).toBe(plain.means[j]);
        }
      }),
      { numRuns: 25, seed: 1 },
    );
  });

  const place = 14 * 28 + 14;
  const spoil = (signal: Signal, value: number): Signal => {
    const data = signal.data.slice();
    data[place] = value;
    return { ...signal, data };
  };
  /** Samples that no window has together with the extreme one. */
  const farAway = Array.from(picture.data.keys()).filter(
    (i) => Math.abs(Math.floor(i / 28) - 14) >= 6 || Math.abs((i % 28) - 14) >= 6,
  );

  test("does not change denoised samples far away, to the bit", async () => {
    const options = { sigma: 12, dictionary: model, kernels };
    const { signals: plain } = await denoise(noisy, options);
    for (const value of [1e37, -3.4028234663852886e38, 1e15]) {
      const { signals } = await denoise(spoil(noisy, value), options);
      for (const i of farAway) expect(signals[0].data[i]).toBe(plain[0].data[i]);
      expect(signals[0].data.every(Number.isFinite)).toBe(true);
    }
  });

  test("does not change inpainted samples far away, to the bit", async () => {
    const missing = new Uint8Array(picture.data.length);
    forgetSamples(missing, 0.3, Rng.from(4));
    missing[place] = 0;
    const fill = async (signal: Signal) =>
      (await inpaint([{ signal, missing }], { error: 4, dictionary: model, kernels }))[0].data;
    const plain = await fill(picture);
    for (const value of [1e37, -3.4028234663852886e38, 1e15]) {
      const filled = await fill(spoil(picture, value));
      for (const i of farAway) expect(filled[i]).toBe(plain[i]);
      expect(filled.every(Number.isFinite)).toBe(true);
    }
  });

  test("does not keep denoising and inpainting from learning from the rest", async () => {
    const training = { examples: 200, epochs: 1, batch: 64 };
    const options = { patch: [6, 6], stride: 3, training, kernels };
    const { signals } = await denoise(spoil(noisy, 1e37), options);
    const [clean] = (await denoise(noisy, options)).signals;
    const distance = (data: Float32Array) =>
      Math.sqrt(farAway.reduce((sum, i) => sum + (data[i] - picture.data[i]) ** 2, 0) / farAway.length);
    expect(distance(signals[0].data)).toBeLessThan(1.2 * distance(clean.data));
    const missing = new Uint8Array(picture.data.length);
    forgetSamples(missing, 0.3, Rng.from(4));
    missing[place] = 0;
    const [filled] = await inpaint([{ signal: spoil(picture, 1e37), missing }], options);
    const [whole] = await inpaint([{ signal: picture, missing }], options);
    expect(distance(filled.data)).toBeLessThan(1.2 * distance(whole.data));
  });
});

function entriesOf(X: SparseColumns, j: number): [number, number][] {
  return Array.from({ length: X.counts[j] }, (_, s) => [
    X.indices[j * X.width + s],
    X.values[j * X.width + s],
  ]);
}
