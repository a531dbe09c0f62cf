/** Samples of a picture as pixels, by the values that are drawn black and white. */

import { greyPixels, type Pixels } from "./pixels";

export function rangedPixels(
  width: number,
  height: number,
  samples: ArrayLike<number>,
  [low, high]: readonly [number, number],
): Pixels {
  if (low === 0 && high === 255) return greyPixels(width, height, samples);
  const scale = high > low ? 255 / (high - low) : 0;
  const middle = high > low ? 0 : 127.5;
  return greyPixels(
    width,
    height,
    Float32Array.from({ length: width * height }, (_, i) => middle + (samples[i] - low) * scale),
  );
}

/** Whether a picture is so small that its pixels are shown as they are. */
export function isCrisp({ width }: { readonly width: number }): boolean {
  return width < 200;
}
