import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { InputError } from "../errors.js";
import { nearestName, requireKnownOptions } from "./knownOptions.js";

const known = ["patch", "coding", "atomSparsity", "examples", "seed"];
const elsewhere = { sparsity: (value: unknown) => `coding: { sparsity: ${value} }` };
const check = (options: object) => () => requireKnownOptions("train", options, known, elsewhere);

describe("requireKnownOptions", () => {
  test("accepts known names, and unknown ones that are undefined", () => {
    check({ patch: [8, 8], seed: 1, other: undefined })();
    check({})();
  });

  test.each([
    [{ patches: [8] }, "train: unknown option patches; did you mean patch?"],
    [{ atomsparsity: 4 }, "train: unknown option atomsparsity; did you mean atomSparsity?"],
    [{ sparsity: 4 }, "train: unknown option sparsity; did you mean coding: { sparsity: 4 }?"],
    [{ zzz: 1 }, "train: unknown option zzz; known: patch, coding, atomSparsity, examples, seed"],
    [{ toString: 1 }, "train: unknown option toString; known: patch, coding, atomSparsity, examples, seed"],
  ])("refuses %j", (options, message) => {
    expect(check(options)).toThrow(new InputError(message));
  });

  test.each([[null], [[1]], ["patch"], [8]])("refuses %j, which is not an object of options", (options) => {
    expect(check(options as never)).toThrow(/^train: options must be an object, got /);
  });
});

test("the nearest name of a known one is itself, also in capitals", () => {
  for (const name of known) {
    expect(nearestName(name, known)).toBe(name);
    expect(nearestName(name.toUpperCase(), known)).toBe(name);
  }
});

test("one letter more or less is near", () => {
  fc.assert(
    fc.property(fc.constantFrom(...known), fc.nat(), (name, place) => {
      const at = place % name.length;
      expect(nearestName(name.slice(0, at) + name.slice(at + 1), known)).toBe(name);
      expect(nearestName(`${name.slice(0, at)}x${name.slice(at)}`, known)).toBe(name);
    }),
  );
});
