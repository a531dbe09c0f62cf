import fc from "fast-check";
import sharp from "sharp";
import { describe, expect, it } from "vitest";
import { crc32 } from "../data/formats/checksums.js";
import { encodePng, type Picture } from "./png.js";

const pictures = fc
  .record({
    width: fc.integer({ min: 1, max: 20 }),
    height: fc.integer({ min: 1, max: 20 }),
    channels: fc.constantFrom(1 as const, 3 as const),
  })
  .chain(({ width, height, channels }) => {
    const length = width * height * channels;
    return fc
      .uint8Array({ minLength: length, maxLength: length })
      .map((data): Picture => ({ width, height, channels, data }));
  });

describe("encodePng", () => {
  it("keeps every pixel, as another decoder reads it", async () => {
    await fc.assert(
      fc.asyncProperty(pictures, async (picture) => {
        const { data, info } = await sharp(encodePng(picture))
          .toColourspace(picture.channels === 1 ? "b-w" : "srgb")
          .raw()
          .toBuffer({ resolveWithObject: true });
        expect(info).toMatchObject({
          width: picture.width,
          height: picture.height,
          channels: picture.channels,
        });
        expect([...data]).toEqual([...picture.data]);
      }),
      { numRuns: 40 },
    );
  });

  it("consists of the chunks IHDR, IDAT and IEND, each with its CRC", () => {
    fc.assert(
      fc.property(pictures, (picture) => {
        const chunks = chunksOf(encodePng(picture));
        expect(chunks.map(({ type }) => type)).toEqual(["IHDR", "IDAT", "IEND"]);
        for (const { body, crc } of chunks) expect(crc).toBe(crc32(body));
      }),
      { numRuns: 20 },
    );
  });

  it("gives the same bytes for the same picture", () => {
    const picture: Picture = {
      width: 3,
      height: 2,
      channels: 1,
      data: Uint8Array.of(0, 50, 100, 150, 200, 250),
    };
    expect(encodePng(picture)).toEqual(encodePng({ ...picture, data: picture.data.slice() }));
  });

  it("rejects what is not a picture", () => {
    const picture: Picture = { width: 2, height: 2, channels: 1, data: new Uint8Array(4) };
    expect(() => encodePng({ ...picture, width: 0 })).toThrow(
      "encodePng: width must be an integer from 1 to 2147483647, got 0",
    );
    expect(() => encodePng({ ...picture, channels: 4 as 3 })).toThrow(
      "encodePng: channels must be 1 or 3, got 4",
    );
    expect(() => encodePng({ ...picture, channels: 3 })).toThrow(
      "encodePng: data must hold 2 × 2 × 3 samples, got 4",
    );
  });
});

/** For each chunk after the signature: its type, type and data together, and the stored CRC. */
function chunksOf(png: Uint8Array) {
  const view = new DataView(png.buffer, png.byteOffset, png.length);
  const chunks: { type: string; body: Uint8Array; crc: number }[] = [];
  for (let at = 8; at < png.length; ) {
    const end = at + 8 + view.getUint32(at);
    const body = png.subarray(at + 4, end);
    chunks.push({ type: String.fromCharCode(...body.subarray(0, 4)), body, crc: view.getUint32(end) });
    at = end + 4;
  }
  return chunks;
}
