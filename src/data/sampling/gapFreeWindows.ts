/**
 * Which windows of signals have no missing sample, as bits, and the i-th of them.
 *
 * A window has a gap if any of its samples is one: an OR over a box, done axis by axis.
 *
 * Cost     a few operations per sample and axis
 * Memory   1/8 byte per window, and about an eighth more for counts
 */

import { hasGaps } from "../../core/samples/gaps.js";
import { type Shape, sizeOf } from "../../core/shape.js";
import type { Signal } from "../../core/signal.js";
import { countWindows, type UsableWindows, type Windowed } from "./patchSampler.js";

/** Words of 32 bits whose ones are counted together. */
const together = 8;

export class GapFreeWindows implements UsableWindows {
  /** How many there are. */
  readonly count: number;
  readonly #bits: Uint32Array;
  /** Ones before each block of words. */
  readonly #before: Uint32Array;

  private constructor(bits: Uint32Array) {
    this.#bits = bits;
    this.#before = new Uint32Array(Math.ceil(bits.length / together));
    let count = 0;
    for (let w = 0; w < bits.length; w++) {
      if (w % together === 0) this.#before[w / together] = count;
      count += onesOf(bits[w]);
    }
    this.count = count;
  }

  /** Of signals of one shape, whose windows are numbered one signal after the other; gaps are NaN. */
  static of(signals: readonly Signal[], patch: Shape): GapFreeWindows {
    const each = signals.length === 0 ? 0 : countWindows(signals[0], patch);
    const bits = new Uint32Array(Math.ceil((each * signals.length) / 32));
    signals.forEach(({ data, shape }, s) => {
      const gaps = windowsWithGaps(data, shape, patch);
      for (let i = 0; i < each; i++) {
        const at = s * each + i;
        if (gaps[i] === 0) bits[at >>> 5] |= 1 << (at & 31);
      }
    });
    return new GapFreeWindows(bits);
  }

  /** The number of the i-th window without gaps among all windows. */
  at(i: number): number {
    if (!(i >= 0 && i < this.count)) throw new RangeError(`GapFreeWindows.at: there is no window ${i}`);
    let low = 0;
    let high = this.#before.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.#before[middle] <= i) low = middle;
      else high = middle - 1;
    }
    let left = i - this.#before[low];
    let w = low * together;
    for (let ones = onesOf(this.#bits[w]); left >= ones; ones = onesOf(this.#bits[w])) {
      left -= ones;
      w += 1;
    }
    let word = this.#bits[w];
    for (; left > 0; left--) word &= word - 1; // without its lowest one
    return 32 * w + 31 - Math.clz32(word & -word);
  }
}

/** Signals of a set of windows, with zeros for gaps. */
export interface GapFree {
  readonly signals: readonly (Signal & Windowed)[];
  /** Windows with a gap, which are left out. */
  readonly excluded: number;
}

/** Signals (NaN for gaps) to cut windows without gaps from. */
export function gapFreeSignals(signals: readonly Signal[], patch: Shape): GapFree {
  let excluded = 0;
  const filled = signals.map((signal) => {
    if (!hasGaps(signal)) return signal;
    const usable = GapFreeWindows.of([signal], patch);
    excluded += countWindows(signal, patch) - usable.count;
    return { ...signal, data: withZeros(signal.data.slice()), usable };
  });
  return { signals: filled, excluded };
}

/** Gaps become 0, in place: the values of samples that no window has do not matter, but must be finite. */
export function withZeros(data: Float32Array): Float32Array {
  for (let i = 0; i < data.length; i++) if (Number.isNaN(data[i])) data[i] = 0;
  return data;
}

/** 1 for each window with a gap, row-major. */
function windowsWithGaps(data: Float32Array, shape: Shape, patch: Shape): Uint8Array {
  let gaps = Uint8Array.from(data, (value) => (Number.isNaN(value) ? 1 : 0));
  const sizes = [...shape];
  patch.forEach((length, axis) => {
    gaps = anyAlong(gaps, sizes, axis, length);
    sizes[axis] -= length - 1;
  });
  return gaps;
}

/** 1 for each run of `length` entries along an axis that has a 1. */
function anyAlong(
  values: Uint8Array,
  sizes: readonly number[],
  axis: number,
  length: number,
): Uint8Array<ArrayBuffer> {
  const stride = sizeOf(sizes.slice(axis + 1));
  const size = sizes[axis];
  const runs = size - length + 1;
  const lines = values.length / (size * stride);
  const result = new Uint8Array(lines * runs * stride);
  for (let line = 0; line < lines; line++) {
    for (let inner = 0; inner < stride; inner++) {
      const from = line * size * stride + inner;
      const to = line * runs * stride + inner;
      let ones = 0;
      for (let i = 0; i < size; i++) {
        ones += values[from + i * stride];
        if (i >= length) ones -= values[from + (i - length) * stride];
        if (i >= length - 1) result[to + (i - length + 1) * stride] = ones > 0 ? 1 : 0;
      }
    }
  }
  return result;
}

/** How many bits of a word are 1. */
function onesOf(word: number): number {
  let v = word - ((word >>> 1) & 0x55555555);
  v = (v & 0x33333333) + ((v >>> 2) & 0x33333333);
  return (((v + (v >>> 4)) & 0x0f0f0f0f) * 0x01010101) >>> 24;
}
