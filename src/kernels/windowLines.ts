/** Windows of signals as lines of neighbouring samples, and where these lines start. */

import { type Shape, stridesOf } from "../core/shape.js";

/** Offsets of the lines of a window (its last axis) from its first sample, ascending. */
export function lineOffsets(shape: Shape, patch: Shape): number[] {
  const strides = stridesOf(shape);
  return patch
    .slice(0, -1)
    .reduce<number[]>(
      (all, size, axis) =>
        all.flatMap((offset) => Array.from({ length: size }, (_, i) => offset + i * strides[axis])),
      [0],
    );
}

/** The smallest and the largest first sample of some windows. */
export function extentOf(start: Uint32Array): readonly [first: number, last: number] {
  let first = Infinity;
  let last = 0;
  for (const at of start) {
    if (at < first) first = at;
    if (at > last) last = at;
  }
  return [first, last];
}
