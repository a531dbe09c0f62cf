/** Pixels for a canvas. */

export interface Pixels {
  readonly width: number;
  readonly height: number;
  /** Red, green, blue, opacity. */
  readonly data: Uint8ClampedArray<ArrayBuffer>;
}

/** Grey samples from 0 to 255, row by row, as pixels. */
export function greyPixels(width: number, height: number, samples: ArrayLike<number>): Pixels {
  const values = samples instanceof Uint8Array ? samples : new Uint8ClampedArray(samples);
  const words = new Uint32Array(width * height); // one write per pixel; every browser is little-endian
  for (let i = 0; i < words.length; i++) words[i] = 0xff000000 | (0x010101 * values[i]);
  return { width, height, data: new Uint8ClampedArray(words.buffer) };
}

/** Samples of any range, zero in the middle grey, scaled by the largest: as galleries show atoms. */
export function signedPixels(width: number, height: number, samples: ArrayLike<number>): Pixels {
  let largest = 0;
  for (let i = 0; i < width * height; i++) largest = Math.max(largest, Math.abs(samples[i]));
  const scale = largest > 0 ? 127.5 / largest : 0;
  return greyPixels(
    width,
    height,
    Float32Array.from({ length: width * height }, (_, i) => 127.5 + scale * samples[i]),
  );
}

/** A picture of one or three channels, as `atomGallery` returns it, as pixels. */
export function picturePixels(picture: {
  readonly width: number;
  readonly height: number;
  readonly channels: 1 | 3;
  readonly data: Uint8Array;
}): Pixels {
  const { width, height, channels, data } = picture;
  const pixels = new Uint8ClampedArray(4 * width * height);
  for (let i = 0; i < width * height; i++) {
    pixels[4 * i] = data[channels * i];
    pixels[4 * i + 1] = data[channels * i + (channels === 3 ? 1 : 0)];
    pixels[4 * i + 2] = data[channels * i + (channels === 3 ? 2 : 0)];
    pixels[4 * i + 3] = 255;
  }
  return { width, height, data: pixels };
}
