/**
 * Missing samples. Files mark them by a value of their own, the no-data value: −9999,
 * −3.4028235e38, 65535 or NaN. Here a missing sample is a gap, and is NaN in a signal;
 * a signal without gaps is finite.
 */

import { inputError } from "../errors.js";
import type { Shape } from "../shape.js";
import { notFinite, requireSignal, type Signal } from "../signal.js";

/** The value that marks missing samples, or several; NaN is one, too. */
export type Nodata = number | readonly number[];

/** The values as f32, to be compared with samples of f32. */
export function resolveNodata(where: string, nodata: Nodata | undefined): readonly number[] {
  const values = nodata === undefined ? [] : typeof nodata === "number" ? [nodata] : nodata;
  if (!Array.isArray(values) || !values.every((value) => typeof value === "number"))
    throw inputError(where, "nodata", "must be a number, or a list of numbers", nodata);
  return [...new Set(values.map(Math.fround))];
}

/** The same values for signals that were read from files, in which missing samples are NaN. */
export function nodataInSignals(nodata: Nodata | undefined): Nodata | undefined {
  return nodata === undefined ? undefined : [...(typeof nodata === "number" ? [nodata] : nodata), Number.NaN];
}

/** Whether a sample of f32 is one of the values. */
export function isNodata(sample: number, nodata: readonly number[]): boolean {
  for (let i = 0; i < nodata.length; i++) {
    if (sample === nodata[i] || (Number.isNaN(sample) && Number.isNaN(nodata[i]))) return true;
  }
  return false;
}

/** Make every sample that is one of the values NaN, in place; all other samples must be finite. */
export function markGaps(name: string, shape: Shape, data: Float32Array, nodata: readonly number[]): void {
  for (let i = 0; i < data.length; i++) {
    if (isNodata(data[i], nodata)) data[i] = Number.NaN;
    else if (!Number.isFinite(data[i])) throw notFinite(name, shape, data, i);
  }
}

/** A signal with NaN for its gaps, copied if that changes it; all other samples must be finite. */
export function withGaps(signal: Signal, nodata: readonly number[]): Signal {
  const { name, shape, data } = signal;
  const changes = data.some((value) => !Number.isNaN(value) && isNodata(value, nodata));
  const marked = changes ? data.slice() : data;
  markGaps(name, shape, marked, nodata);
  return changes ? { ...signal, data: marked } : signal;
}

/** Signals that a program made by itself, checked, with NaN for their gaps. */
export function signalsWithGaps(
  where: string,
  signals: readonly Signal[],
  nodata: readonly number[],
): readonly Signal[] {
  return signals.map((signal) => {
    requireSignal(where, signal);
    return withGaps(signal, nodata);
  });
}

/** Whether a signal has gaps. */
export function hasGaps({ data }: Pick<Signal, "data">): boolean {
  for (let i = 0; i < data.length; i++) if (Number.isNaN(data[i])) return true;
  return false;
}
