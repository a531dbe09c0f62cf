/** BMP files, for tests: a header of 40 bytes, an optional palette, and the bytes of the pixels as given. */

export interface TestBmp {
  readonly width: number;
  /** Negative if the first row is the top one. */
  readonly height: number;
  readonly bits: number;
  readonly compression?: number;
  /** Entries of blue, green, red, 0. */
  readonly palette?: readonly (readonly number[])[];
  /** Masks after the header. */
  readonly masks?: readonly number[];
  readonly pixels: readonly number[];
}

export function bmpOf({
  width,
  height,
  bits,
  compression = 0,
  palette = [],
  masks = [],
  pixels,
}: TestBmp): Uint8Array {
  const extra = [...masks.flatMap(word), ...palette.flat()];
  const at = 54 + extra.length;
  const file = [0x42, 0x4d, ...word(at + pixels.length), 0, 0, 0, 0, ...word(at)];
  const header = [...word(40), ...word(width), ...word(height), 1, 0, bits, 0, ...word(compression)];
  const rest = [...word(pixels.length), ...word(0), ...word(0), ...word(palette.length), ...word(0)];
  return Uint8Array.from([...file, ...header, ...rest, ...extra, ...pixels]);
}

function word(value: number): number[] {
  return [value, value >> 8, value >> 16, value >> 24].map((byte) => byte & 255);
}
