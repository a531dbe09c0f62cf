/**
 * Windows of signals, drawn uniformly over all positions of all signals, each at
 * most once, without a list of them.
 *
 * The windows of all signals are numbered one after the other. A keyed
 * permutation of these numbers puts them in random order: the first `holdout`
 * are for testing, the next `examples` for training, so the two never share a
 * window. Each epoch visits the training windows in an order of its own.
 * Everything depends on the seed alone, and takes a few bytes a signal.
 */

import { InputError } from "../core/errors.js";
import { Permutation } from "../core/permutation.js";
import type { Rng } from "../core/rng.js";
import { formatShape, type Shape } from "../core/shape.js";
import type { Signal } from "../core/signal.js";

/** Which signal each window is cut from, and the flat index of its first sample there. */
export interface Windows {
  readonly signal: Uint32Array;
  readonly start: Uint32Array;
}

export interface SamplerOptions {
  readonly patch: Shape;
  /** Windows kept for testing. */
  readonly holdout: number;
  /** Windows for training; fewer where the signals have not as many. */
  readonly examples: number;
}

export class PatchSampler {
  /** Windows set aside for testing. */
  readonly holdout: number;
  /** Windows trained on in an epoch. */
  readonly examples: number;
  /** Windows there are in all. */
  readonly available: number;
  readonly #signals: readonly Signal[];
  readonly #patch: Shape;
  readonly #rng: Rng;
  readonly #order: Permutation;
  /** Number of the first window of each signal. */
  readonly #first: Float64Array;
  /** The order of the last epoch asked for. */
  #shuffle: { readonly epoch: number; readonly order: Permutation } | undefined;

  constructor(signals: readonly Signal[], options: SamplerOptions, rng: Rng) {
    this.#signals = signals;
    this.#patch = options.patch;
    this.#rng = rng;
    this.#first = new Float64Array(signals.length + 1);
    signals.forEach((signal, s) => {
      this.#first[s + 1] = this.#first[s]! + windowsIn(signal, options.patch);
    });
    this.available = this.#first[signals.length]!;
    this.holdout = options.holdout;
    this.examples = Math.min(options.examples, this.available - options.holdout);
    if (this.examples < 1) {
      const spare = options.holdout > 0 ? ` besides the ${options.holdout} held out for testing` : "";
      throw new InputError(
        `PatchSampler: the data must have a ${formatShape(options.patch)} window to train on${spare}, got ${this.available} in all`,
      );
    }
    this.#order = new Permutation(this.available, rng.split("positions"));
  }

  /** The windows held out for testing. */
  testWindows(): Windows {
    return this.#windows(this.holdout, (i) => i);
  }

  /** Training windows [from, to) of an epoch, in its order. */
  trainingWindows(epoch: number, from: number, to: number): Windows {
    const order = this.#orderOf(epoch);
    return this.#windows(to - from, (i) => this.holdout + order.at(from + i));
  }

  #orderOf(epoch: number): Permutation {
    if (this.#shuffle?.epoch !== epoch)
      this.#shuffle = { epoch, order: new Permutation(this.examples, this.#rng.split(`epoch ${epoch}`)) };
    return this.#shuffle.order;
  }

  #windows(count: number, rank: (i: number) => number): Windows {
    const windows = { signal: new Uint32Array(count), start: new Uint32Array(count) };
    for (let i = 0; i < count; i++) {
      const number = this.#order.at(rank(i));
      const s = this.#signalOf(number);
      windows.signal[i] = s;
      windows.start[i] = startOf(this.#signals[s]!, this.#patch, number - this.#first[s]!);
    }
    return windows;
  }

  /** The signal that holds a window number: the last whose first window is not above it. */
  #signalOf(number: number): number {
    let low = 0;
    let high = this.#signals.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.#first[middle]! <= number) low = middle;
      else high = middle - 1;
    }
    return low;
  }
}

/** How many windows of a patch a signal has. */
function windowsIn(signal: Signal, patch: Shape): number {
  const fits =
    signal.shape.length === patch.length && patch.every((size, axis) => size <= signal.shape[axis]!);
  if (!fits) {
    throw new InputError(
      `PatchSampler: ${signal.name} must be at least ${formatShape(patch)}, got ${formatShape(signal.shape)}`,
    );
  }
  return patch.reduce((product, size, axis) => product * (signal.shape[axis]! - size + 1), 1);
}

/** The flat index of the first sample of a signal's window, counted row-major over origins. */
function startOf(signal: Signal, patch: Shape, number: number): number {
  let rest = number;
  let start = 0;
  let stride = 1;
  for (let axis = patch.length - 1; axis >= 0; axis--) {
    const size = signal.shape[axis]!;
    const places = size - patch[axis]! + 1;
    start += (rest % places) * stride;
    rest = Math.floor(rest / places);
    stride *= size;
  }
  return start;
}
