import { describe, expect, it } from "vitest";
import { Rng } from "../../core/random/rng.js";
import { randomCubic } from "../../experiments/shared/randomCubic.js";
import { createReferenceKernels } from "../../kernels/reference/index.js";
import { croppedWavelets } from "../../wavelets/cropped.js";
import { wavelet } from "../../wavelets/filters.js";
import { approximateBorders } from "./borderApproximation.js";

const kernels = createReferenceKernels();
const f = randomCubic(64, Rng.from(2));
const options = { wavelet: "sym8", terms: 5 } as const;
const squares = (values: ArrayLike<number>) => Array.from(values).reduce((sum, v) => sum + v * v, 0);

describe("approximateBorders", () => {
  it.each(["periodic", "symmetric", "zero"] as const)(
    "keeps the largest coefficients: a projection of the %s extension",
    async (border) => {
      const { extended, values, first } = await approximateBorders(f, { ...options, border }, kernels);
      expect([...extended.subarray(first, first + 64)]).toEqual([...f]);
      const error = squares(extended.map((value, i) => value - values[i]));
      expect(error + squares(values)).toBeCloseTo(squares(extended), 9); // orthogonal to what is kept
      const more = await approximateBorders(f, { ...options, border, terms: 6 }, kernels);
      expect(squares(extended.map((value, i) => value - more.values[i]))).toBeLessThan(error);
    },
  );

  it("with all coefficients of a periodic signal, is the signal", async () => {
    const { values } = await approximateBorders(f, { ...options, border: "periodic", terms: 64 }, kernels);
    values.forEach((value, i) => expect(value).toBeCloseTo(f[i], 12));
  });

  it("by cropped wavelets, leaves nothing that the atoms taken could explain", async () => {
    const { values, first, terms } = await approximateBorders(f, { ...options, border: "cropped" }, kernels);
    const residual = f.map((value, i) => value - values[first + i]);
    const phi = croppedWavelets(64, wavelet("sym8"));
    const correlations = Array.from({ length: phi.cols }, (_, j) =>
      Math.abs(phi.column(j).reduce((sum, value, i) => sum + value * residual[i], 0)),
    );
    expect(terms).toBe(5);
    expect(correlations.filter((value) => value < 1e-5).length).toBeGreaterThanOrEqual(terms);
  });

  it("refuses more wavelets than samples, and borders that it does not know", async () => {
    await expect(approximateBorders(f, { ...options, border: "zero", terms: 65 }, kernels)).rejects.toThrow(
      "approximateBorders: terms must be an integer from 1 to 64, got 65",
    );
    await expect(approximateBorders(f, { ...options, border: "mirror" as never }, kernels)).rejects.toThrow(
      'approximateBorders: unknown border "mirror"; known: periodic, symmetric, zero, cropped',
    );
  });
});
