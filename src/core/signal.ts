/**
 * A signal: an array of samples with any number of axes (a sound, a picture, a
 * volume). Windows are cut from it, or all of it is one example.
 */

import { float32, requireArguments, text } from "./arguments/argumentTypes.js";
import { InputError, inputError } from "./errors.js";
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
  requireArguments("makeSignal", { name: [name, text], data: [data, float32] });
  requireSize({ name, shape, data });
  requireFiniteSamples({ name, shape, data });
  return { name, shape, data };
}

/** The same check for signals that a program made by itself: `Signal` is an interface. */
export function requireSignals(where: string, signals: readonly Signal[]): readonly Signal[] {
  for (const signal of signals) {
    requireSignal(where, signal);
    requireFiniteSamples(signal);
  }
  return signals;
}

/** Check that a value is a signal, and has as many samples as its shape says, which need not be finite. */
export function requireSignal(where: string, signal: Signal): void {
  const { name, shape, data } = (signal ?? {}) as Partial<Signal>;
  if (typeof name !== "string" || !Array.isArray(shape) || !(data instanceof Float32Array))
    throw inputError(where, "signals", "must be signals, as makeSignal and readImage return them", signal);
  requireSize(signal);
}

function requireFiniteSamples({ name, shape, data }: Signal): void {
  for (let i = 0; i < data.length; i++) if (!Number.isFinite(data[i])) throw notFinite(name, shape, data, i);
}

/** Check a shape, and that there are as many samples as it says. */
function requireSize({ name, shape, data }: Signal): void {
  requireShape(name, "shape", shape);
  if (data.length === sizeOf(shape)) return;
  throw new InputError(
    `${name}: shape ${formatShape(shape)} must have ${sizeOf(shape)} samples, got ${data.length}`,
  );
}

/** The error for a sample that is not finite. */
export function notFinite(name: string, shape: Shape, data: Float32Array, i: number): InputError {
  const what = `samples must be finite, got ${data[i]} at ${formatPlace(i, shape)}`;
  return new InputError(
    (nameOf) => `${name}: ${what}; if it marks missing samples, name it by ${nameOf("nodata")}`,
  );
}

/** The coordinates of a flat index: `[3, 17]`. */
export function formatPlace(index: number, shape: Shape): string {
  const place: number[] = [];
  let rest = index;
  for (let axis = shape.length - 1; axis >= 0; axis--) {
    place.unshift(rest % shape[axis]);
    rest = Math.floor(rest / shape[axis]);
  }
  return `[${place.join(", ")}]`;
}
