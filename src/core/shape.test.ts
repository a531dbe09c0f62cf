import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { InputError } from "./errors.js";
import {
  formatShape,
  parseShape,
  requireSameShape,
  requireShape,
  sameShape,
  sizeOf,
  stridesOf,
} from "./shape.js";

const shapes = fc.array(fc.integer({ min: 1, max: 7 }), { minLength: 1, maxLength: 5 });

describe("parseShape", () => {
  test("is the inverse of formatShape", () => {
    fc.assert(
      fc.property(shapes, (shape) => {
        expect(parseShape("f", "patch", formatShape(shape))).toEqual(shape);
      }),
    );
  });

  test.each([
    "",
    "x",
    "32x",
    "x32",
    "32xx32",
    "0",
    "32x0",
    "-3",
    "+3",
    "1.5",
    "3 x 3",
    "03",
    "32X32",
    "1e3",
    "３",
  ])("rejects %o", (text) => {
    expect(() => parseShape("train", "--patch", text)).toThrow(
      new InputError(
        `train: --patch must be sizes joined by x, such as 32, 32x24 or 16x16x8, got ${JSON.stringify(text)}`,
      ),
    );
  });

  test("rejects more samples than an index can hold", () => {
    expect(() => parseShape("f", "patch", "65536x32768")).toThrow(
      new InputError('f: patch must hold fewer than 2^31 samples, got "65536x32768"'),
    );
    expect(parseShape("f", "patch", "2147483647")).toEqual([2147483647]);
    expect(() => parseShape("f", "patch", "9".repeat(400))).toThrow(InputError);
  });
});

describe("requireShape", () => {
  test("returns a valid shape", () => {
    fc.assert(
      fc.property(shapes, (shape) => {
        expect(requireShape("f", "patch", shape)).toEqual(shape);
      }),
    );
  });

  test.each([
    [[], "[]"],
    [[3, 0], "[3, 0]"],
    [[2.5], "[2.5]"],
    [["3"], '["3"]'],
    [[Number.NaN], "[NaN]"],
    ["3x3", '"3x3"'],
    [undefined, "undefined"],
    [{ length: 1, 0: 3 }, "an Object"],
  ])("rejects %o", (shape, shown) => {
    expect(() => requireShape("f", "patch", shape)).toThrow(
      new InputError(`f: patch must be one or more positive integer sizes, got ${shown}`),
    );
  });
});

test("sizes and strides: the last axis varies fastest", () => {
  fc.assert(
    fc.property(shapes, (shape) => {
      const strides = stridesOf(shape);
      expect(strides.at(-1)).toBe(1);
      expect(strides[0] * shape[0]).toBe(sizeOf(shape));
      // counting through all places in row-major order counts the flat index up by one
      const place = shape.map(() => 0);
      for (let flat = 0; flat < sizeOf(shape); flat++) {
        expect(place.reduce((sum, at, axis) => sum + at * strides[axis], 0)).toBe(flat);
        for (let axis = shape.length - 1; axis >= 0 && ++place[axis] === shape[axis]; axis--) place[axis] = 0;
      }
    }),
    { numRuns: 30 },
  );
  expect(stridesOf([2, 3, 4])).toEqual([12, 4, 1]);
  expect(sizeOf([2, 3, 4])).toBe(24);
});

test("sameShape compares sizes and number of axes", () => {
  fc.assert(
    fc.property(shapes, shapes, (a, b) => {
      expect(sameShape(a, [...a])).toBe(true);
      expect(sameShape(a, b)).toBe(formatShape(a) === formatShape(b));
    }),
  );
  expect(() => requireSameShape("f", "base", [3, 4], [3, 4])).not.toThrow();
  expect(() => requireSameShape("f", "base", [4, 3], [3, 4])).toThrow(
    new InputError("f: base must have shape 3x4, got 4x3"),
  );
});
