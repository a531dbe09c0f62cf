/** Half precision: f32 to IEEE 754 binary16, rounded to the nearest, ties to even; and arrays of it for `.npy` files. */

import { InputError } from "../../../core/errors.js";
import type { NpyArray } from "../npy.js";

/** The largest number of half precision. */
const largest = 65504;

/** The bits of each number in half precision; a number beyond its range is an error that calls the array by its name. */
export function toHalves(values: ArrayLike<number>, name: string): Uint16Array {
  const halves = new Uint16Array(values.length);
  for (let i = 0; i < values.length; i++) {
    if (!(Math.abs(values[i]) < largest + 16))
      throw new InputError(`${name}: ${values[i]} is beyond half precision (${largest}): use f32`);
    halves[i] = halfOf(values[i]);
  }
  return halves;
}

function halfOf(value: number): number {
  const sign = value < 0 || Object.is(value, -0) ? 0x8000 : 0;
  const magnitude = Math.abs(value);
  // below 2^-14 the spacing is 2^-24; above, 2^-10 of the power of two below
  const exponent = magnitude < 2 ** -14 ? -14 : Math.floor(Math.log2(magnitude));
  const spacing = 2 ** (exponent - 10);
  const units = roundToEven(magnitude / spacing); // up to 2048
  return sign | (units < 1024 ? units : ((exponent + 14) << 10) + units);
}

function roundToEven(value: number): number {
  const below = Math.floor(value);
  const rest = value - below;
  if (rest !== 0.5) return rest > 0.5 ? below + 1 : below;
  return below % 2 === 0 ? below : below + 1;
}

/** An array of half precision, to be written: reading one gives f32. */
export function halfArray({ shape, data }: NpyArray, name: string): NpyArray {
  return { shape, dtype: "<f2", data: toHalves(data as Float32Array, name) };
}
