/**
 * A signal: an array of samples with any number of axes (a sound, a picture, a
 * volume). Windows are cut from it, or all of it is one example.
 */

import { InputError } from "./errors.js";
import { formatShape, requireShape, type Shape, sizeOf } from "./shape.js";

export interface Signal {
  /** Where it comes from, for messages: a file name, for example. */
  readonly name: string;
  readonly shape: Shape;
  /** Samples in row-major order. */
  readonly data: Float32Array;
}

/** A signal, checked to have as many samples as its shape says, all finite. */
export function makeSignal(name: string, shape: Shape, data: Float32Array): Signal {
  requireShape(name, "shape", shape);
  if (data.length !== sizeOf(shape)) {
    throw new InputError(
      `${name}: shape ${formatShape(shape)} must have ${sizeOf(shape)} samples, got ${data.length}`,
    );
  }
  for (let i = 0; i < data.length; i++) {
    if (!Number.isFinite(data[i])) {
      throw new InputError(`${name}: samples must be finite, got ${data[i]} at ${formatPlace(i, shape)}`);
    }
  }
  return { name, shape, data };
}

/** The coordinates of a flat index: `[3, 17]`. */
function formatPlace(index: number, shape: Shape): string {
  const place: number[] = [];
  let rest = index;
  for (let axis = shape.length - 1; axis >= 0; axis--) {
    place.unshift(rest % shape[axis]);
    rest = Math.floor(rest / shape[axis]);
  }
  return `[${place.join(", ")}]`;
}
