import fc from "fast-check";
import { expect, test } from "vitest";
import { InputError } from "../core/errors.js";
import { defaultSparsity, resolveLimits } from "./encoder.js";

test("a sparsity alone has no limit on the error", () => {
  expect(resolveLimits("f", { sparsity: 4 }, 144, 900)).toEqual({ sparsity: 4, residualEnergy: 0 });
});

test("an error per sample is a residual energy of n·error², with at most as many atoms as samples", () => {
  expect(resolveLimits("f", { error: 0.5 }, 144, 900)).toEqual({ sparsity: 144, residualEnergy: 36 });
  expect(resolveLimits("f", { error: 0 }, 144, 100)).toEqual({ sparsity: 100, residualEnergy: 0 });
  expect(resolveLimits("f", { error: 2, sparsity: 3 }, 10, 20)).toEqual({ sparsity: 3, residualEnergy: 40 });
});

test("a sparsity is from 1 to the number of atoms, and limited by the number of samples", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 50 }), fc.nat(50), (m, more) => {
      expect(resolveLimits("f", { sparsity: m }, 10, m + more).sparsity).toBe(Math.min(m, 10));
      expect(() => resolveLimits("f", { sparsity: m + more + 1 }, 10, m + more)).toThrow(InputError);
    }),
  );
});

test("a pursuit is passed on", () => {
  expect(resolveLimits("f", { sparsity: 4, pursuit: "ols" }, 144, 900).pursuit).toBe("ols");
});

test.each([
  [{}, "train: sparsity or error must be given, got neither"],
  [{ sparsity: undefined, error: undefined }, "train: sparsity or error must be given, got neither"],
  [{ sparsity: 0 }, "train: sparsity must be an integer from 1 to 900, got 0"],
  [{ sparsity: 901 }, "train: sparsity must be an integer from 1 to 900, got 901"],
  [{ sparsity: 2.5 }, "train: sparsity must be an integer from 1 to 900, got 2.5"],
  [{ error: -1 }, "train: error must be a number of at least 0, got -1"],
  [{ error: Number.NaN }, "train: error must be a number of at least 0, got NaN"],
  [{ error: Infinity, sparsity: 3 }, "train: error must be a number of at least 0, got Infinity"],
  [{ sparsity: 2, pursuit: "mp" as never }, 'train: unknown pursuit "mp"; known: omp, ols'],
  [{ error: "1" as never }, 'train: error must be a number of at least 0, got "1"'],
])("%o is rejected", (coding, message) => {
  expect(() => resolveLimits("train", coding, 144, 900)).toThrow(new InputError(message));
});

test("atoms per code are n/40 by default, as in the paper's experiments, at least two where there is room", () => {
  expect([1, 2, 64, 144, 400, 1024, 4096].map(defaultSparsity)).toEqual([1, 2, 2, 4, 10, 26, 102]);
});
