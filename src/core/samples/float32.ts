/** Samples of f64 as f32: what does not fit is named, not turned into infinity or zeros. */

import { InputError } from "../errors.js";
import type { Shape } from "../shape.js";
import { formatPlace } from "../signal.js";
import { largestMagnitude } from "../units.js";
import { isNodata } from "./gaps.js";

export interface Float64Samples {
  readonly name: string;
  readonly shape: Shape;
  readonly data: Float64Array;
}

/** The samples rounded to f32. Those whose rounded value marks missing samples may be of any size. */
export function roundToFloat32(
  { name, shape, data }: Float64Samples,
  nodata: readonly number[] = [],
): Float32Array {
  const rounded = Float32Array.from(data);
  for (let i = 0; i < data.length; i++) {
    if (Number.isFinite(rounded[i]) || !Number.isFinite(data[i]) || isNodata(rounded[i], nodata)) continue;
    throw new InputError(`${name}: sample ${data[i]} at ${formatPlace(i, shape)} is beyond float32 (3.4e38)`);
  }
  return rounded;
}

/** Reject samples that are not zero but all become zero as f32. */
export function requireNotAllTiny({ name, data }: Float64Samples, rounded: Float32Array): void {
  if (rounded.some((value) => value !== 0)) return;
  const largest = largestMagnitude(data);
  if (largest === 0) return;
  throw new InputError(
    `${name}: all samples are too small for float32, whose smallest number is 1.4e-45, got at most ${largest}: multiply them by a constant`,
  );
}
