/**
 * Image files as pictures to process and to write again: grey or colour, 8 or 16
 * bits, with or without opacity.
 *
 * Samples are on the scale 0 to 255 whatever the bits, as in images.ts; a picture of
 * 16 bits is written with 16 bits. Colour keeps its three channels. Opacity is copied
 * unchanged. EXIF orientation is applied, CMYK is converted to sRGB, other profiles are
 * ignored and not written. Animations and files of several pages are rejected, since
 * only one picture would be written.
 */

import { extname } from "node:path";
import {
  flag,
  float32,
  numberList,
  type OptionTypes,
  requireArgument,
  requireArguments,
  required,
  requireOptions,
  signal as signalType,
  text,
} from "../../core/arguments/argumentTypes.js";
import { requireFiniteResult } from "../../core/require.js";
import { notFinite, type Signal } from "../../core/signal.js";
import { writeFileAtomic } from "./files.js";
import { type ImageSamples, isMissingPixel, readSamples, requireOnePicture } from "./images.js";

export interface PictureFile {
  /** Of shape [height, width], or [height, width, 3] for red, green, blue; 0 is black, 255 white. */
  readonly signal: Signal;
  /** Opacity of each pixel from 0 to 1, if the file has it. */
  readonly opacity: Float32Array | undefined;
  /** The samples as they are in the file, on the same scale, if some are missing. */
  readonly given?: Float32Array;
  /** Bits per sample; 32 for samples on a scale of their own, which only arrays can hold. */
  readonly bits: 8 | 16 | 32;
}

const pictureTypes: OptionTypes<PictureFile> = {
  signal: required(signalType),
  opacity: float32,
  given: float32,
  bits: required({ words: "8, 16 or 32", accepts: (value) => [8, 16, 32].includes(value as number) }),
};

/** Endings of files that pictures can be written to. */
export const pictureExtensions = [".png", ".tif", ".tiff"] as const;

/**
 * The one picture in a file, with NaN where `nodata` marks a missing pixel. A colour file whose channels are equal
 * everywhere is a grey picture, unless `keepColour`.
 */
export async function readPictureFile(
  path: string,
  nodata: readonly number[] = [],
  keepColour = false,
): Promise<PictureFile> {
  requireArguments("readPictureFile", {
    path: [path, text],
    nodata: [nodata, numberList],
    keepColour: [keepColour, flag],
  });
  const samples = await readSamples(path);
  requireOnePicture(samples, path);
  const { width, height, channels, bits, white } = samples;
  const colours = samples.colour && (keepColour || !isGrey(samples)) ? 3 : 1;
  const shape = colours === 1 ? [height, width] : [height, width, colours];
  const data = new Float32Array(width * height * colours);
  const given = nodata.length > 0 ? new Float32Array(data.length) : undefined;
  for (let i = 0; i < width * height; i++) {
    const missing = nodata.length > 0 && isMissingPixel(samples, i, nodata);
    for (let c = 0; c < colours; c++) {
      const at = i * colours + c;
      data[at] = (samples.values[i * channels + c] * 255) / white;
      if (given) given[at] = data[at];
      if (!missing && !Number.isFinite(data[at])) throw notFinite(path, shape, data, at);
      if (missing) data[at] = Number.NaN;
    }
  }
  const signal = { name: path, shape, data };
  return { signal, opacity: readOpacity(samples), bits, ...(given ? { given } : {}) };
}

/** Write a picture as PNG or TIFF, by the ending of the path; samples are rounded and clipped to the range of the file. */
export async function writePictureFile(path: string, picture: PictureFile): Promise<void> {
  requireArgument("writePictureFile", "path", path, text);
  requireOptions("writePictureFile: picture", picture, pictureTypes);
  requireFiniteResult(path, picture.signal.data);
  const { default: sharp } = await import("sharp");
  const { signal, opacity, bits } = picture;
  const [height, width, colours = 1] = signal.shape as [number, number, number?];
  const channels = (colours + (opacity ? 1 : 0)) as 1 | 2 | 3 | 4;
  const white = bits === 16 ? 65535 : 255;
  const values = new (bits === 16 ? Uint16Array : Uint8Array)(width * height * channels);
  const whole = (value: number) => Math.min(white, Math.max(0, Math.round(value)));
  for (let i = 0; i < width * height; i++) {
    for (let c = 0; c < colours; c++)
      values[i * channels + c] = whole((signal.data[i * colours + c] * white) / 255);
    if (opacity) values[i * channels + colours] = whole(opacity[i] * white);
  }
  const space = bits === 16 ? (colours === 1 ? "grey16" : "rgb16") : colours === 1 ? "b-w" : "srgb";
  const image = sharp(values, { raw: { width, height, channels } }).toColourspace(space);
  const png = extname(path).toLowerCase() === ".png";
  await writeFileAtomic(path, await (png ? image.png() : image.tiff({ compression: "deflate" })).toBuffer());
}

/** Whether red, green and blue are equal everywhere, as in many grey pictures stored as colour. */
function isGrey({ values, channels }: ImageSamples): boolean {
  for (let at = 0; at < values.length; at += channels)
    if (values[at] !== values[at + 1] || values[at] !== values[at + 2]) return false;
  return true;
}

function readOpacity({
  values,
  width,
  height,
  channels,
  hasAlpha,
  white,
}: ImageSamples): Float32Array | undefined {
  if (!hasAlpha) return undefined;
  return Float32Array.from({ length: width * height }, (_, i) => values[(i + 1) * channels - 1] / white);
}
