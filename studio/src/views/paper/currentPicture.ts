/** Grey samples of the current picture, small enough to draw in the page. */

import { currentItem, type Item, items } from "../../app/library";
import { greyPixels, type Pixels } from "../../parts/pixels";

/** Whether it is a picture, grey or in colour. */
export function isPicture({ shape }: Item): boolean {
  return shape.length === 2 || (shape.length === 3 && shape[2] === 3);
}

/** The current picture, or the first one if the current array is not a picture. */
export function currentPicture(): Item | undefined {
  const current = currentItem.value;
  return current && isPicture(current) ? current : items.value.find(isPicture);
}

/** The grey sample at a pixel: of three channels, their brightness. */
export function greyAt({ shape, data }: Item, row: number, column: number): number {
  const at = row * shape[1] + column;
  if (shape.length === 2) return data[at];
  return 0.299 * data[3 * at] + 0.587 * data[3 * at + 1] + 0.114 * data[3 * at + 2];
}

/** A window of it, row by row. */
export function windowOf(
  item: Item,
  top: number,
  left: number,
  height: number,
  width: number,
): Float32Array<ArrayBuffer> {
  const samples = new Float32Array(height * width);
  for (let r = 0; r < height; r++)
    for (let c = 0; c < width; c++) samples[r * width + c] = greyAt(item, top + r, left + c);
  return samples;
}

/** The most pixels along a side of a thumbnail. */
const thumbnailSide = 400;
const thumbnails = new WeakMap<Item, Pixels>();

export function thumbnailOf(item: Item): Pixels {
  const known = thumbnails.get(item);
  if (known) return known;
  const [height, width] = item.shape;
  const scale = Math.min(1, thumbnailSide / Math.max(height, width));
  const [h, w] = [Math.max(1, Math.round(scale * height)), Math.max(1, Math.round(scale * width))];
  const samples = Float32Array.from({ length: h * w }, (_, i) =>
    greyAt(item, Math.floor((Math.floor(i / w) * height) / h), Math.floor(((i % w) * width) / w)),
  );
  const made = greyPixels(w, h, samples);
  thumbnails.set(item, made);
  return made;
}
