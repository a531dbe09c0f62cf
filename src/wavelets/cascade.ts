/**
 * The usual wavelet transform of periodic signals of several axes: one level along
 * every axis, then the same for the approximation along all axes, and so on
 * [Mallat 2009, §7.7]. It is orthogonal if each step is, by an orthogonal wavelet.
 *
 * It is not separable as a whole: a detail of level j has the same scale along all
 * axes. The completely separable transform of §III-B of [Sulam16] has all pairs of
 * scales; it is `separable:NAME` in dictionaries/base.ts.
 *
 * Shapes   coefficients replace the samples: after J levels the approximation is the
 *          corner of size/2^J along each axis, and the details of level j fill the
 *          corner of size/2^(j−1) around it
 * Cost     O(nK) for n samples and filters of K taps, any number of levels
 */

import { InputError } from "../core/errors.js";
import { type Shape, sizeOf, stridesOf } from "../core/shape.js";
import type { Wavelet } from "./filters.js";
import { analyzePeriodic, maxLevels } from "./transform.js";

/** The transform of a row-major signal; by default with as many levels as all its axes can be halved. */
export function forwardCascade(
  signal: ArrayLike<number>,
  shape: Shape,
  wavelet: Wavelet,
  levels: number = Math.min(...shape.map(maxLevels)),
): Float64Array {
  if (signal.length !== sizeOf(shape)) {
    throw new InputError(
      `forwardCascade: the signal must have ${sizeOf(shape)} samples, got ${signal.length}`,
    );
  }
  const coefficients = Float64Array.from(signal);
  let corner = [...shape];
  for (let level = 0; level < levels; level++) {
    corner.forEach((_, axis) => analyzeAlong(coefficients, shape, corner, axis, wavelet));
    corner = corner.map((size) => size / 2);
  }
  return coefficients;
}

/** One level along one axis, within the corner of the signal that has these sizes. */
function analyzeAlong(
  data: Float64Array,
  shape: Shape,
  corner: readonly number[],
  axis: number,
  wavelet: Wavelet,
): void {
  const strides = stridesOf(shape);
  const length = corner[axis];
  const step = strides[axis];
  const line = new Float64Array(length);
  for (const start of lineStarts(corner, strides, axis)) {
    for (let i = 0; i < length; i++) line[i] = data[start + i * step];
    const { approximation, detail } = analyzePeriodic(line, wavelet);
    approximation.forEach((value, k) => {
      data[start + k * step] = value;
      data[start + (length / 2 + k) * step] = detail[k];
    });
  }
}

/** The flat indices of the first samples of all lines along an axis. */
function lineStarts(corner: readonly number[], strides: readonly number[], axis: number): number[] {
  return corner.reduce<number[]>(
    (all, size, other) =>
      other === axis
        ? all
        : all.flatMap((start) => Array.from({ length: size }, (_, i) => start + i * strides[other])),
    [0],
  );
}
