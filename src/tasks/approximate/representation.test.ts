import { describe, expect, test } from "vitest";
import { makeSignal } from "../../core/signal.js";
import { syntheticPictures } from "../../data/syntheticPictures.js";
import { createBase } from "../../dictionaries/base.js";
import { createReferenceKernels } from "../../kernels/reference/index.js";
import { psnr, representationError } from "./representation.js";

const kernels = createReferenceKernels();

describe("representationError", () => {
  const options = { coding: { sparsity: 2 }, examples: 300, seed: 1, removeMean: true, kernels };
  const pictures = syntheticPictures(3, 2, 64);

  test("falls as the number of atoms grows, to zero if all are allowed", async () => {
    const parts = { base: createBase("odct:1", [4, 4]) };
    const errors = [];
    for (const sparsity of [1, 2, 4, 8, 16]) {
      errors.push(await representationError(parts, pictures, { ...options, coding: { sparsity } }));
    }
    for (let i = 1; i < errors.length; i++) expect(errors[i]).toBeLessThan(errors[i - 1]);
    expect(errors.at(-1)).toBeLessThan(1e-3);
  });

  test("is in the units of the signals", async () => {
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

  test("gives a PSNR of 20 log₁₀(peak / RMSE)", () => {
    expect(psnr(25.5)).toBeCloseTo(20, 12);
    expect(psnr(1, 10)).toBeCloseTo(20, 12);
  });
});
