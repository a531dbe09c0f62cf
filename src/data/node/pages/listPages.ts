/**
 * The pictures in an image file: pages of a TIFF, frames of an animated GIF or WebP. All other images hold one.
 *
 * Thumbnails, masks and the smaller copies of a pyramid, which a TIFF has as pages, are left out.
 */

import { InputError } from "../../../core/errors.js";
import type { Shape } from "../../../core/shape.js";
import { listTiffPages, type TiffPage } from "../../formats/images/tiff.js";
import { imageFormatOf } from "../imageFormat.js";
import { imageFrames, maxPixels, type PictureKind } from "../images.js";
import { type ImageBytes, readImageShape, readImageStart } from "./imageBytes.js";

/** A picture of a file. */
export interface Page {
  /** Its number in the file, from 0. */
  readonly index: number;
  readonly shape: Shape;
  /** Whether it is stored as it is to be seen. */
  readonly upright: boolean;
}

export interface ImagePages {
  readonly pages: readonly Page[];
  /** Whether the file has one picture and nothing else. */
  readonly single: boolean;
}

/** The pictures of a file; one that is the only one has the shape that it is read with, grey or colour. */
export async function listPages(
  image: ImageBytes,
  name: string,
  kind: PictureKind = "grey",
): Promise<ImagePages> {
  const start = await readImageStart(image);
  const format = imageFormatOf(start);
  const only = async () => {
    const shape = await readImageShape(image, start, name, kind);
    return { pages: [{ index: 0, shape, upright: true }], single: true };
  };
  if (format === "TIFF") return (await tiffPages(image, name)) ?? only();
  if (format === "GIF" || (format === "WebP" && isAnimatedWebp(start))) {
    const { shape, frames } = await imageFrames(await image.read(image.length), name);
    if (frames === 1) return only();
    const pages = Array.from({ length: frames }, (_, index) => ({ index, shape, upright: true }));
    return { pages, single: false };
  }
  return only();
}

/** The pages of a TIFF; undefined if there is one. */
async function tiffPages(image: ImageBytes, name: string): Promise<ImagePages | undefined> {
  const all = await listTiffPages(image.reader(), image.length, name);
  if (all.length === 1) return undefined;
  const large = all.find(({ width, height }) => !(width * height <= maxPixels));
  if (large) throw tooManyPixels(large, name);
  const pages = all.map(({ width, height, orientation }, index) => ({
    index,
    shape: orientation >= 5 ? [width, height] : [height, width],
    upright: orientation <= 1,
  }));
  const whole = pages.filter(({ index }) => !all[index].reduced);
  return { pages: whole.length > 0 ? whole : pages, single: false };
}

function tooManyPixels({ width, height }: TiffPage, name: string): InputError {
  return new InputError(`${name}: a page of ${width}x${height} has more than ${maxPixels} pixels`);
}

/** Whether a WebP has its extended header, with the flag of animations. */
function isAnimatedWebp(start: Uint8Array): boolean {
  return String.fromCharCode(...start.subarray(12, 16)) === "VP8X" && (start[20] & 0b10) !== 0;
}
