/**
 * Windows copied out of their signals, so that the signals need not stay in memory.
 *
 * The copies are stacked along the first axis into signals that otherwise have the
 * shape of the patch. So each copy is a window of such a signal, and its samples are
 * contiguous.
 */

import { type Shape, sizeOf, stridesOf } from "../../core/shape.js";
import { makeSignal, type Signal } from "../../core/signal.js";
import type { Windows } from "./patchSampler.js";

/** Approximate samples per signal of gathered windows: devices limit the size of a signal. */
const signalSamples = 2 ** 22;

export class GatheredWindows {
  readonly signals: readonly Signal[];
  /** 1 for windows that were never set. */
  readonly #absent: Uint8Array;
  readonly #patch: Shape;
  readonly #size: number;
  /** Windows per signal. */
  readonly #each: number;

  constructor(count: number, patch: Shape) {
    this.#patch = patch;
    this.#size = sizeOf(patch);
    this.#each = Math.max(1, Math.floor(signalSamples / this.#size));
    this.#absent = new Uint8Array(count).fill(1);
    this.signals = Array.from({ length: Math.ceil(count / this.#each) }, (_, s) => {
      const windows = Math.min(this.#each, count - s * this.#each);
      const shape = [windows * patch[0], ...patch.slice(1)];
      return makeSignal("gathered windows", shape, new Float32Array(windows * this.#size));
    });
  }

  /** Window i ← the window of `signal` that starts at this flat index. */
  set(i: number, signal: Signal, start: number): void {
    const target = this.signals[Math.floor(i / this.#each)].data;
    copyWindow(signal, start, this.#patch, target, (i % this.#each) * this.#size);
    this.#absent[i] = 0;
  }

  /** Windows at(0) … at(count − 1) as places in `signals`, without those that were never set. */
  windows(count: number, at: (i: number) => number): Windows {
    const signal = new Uint32Array(count);
    const start = new Uint32Array(count);
    let found = 0;
    for (let i = 0; i < count; i++) {
      const window = at(i);
      if (this.#absent[window]) continue;
      signal[found] = Math.floor(window / this.#each);
      start[found++] = (window % this.#each) * this.#size;
    }
    return { signal: signal.subarray(0, found), start: start.subarray(0, found) };
  }
}

/** Copy the samples of a window, row-major, to `target` from index `at`. */
export function copyWindow(
  { data, shape }: Signal,
  start: number,
  patch: Shape,
  target: Float32Array,
  at: number,
): void {
  const strides = stridesOf(shape);
  const last = patch.length - 1;
  const line = patch[last];
  const copy = (axis: number, from: number, to: number): number => {
    if (axis === last) {
      target.set(data.subarray(from, from + line), to);
      return to + line;
    }
    let next = to;
    for (let i = 0; i < patch[axis]; i++) next = copy(axis + 1, from + i * strides[axis], next);
    return next;
  };
  copy(0, start, at);
}
