/** BMP and netpbm pictures: the pixels that the bytes of their formats stand for. */

import { describe, expect, it } from "vitest";
import { bmpOf } from "./bmp.case.js";
import { decodeBmp } from "./bmp.js";
import { decodeNetpbm } from "./netpbm.js";

const text = (words: string, bytes: readonly number[] = []) =>
  Uint8Array.from([...new TextEncoder().encode(words), ...bytes]);

const greys = [0, 50, 100, 255].map((v) => [v, v, v, 0]);

describe("decodeBmp", () => {
  const pixelsOf = (file: Parameters<typeof bmpOf>[0]) => {
    const { channels, values } = decodeBmp(bmpOf(file));
    return { channels, values: [...values] };
  };

  it("reads indices of 1, 2, 4 and 8 bits, rows from the bottom up", () => {
    const expected = { channels: 1, values: [0, 50, 0, 50, 50, 0] };
    const file = { width: 3, height: 2, palette: greys };
    const rows = (lower: number[], upper: number[]) => [...lower, ...upper].flatMap((byte) => [byte]);
    expect(
      pixelsOf({ ...file, bits: 1, pixels: rows([0b11000000, 0, 0, 0], [0b01000000, 0, 0, 0]) }),
    ).toEqual(expected);
    expect(
      pixelsOf({ ...file, bits: 2, pixels: rows([0b01010000, 0, 0, 0], [0b00010000, 0, 0, 0]) }),
    ).toEqual(expected);
    expect(pixelsOf({ ...file, bits: 4, pixels: rows([0x11, 0x00, 0, 0], [0x01, 0x00, 0, 0]) })).toEqual(
      expected,
    );
    expect(pixelsOf({ ...file, bits: 8, pixels: rows([1, 1, 0, 9], [0, 1, 0, 9]) })).toEqual(expected);
    expect(pixelsOf({ ...file, height: -2, bits: 8, pixels: rows([0, 1, 0, 9], [1, 1, 0, 9]) })).toEqual(
      expected,
    );
  });

  it("reads colours of a palette, and of 16, 24 and 32 bits", () => {
    const palette = [
      [1, 2, 3, 0],
      [4, 5, 6, 0],
    ];
    const one = { width: 1, height: 1 };
    expect(pixelsOf({ ...one, bits: 8, palette, pixels: [1, 0, 0, 0] })).toEqual({
      channels: 3,
      values: [6, 5, 4],
    });
    expect(pixelsOf({ ...one, bits: 24, pixels: [7, 8, 9, 0] })).toEqual({ channels: 3, values: [9, 8, 7] });
    expect(pixelsOf({ ...one, bits: 32, pixels: [7, 8, 9, 200] })).toEqual({
      channels: 3,
      values: [9, 8, 7],
    });
    expect(pixelsOf({ ...one, bits: 16, pixels: [0x1f, 0x7c, 0, 0] })).toEqual({
      channels: 3,
      values: [255, 0, 255],
    });
    const masks = [0xf800, 0x7e0, 0x1f];
    expect(pixelsOf({ ...one, bits: 16, compression: 3, masks, pixels: [0xe0, 0x07, 0, 0] })).toEqual({
      channels: 3,
      values: [0, 255, 0],
    });
    const withOpacity = [0xff, 0xff00, 0xff0000, 0xff000000];
    expect(
      pixelsOf({ ...one, bits: 32, compression: 6, masks: withOpacity, pixels: [7, 8, 9, 200] }),
    ).toEqual({
      channels: 4,
      values: [7, 8, 9, 200],
    });
  });

  it("reads run lengths of 8 and 4 bits: runs, values, steps and ends of rows", () => {
    const file = { width: 4, height: 3, palette: greys };
    const runs = [3, 1, 0, 0, 0, 3, 2, 3, 1, 0, 0, 0, 0, 2, 2, 0, 2, 1, 0, 1];
    expect(pixelsOf({ ...file, bits: 8, compression: 1, pixels: runs }).values).toEqual([
      ...[0, 0, 50, 50],
      ...[100, 255, 50, 0],
      ...[50, 50, 50, 0],
    ]);
    const halves = [4, 0x12, 0, 0, 0, 3, 0x31, 0x20, 0, 0, 0, 1];
    expect(pixelsOf({ ...file, bits: 4, compression: 2, pixels: halves }).values).toEqual([
      ...[0, 0, 0, 0],
      ...[255, 50, 100, 0],
      ...[50, 100, 50, 100],
    ]);
  });

  it.each([
    ["damaged BMP header", bmpOf({ width: 0, height: 1, bits: 8, pixels: [] })],
    ["truncated BMP header", bmpOf({ width: 1, height: 1, bits: 8, pixels: [] }).subarray(0, 30)],
    ["truncated BMP palette", bmpOf({ width: 1, height: 1, bits: 8, pixels: [0, 0, 0, 0] })],
    [
      "truncated: 4 bytes of pixels expected, 3 left",
      bmpOf({ width: 1, height: 1, bits: 24, pixels: [1, 2, 3] }),
    ],
    [
      "BMP compression 4 with 24 bits is not supported",
      bmpOf({ width: 1, height: 1, bits: 24, compression: 4, pixels: [] }),
    ],
    [
      "colour 9 of a palette of 4",
      bmpOf({ width: 1, height: 1, bits: 8, palette: greys, pixels: [9, 0, 0, 0] }),
    ],
    [
      "truncated: the run lengths end before the picture does",
      bmpOf({ width: 4, height: 3, bits: 8, compression: 1, palette: greys, pixels: [3, 1, 0, 0] }),
    ],
  ])("refuses: %s", (message, bytes) => {
    expect(() => decodeBmp(bytes)).toThrow(message);
  });
});

describe("decodeNetpbm", () => {
  it.each([
    ["P1", text("P1 # bits\n3 2\n010\n1 1 0"), 1, 255, [255, 0, 255, 0, 0, 255]],
    ["P2", text("P2\n2 2 100\n0 50\n# half\n100 1"), 1, 100, [0, 50, 100, 1]],
    ["P3", text("P3 1 2 255 1 2 3 4 5 6"), 3, 255, [1, 2, 3, 4, 5, 6]],
    ["P4", text("P4\n10 2\n", [0b10000000, 0b01000000, 0, 0]), 1, 255, undefined],
    ["P5", text("P5 2 2 255\n", [0, 10, 13, 255]), 1, 255, [0, 10, 13, 255]],
    ["P5 of 16 bits", text("P5 2 1 65535\n", [1, 2, 255, 255]), 1, 65535, [258, 65535]],
    ["P6", text("P6\n#x\n1 1\n255\n", [7, 8, 9]), 3, 255, [7, 8, 9]],
  ])("reads %s", (_, bytes, channels, white, expected) => {
    const image = decodeNetpbm(bytes);
    expect({ channels: image.channels, white: image.white }).toEqual({ channels, white });
    const bits = [0, ...new Array(8).fill(255), 0, ...new Array(10).fill(255)];
    expect([...image.values]).toEqual(expected ?? bits);
  });

  it.each([
    ["damaged netpbm header", text("P5 2 x 255\n")],
    ["damaged netpbm header", text("P5 2 2 70000\n", [1, 2, 3, 4])],
    ["truncated: 4 bytes of samples expected, 3 left", text("P5 2 2 255\n", [1, 2, 3])],
    ["truncated or damaged netpbm samples", text("P2 2 2 255\n1 2 3")],
    ["truncated or damaged netpbm samples", text("P2 2 1 9\n1 10")],
    ["a sample is above the largest value of the header", text("P5 2 1 9\n", [1, 10])],
    [
      "a file of several netpbm pictures; split it first",
      text("P5 1 1 9\n", [1, ...text("P5 1 1 9\n", [1])]),
    ],
  ])("refuses: %s", (message, bytes) => {
    expect(() => decodeNetpbm(bytes)).toThrow(message);
  });
});
