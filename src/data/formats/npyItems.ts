/**
 * The items of a numpy array: byte order, half precision, order of the axes.
 * What is said about them, in headers and names, is in npyHeader.ts and npy.ts.
 */

import { stridesOf } from "../../core/shape.js";

export type NpyData =
  | Int8Array
  | Uint8Array
  | Int16Array
  | Uint16Array
  | Int32Array
  | Uint32Array
  | BigInt64Array
  | BigUint64Array
  | Float32Array
  | Float64Array;

/** Reverse the bytes of every item, in place. */
export function reverseItems(bytes: Uint8Array, itemBytes: number): void {
  for (let start = 0; start + itemBytes <= bytes.length; start += itemBytes) {
    for (let low = start, high = start + itemBytes - 1; low < high; low++, high--) {
      const byte = bytes[low];
      bytes[low] = bytes[high];
      bytes[high] = byte;
    }
  }
}

/** IEEE 754 binary16 → binary32, exact: 1 sign, 5 exponent (bias 15) and 10 fraction bits. */
export function widenHalves(halves: Uint16Array): Float32Array {
  const floats = new Float32Array(halves.length);
  const bits = new Uint32Array(floats.buffer);
  for (let i = 0; i < halves.length; i++) {
    const magnitude = halves[i] & 0x7fff;
    if (magnitude >= 0x7c00)
      bits[i] = 0x7f800000 | ((magnitude & 0x3ff) << 13); // infinity, NaN
    else if (magnitude >= 0x0400) bits[i] = (magnitude << 13) + ((127 - 15) << 23);
    else floats[i] = magnitude / 0x1000000; // subnormal: a multiple of 2^-24
    if (halves[i] & 0x8000) bits[i] |= 0x80000000;
  }
  return floats;
}

/** A copy with the last axis varying fastest, of items whose first axis does. */
export function toRowMajor(data: NpyData, shape: readonly number[]): NpyData {
  const strides = stridesOf(shape.toReversed()).reverse();
  const out = data.slice();
  const place = shape.map(() => 0);
  let from = 0;
  for (let to = 0; to < out.length; to++) {
    out[to] = data[from];
    // Count `place` up by one, the last axis fastest; `from` follows it.
    for (let axis = shape.length - 1; axis >= 0; axis--) {
      from += strides[axis];
      if (++place[axis] < shape[axis]) break;
      from -= strides[axis] * shape[axis];
      place[axis] = 0;
    }
  }
  return out;
}
