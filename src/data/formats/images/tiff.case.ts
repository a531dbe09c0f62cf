/** TIFF files of several pages, for tests: grey samples of 8 bits, not compressed. */

export interface TestPage {
  readonly width: number;
  readonly height: number;
  readonly samples: ArrayLike<number>;
  readonly orientation?: number;
  /** NewSubfileType: 1 is a copy of lower resolution, 4 a mask. */
  readonly subfile?: number;
}

export interface TiffOptions {
  readonly bigEndian?: boolean;
  readonly bigTiff?: boolean;
}

/** Each page is its samples, then its directory. */
export function tiffOf(pages: readonly TestPage[], { bigEndian, bigTiff }: TiffOptions = {}): Uint8Array {
  const bytes: number[] = [];
  const number = (value: number, size: number) => {
    const digits = Array.from({ length: size }, (_, i) => Math.floor(value / 256 ** i) % 256);
    return bigEndian ? digits.reverse() : digits;
  };
  const [countBytes, offsetBytes] = bigTiff ? [8, 8] : [2, 4];
  bytes.push(...(bigEndian ? [0x4d, 0x4d] : [0x49, 0x49]), ...number(bigTiff ? 43 : 42, 2));
  if (bigTiff) bytes.push(...number(8, 2), ...number(0, 2));
  let link = bytes.length; // where the place of the next directory is written
  bytes.push(...number(0, offsetBytes));
  for (const { width, height, samples, orientation = 1, subfile = 0 } of pages) {
    const data = bytes.length;
    bytes.push(...Array.from(samples), ...(bytes.length % 2 ? [0] : []));
    bytes.splice(link, offsetBytes, ...number(bytes.length, offsetBytes));
    const fields = [
      [254, 4, subfile],
      [256, 3, width],
      [257, 3, height],
      [258, 3, 8], // bits per sample
      [259, 3, 1], // no compression
      [262, 3, 1], // black is zero
      [273, 4, data], // where the samples are
      [274, 3, orientation],
      [277, 3, 1], // samples per pixel
      [278, 3, height], // rows per strip
      [279, 4, width * height], // bytes of the strip
    ] as const;
    bytes.push(...number(fields.length, countBytes));
    for (const [tag, type, value] of fields) {
      const size = type === 3 ? 2 : 4;
      const padding = new Array(offsetBytes - size).fill(0);
      bytes.push(...number(tag, 2), ...number(type, 2), ...number(1, offsetBytes));
      bytes.push(...number(value, size), ...padding);
    }
    link = bytes.length;
    bytes.push(...number(0, offsetBytes));
  }
  return Uint8Array.from(bytes);
}
