import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { InputError } from "./errors.js";
import {
  requireAbove,
  requireFinite,
  requireFraction,
  requireInteger,
  requireOneOf,
  requireSameRows,
} from "./require.js";

/** The message of the InputError that a check throws. */
function refusal(check: () => unknown): string {
  try {
    check();
  } catch (error) {
    expect(error).toBeInstanceOf(InputError);
    return (error as Error).message;
  }
  throw new Error("nothing was refused");
}

/** Values that are no numbers of any kind. */
const strange = fc.oneof(
  fc.string(),
  fc.boolean(),
  fc.constantFrom(null, undefined, Number.NaN),
  fc.object(),
  fc.bigInt(),
);

describe("requireInteger", () => {
  test("returns integers in the range, ends included", () => {
    fc.assert(
      fc.property(fc.maxSafeInteger(), fc.nat(), fc.nat(), (value, below, above) => {
        expect(requireInteger("f", "x", value, value - below, value + above)).toBe(value);
      }),
    );
  });

  test("rejects any other value, and names the range and the value", () => {
    expect(refusal(() => requireInteger("train", "--sparsity", 0, 1, 900))).toBe(
      "train: --sparsity must be an integer from 1 to 900, got 0",
    );
    expect(refusal(() => requireInteger("f", "x", 901, 1, 900))).toBe(
      "f: x must be an integer from 1 to 900, got 901",
    );
    expect(refusal(() => requireInteger("f", "x", 1.5, 1))).toBe(
      "f: x must be an integer of at least 1, got 1.5",
    );
    expect(refusal(() => requireInteger("f", "x", "3", 1))).toBe(
      'f: x must be an integer of at least 1, got "3"',
    );
    expect(refusal(() => requireInteger("f", "x", 2 ** 53, 1))).toBe(
      "f: x must be an integer from 1 to 9007199254740991, got 9007199254740992",
    );
    fc.assert(
      fc.property(strange, (value) => {
        expect(refusal(() => requireInteger("f", "x", value, -Infinity))).toMatch(/^f: x must be an integer/);
      }),
    );
  });
});

test("requireAbove accepts finite numbers above its floor", () => {
  expect(requireAbove("f", "x", 0.1, 0)).toBe(0.1);
  expect(requireAbove("f", "x", Number.MIN_VALUE, 0)).toBe(Number.MIN_VALUE);
  expect(refusal(() => requireAbove("f", "x", 0, 0))).toBe("f: x must be a number above 0, got 0");
  expect(refusal(() => requireAbove("f", "x", Infinity, 0))).toBe(
    "f: x must be a number above 0, got Infinity",
  );
  fc.assert(fc.property(strange, (value) => refusal(() => requireAbove("f", "x", value, 0)) !== ""));
});

test("requireFraction accepts numbers in [0, 1)", () => {
  fc.assert(
    fc.property(fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), (value) => {
      expect(requireFraction("f", "x", value)).toBe(value);
    }),
  );
  const rule = "f: momentum must be a number of at least 0 and below 1, got";
  expect(refusal(() => requireFraction("f", "momentum", 1))).toBe(`${rule} 1`);
  expect(refusal(() => requireFraction("f", "momentum", -0.1))).toBe(`${rule} -0.1`);
  fc.assert(fc.property(strange, (value) => refusal(() => requireFraction("f", "x", value)) !== ""));
});

test("requireOneOf lists the known names", () => {
  expect(requireOneOf("f", "learner", "osdl", ["osdl", "odl"])).toBe("osdl");
  expect(refusal(() => requireOneOf("f", "learner", "osld", ["osdl", "odl"]))).toBe(
    'f: unknown learner "osld"; known: osdl, odl',
  );
  expect(refusal(() => requireOneOf("f", "learner", 3, ["osdl"]))).toBe("f: unknown learner 3; known: osdl");
  expect(refusal(() => requireOneOf("f", "x", "toString", ["osdl"]))).toBe(
    'f: unknown x "toString"; known: osdl',
  );
});

test("requireSameRows names both matrices", () => {
  expect(() => requireSameRows("f", "Y", { rows: 3 }, "Φ", { rows: 3 })).not.toThrow();
  expect(refusal(() => requireSameRows("f", "Y", { rows: 4 }, "Φ", { rows: 3 }))).toBe(
    "f: Y must have as many rows as Φ (3), got 4",
  );
});

test("requireFinite names the first value that is not finite, and its index", () => {
  expect(() => requireFinite("f", "signals", Float32Array.of(1, -3e38, 0))).not.toThrow();
  expect(() => requireFinite("f", "signals", [])).not.toThrow();
  expect(refusal(() => requireFinite("f", "signals", Float32Array.of(1, Infinity, Number.NaN)))).toBe(
    "f: signals must be finite, got Infinity at index 1",
  );
  expect(refusal(() => requireFinite("f", "signals", [0, 0, Number.NaN]))).toBe(
    "f: signals must be finite, got NaN at index 2",
  );
});
