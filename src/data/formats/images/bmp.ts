/**
 * BMP pictures: 1, 2, 4, 8, 16, 24 and 32 bits per pixel, run lengths (RLE8, RLE4), palettes and masks. A palette of greys
 * makes a grey picture; opacity is read where a mask for it is given.
 *
 * Reference: Microsoft, "Bitmap Storage", BITMAPFILEHEADER to BITMAPV5HEADER, "Bitmap Compression".
 */

import type { RasterImage, RasterSize } from "./rasterImage.js";

interface BmpHeader extends RasterSize {
  /** Whether the first row is the top one. */
  readonly topDown: boolean;
  readonly bits: number;
  readonly compression: number;
  /** Where the pixels begin. */
  readonly at: number;
  /** Where the palette is, its entries, and bytes of an entry. */
  readonly palette: { readonly at: number; readonly count: number; readonly size: 3 | 4 };
  /** Masks of red, green, blue and opacity. */
  readonly masks: readonly number[];
}

const [none, rle8, rle4, bitFields, alphaBitFields] = [0, 1, 2, 3, 6];

/** The header of a picture. Throws an error with the reason if it cannot be read. */
export function readBmpHeader(bytes: Uint8Array): BmpHeader {
  const view = viewOf(bytes);
  if (bytes.length < 26) throw new Error("truncated BMP header");
  const headerBytes = view.getUint32(14, true);
  if (headerBytes < 12 || bytes.length < 14 + Math.min(headerBytes, 40))
    throw new Error("truncated BMP header");
  const core = headerBytes === 12;
  const width = core ? view.getUint16(18, true) : view.getInt32(18, true);
  const rows = core ? view.getInt16(20, true) : view.getInt32(22, true);
  const bits = view.getUint16(core ? 24 : 28, true);
  const compression = core ? none : view.getUint32(30, true);
  const height = Math.abs(rows);
  if (!(width > 0 && height > 0 && [1, 2, 4, 8, 16, 24, 32].includes(bits)))
    throw new Error("damaged BMP header");
  const masked = compression === bitFields || compression === alphaBitFields;
  const known =
    compression === none ||
    (compression === rle8 && bits === 8) ||
    (compression === rle4 && bits === 4) ||
    (masked && (bits === 16 || bits === 32));
  if (!known) throw new Error(`BMP compression ${compression} with ${bits} bits is not supported`);
  const after = 14 + headerBytes + (headerBytes === 40 && masked ? (compression === bitFields ? 12 : 16) : 0);
  const used = core ? 0 : view.getUint32(46, true);
  const count = bits <= 8 ? Math.min(used || 2 ** bits, 2 ** bits) : 0;
  const palette = { at: after, count, size: core ? 3 : 4 } as const;
  return {
    width,
    height,
    colour: bits > 8 || !isGreyPalette(bytes, palette),
    topDown: rows < 0,
    bits,
    compression,
    at: view.getUint32(10, true),
    palette,
    masks: masked ? readMasks(view, headerBytes, compression) : defaultMasks(bits),
  };
}

/** Whether all colours of a palette are grey. */
function isGreyPalette(bytes: Uint8Array, { at, count, size }: BmpHeader["palette"]): boolean {
  if (bytes.length < at + count * size) throw new Error("truncated BMP palette");
  return Array.from({ length: count }, (_, i) => at + i * size).every(
    (entry) => bytes[entry] === bytes[entry + 1] && bytes[entry] === bytes[entry + 2],
  );
}

function readMasks(view: DataView, headerBytes: number, compression: number): number[] {
  const count = headerBytes >= 56 || compression === alphaBitFields ? 4 : 3;
  if (view.byteLength < 54 + 4 * count) throw new Error("truncated BMP header");
  return Array.from({ length: 4 }, (_, i) => (i < count ? view.getUint32(54 + 4 * i, true) : 0));
}

function defaultMasks(bits: number): number[] {
  return bits === 16 ? [0x7c00, 0x3e0, 0x1f, 0] : [0xff0000, 0xff00, 0xff, 0];
}

/** The picture in the bytes of a file. */
export function decodeBmp(bytes: Uint8Array): RasterImage {
  const header = readBmpHeader(bytes);
  if (header.bits > 8) return decodeColours(bytes, header);
  const indices = header.compression === none ? readIndices(bytes, header) : readRuns(bytes, header);
  return applyPalette(bytes, header, indices);
}

/** Bytes of a row: whole words of 32 bits. */
function rowBytesOf({ width, bits }: BmpHeader): number {
  return Math.ceil((width * bits) / 32) * 4;
}

function requirePixels(bytes: Uint8Array, header: BmpHeader): void {
  const needed = rowBytesOf(header) * header.height;
  if (bytes.length - header.at < needed)
    throw new Error(
      `truncated: ${needed} bytes of pixels expected, ${Math.max(0, bytes.length - header.at)} left`,
    );
}

/** The row of the file that holds row `y` of the picture. */
function fileRow({ topDown, height }: BmpHeader, y: number): number {
  return topDown ? y : height - 1 - y;
}

function readIndices(bytes: Uint8Array, header: BmpHeader): Uint8Array {
  requirePixels(bytes, header);
  const { width, height, bits, at } = header;
  const indices = new Uint8Array(width * height);
  const perByte = 8 / bits;
  for (let y = 0; y < height; y++) {
    const row = at + fileRow(header, y) * rowBytesOf(header);
    for (let x = 0; x < width; x++) {
      const shift = 8 - bits * ((x % perByte) + 1);
      indices[y * width + x] = (bytes[row + Math.floor(x / perByte)] >> shift) & (2 ** bits - 1);
    }
  }
  return indices;
}

/** Run lengths: a count and a value; or 0 and a command: the end of a row, of the picture, a step, or values as they are. */
function readRuns(bytes: Uint8Array, header: BmpHeader): Uint8Array {
  const { width, height, bits, at: start } = header;
  const indices = new Uint8Array(width * height);
  const half = bits === 4;
  let [x, y] = [0, 0];
  const put = (value: number) => {
    if (x < width && y < height) indices[fileRow(header, y) * width + x] = value;
    x++;
  };
  const part = (byte: number, i: number) => (half ? (byte >> (i % 2 === 0 ? 4 : 0)) & 15 : byte);
  for (let at = start; at + 1 < bytes.length && y < height; ) {
    const [count, value] = [bytes[at], bytes[at + 1]];
    at += 2;
    if (count > 0) for (let i = 0; i < count; i++) put(part(value, i));
    else if (value === 0) [x, y] = [0, y + 1];
    else if (value === 1) return indices;
    else if (value === 2) {
      [x, y] = [x + (bytes[at] ?? 0), y + (bytes[at + 1] ?? 0)];
      at += 2;
    } else {
      const length = half ? Math.ceil(value / 2) : value;
      for (let i = 0; i < value; i++) put(part(bytes[at + (half ? i >> 1 : i)] ?? 0, i));
      at += length + (length % 2);
    }
  }
  if (y >= height) return indices;
  throw new Error("truncated: the run lengths end before the picture does");
}

function applyPalette(
  bytes: Uint8Array,
  { width, height, colour, palette }: BmpHeader,
  indices: Uint8Array,
): RasterImage {
  const { at, count, size } = palette;
  const colourOf = (index: number, channel: number) => bytes[at + index * size + 2 - channel];
  const channels = colour ? 3 : 1;
  const values = new Uint8Array(width * height * channels);
  for (let i = 0; i < indices.length; i++) {
    if (indices[i] >= count) throw new Error(`colour ${indices[i]} of a palette of ${count}`);
    for (let c = 0; c < channels; c++) values[i * channels + c] = colourOf(indices[i], c);
  }
  return { width, height, channels, values, white: 255 };
}

function decodeColours(bytes: Uint8Array, header: BmpHeader): RasterImage {
  requirePixels(bytes, header);
  const { width, height, bits, at, masks } = header;
  const view = viewOf(bytes);
  const channels = masks[3] !== 0 ? 4 : 3;
  const values = new Uint8Array(width * height * channels);
  const readers = masks.slice(0, channels).map(maskReader);
  const size = bits / 8;
  for (let y = 0; y < height; y++) {
    const row = at + fileRow(header, y) * rowBytesOf(header);
    for (let x = 0; x < width; x++) {
      const place = row + x * size;
      const pixel =
        bits === 16
          ? view.getUint16(place, true)
          : bits === 32
            ? view.getUint32(place, true)
            : bytes[place] + 256 * bytes[place + 1] + 65536 * bytes[place + 2];
      for (let c = 0; c < channels; c++) values[(y * width + x) * channels + c] = readers[c](pixel);
    }
  }
  return { width, height, channels, values, white: 255 };
}

/** What a mask selects of a pixel, on the scale 0 to 255. */
function maskReader(mask: number): (pixel: number) => number {
  if (mask === 0) return () => 0;
  const shift = 31 - Math.clz32(mask & -mask);
  const largest = mask >>> shift;
  return (pixel) => Math.round((255 * (((pixel & mask) >>> 0) >>> shift)) / largest);
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
