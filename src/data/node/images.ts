/**
 * Image files as signals, grey or colour, through sharp: PNG, JPEG, WebP, TIFF, GIF, AVIF, and SVG from
 * files named `.svg`. Pixels and the time for decoding are limited.
 *
 * Samples have the values in the file on the scale 0 to 255, as numpy or Matlab would
 * read them, not those that a colour-managed viewer would show:
 *
 *   grey         luma of BT.601, 0.299 R + 0.587 G + 0.114 B, in floating point;
 *                profiles are ignored, except that CMYK is converted to sRGB by its profile
 *   colour       red, green and blue, [height, width, 3]; a grey picture has no colour
 *   16 bits      divided by 257, fractions kept
 *   float, int   grey TIFF samples as they are, on their own scale
 *   alpha        laid over black: the colours of transparent pixels mean nothing
 *   animation    the first picture
 *   orientation  turned upright as EXIF says
 */

import { extname } from "node:path";
import type { Metadata } from "sharp";
import { requireArgument, text } from "../../core/arguments/argumentTypes.js";
import { InputError } from "../../core/errors.js";
import { isNodata } from "../../core/samples/gaps.js";
import type { Shape } from "../../core/shape.js";
import { makeSignal, notFinite, type Signal } from "../../core/signal.js";
import { readFileBytes } from "./files.js";
import { imageFormatOf } from "./imageFormat.js";

/** Endings of the files in a folder that are taken as images. */
export const imageExtensions = [
  ".avif",
  ".gif",
  ".jfif",
  ".jpe",
  ".jpeg",
  ".jpg",
  ".png",
  ".tif",
  ".tiff",
  ".webp",
] as const;

/** The samples in an image file, before they become a signal. */
export interface ImageSamples {
  /** Interleaved channels. */
  readonly values: Float32Array | Uint8Array;
  readonly width: number;
  readonly height: number;
  readonly channels: number;
  readonly hasAlpha: boolean;
  /** Whether the file is a colour picture, by its header: its channels may still be equal. */
  readonly colour: boolean;
  /** The value of white. */
  readonly white: number;
  /** Bits per sample in the file: 8, 16, or 32 for float and integer samples on a scale of their own. */
  readonly bits: 8 | 16 | 32;
  /** Number of pictures in the file; only the first is read. */
  readonly pictures: number;
}

/** Largest number of pixels of a picture; decoding takes up to 16 bytes per pixel. */
const maxPixels = 2 ** 27;

/** Seconds that decoding a picture may take; the largest takes a few. */
const maxSeconds = 120;

/** The picture in a file, as a grey signal of shape [height, width] named after its path. */
export async function readImage(path: string): Promise<Signal> {
  requireArgument("readImage", "path", path, text);
  return decodeImage(await readFileBytes(path), path);
}

/** The samples in a file, all channels. */
export async function readSamples(path: string): Promise<ImageSamples> {
  return decoded(await readFileBytes(path), path, decode);
}

/** How a picture is read: as grey, or with its colours. */
export type PictureKind = "grey" | "colour";

/** The picture in the bytes of a file, with NaN where `nodata` marks a missing pixel; `name` is for messages. */
export async function decodeImage(
  bytes: Uint8Array,
  name: string,
  nodata: readonly number[] = [],
  kind: PictureKind = "grey",
): Promise<Signal> {
  const samples = await decoded(bytes, name, decode);
  const { height, width, colour } = samples;
  const isColour = kind === "colour" && colour;
  const data = isColour ? toColours(samples) : toGrey(samples);
  const shape = isColour ? [height, width, 3] : [height, width];
  if (nodata.length === 0) return makeSignal(name, shape, data);
  const channels = isColour ? 3 : 1;
  for (let i = 0; i < data.length; i++) {
    if (isMissingPixel(samples, Math.floor(i / channels), nodata)) data[i] = Number.NaN;
    else if (!Number.isFinite(data[i])) throw notFinite(name, shape, data, i);
  }
  return { name, shape, data };
}

/** Whether all colours of a pixel have, in the file, a value that marks missing samples. */
export function isMissingPixel(
  { values, channels, hasAlpha }: ImageSamples,
  pixel: number,
  nodata: readonly number[],
): boolean {
  const colours = hasAlpha ? channels - 1 : channels;
  for (let c = 0; c < colours; c++) if (!isNodata(values[pixel * channels + c], nodata)) return false;
  return true;
}

/** The shape that the picture will have, from its header; often the first bytes of the file are enough. */
export async function imageShape(
  bytes: Uint8Array,
  name: string,
  kind: PictureKind = "grey",
): Promise<Shape> {
  const { height, width, metadata } = await decoded(bytes, name, readHeader);
  return kind === "colour" && !isGreySpace(metadata) ? [height, width, 3] : [height, width];
}

/** Whether the samples of a file are grey values, with or without opacity. */
function isGreySpace({ space }: Metadata): boolean {
  return space === "grey16" || space === "b-w";
}

/** Do work on the bytes of an image; any failure becomes an error of one line. */
async function decoded<T>(
  bytes: Uint8Array,
  name: string,
  work: (bytes: Uint8Array) => Promise<T>,
): Promise<T> {
  try {
    requireFormat(bytes, name);
    return await work(bytes);
  } catch (error) {
    throw new InputError(`${name}: cannot be read as an image (${shortReason(error)})`);
  }
}

/** Reject formats that are not read, before the decoder sees them. */
function requireFormat(bytes: Uint8Array, name: string): void {
  if (bytes.length === 0) throw new Error("empty file");
  const format = imageFormatOf(bytes);
  if (format === undefined) throw new Error("unsupported image format");
  if (format === "SVG" && extname(name).toLowerCase() !== ".svg")
    throw new Error("SVG is read only from files named .svg");
}

interface ImageHeader {
  readonly width: number;
  readonly height: number;
  readonly metadata: Metadata;
}

async function readHeader(bytes: Uint8Array): Promise<ImageHeader> {
  const { default: sharp } = await import("sharp"); // only when there is an image to read
  const metadata = await sharp(bytes, { limitInputPixels: false }).metadata();
  const { width, height } = metadata.autoOrient;
  if (!(width * height <= maxPixels)) throw new Error(`${width}x${height} is more than ${maxPixels} pixels`);
  return { width, height, metadata };
}

async function decode(bytes: Uint8Array): Promise<ImageSamples> {
  const { default: sharp } = await import("sharp");
  const { metadata } = await readHeader(bytes);
  const { space, hasProfile, hasAlpha, depth, pages = 1 } = metadata;
  const wide = space === "grey16" || space === "rgb16";
  const grey = isGreySpace(metadata) && !hasAlpha; // in grey, sharp would drop alpha
  const target = grey ? space : wide ? "rgb16" : "srgb";
  const small = depth === "uchar" && space !== "cmyk"; // bytes: a quarter of the memory, the same values
  const { data, info } = await sharp(bytes, {
    ignoreIcc: space !== "cmyk" || !hasProfile,
    limitInputPixels: maxPixels,
  })
    .timeout({ seconds: maxSeconds })
    .autoOrient()
    .toColourspace(target)
    .raw({ depth: small ? "uchar" : "float" })
    .toBuffer({ resolveWithObject: true });
  const { width, height, channels } = info;
  const values = small ? data : asFloats(data);
  const bits = wide ? 16 : depth === "uchar" ? 8 : 32;
  const white = wide ? 65535 : 255;
  const colours = info.hasAlpha ? channels - 1 : channels;
  const colour = colours >= 3 && !isGreySpace(metadata);
  return { values, width, height, channels, hasAlpha: info.hasAlpha, colour, white, bits, pictures: pages };
}

/** The bytes as f32 numbers, copied because they may not be aligned. */
function asFloats(data: Uint8Array): Float32Array {
  const values = new Float32Array(data.length / 4);
  new Uint8Array(values.buffer).set(data);
  return values;
}

/** Luma over black, on the scale 0 to 255. */
function toGrey({ values, width, height, channels, hasAlpha, white }: ImageSamples): Float32Array {
  const grey = new Float32Array(width * height);
  const colours = hasAlpha ? channels - 1 : channels;
  for (let i = 0; i < grey.length; i++) {
    const at = i * channels;
    const red = values[at];
    const luma = colours < 3 ? red : 0.299 * red + 0.587 * values[at + 1] + 0.114 * values[at + 2];
    const opacity = hasAlpha ? values[at + channels - 1] / white : 1;
    grey[i] = (luma * opacity * 255) / white;
  }
  return grey;
}

/** Red, green and blue over black, on the scale 0 to 255. */
function toColours({ values, width, height, channels, hasAlpha, white }: ImageSamples): Float32Array {
  const colours = new Float32Array(width * height * 3);
  for (let i = 0; i < width * height; i++) {
    const opacity = hasAlpha ? values[(i + 1) * channels - 1] / white : 1;
    for (let c = 0; c < 3; c++) colours[3 * i + c] = (values[i * channels + c] * opacity * 255) / white;
  }
  return colours;
}

/** The first line of a message of sharp, without "Input buffer". */
function shortReason(error: unknown): string {
  const [first = ""] = (error as Error).message.split("\n");
  if (first.startsWith("timeout")) return `decoding takes more than ${maxSeconds} seconds`;
  const reason = first.replace(/^Input buffer (contains |has )?/i, "").replace(/:?\s*$/, "");
  return reason || "unknown reason";
}
