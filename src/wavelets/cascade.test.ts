import fc from "fast-check";
import { expect, test } from "vitest";
import { InputError } from "../core/errors.js";
import { Rng } from "../core/random/rng.js";
import { sizeOf } from "../core/shape.js";
import { kron } from "../linalg/matrix64.js";
import { forwardCascade } from "./cascade.js";
import { wavelet } from "./filters.js";
import { forwardPeriodic, periodicSynthesisMatrix } from "./transform.js";

const names = fc.constantFrom("haar", "db2", "sym8", "coif1");

function random(seed: number, length: number): Float64Array {
  const rng = Rng.from(seed);
  return Float64Array.from({ length }, () => rng.normal());
}

test("the cascade is orthonormal: it keeps inner products, for any number of axes", () => {
  const shapes = fc.array(fc.constantFrom(2, 4, 6, 8), { minLength: 1, maxLength: 3 });
  fc.assert(
    fc.property(shapes, names, fc.nat(99), (shape, name, seed) => {
      const x = random(seed, sizeOf(shape));
      const y = random(seed + 100, sizeOf(shape));
      const [u, v] = [x, y].map((signal) => forwardCascade(signal, shape, wavelet(name)));
      const dot = (a: Float64Array, b: Float64Array) => a.reduce((sum, value, i) => sum + value * b[i], 0);
      expect(dot(u, v)).toBeCloseTo(dot(x, y), 9);
    }),
    { numRuns: 60 },
  );
});

test("the cascade of one axis is the 1-D transform", () => {
  const x = random(1, 48);
  expect([...forwardCascade(x, [48], wavelet("sym8"))]).toEqual([...forwardPeriodic(x, wavelet("sym8"), 4)]);
});

test("one level is separable; later levels change only the approximation", () => {
  const filters = wavelet("db2");
  const x = random(2, 64);
  const one = forwardCascade(x, [8, 8], filters, 1);
  const W = periodicSynthesisMatrix(8, filters, 1);
  const both = kron(W, W);
  one.forEach((value, j) => {
    expect(value).toBeCloseTo(
      both.column(j).reduce((sum, weight, i) => sum + weight * x[i], 0),
      12,
    );
  });
  const two = forwardCascade(x, [8, 8], filters, 2);
  const isDetail = (i: number) => i % 8 >= 4 || Math.floor(i / 8) >= 4;
  two.forEach((value, i) => {
    if (isDetail(i)) expect(value).toBe(one[i]);
  });
});

test("the cascade of a constant has one non-zero coefficient", () => {
  const z = forwardCascade(new Float64Array(16 * 16).fill(3), [16, 16], wavelet("sym8"));
  expect(z[0]).toBeCloseTo(3 * 16, 9);
  expect(z.slice(1).every((value) => Math.abs(value) < 1e-9)).toBe(true);
});

test("a signal of another size is rejected", () => {
  expect(() => forwardCascade([1, 2, 3], [2, 2], wavelet("haar"))).toThrow(
    new InputError("forwardCascade: the signal must have 4 samples, got 3"),
  );
});
