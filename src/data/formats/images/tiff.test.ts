import { describe, expect, it } from "vitest";
import { InputError } from "../../../core/errors.js";
import type { ReadBytes } from "../readBytes.js";
import { tiffOf } from "./tiff.case.js";
import { listTiffPages } from "./tiff.js";

const list = (bytes: Uint8Array) => {
  const read: ReadBytes = async (offset, length) => bytes.subarray(offset, offset + length);
  return listTiffPages(read, bytes.length, "x.tif");
};
const page = (width: number, height: number) => ({ width, height, samples: new Uint8Array(width * height) });
const pages = [page(5, 4), { ...page(3, 2), orientation: 6 }, { ...page(2, 2), subfile: 1 }];

describe("listTiffPages", () => {
  it.each([
    ["little-endian", {}],
    ["big-endian", { bigEndian: true }],
    ["BigTIFF", { bigTiff: true }],
    ["big-endian BigTIFF", { bigTiff: true, bigEndian: true }],
  ])("lists pages, how they are turned, and copies of lower resolution: %s", async (_, form) => {
    expect(await list(tiffOf(pages, form))).toEqual([
      { width: 5, height: 4, orientation: 1, reduced: false },
      { width: 3, height: 2, orientation: 6, reduced: false },
      { width: 2, height: 2, orientation: 1, reduced: true },
    ]);
  });

  it("refuses every beginning of a file", async () => {
    const bytes = tiffOf(pages);
    for (let length = 0; length < bytes.length; length++)
      await expect(list(bytes.subarray(0, length))).rejects.toBeInstanceOf(InputError);
  });

  it("refuses pages that lead to themselves", async () => {
    const bytes = tiffOf([page(2, 2), page(2, 2)]);
    bytes.set(bytes.subarray(4, 8), bytes.length - 4); // the last page leads to the first
    await expect(list(bytes)).rejects.toThrow("x.tif: damaged TIFF: page 3 is an earlier page again");
  });

  it("refuses pages without a size, and other files", async () => {
    await expect(list(tiffOf([page(2, 2), page(0, 2)]))).rejects.toThrow("damaged TIFF: page 2 has no size");
    await expect(list(tiffOf([]))).rejects.toThrow("x.tif: damaged TIFF: it has no pages");
    await expect(list(new TextEncoder().encode("II??abcdefgh"))).rejects.toThrow("x.tif: not a TIFF file");
  });
});
