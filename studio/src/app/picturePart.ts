/**
 * The part of an item that a view works on as a grey picture: all of it, or its middle if it is large. What is not a grey
 * picture is refused, with the reason.
 */

import { computed, type ReadonlySignal } from "@preact/signals";
import type { GreyPicture } from "../engine/look/lookTasks";
import { addressed, oneOf } from "./address";
import { currentItem, type Dictionary, type Item } from "./library";

/** The parts that can be chosen; `auto` is the whole picture, or its middle if it has more than a megapixel. */
export const parts = ["auto", "whole", "1024", "512", "256", "128"] as const;
export const part = addressed("part", "auto", oneOf(parts));

/** Pixels of the largest picture that is worked on as a whole. */
export const mostWhole = 2 ** 22;
const mostAuto = 2 ** 20;

export interface PicturePart extends GreyPicture {
  readonly name: string;
  readonly data: Float32Array<ArrayBuffer>;
}

/** Why an item is not a picture; undefined if it is. */
export function whyNoPicture({ name, shape }: Item): string | undefined {
  if (shape.length === 2) return undefined;
  if (shape.length === 3 && shape[2] === 3) return `${name} is in colour; this view takes grey pictures.`;
  return `${name} has ${shape.length === 1 ? "one axis" : `${shape.length} axes`}; a picture has two.`;
}

/** Why a picture cannot be looked at with a dictionary; undefined if it can. */
export function whyNoFit(item: Item | undefined, dictionary: Dictionary | undefined): string | undefined {
  if (!item) return "There is no picture yet.";
  const reason = whyNoPicture(item);
  if (reason) return reason;
  if (!dictionary) return "There is no dictionary yet.";
  const { shape } = dictionary.facts;
  const words = shape.join("×");
  if (shape.length === 1) return `${dictionary.name} has atoms of one axis (${words}); a picture has two.`;
  if (shape.length === 3 && shape[2] === 3) return `${dictionary.name} has atoms in colour (${words}).`;
  if (shape.length !== 2) return `${dictionary.name} has atoms of ${shape.length} axes (${words}).`;
  const [height, width] = partSize(item);
  if (shape[0] > height || shape[1] > width)
    return `The atoms of ${dictionary.name} (${words}) are larger than the picture (${height}×${width}).`;
  return undefined;
}

/** Height and width of the part of an item that is worked on. */
export function partSize({ shape: [height, width] }: Item): [number, number] {
  const whole = part.value === "whole" ? mostWhole : mostAuto;
  const side = part.value === "whole" || part.value === "auto" ? undefined : Number(part.value);
  if (side === undefined && height * width <= whole) return [height, width];
  const most = side ?? 1024;
  return [Math.min(height, most), Math.min(width, most)];
}

/** The part of the current item; undefined if it is not a grey picture. */
export const currentPart: ReadonlySignal<PicturePart | undefined> = computed(() => {
  const item = currentItem.value;
  return item && !whyNoPicture(item) ? partOf(item) : undefined;
});

function partOf(item: Item): PicturePart {
  const [height, width] = item.shape;
  const [rows, columns] = partSize(item);
  const { name, data } = item;
  if (rows === height && columns === width) return { name, width, height, data, range: rangeOf(data) };
  const middle = new Float32Array(rows * columns);
  const [top, left] = [(height - rows) >> 1, (width - columns) >> 1];
  for (let r = 0; r < rows; r++) {
    const from = (top + r) * width + left;
    middle.set(data.subarray(from, from + columns), r * columns);
  }
  return { name, width: columns, height: rows, data: middle, range: rangeOf(middle) };
}

/** Black and white: 0 and 255 for pictures, otherwise the least and the largest sample. */
function rangeOf(data: Float32Array): readonly [number, number] {
  let [low, high] = [Infinity, -Infinity];
  for (const value of data) {
    if (value < low) low = value;
    if (value > high) high = value;
  }
  if ((low >= 0 && high <= 255 && high > 1) || !(high > low)) return [0, 255];
  return [low, high];
}
