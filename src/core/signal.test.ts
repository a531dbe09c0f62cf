import fc from "fast-check";
import { expect, test } from "vitest";
import { InputError } from "./errors.js";
import { sizeOf, stridesOf } from "./shape.js";
import { makeSignal } from "./signal.js";

const shapes = fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 1, maxLength: 4 });

test("makeSignal keeps name, shape and samples", () => {
  const data = Float32Array.of(1, 2, 3, 4, 5, 6);
  const signal = makeSignal("a.png", [2, 3], data);
  expect(signal).toEqual({ name: "a.png", shape: [2, 3], data });
  expect(signal.data).toBe(data);
});

test("makeSignal reports the place of the first sample that is not finite", () => {
  const bad = fc.constantFrom(Number.NaN, Infinity, -Infinity);
  fc.assert(
    fc.property(shapes, fc.nat(), bad, (shape, at, value) => {
      const data = new Float32Array(sizeOf(shape));
      const flat = at % data.length;
      data[flat] = value;
      if (flat + 1 < data.length) data[flat + 1] = Number.NaN; // not the first
      const strides = stridesOf(shape);
      const place = shape.map((size, axis) => Math.floor(flat / strides[axis]) % size);
      expect(() => makeSignal("a.npy", shape, data)).toThrow(
        new InputError(
          `a.npy: samples must be finite, got ${value} at [${place.join(", ")}]; if it marks missing samples, name it by nodata`,
        ),
      );
    }),
  );
});

test("makeSignal rejects invalid shapes, and samples that do not fit", () => {
  expect(() => makeSignal("a.npy", [2, 3], new Float32Array(5))).toThrow(
    new InputError("a.npy: shape 2x3 must have 6 samples, got 5"),
  );
  expect(() => makeSignal("a.npy", [2, 0], new Float32Array(0))).toThrow(
    new InputError("a.npy: shape must be one or more positive integer sizes, got [2, 0]"),
  );
  expect(() => makeSignal("a.npy", [], new Float32Array(1))).toThrow(InputError);
});
