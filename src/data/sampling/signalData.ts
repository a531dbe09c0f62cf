/**
 * What a program may give as data: one signal, several, a typed array (a 1-D signal),
 * several of those, an array with a shape such as `readNpy` returns, or a source.
 *
 * An array with as many axes as the patch is one signal; with one axis more, the first
 * counts signals, as on the command line.
 */

import { InputError, show } from "../../core/errors.js";
import { type Shape, sizeOf } from "../../core/shape.js";
import { makeSignal, type Signal } from "../../core/signal.js";
import type { SignalSource } from "./signalSource.js";

/** Samples in memory: any typed array of numbers. */
export type Samples =
  | Float32Array
  | Float64Array
  | Int8Array
  | Uint8Array
  | Uint8ClampedArray
  | Int16Array
  | Uint16Array
  | Int32Array
  | Uint32Array;

/** Samples with a shape, row-major: a signal without a name, an array of `readNpy`. */
export interface ShapedSamples {
  readonly shape: Shape;
  readonly data: Samples;
  readonly name?: string;
}

/** Signals in memory. */
export type SignalData = Samples | ShapedSamples | readonly (Samples | ShapedSamples)[];

/** Signals that windows of `patch` are cut from, or the source that was given. */
export function signalsFrom(
  where: string,
  data: SignalData | SignalSource,
  patch: Shape,
): readonly Signal[] | SignalSource {
  if (isSource(data)) return data;
  const list = Array.isArray(data) ? data : [data];
  if (list.length === 0) throw new InputError("data must hold at least one signal, got none", { where });
  if (list.every(isSignal)) return list; // as they are: nothing is copied
  return list.flatMap((item, i) => toSignals(where, item, list.length === 1 ? "data" : `data[${i}]`, patch));
}

function isSource(data: unknown): data is SignalSource {
  return typeof data === "object" && data !== null && "units" in data && "read" in data;
}

function isSignal(item: unknown): item is Signal {
  return isShaped(item) && typeof item.name === "string" && item.data instanceof Float32Array;
}

function isShaped(item: unknown): item is ShapedSamples {
  return (
    typeof item === "object" && item !== null && "shape" in item && "data" in item && isSamples(item.data)
  );
}

function isSamples(data: unknown): data is Samples {
  return (
    ArrayBuffer.isView(data) &&
    !(data instanceof DataView || data instanceof BigInt64Array || data instanceof BigUint64Array)
  );
}

function toSignals(where: string, item: unknown, called: string, patch: Shape): Signal[] {
  if (isSamples(item)) return [makeSignal(called, [item.length], Float32Array.from(item))];
  if (!isShaped(item)) {
    const paths = typeof item === "string" ? "; train of trainlets/node reads files" : "";
    throw new InputError(
      `${called} must be a signal, several signals, a typed array or an array { shape, data }, got ${show(item)}${paths}`,
      { where, argument: "data", value: item },
    );
  }
  const { shape, name = called } = item;
  const values = Float32Array.from(item.data);
  if (!Array.isArray(shape) || shape.length !== patch.length + 1 || values.length !== sizeOf(shape))
    return [makeSignal(name, shape, values)];
  const size = sizeOf(shape.slice(1));
  return Array.from({ length: shape[0] }, (_, i) =>
    makeSignal(`${name}[${i}]`, shape.slice(1), values.subarray(i * size, (i + 1) * size)),
  );
}
