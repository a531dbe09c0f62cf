/**
 * Random windows of signals: uniform over all positions of all signals, without
 * repetition and without a list of all windows.
 *
 * `WindowNumbers` numbers the windows of all signals, one signal after the other,
 * row-major within each. Signals of one shape may be numbered together, as one unit.
 * A signal cut into pieces along its first axis, which overlap by one row less than
 * the patch has, keeps the numbers of its windows, since the first axis varies slowest.
 *
 * `PatchSampler` puts these numbers in random order by a keyed permutation: the first
 * `holdout` windows are for testing and the next `examples` for training, so the two
 * never share a window. Each epoch visits the training windows in an order of its own.
 * Everything depends on the seed alone, and takes a few bytes per signal.
 */

import {
  type ArgumentType,
  byRule,
  requireArguments,
  requireOptions,
  rng as rngType,
} from "../../core/arguments/argumentTypes.js";
import { InputError } from "../../core/errors.js";
import { Permutation, type Rng } from "../../core/random/rng.js";
import { requireInteger } from "../../core/require.js";
import { formatShape, requireShape, type Shape } from "../../core/shape.js";

/** Which signal each window is cut from, and the flat index of its first sample there. */
export interface Windows {
  readonly signal: Uint32Array;
  readonly start: Uint32Array;
}

export interface SamplerOptions {
  readonly patch: Shape;
  /** Windows kept for testing. */
  readonly holdout: number;
  /** Windows for training; fewer if the signals do not have that many. */
  readonly examples: number;
}

const unitList: ArgumentType = {
  words: "a list of signals, or of units of a source",
  accepts: (value) => Array.isArray(value) && value.every((unit) => Array.isArray(unit?.shape)),
};

export class PatchSampler {
  /** Windows set aside for testing. */
  readonly holdout: number;
  /** Training windows per epoch. */
  readonly examples: number;
  /** All windows. */
  readonly available: number;
  readonly numbers: WindowNumbers;
  readonly #rng: Rng;
  readonly #order: Permutation;
  /** The order of the epoch that was last asked for. */
  #shuffle: { readonly epoch: number; readonly order: Permutation } | undefined;

  constructor(units: readonly Windowed[], options: SamplerOptions, rng: Rng) {
    requireArguments("PatchSampler", { units: [units, unitList], rng: [rng, rngType] });
    requireOptions("PatchSampler", options, { patch: byRule, holdout: byRule, examples: byRule });
    requireShape("PatchSampler", "patch", options.patch);
    requireInteger("PatchSampler", "holdout", options.holdout, 0);
    requireInteger("PatchSampler", "examples", options.examples, 0);
    this.#rng = rng;
    this.numbers = new WindowNumbers(units, options.patch);
    this.available = this.numbers.total;
    this.holdout = options.holdout;
    this.examples = Math.min(options.examples, this.available - options.holdout);
    if (this.examples < 1) {
      const whole = units.some(({ usable }) => usable) ? " without missing samples" : "";
      const spare = options.holdout > 0 ? ` besides the ${options.holdout} held out for testing` : "";
      throw new InputError(
        `the data must have a window of ${formatShape(options.patch)}${whole}${spare}, got ${this.available} in all`,
        { where: "PatchSampler" },
      );
    }
    this.#order = new Permutation(this.available, rng.split("positions"));
  }

  /** The windows held out for testing. */
  testWindows(): Windows {
    return this.#windows(this.holdout, (i) => this.testNumber(i));
  }

  /** Training windows [from, to) of an epoch, in its order. */
  trainingWindows(epoch: number, from: number, to: number): Windows {
    return this.#windows(to - from, (i) => this.trainingNumber(this.rankAt(epoch, from + i)));
  }

  /** The rank of the training window (from 0) at this place of an epoch. */
  rankAt(epoch: number, place: number): number {
    if (this.#shuffle?.epoch !== epoch)
      this.#shuffle = { epoch, order: new Permutation(this.examples, this.#rng.split(`epoch ${epoch}`)) };
    return this.#shuffle.order.at(place);
  }

  /** The number of a training window. */
  trainingNumber(rank: number): number {
    return this.#order.at(this.holdout + rank);
  }

  /** The number of a window held out for testing. */
  testNumber(rank: number): number {
    return this.#order.at(rank);
  }

  #windows(count: number, numberOf: (i: number) => number): Windows {
    const windows = { signal: new Uint32Array(count), start: new Uint32Array(count) };
    for (let i = 0; i < count; i++) {
      const number = numberOf(i);
      const s = this.numbers.unitOf(number);
      windows.signal[i] = s;
      windows.start[i] = this.numbers.startIn(s, number);
    }
    return windows;
  }
}

/** What windows are cut from: a signal, or `count` signals of one shape. */
export interface Windowed {
  readonly name: string;
  readonly shape: Shape;
  /** 1 by default. */
  readonly count?: number;
  /** The windows that may be used; all by default. */
  readonly usable?: UsableWindows;
}

/** Some of the windows of a unit: how many, and the number of each among all. */
export interface UsableWindows {
  readonly count: number;
  at(i: number): number;
}

export class WindowNumbers {
  /** All windows. */
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
      const all = countWindows(unit, patch) * (unit.count ?? 1);
      this.#first[u + 1] = this.#first[u] + (unit.usable?.count ?? all);
    });
    this.total = this.#first[units.length];
  }

  /**
   * The unit that holds a window. The search starts where the unit would be if all had equally many windows:
   * with a million units, a binary search over all of them costs three times as much.
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
    return Math.floor(this.#numberIn(unit, number) / this.#windowsOf(unit));
  }

  /** The flat index of a window's first sample in its signal. */
  startIn(unit: number, number: number): number {
    const { shape } = this.#units[unit];
    return windowStart(shape, this.#patch, this.#numberIn(unit, number) % this.#windowsOf(unit));
  }

  /** The number of a window among all windows of its unit. */
  #numberIn(unit: number, number: number): number {
    const local = number - this.#first[unit];
    return this.#units[unit].usable?.at(local) ?? local;
  }

  /** How many windows each signal of a unit has. */
  #windowsOf(unit: number): number {
    const { count = 1, usable } = this.#units[unit];
    if (usable) return countWindows(this.#units[unit], this.#patch);
    return (this.#first[unit + 1] - this.#first[unit]) / count;
  }
}

/** How many windows of a patch a signal has. */
export function countWindows(signal: Windowed, patch: Shape): number {
  const fits =
    signal.shape.length === patch.length && patch.every((size, axis) => size <= signal.shape[axis]);
  if (!fits) {
    throw new InputError(
      `${signal.name} must be at least ${formatShape(patch)}, got ${formatShape(signal.shape)}`,
      { where: "PatchSampler" },
    );
  }
  return patch.reduce((product, size, axis) => product * (signal.shape[axis] - size + 1), 1);
}

/** The flat index of the first sample of window `number`; windows are counted row-major. */
function windowStart(shape: Shape, patch: Shape, number: number): number {
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
