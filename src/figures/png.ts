/**
 * PNG files of 8-bit grey and RGB pictures: the signature, then the chunks
 *
 *     IHDR   width, height, 8 bits per sample, grey (0) or RGB (2), not interlaced
 *     IDAT   the rows, filtered and compressed by zlib
 *     IEND   nothing
 *
 * each as length, type, data and CRC-32 of type and data. Every row is stored as
 * its difference to the row above (filter 2, "Up"), so that magnified pictures
 * consist mostly of zeros. The same picture gives the same bytes.
 *
 * PNG (Third Edition), W3C 2025, §5, §9 and §11.2.
 */

import { zlibSync } from "fflate";
import { type ArgumentType, bytes, record, requireArgument } from "../core/arguments/argumentTypes.js";
import { InputError, inputError } from "../core/errors.js";
import { requireInteger } from "../core/require.js";
import { crc32 } from "../data/formats/checksums.js";

/** Rows from top to bottom, pixels from left to right, the channels of a pixel side by side. */
export interface Picture {
  readonly width: number;
  readonly height: number;
  /** 1: grey, 3: red, green, blue. */
  readonly channels: 1 | 3;
  /** 0 is black, 255 white. */
  readonly data: Uint8Array;
}

const picture: ArgumentType = {
  words: "a picture { width, height, channels, data }",
  accepts: (value) => record.accepts(value) && bytes.accepts((value as Picture).data),
};

const signature = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a);
const largestSide = 0x7fffffff;
const up = 2;

/** The bytes of a PNG file that holds the picture. */
export function encodePng(image: Picture): Uint8Array {
  requireArgument("encodePng", "image", image, picture);
  requirePicture(image);
  const pixels = zlibSync(filterUp(image), { level: 9 });
  return join([
    signature,
    chunk("IHDR", header(image)),
    chunk("IDAT", pixels),
    chunk("IEND", new Uint8Array()),
  ]);
}

function requirePicture({ width, height, channels, data }: Picture): void {
  requireInteger("encodePng", "width", width, 1, largestSide);
  requireInteger("encodePng", "height", height, 1, largestSide);
  if (channels !== 1 && channels !== 3) throw inputError("encodePng", "channels", "must be 1 or 3", channels);
  if (data.length === width * height * channels) return;
  throw new InputError(
    `encodePng: data must hold ${width} × ${height} × ${channels} samples, got ${data.length}`,
  );
}

function header({ width, height, channels }: Picture): Uint8Array {
  const bytes = new Uint8Array(13);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, width);
  view.setUint32(4, height);
  bytes[8] = 8; // bits per sample
  bytes[9] = channels === 1 ? 0 : 2;
  return bytes;
}

/** The rows, each after the number of its filter: x ← x − above (mod 256). */
function filterUp({ width, height, channels, data }: Picture): Uint8Array {
  const stride = width * channels;
  const filtered = new Uint8Array(height * (stride + 1));
  for (let row = 0; row < height; row++) {
    const source = row * stride;
    const target = row * (stride + 1);
    filtered[target] = up;
    for (let i = 0; i < stride; i++) {
      const above = row === 0 ? 0 : data[source - stride + i];
      filtered[target + 1 + i] = data[source + i] - above;
    }
  }
  return filtered;
}

function chunk(type: string, data: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(12 + data.length);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, data.length);
  for (let i = 0; i < 4; i++) bytes[4 + i] = type.charCodeAt(i);
  bytes.set(data, 8);
  view.setUint32(8 + data.length, crc32(bytes.subarray(4, 8 + data.length)));
  return bytes;
}

function join(parts: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let offset = 0;
  for (const part of parts) {
    bytes.set(part, offset);
    offset += part.length;
  }
  return bytes;
}
