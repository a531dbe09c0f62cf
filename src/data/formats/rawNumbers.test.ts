import { describe, expect, it } from "vitest";
import { parseRaw, rawLayout } from "./rawNumbers.js";

describe("--raw", () => {
  it.each([
    [
      "float32:8x10",
      320,
      { shape: [8, 10], strides: [10, 1], kind: "f", size: 4, bigEndian: false, dataOffset: 0 },
    ],
    ["int16be:5", 10, { shape: [5], strides: [1], kind: "i", size: 2, bigEndian: true, dataOffset: 0 }],
    [
      "uint8le:*x3@4",
      13,
      { shape: [3, 3], strides: [3, 1], kind: "u", size: 1, bigEndian: false, dataOffset: 4 },
    ],
    ["float16:*", 6, { shape: [3], strides: [1], kind: "f", size: 2, bigEndian: false, dataOffset: 0 }],
    [
      "bool:2x2x2",
      8,
      { shape: [2, 2, 2], strides: [4, 2, 1], kind: "b", size: 1, bigEndian: false, dataOffset: 0 },
    ],
  ])("%s in %i bytes", (text, length, layout) => {
    expect(rawLayout(parseRaw(text), length, "x.bin")).toEqual(layout);
  });

  it.each([
    "float32",
    "float32:",
    "double:3",
    "float32:0x4",
    "float32:4x*",
    "int128:3",
    "float32:4x",
    "f:4@",
  ])("refuses %s", (text) => {
    expect(() => parseRaw(text)).toThrow(/raw must be a type and sizes, as in float32:800x1000 .* got /);
  });

  it("refuses a file of another size", () => {
    const check = (text: string, length: number) => rawLayout(parseRaw(text), length, "x.bin");
    expect(() => check("float32:8x10", 319)).toThrow(
      "x.bin: float32:8x10 takes 320 bytes (0.3 KiB), the file has 319",
    );
    expect(() => check("float32:8x10", 321)).toThrow("the file has 321");
    expect(() => check("int8:*x7", 15)).toThrow("x.bin: int8:*x7 takes 14 bytes (0.0 KiB), the file has 15");
    expect(() => check("int8:*x7", 3)).toThrow("takes 7 bytes");
  });
});
