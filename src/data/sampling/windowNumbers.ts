/**
 * All windows of a patch in all signals, numbered one after the other: signals in
 * their order, windows row-major over the origins within each.
 *
 * Signals of one shape may be numbered as one unit. A signal that is cut into pieces
 * along its first axis, overlapping by one row less than the patch has, keeps the
 * numbers of its windows: the first axis varies slowest.
 */

import { InputError } from "../../core/errors.js";
import { formatShape, type Shape } from "../../core/shape.js";

/** What windows are cut from: a signal, or `count` of one shape. */
export interface Windowed {
  readonly name: string;
  readonly shape: Shape;
  /** 1 unless told. */
  readonly count?: number;
}

export class WindowNumbers {
  /** Windows there are in all. */
  readonly total: number;
  readonly #units: readonly Windowed[];
  readonly #patch: Shape;
  /** Number of the first window of each unit. */
  readonly #first: Float64Array;

  constructor(units: readonly Windowed[], patch: Shape) {
    this.#units = units;
    this.#patch = patch;
    this.#first = new Float64Array(units.length + 1);
    units.forEach((unit, u) => {
      this.#first[u + 1] = this.#first[u] + windowsIn(unit, patch) * (unit.count ?? 1);
    });
    this.total = this.#first[units.length];
  }

  /**
   * The unit that holds a window: the last whose first window is not above it. Looked for around where it
   * would be if all units had as many: a search over all of a million costs three times as much.
   */
  unitOf(number: number): number {
    const first = this.#first;
    const last = this.#units.length - 1;
    let low = Math.min(last, Math.floor((number / this.total) * this.#units.length));
    let high = low;
    for (let step = 1; low > 0 && first[low] > number; step *= 2) {
      high = low - 1;
      low = Math.max(0, low - step);
    }
    for (let step = 1; high < last && first[high + 1] <= number; step *= 2) {
      low = high + 1;
      high = Math.min(last, high + step);
    }
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (first[middle] <= number) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  /** Which signal of its unit a window is cut from. */
  signalIn(unit: number, number: number): number {
    const { count = 1 } = this.#units[unit];
    if (count === 1) return 0;
    const windows = (this.#first[unit + 1] - this.#first[unit]) / count;
    return Math.floor((number - this.#first[unit]) / windows);
  }

  /** The flat index of a window's first sample in its signal. */
  startIn(unit: number, number: number): number {
    const { count = 1, shape } = this.#units[unit];
    const windows = (this.#first[unit + 1] - this.#first[unit]) / count;
    return startOf(shape, this.#patch, (number - this.#first[unit]) % windows);
  }
}

/** How many windows of a patch a signal has. */
function windowsIn(signal: Windowed, patch: Shape): number {
  const fits =
    signal.shape.length === patch.length && patch.every((size, axis) => size <= signal.shape[axis]);
  if (!fits) {
    throw new InputError(
      `PatchSampler: ${signal.name} must be at least ${formatShape(patch)}, got ${formatShape(signal.shape)}`,
    );
  }
  return patch.reduce((product, size, axis) => product * (signal.shape[axis] - size + 1), 1);
}

/** The flat index of the first sample of a window, counted row-major over origins. */
function startOf(shape: Shape, patch: Shape, number: number): number {
  let rest = number;
  let start = 0;
  let stride = 1;
  for (let axis = patch.length - 1; axis >= 0; axis--) {
    const size = shape[axis];
    const places = size - patch[axis] + 1;
    start += (rest % places) * stride;
    rest = Math.floor(rest / places);
    stride *= size;
  }
  return start;
}
