import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { InputError } from "../../core/errors.js";
import { DenseMatrix, SparseColumns } from "../../core/matrix.js";
import { Rng } from "../../core/rng.js";
import { sizeOf } from "../../core/shape.js";
import { makeSignal } from "../../core/signal.js";
import { syntheticPictures } from "../../data/syntheticPictures.js";
import { createBase } from "../../dictionaries/base.js";
import { createReferenceKernels } from "../../kernels/reference/index.js";
import { Model } from "../../model/model.js";
import { psnr, representationError } from "../approximate/representation.js";
import { decodeSignals, encodeSignals } from "./codeSignals.js";
import { grids } from "./tiling.case.js";
import { assemble, cutWindows, gridOrigins } from "./tiling.js";

const meta = {
  learner: "none",
  options: {},
  seed: 0,
  examplesSeen: 0,
  removeMean: true,
  coding: { sparsity: 2 },
};
const kernels = createReferenceKernels();

function randomSignal(rng: Rng, shape: readonly number[]) {
  return makeSignal("random", shape, DenseMatrix.build(sizeOf(shape), 1, () => rng.normal()).data);
}

describe("tiling", () => {
  test("covers every sample, stays inside, and puts the signal together again", () => {
    fc.assert(
      fc.property(grids, fc.nat(1000), ({ patch, shape, stride }, seed) => {
        const signal = randomSignal(Rng.from(seed), shape);
        const origins = gridOrigins(shape, patch, stride);
        for (const origin of origins) {
          origin.forEach((start, axis) => {
            expect(start >= 0 && start + patch[axis] <= shape[axis]).toBe(true);
          });
        }
        expect(new Set(origins.map(String)).size).toBe(origins.length);
        const again = assemble(cutWindows(signal, patch, origins), shape, patch, origins, "again");
        again.data.forEach((value, i) => {
          expect(Math.abs(value - signal.data[i])).toBeLessThanOrEqual(1e-6 * (1 + Math.abs(value)));
        });
      }),
      { numRuns: 60 },
    );
  });

  test("averages where windows overlap", () => {
    const Y = new DenseMatrix(2, 2, Float32Array.of(1, 2, 4, 8));
    expect([...assemble(Y, [3], [2], [[0], [1]], "x").data]).toEqual([1, 3, 8]);
  });

  test("refuses small signals, and strides that leave gaps", () => {
    expect(() => gridOrigins([4, 4], [5, 4], [1, 1])).toThrow(InputError);
    expect(() => gridOrigins([9], [4], [5])).toThrow(
      new InputError("gridOrigins: the stride must be from 1 to 4, got 5"),
    );
  });
});

describe("codes of signals", () => {
  const base = createBase("odct:1", [4, 4]);
  const model = new Model(base, SparseColumns.identity(16, 1), meta);
  const pictures = syntheticPictures(3, 2, 64);

  test("at full sparsity give the signals back", async () => {
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

  test("are refused by another dictionary, and in another number", async () => {
    const { codes, signals } = await encodeSignals(model, pictures, { stride: [4, 4], kernels });
    const A = SparseColumns.identity(16, 1);
    A.setColumn(0, [1], [1]);
    const other = new Model(base, A, meta);
    await expect(decodeSignals(other, codes, signals, kernels)).rejects.toThrow(
      /over dictionary [0-9a-f]{8}, got/,
    );
    const fewer = { ...signals, shapes: signals.shapes.slice(1) };
    await expect(decodeSignals(model, codes, fewer, kernels)).rejects.toThrow(
      new InputError("decode: the signals have 256 windows, got 512 codes"),
    );
  });
});

describe("representationError", () => {
  const options = { coding: { sparsity: 2 }, examples: 300, seed: 1, removeMean: true, kernels };
  const pictures = syntheticPictures(3, 2, 64);

  test("falls with the number of atoms, to nothing when all are allowed", async () => {
    const parts = { base: createBase("odct:1", [4, 4]) };
    const errors = [];
    for (const sparsity of [1, 2, 4, 8, 16]) {
      errors.push(await representationError(parts, pictures, { ...options, coding: { sparsity } }));
    }
    for (let i = 1; i < errors.length; i++) expect(errors[i]).toBeLessThan(errors[i - 1]);
    expect(errors.at(-1)).toBeLessThan(1e-3);
  });

  test("is in the units of the signals, whatever they are", async () => {
    const parts = { base: createBase("cropped:haar", [4, 4]) };
    const rmse = await representationError(parts, pictures, options);
    for (const factor of [2 ** -80, 2 ** 70]) {
      const signals = pictures.map(({ name, shape, data }) =>
        makeSignal(
          name,
          shape,
          data.map((v) => v * factor),
        ),
      );
      expect(await representationError(parts, signals, options)).toBe(rmse * factor);
    }
  });

  test("as PSNR is 20 log₁₀(peak / RMSE)", () => {
    expect(psnr(25.5)).toBeCloseTo(20, 12);
    expect(psnr(1, 10)).toBeCloseTo(20, 12);
  });
});
