/**
 * All overlapping windows of a signal, part by part, and the signal as their average:
 * Σᵢ wᵢ Pᵢᵀ ŷᵢ / Σᵢ wᵢ Pᵢᵀ 1. Nothing is kept per window, so memory is that of the
 * signal, whatever the number of windows.
 */

import type { DenseMatrix } from "../../core/matrix.js";
import { type Shape, sizeOf, stridesOf } from "../../core/shape.js";
import type { WindowList } from "../../kernels/contract.js";
import { gridPlaces, windowOffsets } from "../encode/tiling.js";

/** A grid of windows that covers a signal, numbered row-major. */
export class WindowGrid {
  readonly count: number;
  readonly #places: readonly (readonly number[])[];
  readonly #strides: readonly number[];
  readonly #shape: Shape;
  readonly #patch: Shape;

  constructor(shape: Shape, patch: Shape, stride: Shape) {
    this.#shape = shape;
    this.#patch = patch;
    this.#places = gridPlaces(shape, patch, stride);
    this.#strides = stridesOf(shape);
    this.count = this.#places.reduce((product, { length }) => product * length, 1);
  }

  /** The places of windows [from, to) in signal number `signal`. */
  windows(from: number, to: number, signal = 0): WindowList {
    const start = Uint32Array.from({ length: to - from }, (_, i) => this.start(from + i));
    return { signal: new Uint32Array(start.length).fill(signal), start };
  }

  /** The places of these windows, in the only signal. */
  windowsAt(numbers: Uint32Array): WindowList {
    return { signal: new Uint32Array(numbers.length), start: numbers.map((number) => this.start(number)) };
  }

  /** How many windows each sample is in: the product over the axes of the windows along it. */
  coverage(): Float32Array {
    return this.#shape.reduce((outer, size, axis) => {
      const along = new Uint32Array(size);
      for (const place of this.#places[axis])
        for (let i = place; i < place + this.#patch[axis]; i++) along[i] += 1;
      const counts = new Float32Array(outer.length * size);
      for (let i = 0; i < counts.length; i++) counts[i] = outer[Math.floor(i / size)] * along[i % size];
      return counts;
    }, Float32Array.of(1));
  }

  /** The flat index of the first sample of a window. */
  start(number: number): number {
    let rest = number;
    let start = 0;
    for (let axis = this.#places.length - 1; axis >= 0; axis--) {
      const places = this.#places[axis];
      start += places[rest % places.length] * this.#strides[axis];
      rest = Math.floor(rest / places.length);
    }
    return start;
  }
}

/** Windows added up over a signal, with their weights. */
export class OverlapSum {
  readonly sum: Float32Array;
  /** Σᵢ wᵢ Pᵢᵀ 1. */
  readonly weight: Float32Array;
  /** Where the lines of a window start, from its first sample, and how long they are. */
  readonly #lines: Uint32Array;
  readonly #length: number;

  constructor(shape: Shape, patch: Shape) {
    this.sum = new Float32Array(sizeOf(shape));
    this.weight = new Float32Array(this.sum.length);
    this.#length = patch.at(-1)!;
    this.#lines = windowOffsets(shape, patch).filter((_, r) => r % this.#length === 0);
  }

  /** Count a window that was added up elsewhere, with weight 1. */
  cover(start: number): void {
    for (const line of this.#lines) {
      const first = start + line;
      for (let at = first; at < first + this.#length; at++) this.weight[at] += 1;
    }
  }

  /** Add column i of Y, plus `means[i]` (0 by default), at `start[i]`, times `weights[i]` (1 by default). */
  add(start: Uint32Array, Y: DenseMatrix, means?: ArrayLike<number>, weights?: ArrayLike<number>): void {
    const { sum, weight } = this;
    const [lines, length] = [this.#lines, this.#length];
    for (let i = 0; i < start.length; i++) {
      const [first, mean, w] = [start[i], means?.[i] ?? 0, weights?.[i] ?? 1];
      if (w === 0) continue;
      let from = i * Y.rows;
      for (let line = 0; line < lines.length; line++) {
        let at = first + lines[line];
        for (const end = from + length; from < end; from++, at++) {
          sum[at] += w * (Y.data[from] + mean);
          weight[at] += w;
        }
      }
    }
  }
}
