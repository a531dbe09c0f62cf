/**
 * Pictures of the netpbm family: PBM, PGM and PPM, as text (P1 to P3) or bytes (P4 to P6), up to 16 bits per sample.
 *
 * Samples are those in the file, from 0 to its largest value, which is white. In a PBM 1 is black; samples are 0 and 255.
 *
 * Reference: netpbm, the manual pages pbm(5), pgm(5) and ppm(5).
 */

import type { RasterImage, RasterSize } from "./rasterImage.js";

interface NetpbmHeader extends RasterSize {
  /** P1 to P6. */
  readonly form: number;
  readonly white: number;
  /** Where the samples begin. */
  readonly at: number;
}

const [hash, newline, zero, nine] = [35, 10, 48, 57];

/** Whether bytes begin as a netpbm picture does: P1 to P6, then a space or a comment. */
export function isNetpbm(bytes: Uint8Array): boolean {
  return (
    bytes[0] === 0x50 && bytes[1] >= 0x31 && bytes[1] <= 0x36 && (isSpace(bytes[2]) || bytes[2] === hash)
  );
}

/** The header of a picture. Throws an error with the reason if it cannot be read. */
export function readNetpbmHeader(bytes: Uint8Array): NetpbmHeader {
  const form = bytes[1] - zero;
  const numbers = new NumberReader(bytes, 2);
  const [width, height] = [numbers.next(), numbers.next()];
  const white = form === 1 || form === 4 ? 255 : numbers.next();
  if (!(width > 0 && height > 0 && white > 0 && white < 65536)) throw new Error("damaged netpbm header");
  return { form, width, height, colour: form === 3 || form === 6, white, at: numbers.at + 1 };
}

/** The picture in the bytes of a file. */
export function decodeNetpbm(bytes: Uint8Array): RasterImage {
  const header = readNetpbmHeader(bytes);
  const { form, width, height, colour, white } = header;
  const channels = colour ? 3 : 1;
  const values = new (white < 256 ? Uint8Array : Float32Array)(width * height * channels);
  const end = form <= 3 ? readText(bytes, header, values) : readBytes(bytes, header, values);
  if (form > 3 && isNetpbm(bytes.subarray(end)))
    throw new Error("a file of several netpbm pictures; split it first");
  return { width, height, channels, values, white };
}

/** Reads numbers of a text, with comments. */
class NumberReader {
  readonly #bytes: Uint8Array;
  /** The place after the last number. */
  at: number;

  constructor(bytes: Uint8Array, at: number) {
    this.#bytes = bytes;
    this.at = at;
  }

  /** The next number; NaN at the end, or where there is something else. */
  next(): number {
    this.skip();
    const start = this.at;
    let value = 0;
    for (; isDigit(this.#bytes[this.at]); this.at++) value = 10 * value + this.#bytes[this.at] - zero;
    return this.at > start ? value : Number.NaN;
  }

  /** The next digit, which no space need follow. */
  digit(): number {
    this.skip();
    return isDigit(this.#bytes[this.at]) ? this.#bytes[this.at++] - zero : Number.NaN;
  }

  skip(): void {
    while (isSpace(this.#bytes[this.at]) || this.#bytes[this.at] === hash) {
      if (this.#bytes[this.at] === hash)
        while (this.at < this.#bytes.length && this.#bytes[this.at] !== newline) this.at++;
      this.at++;
    }
  }
}

function readText(
  bytes: Uint8Array,
  { form, white, at }: NetpbmHeader,
  values: Uint8Array | Float32Array,
): number {
  const numbers = new NumberReader(bytes, at - 1);
  for (let i = 0; i < values.length; i++) {
    const value = form === 1 ? 255 * (1 - numbers.digit()) : numbers.next();
    if (!(value >= 0 && value <= white)) throw new Error("truncated or damaged netpbm samples");
    values[i] = value;
  }
  return numbers.at;
}

function readBytes(
  bytes: Uint8Array,
  { form, width, height, white, at }: NetpbmHeader,
  values: Uint8Array | Float32Array,
): number {
  const rowBytes = Math.ceil(width / 8);
  const wide = white > 255;
  const length = form === 4 ? rowBytes * height : values.length * (wide ? 2 : 1);
  if (bytes.length - at < length)
    throw new Error(`truncated: ${length} bytes of samples expected, ${bytes.length - at} left`);
  for (let i = 0; i < values.length; i++) {
    if (form === 4) {
      const [row, column] = [Math.floor(i / width), i % width];
      values[i] = 255 * (1 - ((bytes[at + row * rowBytes + (column >> 3)] >> (7 - (column & 7))) & 1));
    } else values[i] = wide ? 256 * bytes[at + 2 * i] + bytes[at + 2 * i + 1] : bytes[at + i];
  }
  if (values.some((value) => value > white))
    throw new Error("a sample is above the largest value of the header");
  return at + length;
}

function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= zero && byte <= nine;
}

function isSpace(byte: number | undefined): boolean {
  return byte === 32 || (byte !== undefined && byte >= 9 && byte <= 13);
}
