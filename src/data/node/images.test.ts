import { readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import sharp, { type Sharp } from "sharp";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { InputError } from "../../core/errors.js";
import { decodeImage, imageShape, readImage } from "./images.js";

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "trainlets-images-"));
});

afterAll(() => rm(folder, { recursive: true }));

/** A picture one row high from its interleaved samples. */
function row(values: number[], channels: 1 | 2 | 3 | 4, depth: "uchar" | "ushort" = "uchar"): Sharp {
  const data = depth === "uchar" ? Uint8Array.from(values) : Uint16Array.from(values);
  const image = sharp(data, { raw: { width: values.length / channels, height: 1, channels } });
  const spaces = depth === "uchar" ? ["b-w", "srgb"] : ["grey16", "rgb16"];
  return image.toColourspace(channels < 3 ? spaces[0] : spaces[1]);
}

async function saved(name: string, image: Sharp | Uint8Array): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, image instanceof Uint8Array ? image : await image.toBuffer());
  return path;
}

/** A grey TIFF of f32 samples, one row: a header, a directory of 10 fields, the samples. */
function floatTiff(values: number[]): Uint8Array {
  const fields = [
    [256, values.length], // width
    [257, 1], // height
    [258, 32], // bits per sample
    [259, 1], // no compression
    [262, 1], // black is zero
    [273, 134], // where the samples are
    [277, 1], // samples per pixel
    [278, 1], // rows per strip
    [279, 4 * values.length], // bytes of the strip
    [339, 3], // floating point
  ] as const;
  const view = new DataView(new ArrayBuffer(134 + 4 * values.length));
  view.setUint32(0, 0x002a4949, true);
  view.setUint32(4, 8, true);
  view.setUint16(8, fields.length, true);
  fields.forEach(([tag, value], i) => {
    view.setUint16(10 + 12 * i, tag, true);
    view.setUint16(12 + 12 * i, 3, true); // a 16-bit number
    view.setUint32(14 + 12 * i, 1, true);
    view.setUint32(18 + 12 * i, value, true);
  });
  values.forEach((value, i) => {
    view.setFloat32(134 + 4 * i, value, true);
  });
  return new Uint8Array(view.buffer);
}

const luma = (r: number, g: number, b: number) => Math.fround(0.299 * r + 0.587 * g + 0.114 * b);

describe("decodeImage", () => {
  it("keeps colours on request: 8 and 16 bits, over black, missing pixels", async () => {
    const path = await saved(
      "rgba.png",
      row([255, 0, 10, 255, 20, 40, 60, 51, 7, 7, 7, 255, 0, 0, 0, 0], 4).png(),
    );
    const colours = await decodeImage(readFileSync(path), path, [7], "colour");
    expect(colours.shape).toEqual([1, 4, 3]);
    expect([...colours.data]).toEqual([255, 0, 10, 4, 8, 12, NaN, NaN, NaN, 0, 0, 0]);
    expect(await imageShape(readFileSync(path), path, "colour")).toEqual([1, 4, 3]);
  });

  it("has no colours of a grey picture, with opacity or without", async () => {
    const grey = sharp(Uint8Array.of(1, 2), { raw: { width: 2, height: 1, channels: 1 } }).toColourspace(
      "b-w",
    );
    for (const [name, image] of Object.entries({ plain: grey, alpha: grey.clone().ensureAlpha(0.5) })) {
      const path = await saved(`${name}-grey.png`, image.png());
      expect((await decodeImage(readFileSync(path), path, [], "colour")).shape).toEqual([1, 2]);
      expect(await imageShape(readFileSync(path), path, "colour")).toEqual([1, 2]);
    }
  });
});

describe("readImage", () => {
  it("returns grey samples exactly, row by row", async () => {
    const data = Uint8Array.from({ length: 256 }, (_, i) => i);
    const image = sharp(data, { raw: { width: 32, height: 8, channels: 1 } }).toColourspace("b-w");
    const path = await saved("grey.png", image.png());
    expect(await readImage(path)).toEqual({ name: path, shape: [8, 32], data: Float32Array.from(data) });
  });

  it("takes the BT.601 luma of colours, in floating point", async () => {
    const path = await saved("colour.png", row([255, 0, 0, 0, 255, 0, 0, 0, 255, 10, 20, 30], 3).png());
    const { data } = await readImage(path);
    expect([...data]).toEqual([luma(255, 0, 0), luma(0, 255, 0), luma(0, 0, 255), luma(10, 20, 30)]);
  });

  it("returns the same samples for grey stored as colour", async () => {
    const greys = Array.from({ length: 256 }, (_, i) => i);
    const path = await saved(
      "rgb.png",
      row(
        greys.flatMap((v) => [v, v, v]),
        3,
      ).png(),
    );
    expect([...(await readImage(path)).data]).toEqual(greys);
  });

  it("keeps the precision of 16 bits", async () => {
    const values = [0, 1, 256, 257, 32768, 65535];
    const path = await saved("grey16.png", row(values, 1, "ushort").png());
    expect([...(await readImage(path)).data]).toEqual(values.map((v) => Math.fround(v / 257)));
    const colour = await saved("colour16.png", row([65535, 1000, 3], 3, "ushort").png());
    expect((await readImage(colour)).data[0]).toBe(
      Math.fround((0.299 * 65535 + 0.587 * 1000 + 0.114 * 3) / 257),
    );
  });

  it("keeps floating-point samples as they are, and requires them to be finite", async () => {
    const path = await saved("float.tif", floatTiff([0, 0.25, 300.5, -7]));
    expect([...(await readImage(path)).data]).toEqual([0, 0.25, 300.5, -7]);
    await expect(readImage(await saved("nan.tif", floatTiff([0, Number.NaN])))).rejects.toThrow(
      "nan.tif: samples must be finite, got NaN at [0, 1]",
    );
  });

  it("lays transparent pixels over black", async () => {
    const grey = await saved("alpha.png", row([200, 255, 200, 0, 100, 51], 2).png());
    expect([...(await readImage(grey)).data]).toEqual([200, 0, 20]);
    const wide = await saved("alpha16.png", row([257, 65535, 51400, 0, 25700, 13107], 2, "ushort").png());
    expect([...(await readImage(wide)).data]).toEqual([1, 0, 20]);
    const colour = await saved("rgba.png", row([10, 20, 30, 255, 9, 9, 9, 0], 4).png());
    expect([...(await readImage(colour)).data]).toEqual([luma(10, 20, 30), 0]);
  });

  it("turns a photo upright", async () => {
    const photo = sharp(Uint8Array.of(1, 2, 3, 4, 5, 6), { raw: { width: 2, height: 3, channels: 1 } });
    const path = await saved("turned.png", photo.toColourspace("b-w").withMetadata({ orientation: 6 }).png());
    const { shape, data } = await readImage(path);
    expect({ shape, data: [...data] }).toEqual({ shape: [2, 3], data: [5, 3, 1, 6, 4, 2] });
  });

  it("refuses animations, of which it could read the first picture", async () => {
    const frames = () =>
      sharp(Uint8Array.of(0, 0, 255, 255), { raw: { width: 2, height: 2, channels: 1, pageHeight: 1 } });
    const path = await saved("moving.gif", frames().gif({ delay: [100, 100] }));
    await expect(readImage(path)).rejects.toThrow("must hold one picture, got 2 (an animation, or pages)");
    const png = await row([1, 2, 3], 1).png().toBuffer();
    const animation = Buffer.from("0000000861635443000000020000000000000000", "hex"); // acTL: 2 pictures
    animation.write("acTL", 4);
    const moving = Buffer.concat([png.subarray(0, 33), animation, png.subarray(33)]);
    await expect(readImage(await saved("moving.png", moving))).rejects.toThrow(
      "cannot be read as an image (an animated PNG; convert it to GIF, WebP or TIFF)",
    );
  });

  it("converts CMYK to sRGB", async () => {
    const image = sharp({ create: { width: 4, height: 4, channels: 3, background: "#fff" } });
    const path = await saved("cmyk.jpg", image.toColourspace("cmyk").jpeg());
    expect((await sharp(path).metadata()).space).toBe("cmyk");
    const { shape, data } = await readImage(path);
    expect(shape).toEqual([4, 4]);
    expect(Math.min(...data)).toBeGreaterThan(250);
  });

  it("ignores colour profiles", async () => {
    const path = await saved("p3.png", row([10, 200, 30], 3).withIccProfile("p3").png());
    const samples = await sharp(path, { ignoreIcc: true }).raw().toBuffer();
    const [r, g, b] = samples;
    expect((await readImage(path)).data[0]).toBe(luma(r, g, b));
  });

  it.each(["webp", "tiff", "avif", "jpeg"] as const)("reads %s", async (format) => {
    const image = sharp({
      create: { width: 16, height: 8, channels: 3, background: { r: 99, g: 99, b: 99 } },
    });
    const { shape, data } = await readImage(await saved(`flat.${format}`, image.toFormat(format)));
    expect(shape).toEqual([8, 16]);
    expect(data.every((value) => Math.abs(value - 99) <= 2)).toBe(true);
  });

  it("reports in one line why a file cannot be read", async () => {
    const refusal = async (name: string, bytes: Uint8Array) => {
      const error = await readImage(await saved(name, bytes)).catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(InputError);
      return (error as Error).message.replace(`${folder}/`, "");
    };
    const png = await row([1, 2, 3], 1).png().toBuffer();
    expect(await refusal("empty.png", new Uint8Array())).toBe(
      "empty.png: cannot be read as an image (empty file)",
    );
    expect(await refusal("text.png", new TextEncoder().encode("hello"))).toBe(
      "text.png: cannot be read as an image (unsupported image format)",
    );
    expect(await refusal("cut.png", png.subarray(0, 40))).toBe(
      "cut.png: cannot be read as an image (corrupt header)",
    );
    expect(await refusal("half.png", png.subarray(0, png.length - 20))).toMatch(
      /^half\.png: cannot be read as an image \([^\n]+\)$/,
    );
    await expect(readImage(join(folder, "no.png"))).rejects.toThrow("no.png: cannot be read (no such file)");
  });
});
