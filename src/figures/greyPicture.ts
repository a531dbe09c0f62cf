/** A two-dimensional signal as a grey picture. */

import type { Signal } from "../core/signal.js";
import type { Picture } from "./png.js";

/** Samples are rounded, and clipped to 0 … 255. */
export function greyPicture({ shape, data }: Signal): Picture {
  const [height, width] = shape;
  const grey = Uint8Array.from(data, (value) => Math.min(255, Math.max(0, Math.round(value))));
  return { width, height, channels: 1, data: grey };
}
