/**
 * Image files as signals, grey or colour, through sharp: PNG, JPEG, WebP, TIFF, GIF, AVIF, and SVG from
 * files named `.svg`; BMP and netpbm pictures by decoders of the project. Pixels and the time for decoding are limited.
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
 *   pages        one picture at a time: readImage refuses files that hold several
 *   orientation  turned upright as EXIF says
 */

import { extname } from "node:path";
import type { Metadata } from "sharp";
import { requireArgument, text } from "../../core/arguments/argumentTypes.js";
import { InputError } from "../../core/errors.js";
import { isNodata } from "../../core/samples/gaps.js";
import { formatShape, type Shape } from "../../core/shape.js";
import { makeSignal, notFinite, type Signal } from "../../core/signal.js";
import { decodeBmp, readBmpHeader } from "../formats/images/bmp.js";
import { decodeNetpbm, readNetpbmHeader } from "../formats/images/netpbm.js";
import type { RasterImage, RasterSize } from "../formats/images/rasterImage.js";
import { readFileBytes } from "./files.js";
import { imageFormatOf, unreadableAnimation } from "./imageFormat.js";

/** Endings of the files in a folder that are taken as images. */
export const imageExtensions = [
  ".avif",
  ".bmp",
  ".dib",
  ".gif",
  ".jfif",
  ".jpe",
  ".jpeg",
  ".jpg",
  ".pbm",
  ".pgm",
  ".png",
  ".pnm",
  ".ppm",
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
export const maxPixels = 2 ** 27;

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
  requireOnePicture(samples, name);
  return pictureSignal(samples, name, nodata, kind);
}

/** Reject animations and files of several pages. */
export function requireOnePicture({ pictures }: ImageSamples, name: string): void {
  if (pictures > 1)
    throw new InputError(`${name}: must hold one picture, got ${pictures} (an animation, or pages)`);
}

/** Some pages of a file, which have the same shape. */
export interface PageRange {
  readonly first: number;
  readonly count: number;
  readonly shape: Shape;
}

/** The grey samples of pages, one after the other; `input` is the bytes of a file that was recognized, or its path. */
export async function decodePages(
  input: Uint8Array | string,
  { first, count, shape }: PageRange,
  name: string,
  nodata: readonly number[],
): Promise<Float32Array> {
  const samples = await oneLine(name, () => decode(input, { page: first, pages: count }));
  const expected = [count * shape[0], shape[1]];
  if (samples.height !== expected[0] || samples.width !== expected[1])
    throw new InputError(
      `${name}: became ${samples.height}x${samples.width}, was ${formatShape(expected)}, at page ${first}`,
    );
  return pictureSignal(samples, `${name}[${first}]`, nodata, "grey").data;
}

/** A picture as a signal, with NaN where `nodata` marks a missing pixel. */
function pictureSignal(
  samples: ImageSamples,
  name: string,
  nodata: readonly number[],
  kind: PictureKind,
): Signal {
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
  const { height, width, colour } = await decoded(bytes, name, readHeader);
  return kind === "colour" && colour ? [height, width, 3] : [height, width];
}

/** Whether the samples of a file are grey values, with or without opacity. */
function isGreySpace({ space }: Metadata): boolean {
  return space === "grey16" || space === "b-w";
}

/** The shape of the pictures of an animation, and how many there are. */
export async function imageFrames(
  bytes: Uint8Array,
  name: string,
): Promise<{ readonly shape: Shape; readonly frames: number }> {
  const { height, width, metadata } = await decoded(bytes, name, readHeader);
  return { shape: [height, width], frames: metadata?.pages ?? 1 };
}

/** Do work on the bytes of an image; any failure becomes an error of one line. */
async function decoded<T>(
  bytes: Uint8Array,
  name: string,
  work: (bytes: Uint8Array) => Promise<T>,
): Promise<T> {
  return oneLine(name, () => {
    requireFormat(bytes, name);
    return work(bytes);
  });
}

async function oneLine<T>(name: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
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
  const animation = unreadableAnimation(format, bytes);
  if (animation) throw new Error(`${animation}; convert it to GIF, WebP or TIFF`);
}

interface ImageHeader extends RasterSize {
  /** What sharp says of it; undefined for formats that it does not read. */
  readonly metadata: Metadata | undefined;
}

async function readHeader(input: Uint8Array | string, page = 0): Promise<ImageHeader> {
  const own = typeof input === "string" ? undefined : ownFormats[imageFormatOf(input) ?? ""];
  if (own) return { ...requirePixels(own.size(input as Uint8Array)), metadata: undefined };
  const { default: sharp } = await import("sharp"); // only when there is an image to read
  const metadata = await sharp(input, { limitInputPixels: false, page }).metadata();
  return { ...requirePixels({ ...metadata.autoOrient, colour: !isGreySpace(metadata) }), metadata };
}

function requirePixels({ width, height, colour }: RasterSize): RasterSize {
  if (!(width * height <= maxPixels)) throw new Error(`${width}x${height} is more than ${maxPixels} pixels`);
  return { width, height, colour };
}

/** Formats that are decoded here, and not by sharp. */
const ownFormats: Readonly<Record<string, OwnFormat>> = {
  BMP: { size: readBmpHeader, decode: decodeBmp },
  Netpbm: { size: readNetpbmHeader, decode: decodeNetpbm },
};

interface OwnFormat {
  size(bytes: Uint8Array): RasterSize;
  decode(bytes: Uint8Array): RasterImage;
}

function decodeOwn({ size, decode }: OwnFormat, bytes: Uint8Array): ImageSamples {
  requirePixels(size(bytes));
  const image = decode(bytes);
  const { channels, white } = image;
  return {
    ...image,
    hasAlpha: channels === 4,
    colour: channels > 1,
    bits: white > 255 ? 16 : 8,
    pictures: 1,
  };
}

async function decode(
  input: Uint8Array | string,
  range: { readonly page: number; readonly pages: number } = { page: 0, pages: 1 },
): Promise<ImageSamples> {
  const { metadata } = await readHeader(input, range.page);
  if (metadata === undefined) {
    const bytes = input as Uint8Array;
    return decodeOwn(ownFormats[imageFormatOf(bytes) ?? ""], bytes);
  }
  const { default: sharp } = await import("sharp");
  const { space, hasProfile, hasAlpha, depth, pages = 1 } = metadata;
  const wide = space === "grey16" || space === "rgb16";
  const grey = isGreySpace(metadata) && !hasAlpha; // in grey, sharp would drop alpha
  const target = grey ? space : wide ? "rgb16" : "srgb";
  const small = depth === "uchar" && space !== "cmyk"; // bytes: a quarter of the memory, the same values
  const { data, info } = await sharp(input, {
    ...range,
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
