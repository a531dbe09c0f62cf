/** Image files of several pages as signals: every page a picture, or all pages one stack. */

import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { tiffOf } from "../../formats/images/tiff.case.js";
import { samplesOf, unitSignals } from "../../sampling/signalSource.js";
import { openSource } from "../openSource.js";
import { readSignals } from "../readSignals.js";

let folder: string;
const path = (name: string) => join(folder, name);
const [count, height, width] = [6, 9, 8];
const samples = Uint8Array.from({ length: count * height * width }, (_, i) => (i * 37 + (i >> 3)) % 251);
const picture = (p: number) => samples.subarray(p * height * width, (p + 1) * height * width);
const page = (p: number) => ({ width, height, samples: picture(p) });
const pages = Array.from({ length: count }, (_, p) => page(p));

async function read(name: string, patch: number[]) {
  const skipped: string[] = [];
  const onSkip = (message: string) => void skipped.push(message.replace(`${folder}/`, ""));
  const signals = await readSignals(path(name), { patch, onSkip });
  return { signals, skipped };
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "trainlets-pages-"));
  await writeFile(path("stack.tif"), tiffOf(pages));
  const frames = () =>
    sharp(Buffer.from(samples), { raw: { width, height: count * height, channels: 1, pageHeight: height } });
  await writeFile(path("frames.gif"), await frames().gif({ colours: 256, dither: 0, effort: 1 }).toBuffer());
  await writeFile(path("frames.webp"), await frames().webp({ lossless: true }).toBuffer());
});

afterAll(() => rm(folder, { recursive: true }));

describe("a file of several pages", () => {
  it.each(["stack.tif", "frames.webp"])(
    "%s: every page is a picture for a patch of two axes",
    async (name) => {
      const { signals } = await read(name, [4, 4]);
      expect(signals.map(({ shape }) => shape)).toEqual(pages.map(() => [height, width]));
      expect(signals[1].name).toBe(`${path(name)}[1]`);
      expect(signals.flatMap(({ data }) => [...data])).toEqual([...samples]);
    },
  );

  it.each(["stack.tif", "frames.webp"])("%s: pages are the first axis for a patch of three", async (name) => {
    const { signals } = await read(name, [2, 4, 4]);
    expect(signals.map(({ shape }) => shape)).toEqual([[count, height, width]]);
    expect([...signals[0].data]).toEqual([...samples]);
  });

  it("has all frames of a GIF", async () => {
    const { signals } = await read("frames.gif", [4, 4]);
    expect(signals).toHaveLength(count);
    expect(new Set(signals.map(({ data }) => data.join())).size).toBe(count);
  });

  it("is read in pieces", async () => {
    const inPieces = async (patch: number[]) => {
      const source = await openSource(path("stack.tif"), { patch, unitSamples: 3 * height * width });
      const signals = [];
      for (const [i, unit] of source.units.entries()) {
        const room = new Float32Array(samplesOf(unit));
        await source.read(i, room);
        signals.push(...unitSignals(unit, room));
      }
      await source.close();
      return signals;
    };
    const pictures = await inPieces([4, 4]);
    expect(pictures.flatMap(({ data }) => [...data])).toEqual([...samples]);
    const pieces = await inPieces([2, 4, 4]); // of 3 pages, 1 in common with the next
    expect(pieces.map(({ shape }) => shape[0])).toEqual([3, 3, 2]);
    const starts = pieces.map(({ data }) => data[0]);
    expect(starts).toEqual([samples[0], samples[2 * height * width], samples[4 * height * width]]);
  });

  it("leaves out thumbnails and masks", async () => {
    const small = { width: 4, height: 4, samples: new Uint8Array(16) };
    const all = [page(0), { ...small, subfile: 1 }, page(1), { ...page(2), subfile: 4 }];
    await writeFile(path("thumbnails.tif"), tiffOf(all));
    const { signals, skipped } = await read("thumbnails.tif", [4, 4]);
    expect(signals.map(({ name }) => name.slice(-3))).toEqual(["[0]", "[2]"]);
    expect(signals.flatMap(({ data }) => [...data])).toEqual([...picture(0), ...picture(1)]);
    expect(skipped).toEqual([]);
    await writeFile(path("one.tif"), tiffOf([page(3), { ...small, subfile: 1 }]));
    expect([...(await read("one.tif", [4, 4])).signals[0].data]).toEqual([...picture(3)]);
  });

  it("turns each page upright", async () => {
    await writeFile(path("turned.tif"), tiffOf([page(0), { ...page(1), orientation: 6 }]));
    const { signals } = await read("turned.tif", [4, 4]);
    expect(signals.map(({ shape }) => shape)).toEqual([
      [height, width],
      [width, height],
    ]);
    expect(signals[1].data[0]).toBe(picture(1)[(height - 1) * width]);
  });

  it("may have pages of several sizes, as pictures only", async () => {
    const small = { width: 3, height: 3, samples: new Uint8Array(9) };
    await writeFile(path("mixed.tif"), tiffOf([page(0), small, page(1)]));
    const { signals, skipped } = await read("mixed.tif", [4, 4]);
    expect(signals).toHaveLength(2);
    expect(skipped).toEqual(["mixed.tif[1]: 3x3 is smaller than the patch 4x4, skipped"]);
    await expect(read("mixed.tif", [2, 3, 2])).rejects.toThrow(
      "mixed.tif: pages of different sizes, 9x8 and 3x3, are not one stack; a patch with 2 axes takes every page as a picture",
    );
    await expect(read("mixed.tif", [3, 3, 3])).rejects.toThrow(
      "mixed.tif has 3 pages: colour patches (3x3x3) are cut from files of one picture",
    );
  });

  it("is refused for other patches", async () => {
    await expect(read("stack.tif", [4])).rejects.toThrow(
      "stack.tif has 6 pages: the patch must have 2 axes (each page is a picture) or 3 (pages × height × width), got 4",
    );
    await expect(read("stack.tif", [7, 4, 4])).rejects.toThrow("6x9x8 is smaller than the patch 7x4x4");
  });
});
