/** A signal as a picture: grey of two axes, colour of three, the last of red, green and blue. */

import type { Signal } from "../core/signal.js";
import type { Picture } from "./png.js";

/** Samples are rounded, and clipped to 0 … 255. */
export function pictureFrom({ shape, data }: Signal): Picture {
  const [height, width] = shape;
  const shades = Uint8Array.from(data, (value) => Math.min(255, Math.max(0, Math.round(value))));
  return { width, height, channels: shape.length === 3 ? 3 : 1, data: shades };
}
