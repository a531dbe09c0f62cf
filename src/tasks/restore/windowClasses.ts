/**
 * Windows of a signal that need different treatment: those with missing samples, and
 * those whose samples are so large or so small that sums of squares would leave the
 * range of f32 beside the others. An ordinary signal has one class, and is not looked at
 * window by window.
 */

import { hasGaps } from "../../core/samples/gaps.js";
import type { Shape } from "../../core/shape.js";
import type { Signal } from "../../core/signal.js";
import { exponentOf } from "../../core/units.js";
import { windowOffsets } from "../encode/tiling.js";
import type { WindowGrid } from "./overlap.js";

export interface WindowClasses {
  /** Numbers of the windows without gaps, by the exponent of the power of two to divide them by. */
  readonly whole: ReadonlyMap<number, Uint32Array>;
  /** Numbers of the windows with gaps. */
  readonly gaps: Uint32Array;
}

/** Octaves of a class. */
const octaves = 80;

/** The windows of a grid in classes; undefined if all of them are ordinary. */
export function classifyWindows(signal: Signal, grid: WindowGrid, patch: Shape): WindowClasses | undefined {
  if (!hasGaps(signal) && signal.data.every((value) => Math.abs(value) < 2 ** (octaves / 2)))
    return undefined;
  const inside = windowOffsets(signal.shape, patch);
  const whole = new Map<number, number[]>();
  const gaps: number[] = [];
  for (let number = 0; number < grid.count; number++) {
    const exponent = classOf(signal.data, grid.start(number), inside);
    if (exponent === undefined) gaps.push(number);
    else if (whole.has(exponent)) whole.get(exponent)?.push(number);
    else whole.set(exponent, [number]);
  }
  const lists = Array.from(whole, ([exponent, list]) => [exponent, Uint32Array.from(list)] as const);
  return { whole: new Map(lists), gaps: Uint32Array.from(gaps) };
}

/** The exponent of a window's class; undefined if a sample is missing. */
function classOf(data: Float32Array, start: number, inside: Uint32Array): number | undefined {
  let largest = 0;
  for (let r = 0; r < inside.length; r++) {
    const value = Math.abs(data[start + inside[r]]);
    if (Number.isNaN(value)) return undefined;
    if (value > largest) largest = value;
  }
  if (largest === 0) return 0;
  return octaves * Math.floor((exponentOf(largest) + octaves / 2) / octaves);
}
