import sharp from "sharp";
import { describe, expect, it } from "vitest";
import { InputError } from "../../core/errors.js";
import { imageFormatOf } from "./imageFormat.js";
import { decodeImage } from "./images.js";

const flat = sharp({ create: { width: 16, height: 8, channels: 3, background: "#636363" } });
const svg = new TextEncoder().encode(
  '<?xml version="1.0"?>\n<svg xmlns="http://www.w3.org/2000/svg" width="16" height="8"><rect width="16" height="8" fill="#636363"/></svg>',
);
const text = (start: string) => Uint8Array.from(start.padEnd(200), (letter) => letter.charCodeAt(0));

describe("the format of an image", () => {
  it.each([
    ["PNG", "png"],
    ["JPEG", "jpeg"],
    ["WebP", "webp"],
    ["TIFF", "tiff"],
    ["GIF", "gif"],
    ["AVIF", "avif"],
  ] as const)("%s is read under any name", async (format, written) => {
    const bytes = await flat.clone().toFormat(written).toBuffer();
    expect(imageFormatOf(bytes)).toBe(format);
    for (const name of ["a.png", "a.jpg", "a.svg", "photo"])
      expect((await decodeImage(bytes, name)).shape).toEqual([8, 16]);
  });

  it("TIFF has either byte order, and a large variant", async () => {
    for (const bigtiff of [false, true]) {
      const bytes = await flat.clone().tiff({ bigtiff }).toBuffer();
      expect(imageFormatOf(bytes)).toBe("TIFF");
    }
    expect(["II*\0", "MM\0*", "II+\0", "MM\0+"].map((start) => imageFormatOf(text(start)))).toEqual(
      new Array(4).fill("TIFF"),
    );
  });

  it("SVG is read from files named .svg alone", async () => {
    expect(imageFormatOf(svg)).toBe("SVG");
    expect((await decodeImage(svg, "drawing.svg")).data[0]).toBeCloseTo(99, 0);
    expect((await decodeImage(svg, "DRAWING.SVG")).shape).toEqual([8, 16]);
    await expect(decodeImage(svg, "drawing.png")).rejects.toThrow(
      new InputError("drawing.png: cannot be read as an image (SVG is read only from files named .svg)"),
    );
  });

  it.each([
    ["PDF", "%PDF-1.7"],
    ["PostScript", "%!PS-Adobe-3.0"],
    ["a shell script", "#!/bin/sh"],
    ["HTML", "<!DOCTYPE html><html>"],
    ["ImageMagick's own", "push graphic-context"],
    ["FITS", "SIMPLE  =                    T"],
    ["RIFF sound", "RIFF1234WAVEfmt "],
    ["JPEG XL", "\xff\x0a"],
    ["JPEG 2000", "\0\0\0\x0cjP  \r\n"],
    ["OpenEXR", "v/1\x01"],
    ["FITS", "SIMPLE  ="],
    ["Radiance", "#?RADIANCE"],
    ["gzip, as of .svgz", "\x1f\x8b\x08"],
    ["libvips", "\x08\xf2\xa6\xb6"],
  ])("%s is not given to the decoder", async (_, start) => {
    expect(imageFormatOf(text(start))).toBeUndefined();
    await expect(decodeImage(text(start), "a.png")).rejects.toThrow(
      "a.png: cannot be read as an image (unsupported image format)",
    );
  });
});
