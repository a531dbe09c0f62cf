/**
 * An array divided into blocks without overlap, in row-major order. A last block that
 * reaches beyond the end of an axis is filled with mirrored samples.
 */

import { type Shape, sizeOf, stridesOf } from "../../core/shape.js";

export class BlockGrid {
  /** Blocks along each axis. */
  readonly counts: Shape;
  /** Number of blocks. */
  readonly blocks: number;
  readonly #shape: Shape;
  readonly #block: Shape;

  constructor(shape: Shape, block: Shape) {
    this.#shape = shape;
    this.#block = block;
    this.counts = shape.map((size, axis) => Math.ceil(size / block[axis]));
    this.blocks = sizeOf(this.counts);
  }

  /** Read the samples of block b into `column`, row-major. */
  read(samples: ArrayLike<number>, b: number, column: Float32Array): void {
    const places = this.#places(b);
    const length = column.length;
    for (let r = 0; r < length; r++) column[r] = samples[places.at(r)];
  }

  /** Write block b to its place, without its mirrored samples. */
  write(column: ArrayLike<number>, b: number, samples: { [index: number]: number }): void {
    const places = this.#places(b);
    for (let r = 0; r < column.length; r++) if (places.isInside(r)) samples[places.at(r)] = column[r];
  }

  /** The blocks next to b, before it along each axis; none at the start of an axis. */
  before(b: number): number[] {
    const strides = stridesOf(this.counts);
    return strides.filter((stride, axis) => Math.floor(b / stride) % this.counts[axis] > 0).map((s) => b - s);
  }

  /** Where the samples of block b are in the array. */
  #places(b: number): Places {
    const steps = stridesOf(this.counts);
    const strides = stridesOf(this.#shape);
    const axes = this.#block.map((size, axis) => {
      const first = (Math.floor(b / steps[axis]) % this.counts[axis]) * size;
      const whole = this.#shape[axis];
      return {
        offsets: Array.from({ length: size }, (_, i) => mirrored(first + i, whole) * strides[axis]),
        inside: Math.min(size, whole - first),
      };
    });
    return new Places(axes, stridesOf(this.#block));
  }
}

/** One axis of a block: flat offsets of its samples in the array, and how many of them are inside. */
interface BlockAxis {
  readonly offsets: readonly number[];
  readonly inside: number;
}

/** Flat indices of the samples of a block in the array. */
class Places {
  readonly #axes: readonly BlockAxis[];
  readonly #strides: readonly number[];

  constructor(axes: readonly BlockAxis[], strides: readonly number[]) {
    this.#axes = axes;
    this.#strides = strides;
  }

  at(r: number): number {
    let index = 0;
    let rest = r;
    for (let axis = 0; axis < this.#axes.length; axis++) {
      const stride = this.#strides[axis];
      const place = Math.floor(rest / stride);
      rest -= place * stride;
      index += this.#axes[axis].offsets[place];
    }
    return index;
  }

  isInside(r: number): boolean {
    let rest = r;
    for (let axis = 0; axis < this.#axes.length; axis++) {
      const stride = this.#strides[axis];
      const place = Math.floor(rest / stride);
      if (place >= this.#axes[axis].inside) return false;
      rest -= place * stride;
    }
    return true;
  }
}

/** Index i of 0, 1, …, size − 1, size − 1, …, 1, 0, 0, 1, … */
function mirrored(i: number, size: number): number {
  const turn = i % (2 * size);
  return turn < size ? turn : 2 * size - 1 - turn;
}
