import { describe, expect, test } from "vitest";
import { makeNpy } from "../npy.js";
import { readSafetensors, writeSafetensors } from "./safetensors.js";

const arrays = new Map([
  ["A", makeNpy([2, 3], Float32Array.of(1, 2, 3, 4, 5, 6))],
  ["n", makeNpy([], Int32Array.of(7))],
  ["none", makeNpy([0, 4], new Float64Array())],
]);
const bytes = writeSafetensors({ arrays, metadata: { a: "b" } });

/** A file with this header. */
function withHeader(header: unknown, data = new Uint8Array(4)): Uint8Array {
  const text = new TextEncoder().encode(JSON.stringify(header));
  const all = new Uint8Array(8 + text.length + data.length);
  new DataView(all.buffer).setBigUint64(0, BigInt(text.length), true);
  all.set(text, 8);
  all.set(data, 8 + text.length);
  return all;
}

describe("a .safetensors file", () => {
  test("gives back its tensors and its texts", () => {
    expect(readSafetensors(bytes, "x")).toEqual({ arrays, metadata: { a: "b" } });
  });

  test("has a header of JSON and then the numbers, aligned", () => {
    const length = Number(new DataView(bytes.buffer).getBigUint64(0, true));
    expect(length % 8).toBe(0);
    const header = JSON.parse(new TextDecoder().decode(bytes.subarray(8, 8 + length)));
    expect(header.A).toEqual({ dtype: "F32", shape: [2, 3], data_offsets: [0, 24] });
  });

  test.each([
    [new Uint8Array(3), /too short/],
    [bytes.subarray(0, 20), /no header/],
    [bytes.subarray(0, -3), /damaged: .* bytes/],
    [withHeader([1]), /no header/],
    [withHeader({ A: { dtype: "BF16", shape: [2], data_offsets: [0, 4] } }), /type must be one of F16, F32/],
    [withHeader({ A: { dtype: "F32", shape: [-1], data_offsets: [0, 4] } }), /damaged: shape/],
    [withHeader({ A: { dtype: "F32", shape: [2], data_offsets: [0, 4] } }), /4 bytes, 8 are needed/],
    [withHeader({ A: { dtype: "F32", shape: [2 ** 50], data_offsets: [0, 4] } }), /damaged/],
  ])("that is damaged is refused, %#", (damaged, message) => {
    expect(() => readSafetensors(damaged, "x")).toThrow(message);
  });
});
