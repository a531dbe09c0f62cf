import { describe, expect, test } from "vitest";
import { InputError } from "../../core/errors.js";
import { SparseColumns } from "../../core/matrix.js";
import { syntheticPictures } from "../../data/syntheticPictures.js";
import { createBase } from "../../dictionaries/base.js";
import { createReferenceKernels } from "../../kernels/reference/index.js";
import { Model } from "../../model/model.js";
import { decodeSignals, encodeSignals } from "./encodeSignals.js";

const meta = {
  learner: "none",
  options: {},
  seed: 0,
  examplesSeen: 0,
  removeMean: true,
  coding: { sparsity: 2 },
};
const kernels = createReferenceKernels();

describe("codes of signals", () => {
  const base = createBase("odct:1", [4, 4]);
  const model = new Model(base, SparseColumns.identity(16, 1), meta);
  const pictures = syntheticPictures(3, 2, 64);

  test("with all atoms allowed decode to the signals", async () => {
    const coding = { sparsity: 16 };
    const { codes, signals } = await encodeSignals(model, pictures, { stride: [3, 4], coding, kernels });
    const again = await decodeSignals(model, codes, signals, kernels);
    again.forEach((signal, s) => {
      expect(signal.shape).toEqual([64, 64]);
      signal.data.forEach((value, i) => {
        expect(Math.abs(value - pictures[s].data[i])).toBeLessThan(0.01);
      });
    });
  });

  test("of missing samples come from the others, and decoding fills them, whatever marks them", async () => {
    const missing = (value: number) =>
      pictures.map((picture) => ({
        ...picture,
        data: picture.data.map((v, i) => (i % 37 === 5 || (i >= 640 && i < 644) || i % 64 > 59 ? value : v)),
      }));
    const options = { stride: [4, 4], coding: { sparsity: 6 }, kernels };
    const decoded = async (value: number) => {
      const { codes, signals } = await encodeSignals(model, missing(value), { ...options, nodata: value });
      expect(codes.X.values.every(Number.isFinite)).toBe(true);
      return decodeSignals(model, codes, signals, kernels);
    };
    const filled = await decoded(-9999);
    for (const value of [Number.NaN, -3.4028235e38, Infinity]) expect(await decoded(value)).toEqual(filled);
    const whole = await encodeSignals(model, pictures, options);
    const plain = await decodeSignals(model, whole.codes, whole.signals, kernels);
    filled.forEach(({ data }, s) => {
      const known = missing(Number.NaN)[s].data;
      let [error, count] = [0, 0];
      data.forEach((value, i) => {
        const column = i % 64;
        const row = Math.floor(i / 64);
        const touched = known.some(
          (v, j) =>
            Number.isNaN(v) &&
            Math.floor(Math.floor(j / 64) / 4) === Math.floor(row / 4) &&
            Math.floor((j % 64) / 4) === Math.floor(column / 4),
        );
        if (!touched) expect(value).toBe(plain[s].data[i]); // a window without gaps is coded as ever
        if (Number.isNaN(known[i]) && column <= 59) {
          error += (value - pictures[s].data[i]) ** 2;
          count++;
        }
      });
      expect(Math.sqrt(error / count)).toBeLessThan(60); // samples are from 0 to 255
      // the last windows of each row know nothing: they are the mean of the known samples
      const seen = known.filter((v) => !Number.isNaN(v));
      expect(data[63]).toBeCloseTo(seen.reduce((sum, v) => sum + v, 0) / seen.length, 2);
    });
  });

  test("of a signal with no known sample, or with samples that nobody named, are refused", async () => {
    const gone = [{ ...pictures[0], data: pictures[0].data.map(() => -9999) }];
    const options = { stride: [4, 4], kernels };
    await expect(encodeSignals(model, gone, { ...options, nodata: -9999 })).rejects.toThrow(
      /must have a known sample, got all of them missing/,
    );
    const nan = [{ ...pictures[0], data: pictures[0].data.map((v, i) => (i === 3 ? Number.NaN : v)) }];
    await expect(encodeSignals(model, nan, options)).rejects.toThrow(/name it by nodata/);
  });

  test("beyond float32 are refused", async () => {
    const data = pictures[0].data.map((_, i) => (i % 2 ? 3.4e38 : -3.4e38));
    await expect(
      encodeSignals(model, [{ ...pictures[0], data }], { stride: [4, 4], kernels }),
    ).rejects.toThrow(/the code of signal 0 is beyond float32 \(3.4e38\): its samples reach 3.4/);
  });

  test("are rejected with another dictionary, or if there are too many", async () => {
    const { codes, signals } = await encodeSignals(model, pictures, { stride: [4, 4], kernels });
    const A = SparseColumns.identity(16, 1);
    A.setColumn(0, [1], [1]);
    const other = new Model(base, A, meta);
    await expect(decodeSignals(other, codes, signals, kernels)).rejects.toThrow(
      /belong to dictionary [0-9a-f]{8}, got/,
    );
    const fewer = { ...signals, shapes: signals.shapes.slice(1) };
    await expect(decodeSignals(model, codes, fewer, kernels)).rejects.toThrow(
      new InputError("decode: the signals have 256 windows, got 512 codes"),
    );
  });
});
