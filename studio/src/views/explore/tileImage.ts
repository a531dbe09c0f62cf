/** Tiles as pixels, of any size: smaller by means, larger by lines between samples, much larger with sharp borders. */

import type { TileLook, Tiles } from "../../engine/explore/exploreAtoms";

/** Bytes of one tile. */
export function tileSize({ look }: Tiles): number {
  return look.width * look.height * look.channels;
}

/** The bytes of one tile. */
export function tileAt(tiles: Tiles, atom: number): Uint8Array<ArrayBuffer> {
  const size = tileSize(tiles);
  return tiles.bytes.subarray(atom * size, (atom + 1) * size);
}

/** One picture tile, a pixel per sample. */
export function tileImage({ look, bytes }: Tiles, atom: number): ImageData {
  const image = new ImageData(look.width, look.height);
  const pixels = new Int32Array(image.data.buffer);
  new TileScaler(look, look.width, look.height).draw(bytes, atom, { pixels, at: 0, line: look.width });
  return image;
}

/** Where a tile is drawn: its first pixel, and the pixels of a line. */
export interface TileTarget {
  readonly pixels: Int32Array;
  readonly at: number;
  readonly line: number;
}

/** Pixels per sample from which samples have sharp borders. */
const crispFrom = 3;
/** Samples per pixel from which a pixel is the mean of those it is over. */
const meanFrom = 2;
/** Signed, as all pixels here: integers of 31 bits are the quickest. */
const opaque = 0xff000000 | 0;

/** Draws picture tiles of one look at one size. */
export class TileScaler {
  readonly #look: TileLook;
  readonly #width: number;
  readonly #height: number;
  readonly #columns: AxisTable;
  readonly #rows: AxisTable;
  readonly #channel: (bytes: Uint8Array, from: number, factor: number, target: TileTarget) => void;

  /** In pixels. */
  constructor(look: TileLook, width: number, height: number) {
    this.#look = look;
    this.#width = width;
    this.#height = height;
    this.#columns = axisTable(look.width, width);
    this.#rows = axisTable(look.height, height);
    const shrink = Math.max(look.width / width, look.height / height);
    this.#channel = shrink >= meanFrom ? this.#average : this.#interpolate;
  }

  draw(bytes: Uint8Array, atom: number, target: TileTarget): void {
    const { width, height, channels } = this.#look;
    const { pixels, at, line } = target;
    const from = atom * width * height * channels;
    for (let y = 0; y < this.#height; y++) pixels.fill(opaque, at + y * line, at + y * line + this.#width);
    if (channels === 1) this.#channel(bytes, from, 0x010101, target);
    else for (let c = 0; c < 3; c++) this.#channel(bytes, from + c, 1 << (8 * c), target);
  }

  /** Set one channel: `factor` moves a shade there. */
  #interpolate(bytes: Uint8Array, from: number, factor: number, { pixels, at, line }: TileTarget): void {
    const { channels, width } = this.#look;
    const { first: x0, second: x1, weight: wx } = this.#columns;
    const { first: y0, second: y1, weight: wy } = this.#rows;
    const [columns, rows] = [this.#width, this.#height];
    for (let y = 0; y < rows; y++) {
      const upper = from + y0[y] * width * channels;
      const lower = from + y1[y] * width * channels;
      const share = wy[y];
      const to = at + y * line;
      for (let x = 0; x < columns; x++) {
        const left = x0[x] * channels;
        const right = x1[x] * channels;
        const w = wx[x];
        const above = bytes[upper + left] * (256 - w) + bytes[upper + right] * w;
        const below = bytes[lower + left] * (256 - w) + bytes[lower + right] * w;
        pixels[to + x] |= ((above * (256 - share) + below * share + 0x8000) >> 16) * factor;
      }
    }
  }

  #average(bytes: Uint8Array, from: number, factor: number, { pixels, at, line }: TileTarget): void {
    const { channels, width } = this.#look;
    const { start: xs, end: xe } = this.#columns;
    const { start: ys, end: ye } = this.#rows;
    for (let y = 0; y < this.#height; y++)
      for (let x = 0; x < this.#width; x++) {
        let sum = 0;
        for (let v = ys[y]; v < ye[y]; v++)
          for (let u = xs[x]; u < xe[x]; u++) sum += bytes[from + (v * width + u) * channels];
        const count = (ye[y] - ys[y]) * (xe[x] - xs[x]);
        pixels[at + y * line + x] |= Math.round(sum / count) * factor;
      }
  }
}

/** For each pixel along an axis: the samples around it and the weight of the second, of 256; and those it is over. */
interface AxisTable {
  readonly first: Uint16Array;
  readonly second: Uint16Array;
  readonly weight: Uint16Array;
  readonly start: Uint16Array;
  readonly end: Uint16Array;
}

function axisTable(samples: number, pixels: number): AxisTable {
  const scale = samples / pixels;
  const crisp = pixels >= crispFrom * samples || pixels === samples;
  const list = (value: (i: number) => number) => Uint16Array.from({ length: pixels }, (_, i) => value(i));
  const last = samples - 1;
  const place = (i: number) => Math.min(last, Math.max(0, (i + 0.5) * scale - 0.5));
  const nearest = (i: number) => Math.min(last, Math.floor((i + 0.5) * scale));
  const start = (i: number) => Math.min(last, Math.floor(i * scale));
  return {
    first: list((i) => (crisp ? nearest(i) : Math.floor(place(i)))),
    second: list((i) => (crisp ? nearest(i) : Math.min(last, Math.floor(place(i)) + 1))),
    weight: list((i) => (crisp ? 0 : Math.round(256 * (place(i) % 1)))),
    start: list(start),
    end: list((i) => Math.min(samples, Math.max(start(i) + 1, Math.floor((i + 1) * scale)))),
  };
}

/** Add the line through a trace, shades with 128 in the middle, to a path. */
export function addTrace(
  path: Pick<Path2D, "moveTo" | "lineTo">,
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
