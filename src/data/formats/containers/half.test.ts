import fc from "fast-check";
import { expect, test } from "vitest";
import { makeNpy, readNpy, writeNpy } from "../npy.js";
import { halfArray, toHalves } from "./half.js";

/** What reading gives back. */
function through(values: readonly number[]): Float32Array {
  const array = makeNpy([values.length], Float32Array.from(values));
  return readNpy(writeNpy(halfArray(array, "x")), "x").data as Float32Array;
}

test("every half comes back as it was", () => {
  const bits = Uint16Array.from({ length: 0x7c00 }, (_, i) => i);
  const bytes = writeNpy({ shape: [bits.length], dtype: "<f2", data: bits });
  const values = readNpy(bytes, "x").data as Float32Array;
  expect(toHalves(values, "x")).toEqual(bits);
  expect(toHalves(values.map((value) => -value).subarray(1), "x")).toEqual(
    bits.subarray(1).map((b) => b | 0x8000),
  );
});

test("others are rounded to the nearest, ties to even", () => {
  fc.assert(
    fc.property(fc.float({ min: -60000, max: 60000, noNaN: true }), (value) => {
      const [half] = through([value]);
      const spacing = Math.max(2 ** -24, 2 ** (Math.floor(Math.log2(Math.abs(value) || 2 ** -30)) - 10));
      expect(Math.abs(half - value)).toBeLessThanOrEqual(spacing / 2);
    }),
  );
  expect([...through([1 + 2 ** -11, 1 + 3 * 2 ** -11, 2049, 2051])]).toEqual([1, 1 + 2 ** -9, 2048, 2052]);
});

test("numbers beyond half precision are refused", () => {
  expect(() => toHalves([1e5], "x")).toThrow("x: 100000 is beyond half precision (65504): use f32");
});
