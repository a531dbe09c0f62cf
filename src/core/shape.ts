/**
 * Shapes of signals: one size per axis; the last axis varies fastest.
 *
 * A signal of shape [h, w] is the vector of its h·w samples in row-major order,
 * so that a separable dictionary is `kron(phi_0, phi_1)`. A window of it is a number of
 * lines of neighbouring samples.
 */

import { InputError, inputError, type OptionNaming } from "./errors.js";

/** Sizes of the axes, outermost first. At least one axis, every size at least 1. */
export type Shape = readonly number[];

/** Number of samples of a signal of this shape. */
export function sizeOf(shape: Shape): number {
  return shape.reduce((product, size) => product * size, 1);
}

/** `[32, 24]` → `"32x24"`. */
export function formatShape(shape: Shape): string {
  return shape.join("x");
}

/** `"32x24"` → `[32, 24]`; `"32"` → `[32]`. */
export function parseShape(where: string, name: string, text: string): Shape {
  if (!/^[1-9]\d*(x[1-9]\d*)*$/.test(text)) {
    throw inputError(where, name, "must be sizes joined by x, such as 32, 32x24 or 16x16x8", text);
  }
  return requireShape(where, name, text.split("x").map(Number));
}

/** A valid shape: one or more axes of positive integer size, at most 2^31 − 1 samples. */
export function requireShape(where: string, name: string, shape: unknown): Shape {
  const valid =
    Array.isArray(shape) && shape.length > 0 && shape.every((s) => Number.isSafeInteger(s) && s >= 1);
  if (!valid) throw inputError(where, name, "must be one or more positive integer sizes", shape);
  if (sizeOf(shape) > 0x7fffffff)
    throw inputError(where, name, "must hold fewer than 2^31 samples", formatShape(shape));
  return shape as Shape;
}

/** Axes of at most this many samples may be channels: grey and opacity, red, green and blue, colour and opacity. */
const mostChannels = 4;

/** Whether the last axis of a patch is its channels: the last of three or more, short, and shorter than all others. */
export function hasChannels(shape: Shape): boolean {
  const [last, ...others] = shape.toReversed();
  return others.length >= 2 && last <= mostChannels && others.every((size) => size > last);
}

/** Whether a shape is that of a colour picture, or of a patch of one: red, green and blue along the last of three axes. */
export function isColourShape(shape: Shape): boolean {
  return shape.length === 3 && shape[2] === 3;
}

/** Whether two shapes are equal. */
export function sameShape(a: Shape, b: Shape): boolean {
  return a.length === b.length && a.every((size, axis) => size === b[axis]);
}

/** Reject any shape but the expected one. */
export function requireSameShape(where: string, name: string, shape: Shape, expected: Shape): void {
  if (sameShape(shape, expected)) return;
  const rule = `must have shape ${formatShape(expected)}`;
  const problem = (nameOf: OptionNaming) => `${nameOf(name)} ${rule}, got ${formatShape(shape)}`;
  throw new InputError(problem, { where, argument: name, rule, value: shape });
}

/** Row-major strides: samples between neighbours along each axis. */
export function stridesOf(shape: Shape): number[] {
  const strides = new Array<number>(shape.length);
  let stride = 1;
  for (let axis = shape.length - 1; axis >= 0; axis--) {
    strides[axis] = stride;
    stride *= shape[axis];
  }
  return strides;
}

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
