/**
 * The arrays that can be compressed: integers or f32, and pictures of red, green and
 * blue. A colour picture becomes three planes, luma and two colour differences (BT.601,
 * full range), each coded like a grey picture:
 *
 *     Y = 0.299 R + 0.587 G + 0.114 B,   Cb = (B − Y) / 1.772,   Cr = (R − Y) / 1.402
 *
 * The inverse computes in f64, in a fixed order, and rounds at the end.
 *
 * Samples of f32 outside the range of the steps of a file are divided by a power of two,
 * whose exponent the file stores; so data that differ by a power of two give the same file
 * but for that number, and decode to the same samples but for that factor.
 */

import { InputError } from "../../core/errors.js";
import { formatShape, type Shape, sizeOf } from "../../core/shape.js";
import { formatPlace } from "../../core/signal.js";
import { exponentOf, largestMagnitude, maxFloat32 } from "../../core/units.js";

/** Samples of a compressed array: integers of 8 or 16 bits, or f32. */
export type Samples = Uint8Array | Uint16Array | Int16Array | Float32Array;

export interface SampleArray {
  readonly shape: Shape;
  /** Row-major. */
  readonly data: Samples;
  /** Whether the shape is height × width × 3, for red, green and blue. */
  readonly colour: boolean;
}

/** The sample types, in the order of their numbers in files. */
const sampleTypes = [
  { make: (size: number) => new Uint8Array(size), min: 0, max: 255 },
  { make: (size: number) => new Uint16Array(size), min: 0, max: 65535 },
  { make: (size: number) => new Int16Array(size), min: -32768, max: 32767 },
  { make: (size: number) => new Float32Array(size), min: -maxFloat32, max: maxFloat32 },
] as const;

/** The name of a sample type, by its number in files. */
export function typeName(type: number): string {
  return (["uint8", "uint16", "int16", "float32"] as const)[type];
}

/** The number of f32 in files. */
export const floatType = 3;

/** The number of a sample type in files. */
export function sampleTypeOf(data: Samples): number {
  if (data instanceof Uint8Array) return 0;
  if (data instanceof Uint16Array) return 1;
  return data instanceof Int16Array ? 2 : floatType;
}

/** The peak value of the PSNR: the range of the type, or of the samples themselves for f32. */
function peakOf(data: Samples): number {
  const type = sampleTypeOf(data);
  const { min, max } = sampleTypes[type];
  if (type !== floatType) return max - min;
  let low = Infinity;
  let high = -Infinity;
  for (const value of data) {
    low = Math.min(low, value);
    high = Math.max(high, value);
  }
  return high - low || 1;
}

/** Reject arrays whose shape, size or samples are not valid. */
export function requireSampleArray(where: string, { shape, data, colour }: SampleArray): void {
  if (sizeOf(shape) !== data.length)
    throw new InputError(`${formatShape(shape)} must have ${sizeOf(shape)} samples, got ${data.length}`, {
      where,
    });
  if (colour && (shape.length !== 3 || shape[2] !== 3))
    throw new InputError(`a colour picture must be height x width x 3, got ${formatShape(shape)}`, { where });
  const bad = data.findIndex((value) => !Number.isFinite(value));
  if (bad >= 0)
    throw new InputError(
      `samples must be finite, got ${data[bad]} at ${formatPlace(bad, shape)}; missing samples can be filled with inpaint`,
      { where },
    );
}

/** The shape of a plane. */
export function planeShape(shape: Shape, colour: boolean): Shape {
  return colour ? shape.slice(0, 2) : shape;
}

/** Samples of this magnitude are divided by no power of two; the upper end is for blocks of one sample. */
const ordinary = { least: 2 ** -14, most: 2 ** 31 };

/** The exponent of the power of two that samples are divided by, for blocks of n samples: 0 if it is not needed. */
export function unitExponent({ data }: SampleArray, n: number): number {
  if (sampleTypeOf(data) !== floatType) return 0;
  const largest = largestMagnitude(data);
  const fits = largest >= ordinary.least && largest * Math.sqrt(n) < ordinary.most;
  return fits || largest === 0 ? 0 : exponentOf(largest);
}

/** The planes of an array, in units of 2^exponent: itself, or luma and two colour differences. */
export function toPlanes({ data: samples, colour }: SampleArray, exponent = 0): Float32Array[] {
  const unit = 2 ** exponent;
  const data = exponent === 0 ? samples : Float32Array.from(samples, (value) => value / unit);
  if (!colour) return [Float32Array.from(data)];
  const planes = Array.from({ length: 3 }, () => new Float32Array(data.length / 3));
  for (let i = 0; i < planes[0].length; i++) {
    const red = data[3 * i];
    const green = data[3 * i + 1];
    const blue = data[3 * i + 2];
    const luma = 0.299 * red + 0.587 * green + 0.114 * blue;
    planes[0][i] = luma;
    planes[1][i] = (blue - luma) / 1.772;
    planes[2][i] = (red - luma) / 1.402;
  }
  return planes;
}

/** The array with these planes in units of 2^exponent, rounded and clipped to its type. */
export function fromPlanes(
  planes: readonly Float32Array[],
  shape: Shape,
  type: number,
  exponent = 0,
): SampleArray {
  const data = sampleTypes[type].make(sizeOf(shape));
  const [luma, cb, cr] = planes;
  const colour = planes.length === 3;
  const put = sampleWriter(data, type, exponent);
  for (let i = 0; i < luma.length; i++) {
    if (!colour) {
      put(i, luma[i]);
      continue;
    }
    const red = luma[i] + 1.402 * cr[i];
    const blue = luma[i] + 1.772 * cb[i];
    put(3 * i, red);
    put(3 * i + 1, (luma[i] - 0.299 * red - 0.114 * blue) / 0.587);
    put(3 * i + 2, blue);
  }
  return { shape, data, colour };
}

/** Writes values into samples of a type, clipped to its range; integers are rounded, f32 is in units of 2^exponent. */
function sampleWriter(data: Samples, type: number, exponent: number): (i: number, value: number) => void {
  const { min, max } = sampleTypes[type];
  const unit = 2 ** exponent;
  if (type === floatType)
    return (i, value) => {
      data[i] = Math.min(max, Math.max(min, Math.fround(value) * unit));
    };
  return (i, value) => {
    data[i] = Math.min(max, Math.max(min, Math.round(value)));
  };
}

/** Peak signal-to-noise ratio in dB; Infinity if the samples are equal. */
export function samplePsnr(a: Samples, b: Samples): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += (a[i] - b[i]) ** 2;
  return 10 * Math.log10(peakOf(a) ** 2 / (sum / a.length));
}
