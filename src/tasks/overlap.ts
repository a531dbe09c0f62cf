/**
 * All overlapping windows of a signal, a part at a time, and the signal again as
 * their average: Σᵢ wᵢ Pᵢᵀ ŷᵢ / Σᵢ wᵢ Pᵢᵀ 1. Nothing is kept a window, so memory is
 * that of the signal, whatever the number of windows.
 */

import type { DenseMatrix } from "../core/matrix.js";
import { type Shape, sizeOf, stridesOf } from "../core/shape.js";
import type { WindowList } from "../kernels/contract.js";
import { gridPlaces, windowOffsets } from "./tiling.js";

/** A grid of windows that covers a signal, numbered row-major. */
export class WindowGrid {
  readonly count: number;
  readonly #places: readonly (readonly number[])[];
  readonly #strides: readonly number[];

  constructor(shape: Shape, patch: Shape, stride: Shape) {
    this.#places = gridPlaces(shape, patch, stride);
    this.#strides = stridesOf(shape);
    this.count = this.#places.reduce((product, { length }) => product * length, 1);
  }

  /** Windows [from, to), as places in signal number `signal`. */
  windows(from: number, to: number, signal = 0): WindowList {
    const start = Uint32Array.from({ length: to - from }, (_, i) => this.#start(from + i));
    return { signal: new Uint32Array(start.length).fill(signal), start };
  }

  #start(number: number): number {
    let rest = number;
    let start = 0;
    for (let axis = this.#places.length - 1; axis >= 0; axis--) {
      const places = this.#places[axis]!;
      start += places[rest % places.length]! * this.#strides[axis]!;
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
  readonly #offsets: Uint32Array;

  constructor(shape: Shape, patch: Shape) {
    this.sum = new Float32Array(sizeOf(shape));
    this.weight = new Float32Array(this.sum.length);
    this.#offsets = windowOffsets(shape, patch);
  }

  /** Add column i of Y, plus `means[i]` where given, at `start[i]`, times `weights[i]` (1 unless given). */
  add(start: Uint32Array, Y: DenseMatrix, means?: ArrayLike<number>, weights?: ArrayLike<number>): void {
    const { sum, weight } = this;
    const offsets = this.#offsets;
    for (let i = 0; i < start.length; i++) {
      const [first, mean, w] = [start[i]!, means?.[i] ?? 0, weights?.[i] ?? 1];
      const column = i * Y.rows;
      if (w === 0) continue;
      for (let r = 0; r < offsets.length; r++) {
        const at = first + offsets[r]!;
        sum[at]! += w * (Y.data[column + r]! + mean);
        weight[at]! += w;
      }
    }
  }
}
