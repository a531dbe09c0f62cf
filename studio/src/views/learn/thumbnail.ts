/** A small picture of what is learned from: the picture itself, a trace, or the middle slice of a volume. */

import type { Item } from "../../app/library";
import { greyPixels, type Pixels } from "../../parts/pixels";

/** Pixels of the longer side. */
const side = 320;
const traceHeight = 80;
/** Samples that are looked at for one column of a trace. */
const perColumn = 64;

const made = new WeakMap<Item, Pixels>();

export function thumbnailOf(item: Item): Pixels | undefined {
  const known = made.get(item);
  if (known) return known;
  const pixels = draw(item);
  if (pixels) made.set(item, pixels);
  return pixels;
}

function draw({ shape, data }: Item): Pixels | undefined {
  if (data.length === 0) return undefined;
  if (shape.length === 1) return trace(data);
  const channels = shape.length === 3 && shape[2] === 3 ? 3 : 1;
  const [rows, columns] = channels === 3 ? shape : shape.slice(-2);
  const slices = data.length / (rows * columns * channels);
  const first = Math.floor(slices / 2) * rows * columns * channels;
  const scale = Math.min(1, side / Math.max(rows, columns));
  const width = Math.max(1, Math.round(columns * scale));
  const height = Math.max(1, Math.round(rows * scale));
  const samples = new Float32Array(width * height);
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      const from =
        Math.floor(((y + 0.5) * rows) / height) * columns + Math.floor(((x + 0.5) * columns) / width);
      samples[y * width + x] = data[first + channels * from];
    }
  return greyPixels(width, height, inRange(samples));
}

/** As they are if they fit a picture, otherwise scaled to its range. */
function inRange(samples: Float32Array): Float32Array {
  let low = Infinity;
  let high = -Infinity;
  for (const value of samples) {
    if (value < low) low = value;
    if (value > high) high = value;
  }
  if (low >= 0 && high <= 255 && high > 1.5) return samples;
  const scale = high > low ? 255 / (high - low) : 0;
  return samples.map((value) => (value - low) * scale);
}

function trace(data: Float32Array): Pixels {
  const shown = new Float32Array(side * perColumn);
  const last = data.length - 1;
  for (let i = 0; i < shown.length; i++) shown[i] = data[Math.round((i * last) / (shown.length - 1))];
  const scaled = inRange(shown).map(
    (value) => ((255 - Math.min(255, Math.max(0, value))) / 255) * (traceHeight - 1),
  );
  const paper = new Uint8ClampedArray(side * traceHeight).fill(245);
  for (let x = 0; x < side; x++) {
    const column = scaled.subarray(x * perColumn, Math.min(scaled.length, (x + 1) * perColumn + 1));
    const top = Math.floor(Math.min(...column));
    const bottom = Math.ceil(Math.max(...column));
    for (let y = top; y <= bottom; y++) paper[y * side + x] = 40;
  }
  return greyPixels(side, traceHeight, paper);
}
