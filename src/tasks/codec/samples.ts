/**
 * What can be compressed: arrays of whole numbers or f32, and pictures of red, green
 * and blue. A colour picture becomes three planes, luma and two differences (BT.601,
 * full range), each coded as a picture of its own:
 *
 *     Y = 0.299 R + 0.587 G + 0.114 B,   Cb = (B − Y) / 1.772,   Cr = (R − Y) / 1.402
 *
 * The way back uses products and sums of f64 in one order, and rounds last.
 */

import { InputError } from "../../core/errors.js";
import { formatShape, type Shape, sizeOf } from "../../core/shape.js";

/** Samples of a compressed array: whole numbers of 8 or 16 bits, or f32. */
export type Samples = Uint8Array | Uint16Array | Int16Array | Float32Array;

export interface SampleArray {
  readonly shape: Shape;
  /** Row-major. */
  readonly data: Samples;
  /** Whether the last axis is red, green, blue, behind the two of a picture. */
  readonly colour: boolean;
}

/** In the order of their numbers in files. */
const sampleTypes = [
  { make: (size: number) => new Uint8Array(size), least: 0, most: 255 },
  { make: (size: number) => new Uint16Array(size), least: 0, most: 65535 },
  { make: (size: number) => new Int16Array(size), least: -32768, most: 32767 },
  { make: (size: number) => new Float32Array(size), least: -Infinity, most: Infinity },
] as const;

/** The number of the type of samples. */
export function sampleTypeOf(data: Samples): number {
  if (data instanceof Uint8Array) return 0;
  if (data instanceof Uint16Array) return 1;
  return data instanceof Int16Array ? 2 : 3;
}

/** White less black: the peak of the PSNR. Of f32 samples, from the least to the most there is. */
function peakOf(data: Samples): number {
  const { least, most } = sampleTypes[sampleTypeOf(data)];
  if (most !== Infinity) return most - least;
  const [low, high] = (data as Float32Array).reduce(
    ([l, h], value) => [Math.min(l, value), Math.max(h, value)],
    [Infinity, -Infinity],
  );
  return high - low || 1;
}

export function requireSampleArray(where: string, { shape, data, colour }: SampleArray): void {
  if (sizeOf(shape) !== data.length)
    throw new InputError(`${formatShape(shape)} must have ${sizeOf(shape)} samples, got ${data.length}`, {
      where,
    });
  if (colour && (shape.length !== 3 || shape[2] !== 3))
    throw new InputError(`a colour picture must be height x width x 3, got ${formatShape(shape)}`, { where });
  const bad = data.findIndex((value) => !Number.isFinite(value));
  if (bad >= 0) throw new InputError(`samples must be finite, got ${data[bad]} at index ${bad}`, { where });
}

/** The shape of a plane. */
export function planeShape(shape: Shape, colour: boolean): Shape {
  return colour ? shape.slice(0, 2) : shape;
}

/** The planes of an array: itself, or luma and two differences. */
export function toPlanes({ data, colour }: SampleArray): Float32Array[] {
  if (!colour) return [Float32Array.from(data)];
  const planes = Array.from({ length: 3 }, () => new Float32Array(data.length / 3));
  for (let i = 0; i < planes[0].length; i++) {
    const [red, green, blue] = [data[3 * i], data[3 * i + 1], data[3 * i + 2]];
    const luma = 0.299 * red + 0.587 * green + 0.114 * blue;
    planes[0][i] = luma;
    planes[1][i] = (blue - luma) / 1.772;
    planes[2][i] = (red - luma) / 1.402;
  }
  return planes;
}

/** The array of planes, rounded and clipped to its type. */
export function fromPlanes(planes: readonly Float32Array[], shape: Shape, type: number): SampleArray {
  const data = sampleTypes[type].make(sizeOf(shape));
  const [luma, blueness, redness] = planes as readonly [Float32Array, Float32Array?, Float32Array?];
  const put = placing(data, type);
  if (!blueness || !redness) luma.forEach((value, i) => put(i, value));
  else
    for (let i = 0; i < luma.length; i++) {
      const [y, cb, cr] = [luma[i], blueness[i], redness[i]];
      const [red, blue] = [y + 1.402 * cr, y + 1.772 * cb];
      put(3 * i, red);
      put(3 * i + 1, (y - 0.299 * red - 0.114 * blue) / 0.587);
      put(3 * i + 2, blue);
    }
  return { shape, data, colour: planes.length === 3 };
}

/** How a value is put into samples of a type. */
function placing(data: Samples, type: number): (i: number, value: number) => void {
  const { least, most } = sampleTypes[type];
  if (most === Infinity)
    return (i, value) => {
      data[i] = value;
    };
  return (i, value) => {
    data[i] = Math.min(most, Math.max(least, Math.round(value)));
  };
}

/** Peak signal-to-noise ratio in dB; Infinity where nothing differs. */
export function samplePsnr(a: Samples, b: Samples): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += (a[i] - b[i]) ** 2;
  return 10 * Math.log10(peakOf(a) ** 2 / (sum / a.length));
}
