/**
 * Windows of signals as columns, of any number of axes, with their means removed.
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
    const signal = store.signals[windows.signal[i]!]!;
    const y = Y.column(i);
    copyWindow(signal.data, stridesOf(signal.shape), windows.start[i]!, patch, 0, y, 0);
    if (store.scale !== 1) for (let r = 0; r < y.length; r++) y[r]! *= store.scale;
    if (means) means.data[i] = removeMean(y);
  }
}

/** Copy one axis after the other; returns where the next sample goes. */
function copyWindow(
  source: Float32Array,
  strides: readonly number[],
  start: number,
  patch: Shape,
  axis: number,
  target: Float32Array,
  to: number,
): number {
  const last = axis === patch.length - 1;
  let next = to;
  for (let s = 0; s < patch[axis]!; s++) {
    const from = start + s * strides[axis]!;
    if (last) target[next++] = source[from]!;
    else next = copyWindow(source, strides, from, patch, axis + 1, target, next);
  }
  return next;
}

/** Subtract the mean of a column, and return it. */
function removeMean(y: Float32Array): number {
  let sum = 0;
  for (const value of y) sum += value;
  const mean = Math.fround(sum / y.length);
  for (let i = 0; i < y.length; i++) y[i]! -= mean;
  return mean;
}
