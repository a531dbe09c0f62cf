/** A signal of two axes as a grey picture. */

import type { Signal } from "../../core/signal.js";
import type { Picture } from "../png.js";

/** Samples from 0 to 255, rounded; others become black or white. */
export function greyPicture({ shape, data }: Signal): Picture {
  const [height, width] = shape as [number, number];
  const grey = Uint8Array.from(data, (value) => Math.min(255, Math.max(0, Math.round(value))));
  return { width, height, channels: 1, data: grey };
}
