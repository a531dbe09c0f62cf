/** Tiles on a canvas: many pictures at once, side by side in one image, or traces. */

import type { Tiles } from "../../engine/exploreAtoms";

/** Bytes of one tile. */
export function tileSize({ look }: Tiles): number {
  return look.width * look.height * look.channels;
}

/** The bytes of one tile. */
export function tileAt(tiles: Tiles, atom: number): Uint8Array<ArrayBuffer> {
  const size = tileSize(tiles);
  return tiles.bytes.subarray(atom * size, (atom + 1) * size);
}

/** Picture tiles in a grid, without gaps, each made smaller by an integer. */
export interface TileGrid {
  readonly image: ImageData;
  readonly width: number;
  readonly height: number;
}

/** `shrink`: each pixel is the mean of this many samples along both axes. */
export function tileGrid(tiles: Tiles, atoms: ArrayLike<number>, columns: number, shrink: number): TileGrid {
  const { look, bytes } = tiles;
  const width = Math.ceil(look.width / shrink);
  const height = Math.ceil(look.height / shrink);
  const image = new ImageData(width * columns, height * Math.ceil(atoms.length / columns));
  const pixels = new Uint32Array(image.data.buffer);
  const size = tileSize(tiles);
  const write = shrink > 1 ? writeShrunk : look.channels === 3 ? writeColour : writeGrey;
  for (let i = 0; i < atoms.length; i++) {
    const at = Math.floor(i / columns) * height * image.width + (i % columns) * width;
    write(bytes, atoms[i] * size, { pixels, at, line: image.width, width, height, shrink }, tiles);
  }
  return { image, width, height };
}

interface Target {
  readonly pixels: Uint32Array;
  readonly at: number;
  readonly line: number;
  readonly width: number;
  readonly height: number;
  readonly shrink: number;
}

const opaque = 0xff000000;

function writeGrey(bytes: Uint8Array, from: number, { pixels, at, line, width, height }: Target): void {
  let source = from;
  for (let y = 0; y < height; y++) {
    const end = at + y * line + width;
    for (let to = end - width; to < end; to++) pixels[to] = opaque | (bytes[source++] * 0x010101);
  }
}

function writeColour(bytes: Uint8Array, from: number, { pixels, at, line, width, height }: Target): void {
  let source = from;
  for (let y = 0; y < height; y++) {
    for (let to = at + y * line; to < at + y * line + width; to++, source += 3)
      pixels[to] = opaque | (bytes[source + 2] << 16) | (bytes[source + 1] << 8) | bytes[source];
  }
}

function writeShrunk(bytes: Uint8Array, from: number, target: Target, { look }: Tiles): void {
  const { pixels, at, line, width, height, shrink } = target;
  const { channels } = look;
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      let [red, green, blue, count] = [0, 0, 0, 0];
      for (let v = y * shrink; v < Math.min((y + 1) * shrink, look.height); v++)
        for (let u = x * shrink; u < Math.min((x + 1) * shrink, look.width); u++, count++) {
          const i = from + (v * look.width + u) * channels;
          red += bytes[i];
          green += bytes[i + (channels === 3 ? 1 : 0)];
          blue += bytes[i + (channels === 3 ? 2 : 0)];
        }
      pixels[at + y * line + x] =
        opaque | ((blue / count) << 16) | ((green / count) << 8) | Math.floor(red / count);
    }
}

/** Add the line through a trace, shades with 128 in the middle, to the path of a context. */
export function addTrace(
  path: Pick<CanvasRenderingContext2D, "moveTo" | "lineTo">,
  trace: Uint8Array,
  box: { readonly left: number; readonly top: number; readonly width: number; readonly height: number },
): void {
  const y = (shade: number) => box.top + box.height * (0.5 - (0.45 * (shade - 128)) / 127);
  if (trace.length === 1) {
    path.moveTo(box.left, y(trace[0]));
    path.lineTo(box.left + box.width, y(trace[0]));
    return;
  }
  const step = Math.max(1, Math.floor(trace.length / (2 * box.width)));
  for (let i = 0; i < trace.length; i += step) {
    let [low, high] = [trace[i], trace[i]];
    for (let j = i; j < Math.min(i + step, trace.length); j++) {
      low = Math.min(low, trace[j]);
      high = Math.max(high, trace[j]);
    }
    const x = box.left + (box.width * i) / (trace.length - 1);
    if (i === 0) path.moveTo(x, y(low));
    else path.lineTo(x, y(low));
    if (high !== low) path.lineTo(x, y(high));
  }
}
