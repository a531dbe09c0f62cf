import { describe, expect, test } from "vitest";
import { InputError, inputError, show } from "./errors.js";

describe("show", () => {
  test.each([
    ["text", '"text"'],
    ['say "hi"\n', '"say \\"hi\\"\\n"'],
    ["", '""'],
    [1.5, "1.5"],
    [Number.NaN, "NaN"],
    [-Infinity, "-Infinity"],
    [12n, "12"],
    [true, "true"],
    [null, "null"],
    [undefined, "undefined"],
    [[1, "a", null], '[1, "a", null]'],
    [[], "[]"],
    [[[1], [2]], "[[1], [2]]"],
    [[1, 2, 3, 4, 5, 6], "[1, 2, 3, 4, 5, 6]"],
    [[1, 2, 3, 4, 5, 6, 7], "[1, 2, 3, 4, 5, 6, …]"],
    [() => 1, "a function"],
    [{ a: 1 }, "an Object"],
    [new Float32Array(2), "a Float32Array"],
    [Object.create(null), "a value"],
  ])("renders %o in one short line", (value, text) => {
    expect(show(value)).toBe(text);
  });

  test("shortens long texts to 60 characters", () => {
    expect(show("x".repeat(60))).toBe(`"${"x".repeat(60)}"`);
    expect(show("x".repeat(61))).toBe(`"${"x".repeat(57)}…"`);
  });
});

test("inputError names the function, the argument, the rule and the value", () => {
  const error = inputError("train", "sparsity", "must be an integer from 1 to 900", 0);
  expect(error).toBeInstanceOf(InputError);
  expect(error).toBeInstanceOf(Error);
  expect(error.name).toBe("InputError");
  expect(error.message).toBe("train: sparsity must be an integer from 1 to 900, got 0");
  const { where, argument, rule, value } = error;
  expect([where, argument, rule, value]).toEqual([
    "train",
    "sparsity",
    "must be an integer from 1 to 900",
    0,
  ]);
  expect(error.describe((name) => `--${name}`)).toBe("--sparsity must be an integer from 1 to 900, got 0");
  expect(error.by("demo").message).toBe("demo: sparsity must be an integer from 1 to 900, got 0");
});
