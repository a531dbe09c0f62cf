/**
 * Windows of signals as columns, with any number of axes, and columns added to the windows
 * of a signal.
 */

import type { DenseMatrix } from "../../core/matrix.js";
import { type Shape, stridesOf } from "../../core/shape.js";
import type { WindowList } from "../contract.js";
import type { ReferenceSignals } from "./handles.js";

export function extract(
  store: ReferenceSignals,
  windows: WindowList,
  patch: Shape,
  Y: DenseMatrix,
  means: DenseMatrix | null,
): void {
  for (let i = 0; i < Y.cols; i++) {
    const signal = store.signals[windows.signal[i]];
    const y = Y.column(i);
    const strides = stridesOf(signal.shape);
    eachSample(strides, windows.start[i], patch, 0, 0, (at, r) => (y[r] = signal.data[at]));
    if (store.scale !== 1) for (let r = 0; r < y.length; r++) y[r] *= store.scale;
    if (means) means.data[i] = removeMean(y);
  }
}

/** The samples of a window in their order, one axis after the other; returns the number of the next. */
function eachSample(
  strides: readonly number[],
  start: number,
  patch: Shape,
  axis: number,
  number: number,
  visit: (at: number, number: number) => void,
): number {
  let next = number;
  for (let s = 0; s < patch[axis]; s++) {
    const at = start + s * strides[axis];
    if (axis === patch.length - 1) visit(at, next++);
    else next = eachSample(strides, at, patch, axis + 1, next, visit);
  }
  return next;
}

/** sum ← sum + Σᵢ Pᵢᵀ(yᵢ + meansᵢ), in f64. */
export function addWindows(
  Y: DenseMatrix,
  means: DenseMatrix | null,
  start: Uint32Array,
  patch: Shape,
  shape: Shape,
  sum: DenseMatrix,
): void {
  const sums = Float64Array.from(sum.data);
  const strides = stridesOf(shape);
  for (let i = 0; i < Y.cols; i++) {
    const mean = means ? means.data[i] : 0;
    const y = Y.column(i);
    eachSample(strides, start[i], patch, 0, 0, (at, r) => (sums[at] += y[r] + mean));
  }
  sum.data.set(sums);
}

/** Subtract the mean of a column, and return it. */
function removeMean(y: Float32Array): number {
  let sum = 0;
  for (const value of y) sum += value;
  const mean = Math.fround(sum / y.length);
  for (let i = 0; i < y.length; i++) y[i] -= mean;
  return mean;
}
