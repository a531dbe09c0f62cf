/**
 * A grey picture by the encoders of the browser, in at most a number of bytes: the largest quality that fits is searched.
 * The browser has no grey pictures; what it decodes to is compared by its luma.
 */

import { nextTurn } from "../onKernels";
import { withoutProfile } from "./withoutProfile";

export interface Encoded {
  readonly name: string;
  /** The bytes of its file: at most the limit, or the smallest there is, without data. */
  readonly bytes: number;
  /** Why there is no picture; undefined if there is one. */
  readonly reason?: "larger" | "unknown";
  readonly psnr?: number;
  /** What the file decodes to. */
  readonly data?: Uint8Array<ArrayBuffer>;
}

interface Bytes {
  readonly width: number;
  readonly height: number;
  readonly data: Uint8Array;
}

const formats = [
  { name: "WebP", type: "image/webp" },
  { name: "JPEG", type: "image/jpeg" },
] as const;

export async function browserEncodings(
  picture: Bytes,
  limit: number,
  signal: AbortSignal,
): Promise<Encoded[]> {
  const canvas = canvasOf(picture);
  const encoded: Encoded[] = [];
  for (const { name, type } of formats) {
    const file = await bestWithin(canvas, type, limit, signal);
    if (file.type !== type) encoded.push({ name, bytes: 0, reason: "unknown" });
    else if (file.size > limit) encoded.push({ name, bytes: file.size, reason: "larger" });
    else {
      const data = await lumaOf(file, picture);
      encoded.push({ name, bytes: file.size, psnr: psnrOf(picture.data, data), data });
    }
  }
  return encoded;
}

function contextOf(width: number, height: number) {
  const canvas = new OffscreenCanvas(width, height);
  const context = canvas.getContext("2d", { willReadFrequently: true });
  if (!context) throw new Error(`the browser has no memory for a picture of ${width}×${height}`);
  return { canvas, context };
}

function canvasOf({ width, height, data }: Bytes): OffscreenCanvas {
  const { canvas, context } = contextOf(width, height);
  const pixels = new ImageData(width, height);
  for (let i = 0; i < data.length; i++) {
    pixels.data.fill(data[i], 4 * i, 4 * i + 3);
    pixels.data[4 * i + 3] = 255;
  }
  context.putImageData(pixels, 0, 0);
  return canvas;
}

/** The file of the highest quality, in percent, that is not larger than the limit; otherwise the smallest. */
async function bestWithin(
  canvas: OffscreenCanvas,
  type: string,
  limit: number,
  signal: AbortSignal,
): Promise<Blob> {
  const at = async (quality: number) => {
    await nextTurn(signal);
    const file = await canvas.convertToBlob({ type, quality: quality / 100 });
    const plain = withoutProfile(new Uint8Array(await file.arrayBuffer()), file.type);
    return new Blob([plain], { type: file.type });
  };
  let best = await at(0);
  let [fits, tooMuch] = [0, 101];
  if (best.size > limit || best.type !== type) return best;
  while (tooMuch - fits > 1) {
    const middle = (fits + tooMuch) >> 1;
    const file = await at(middle);
    if (file.size > limit) tooMuch = middle;
    else {
      fits = middle;
      best = file;
    }
  }
  return best;
}

async function lumaOf(file: Blob, { width, height }: Bytes): Promise<Uint8Array<ArrayBuffer>> {
  const bitmap = await createImageBitmap(file);
  const { context } = contextOf(width, height);
  context.drawImage(bitmap, 0, 0);
  bitmap.close();
  const { data } = context.getImageData(0, 0, width, height);
  const luma = new Uint8ClampedArray(width * height);
  for (let i = 0; i < luma.length; i++)
    luma[i] = 0.299 * data[4 * i] + 0.587 * data[4 * i + 1] + 0.114 * data[4 * i + 2];
  return new Uint8Array(luma.buffer);
}

/** In dB, for samples from 0 to 255. */
function psnrOf(a: Uint8Array, b: Uint8Array): number {
  let energy = 0;
  for (let i = 0; i < a.length; i++) energy += (a[i] - b[i]) ** 2;
  return 10 * Math.log10(255 ** 2 / (energy / a.length));
}
