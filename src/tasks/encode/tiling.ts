/**
 * A signal as windows and back: a grid of windows that covers the signal, their samples
 * as columns, and the signal reassembled from columns, with overlaps averaged.
 */

import { InputError } from "../../core/errors.js";
import { DenseMatrix } from "../../core/matrix.js";
import { formatShape, type Shape, sizeOf, stridesOf } from "../../core/shape.js";
import type { Signal } from "../../core/signal.js";

/** Coordinates of the first samples of a grid of windows that covers a signal: all combinations of `gridPlaces`. */
export function gridOrigins(shape: Shape, patch: Shape, stride: Shape): number[][] {
  return gridPlaces(shape, patch, stride).reduce<number[][]>(
    (all, starts) => all.flatMap((origin) => starts.map((s) => [...origin, s])),
    [[]],
  );
}

/** Where the windows of a grid start along each axis; the last is moved back to fit. */
export function gridPlaces(shape: Shape, patch: Shape, stride: Shape): number[][] {
  const fits = shape.length === patch.length && patch.every((size, axis) => size <= shape[axis]);
  if (!fits) {
    throw new InputError(
      `gridOrigins: the signal must be at least ${formatShape(patch)}, got ${formatShape(shape)}`,
    );
  }
  const gap = stride.find((step, axis) => !(step >= 1 && step <= patch[axis]));
  if (gap !== undefined || stride.length !== patch.length) {
    throw new InputError(
      `gridOrigins: the stride must be from 1 to ${formatShape(patch)}, got ${formatShape(stride)}`,
    );
  }
  return shape.map((size, axis) => {
    const last = size - patch[axis];
    const starts: number[] = [];
    for (let start = 0; start < last; start += stride[axis]) starts.push(start);
    return [...starts, last];
  });
}

/** How many windows the grid over a signal has; also for shapes from a file, which may be too large to list. */
export function gridSize(shape: Shape, patch: Shape, stride: Shape): number {
  return shape.reduce(
    (product, size, axis) => product * (1 + Math.max(0, Math.ceil((size - patch[axis]) / stride[axis]))),
    1,
  );
}

/** The windows of a signal at these origins, one per column. */
export function cutWindows(
  signal: Signal,
  patch: Shape,
  origins: readonly (readonly number[])[],
): DenseMatrix {
  const Y = new DenseMatrix(sizeOf(patch), origins.length);
  const inside = windowOffsets(signal.shape, patch);
  origins.forEach((origin, i) => {
    const start = flat(origin, signal.shape);
    const column = Y.column(i);
    for (let r = 0; r < column.length; r++) column[r] = signal.data[start + inside[r]];
  });
  return Y;
}

/** The signal with these windows: each sample is the mean over all windows that contain it. */
export function assemble(
  Y: DenseMatrix,
  shape: Shape,
  patch: Shape,
  origins: readonly (readonly number[])[],
  name: string,
): Signal {
  const sum = new Float64Array(sizeOf(shape));
  const count = new Uint32Array(sum.length);
  const inside = windowOffsets(shape, patch);
  origins.forEach((origin, i) => {
    const start = flat(origin, shape);
    const column = Y.column(i);
    for (let r = 0; r < column.length; r++) {
      sum[start + inside[r]] += column[r];
      count[start + inside[r]] += 1;
    }
  });
  return { name, shape, data: Float32Array.from(sum, (value, i) => value / Math.max(1, count[i])) };
}

/** The flat offset of each sample of a window from its first, row-major. */
export function windowOffsets(shape: Shape, patch: Shape): Uint32Array {
  const strides = stridesOf(shape);
  const inside = stridesOf(patch);
  return Uint32Array.from({ length: sizeOf(patch) }, (_, r) =>
    patch.reduce((offset, size, axis) => offset + (Math.floor(r / inside[axis]) % size) * strides[axis], 0),
  );
}

function flat(origin: readonly number[], shape: Shape): number {
  return stridesOf(shape).reduce((offset, stride, axis) => offset + stride * origin[axis], 0);
}
