/** Samples so large, beside the others, that no run could learn from them: its sums would leave the range of f32. */

import { InputError } from "../../core/errors.js";
import { describeExtreme, type Extreme } from "../../core/samples/extremes.js";
import { formatPlace, type Signal } from "../../core/signal.js";

/** The largest sample that can be used, in the units of a run. */
const largestUsable = 2 ** 40;

/** Whether a sample can be used by a run that multiplies its data by `scale`. */
export function isUsable(value: number, scale: number): boolean {
  return Math.abs(value) * scale <= largestUsable;
}

/** The first sample of signals that a run could not use, if there is one. */
export function findUnusable(signals: readonly Signal[], scale: number): Extreme | undefined {
  for (const { name, shape, data } of signals) {
    const i = data.findIndex((value) => !isUsable(value, scale));
    if (i >= 0) return { name, place: formatPlace(i, shape), value: data[i], usual: 1 / scale };
  }
  return undefined;
}

/** The error for a sample that a run cannot use. */
export function notUsable(extreme: Extreme): InputError {
  return new InputError((nameOf) => describeExtreme(extreme, `name it by ${nameOf("nodata")}`), {
    where: "train",
  });
}
