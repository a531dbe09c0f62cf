import fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import { InputError } from "../../core/errors.js";
import { DenseMatrix } from "../../core/matrix.js";
import { Rng } from "../../core/random/rng.js";
import { type Shape, sizeOf } from "../../core/shape.js";
import { crc32 } from "../../data/formats/checksums.js";
import { syntheticPictures } from "../../data/syntheticPictures.js";
import { createBase } from "../../dictionaries/base.js";
import { randomSparse } from "../../kernels/conformance/oracle.case.js";
import { unitRoundoff } from "../../kernels/conformance/tolerance.js";
import { createCpuKernels } from "../../kernels/cpu/index.js";
import { createReferenceKernels } from "../../kernels/reference/index.js";
import { kron, Matrix64, normalizeColumns } from "../../linalg/matrix64.js";
import { modelFromBytes, modelToBytes } from "../../model/files.js";
import { Model } from "../../model/model.js";
import { type CompressionTarget, Compressor } from "./compress.js";
import { decompress } from "./decompress.js";
import { HostAtoms } from "./hostAtoms.js";
import { type SampleArray, type Samples, samplePsnr } from "./sampleArray.js";
import type { OnTrial } from "./trialEncoder.js";

const kernels = createReferenceKernels();

/** ΦA with unit atoms: the base itself, then random mixtures of three. */
function modelOf(shape: Shape, { seed = 1, removeMean = true, uses = true } = {}): Model {
  const base = createBase("cropped:haar", shape);
  const L = base.factors.reduce((product, { cols }) => product * cols, 1);
  const A = randomSparse(Rng.from(seed), L, 2 * L, 3);
  for (let j = 0; j < L; j++) A.setColumn(j, [j], [1]);
  const D = denseAtoms(base.factors, A.toDense());
  for (let s = 0; s < A.values.length; s++)
    A.values[s] /= Math.sqrt(D.column(Math.floor(s / 3)).reduce((sum, value) => sum + value * value, 0));
  const meta = { learner: "none", options: {}, seed, examplesSeen: 0, removeMean, coding: { sparsity: 4 } };
  return new Model(
    base,
    A,
    meta,
    uses ? { uses: Uint32Array.from({ length: 2 * L }, (_, j) => (j * 7) % 13) } : {},
  );
}

/** (φ₀ ⊗ φ₁ ⊗ …) A in f64. */
function denseAtoms(factors: readonly Matrix64[], A: DenseMatrix): Matrix64 {
  return factors.reduce(kron).times(new Matrix64(A.rows, A.cols, Float64Array.from(A.data)));
}

function explicitModel(): Model {
  const rng = Rng.from(5);
  const D = normalizeColumns(
    "test",
    new Matrix64(
      16,
      24,
      Float64Array.from({ length: 384 }, () => rng.uniform() - 0.5),
    ),
  );
  const { meta } = modelOf([4, 4]);
  return Model.explicit([4, 4], new DenseMatrix(16, 24, Float32Array.from(D.data)), meta);
}

const picture = syntheticPictures(3, 1, 40)[0].data;

/** A cut of the picture, as samples of a type. */
function cut(height: number, width: number, type: (values: Float32Array) => Samples): SampleArray {
  const values = Float32Array.from(
    { length: height * width },
    (_, i) => picture[Math.floor(i / width) * 40 + (i % width)],
  );
  return { shape: [height, width], data: type(values), colour: false };
}

const bytes8 = (values: Float32Array) =>
  Uint8Array.from(values, (v) => Math.min(255, Math.max(0, Math.round(v))));

async function compress(model: Model, array: SampleArray, target: CompressionTarget, on = kernels) {
  const compressor = await Compressor.open(model, on);
  return compressor.compress(array, target).finally(() => compressor.free());
}

/** A model as another process has it: from the bytes of its file. */
const restarted = (model: Model) => modelFromBytes(modelToBytes(model), "dict.npz");

const model = modelOf([8, 8]);

describe("a compressed file", () => {
  test.each<[string, Model, SampleArray]>([
    ["8 bits", model, cut(24, 32, bytes8)],
    ["sizes that are not multiples of a block", model, cut(19, 21, bytes8)],
    ["a picture smaller than a block", model, cut(3, 5, bytes8)],
    ["one pixel", model, cut(1, 1, bytes8)],
    ["uniform grey", model, { shape: [16, 16], data: new Uint8Array(256).fill(90), colour: false }],
    ["uniform black", model, { shape: [16, 16], data: new Uint8Array(256), colour: false }],
    ["16 bits", model, cut(16, 24, (v) => Uint16Array.from(v, (x) => Math.min(65535, Math.max(0, x * 257))))],
    ["16 bits of either sign", model, cut(16, 24, (v) => Int16Array.from(v, (x) => 100 * (x - 128)))],
    ["f32", model, cut(16, 24, (v) => v.map((x) => (x - 99) / 1000))],
    ["a stack of pictures", model, { ...cut(40, 16, bytes8), shape: [4, 10, 16] }],
    ["one axis", modelOf([32]), { ...cut(10, 30, bytes8), shape: [300] }],
    ["three axes", modelOf([4, 4, 4]), { ...cut(18, 30, bytes8), shape: [6, 9, 10] }],
    ["a model that keeps means", modelOf([8, 8], { removeMean: false }), cut(24, 24, bytes8)],
    ["a model without uses", modelOf([8, 8], { uses: false }), cut(24, 24, bytes8)],
    ["an explicit dictionary", explicitModel(), cut(24, 24, bytes8)],
  ])("of %s has the reported PSNR, and meets its target", async (_, over, array) => {
    const psnr = 30;
    const good = await compress(over, array, { psnr });
    expect(good.psnr).toBeGreaterThanOrEqual(psnr);
    const limit = Math.ceil(good.bytes.length * 0.8) + 8;
    const small = await compress(over, array, { bytes: limit });
    expect(small.bytes.length).toBeLessThanOrEqual(limit);
    for (const { bytes, psnr: reported } of [good, small]) {
      const back = decompress(bytes, restarted(over), "a.tlt");
      expect(back.shape).toEqual(array.shape);
      expect(back.data.constructor).toBe(array.data.constructor);
      expect(samplePsnr(array.data, back.data)).toBe(reported);
    }
  });

  test("of a colour picture has three planes, and decodes to red, green and blue", async () => {
    const grey = cut(16, 24, bytes8).data;
    const data = Uint8Array.from({ length: 3 * 16 * 24 }, (_, i) =>
      Math.min(255, grey[Math.floor(i / 3)] * [1, 0.6, 0.3][i % 3] + 20),
    );
    const array = { shape: [16, 24, 3], data, colour: true };
    const { bytes, psnr } = await compress(model, array, { psnr: 34 });
    const back = decompress(bytes, model, "a.tlt");
    expect(back).toMatchObject({ shape: [16, 24, 3], colour: true });
    expect(samplePsnr(data, back.data)).toBe(psnr);
    expect(psnr).toBeGreaterThanOrEqual(34);
    const alone = await compress(model, { shape: [16, 24], data: grey, colour: false }, { psnr: 34 });
    expect(bytes.length).toBeLessThan(2.5 * alone.bytes.length); // the differences are smooth
  });

  test("is the same with kernels that keep no Gram matrix, up to rounding", async () => {
    const array = cut(24, 32, bytes8);
    const whole = await compress(model, array, { psnr: 33 });
    const bare = await compress(model, array, { psnr: 33 }, createReferenceKernels({ mostGramAtoms: 50 }));
    expect(Math.abs(bare.bytes.length / whole.bytes.length - 1)).toBeLessThan(0.02);
    expect(samplePsnr(array.data, decompress(bare.bytes, model, "a.tlt").data)).toBe(bare.psnr);
  });

  test("has a higher PSNR with more bytes, and never exceeds its limit", async () => {
    const compressor = await Compressor.open(model, kernels);
    const array = cut(32, 32, bytes8);
    let last = 0;
    for (const limit of [60, 90, 130, 200, 300, 450]) {
      const { bytes, psnr } = await compressor.compress(array, { bytes: limit });
      expect(bytes.length).toBeLessThanOrEqual(limit);
      expect(bytes.length).toBeGreaterThan(0.85 * limit);
      expect(psnr).toBeGreaterThan(last);
      last = psnr;
    }
    compressor.free();
    expect(kernels.memory.used).toBe(0);
  });

  test("is found by a search that reports each trial and can be ended", async () => {
    const compressor = await Compressor.open(model, kernels);
    const reported: [number, number][] = [];
    const search = (onTrial: OnTrial) => compressor.compress(cut(16, 16, bytes8), { bytes: 80 }, onTrial);
    const { bytes } = await search((trials, size) => reported.push([trials, size]));
    expect(reported.map(([trials]) => trials)).toEqual(reported.map((_, i) => i + 1));
    expect(reported.map(([, size]) => size)).toContain(bytes.length);
    const ended = search((trials) => {
      if (trials === 2) throw new Error("enough");
    });
    await expect(ended).rejects.toThrow("enough");
    compressor.free();
    expect(kernels.memory.used).toBe(0);
  });

  test("made on other kernels decodes to the reported PSNR", async () => {
    const array = cut(32, 32, bytes8);
    for (const threads of [1, 2]) {
      const cpu = await createCpuKernels({ threads });
      const { bytes, psnr } = await compress(model, array, { bytes: 200 }, cpu);
      await cpu.close();
      expect(samplePsnr(array.data, decompress(bytes, restarted(model), "a.tlt").data)).toBe(psnr);
    }
  });

  test("of this format decodes to exactly these samples", async () => {
    const { bytes } = await compress(model, cut(19, 21, bytes8), { bytes: 100 });
    expect(bytes.length).toBeLessThanOrEqual(100);
    const pinned = Buffer.from(pinnedFile, "base64");
    const back = decompress(pinned, model, "pinned.tlt");
    expect(back.shape).toEqual([19, 21]);
    expect(crc32(back.data as Uint8Array)).toBe(pinnedSum);
  });

  test("of float32 samples beyond the steps of version 1 decodes to exactly these samples", async () => {
    const small = cut(19, 21, (values) => values.map((v) => v * 2 ** -90));
    const { bytes } = await compress(model, small, { bytes: 100 });
    expect([bytes.length <= 100, bytes[3]]).toEqual([true, 2]);
    const pinned = Buffer.from(pinnedFloatFile, "base64");
    expect(pinned[3]).toBe(2);
    const { data } = decompress(pinned, model, "pinned.tlt");
    expect(crc32(new Uint8Array(data.buffer))).toBe(pinnedFloatSum);
    expect(samplePsnr(small.data, data)).toBeGreaterThan(20);
  });

  test("of samples near the largest of float32 holds no infinity", async () => {
    const huge = cut(24, 24, (values) => values.map((v) => (v - 128) * 2.6e36));
    for (const target of [{ psnr: 20 }, { psnr: 35 }, { bytes: 120 }]) {
      const { bytes, psnr } = await compress(model, huge, target);
      const { data } = decompress(bytes, model, "huge.tlt");
      expect(data.every(Number.isFinite)).toBe(true);
      expect(samplePsnr(huge.data, data)).toBe(psnr);
    }
  });

  test("keeps version 1 for integers and for float32 samples of ordinary magnitude", async () => {
    for (const factor of [2 ** -13, 1, 2 ** 20])
      expect(
        (
          await compress(
            model,
            cut(16, 16, (v) => v.map((x) => x * factor)),
            { psnr: 25 },
          )
        ).bytes[3],
      ).toBe(1);
    expect((await compress(model, cut(16, 16, bytes8), { psnr: 25 })).bytes[3]).toBe(1);
  });
});

describe("HostAtoms", () => {
  test.each<[string, Model]>([
    ["one axis", modelOf([32])],
    ["two axes", modelOf([8, 4])],
    ["three axes", modelOf([4, 2, 3])],
    ["an explicit matrix", explicitModel()],
  ])("are the columns of ΦA: %s", async (_, over) => {
    const atoms = new HostAtoms(over);
    const D = denseAtoms(over.base.factors, over.A.toDense());
    for (let j = 0; j < over.A.cols; j++) {
      const atom = atoms.atom(j);
      for (let i = 0; i < D.rows; i++)
        expect(Math.abs(atom[i] - D.at(i, j))).toBeLessThanOrEqual(
          2 * unitRoundoff * Math.abs(D.at(i, j)) + 1e-15,
        );
    }
  });
});

describe("decompress rejects", () => {
  let file: Uint8Array;
  beforeAll(async () => {
    file = (await compress(model, cut(24, 24, bytes8), { bytes: 120 })).bytes;
  });
  const reading =
    (bytes: Uint8Array, over = model) =>
    () =>
      decompress(bytes, over, "a.tlt");
  const refusal = (text: string | RegExp) =>
    text instanceof RegExp ? text : new InputError(`a.tlt: ${text}`);

  test("a file of another dictionary, by its fingerprint", () => {
    expect(reading(file, modelOf([8, 8], { seed: 2 }))).toThrow(
      /^a\.tlt: was compressed with dictionary [0-9a-f]{12}, got dictionary [0-9a-f]{12}$/,
    );
    expect(reading(file, modelOf([8, 8], { removeMean: false }))).toThrow(/was compressed with dictionary/);
    expect(reading(file, modelOf([8, 8], { uses: false }))).toThrow(/was compressed with dictionary/);
  });

  test("a file that is not compressed, or of a newer format", () => {
    expect(reading(new Uint8Array(0))).toThrow(refusal("not a trainlets compressed file"));
    expect(reading(Uint8Array.of(1, 2, 3, 4, 5))).toThrow(refusal("not a trainlets compressed file"));
    const later = file.slice();
    later[3] = 3;
    expect(reading(later)).toThrow(
      refusal("written by a newer trainlets (format 3); this version reads up to format 2"),
    );
  });

  test("an exponent that no writer stores", async () => {
    const array = cut(16, 16, (values) => values.map((v) => v * 2 ** -90));
    const { bytes } = await compress(model, array, { psnr: 25 });
    const at = 15; // after magic, version, fingerprint, type, two sizes and a step of two bytes
    expect(bytes[at]).toBeGreaterThan(128);
    const body = (first: number, second: number) => {
      const altered = [...bytes.subarray(0, -4)];
      altered.splice(at, 2, first, second);
      return withSum(altered);
    };
    expect(decompress(body(bytes[at], bytes[at + 1]), model, "a.tlt").data).toHaveLength(256);
    expect(reading(body(0xff, 0x7f))).toThrow(refusal("damaged: settings out of range"));
    const integers = body(bytes[at], bytes[at + 1]);
    integers[10] &= ~3; // 8 bits
    expect(reading(withSum([...integers.subarray(0, -4)]))).toThrow(
      refusal("damaged: settings out of range"),
    );
  });

  test("every truncated file as truncated", () => {
    for (let length = 4; length < file.length; length++)
      expect(reading(file.subarray(0, length))).toThrow(
        /^a\.tlt: truncated: \d+ bytes, at least \d+ are needed$/,
      );
  });

  test("extra bytes", () => {
    expect(reading(Uint8Array.from([...file, 0, 0]))).toThrow(refusal("damaged: 2 extra bytes at its end"));
  });

  test("every changed bit", () => {
    for (let bit = 0; bit < 8 * file.length; bit++) {
      const altered = file.slice();
      altered[bit >> 3] ^= 1 << (bit & 7);
      expect(reading(altered)).toThrow(InputError);
    }
  });

  test("impossible sizes, before it allocates memory", () => {
    const huge = withSum([...file.subarray(0, 10), 0x20, 0xff, 0xff, 0x7f, 0x40, 1, 0, 0]);
    expect(reading(huge)).toThrow(/damaged: \d+ blocks in 0 bytes/);
    const beyond = withSum([...file.subarray(0, 10), 0x20, 0xff, 0xff, 0xff, 0x7f, 0x40, 1, 0, 0]);
    expect(reading(beyond)).toThrow(/damaged: a shape of/);
  });

  test("or reads files with random content and a valid checksum, without any other error", () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.nat(), fc.nat(255)), { minLength: 1, maxLength: 8 }),
        fc.nat(30),
        (changes, dropped) => {
          const body = file.slice(0, file.length - 4 - dropped);
          for (const [at, value] of changes) body[10 + (at % (body.length - 10))] = value;
          try {
            const { shape, data } = decompress(withSum([...body]), model, "a.tlt");
            expect(data.length).toBe(sizeOf(shape));
          } catch (error) {
            expect(error).toBeInstanceOf(InputError);
          }
        },
      ),
      { numRuns: 400 },
    );
  });
});

/** Bytes followed by their checksum. */
function withSum(body: readonly number[]): Uint8Array {
  const bytes = Uint8Array.from([...body, 0, 0, 0, 0]);
  new DataView(bytes.buffer).setUint32(body.length, crc32(bytes.subarray(0, body.length)));
  return bytes;
}

test("impossible targets and invalid arrays are rejected", async () => {
  const array = cut(16, 16, bytes8);
  const asking = (target: CompressionTarget, given = array) => compress(model, given, target);
  await expect(asking({ bytes: 0 })).rejects.toThrow(
    new InputError("compress: bytes must be an integer of at least 1, got 0"),
  );
  await expect(asking({ psnr: -1 })).rejects.toThrow(
    new InputError("compress: psnr must be a number above 0, got -1"),
  );
  await expect(asking({ bytes: 5 })).rejects.toThrow(
    /^compress: bytes must be at least \d\d for this array, got 5$/,
  );
  const fine = { ...array, data: Float32Array.from(array.data, (value, i) => value + i / 7) };
  await expect(asking({ psnr: 500 }, fine)).rejects.toThrow(
    /^compress: psnr must be at most [\d.]+ for this array and dictionary, got 500$/,
  );
  await expect(asking({ psnr: 30 }, { ...array, shape: [256] })).rejects.toThrow(
    new InputError("compress: 256 cannot be divided into blocks of 8x8, the patch of the dictionary"),
  );
  await expect(asking({ psnr: 30 }, { ...array, shape: [9, 9] })).rejects.toThrow(
    new InputError("compress: 9x9 must have 81 samples, got 256"),
  );
  const bad = { ...array, data: Float32Array.from(array.data, (v, i) => (i === 7 ? Number.NaN : v)) };
  await expect(asking({ psnr: 30 }, bad)).rejects.toThrow(
    new InputError(
      "compress: samples must be finite, got NaN at [0, 7]; missing samples can be filled with inpaint",
    ),
  );
});

const pinnedFile =
  "VExUAW/rCUIioyATFfcJDk8XWzK+ZvZZz66jfmPPJiYVLlJvTeNXv5RzXyEkv6gNrl+4p0hbMvXv3f8XcOpeUaj8bAfih9O43h/OMXynuJbd1JycTuO6gEQemVAv4vXjw5vWSQ==";
const pinnedSum = 1200921325;
const pinnedFloatFile =
  "VExUAm/rCUIioyMTFaMIpQELRxtbMrmqSK6Izao7lU0hkjJw01M1/YPW0WXYmR1TpBqCgnG6TZ4BQ3qJCKXibA1rA4w4QAo40bXMI6HzTuJKXeGc8s31FJzOtOEVrw==";
const pinnedFloatSum = 1711517113;
