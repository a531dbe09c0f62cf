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

import { InputError } from "../../core/errors.js";
import { Permutation } from "../../core/permutation.js";
import type { Rng } from "../../core/rng.js";
import { formatShape, type Shape } from "../../core/shape.js";
import { type Windowed, WindowNumbers } from "./windowNumbers.js";

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
  readonly numbers: WindowNumbers;
  readonly #rng: Rng;
  readonly #order: Permutation;
  /** The order of the last epoch asked for. */
  #shuffle: { readonly epoch: number; readonly order: Permutation } | undefined;

  constructor(units: readonly Windowed[], options: SamplerOptions, rng: Rng) {
    this.#rng = rng;
    this.numbers = new WindowNumbers(units, options.patch);
    this.available = this.numbers.total;
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
    return this.#windows(this.holdout, (i) => this.testNumber(i));
  }

  /** Training windows [from, to) of an epoch, in its order. */
  trainingWindows(epoch: number, from: number, to: number): Windows {
    return this.#windows(to - from, (i) => this.trainingNumber(this.rankAt(epoch, from + i)));
  }

  /** Which of the training windows, from 0, comes at this place of an epoch. */
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
