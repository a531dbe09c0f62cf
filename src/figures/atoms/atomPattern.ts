/**
 * The pattern of a well-localised atom: what it shows in a window of half its size
 * around its centre, and where that is.
 *
 *     centre   Σ x d_x⁴ / Σ d_x⁴: the fourth power keeps faint ripples out of it
 *     share    the part of the energy that is inside the window: how localised it is
 *     extent   (Σ v²)² / Σ v⁴ over the window: about how many samples it covers
 */

import { type Shape, sizeOf, stridesOf } from "../../core/shape.js";

export interface AtomPattern {
  readonly atom: number;
  /** The first sample of the window, an axis each; it may lie outside the atom. */
  readonly origin: readonly number[];
  readonly centre: readonly number[];
  /** The window, row-major, of unit norm; zero outside the atom. */
  readonly samples: Float64Array;
  readonly share: number;
  readonly extent: number;
}

/** Half of each size, rounded up. */
export function windowOf(shape: Shape): Shape {
  return shape.map((size) => Math.ceil(size / 2));
}

/** Finds patterns in atoms of one shape. */
export class PatternFinder {
  readonly #shape: Shape;
  readonly #window: Shape;
  /** Of each sample of an atom, and of a window, its place along each axis. */
  readonly #places: readonly Uint16Array[];
  readonly #inside: readonly Uint16Array[];

  constructor(shape: Shape) {
    this.#shape = shape;
    this.#window = windowOf(shape);
    this.#places = placesIn(shape);
    this.#inside = placesIn(this.#window);
  }

  /** The pattern of an atom; undefined for a zero atom. */
  find(atom: number, values: Float32Array): AtomPattern | undefined {
    const energy = values.reduce((sum, value) => sum + value * value, 0);
    if (energy === 0) return undefined;
    const centre = this.#centre(values);
    const origin = centre.map((place, axis) => place - Math.floor(this.#window[axis] / 2));
    const samples = this.#cut(values, origin);
    const squares = samples.reduce((sum, v) => sum + v * v, 0);
    const fourths = samples.reduce((sum, v) => sum + v * v * v * v, 0);
    const norm = Math.sqrt(squares);
    return {
      atom,
      origin,
      centre,
      samples: samples.map((value) => value / (norm || 1)),
      share: squares / energy,
      extent: fourths === 0 ? 0 : (squares * squares) / fourths,
    };
  }

  #centre(values: Float32Array): number[] {
    const fourths = Float64Array.from(values, (value) => value * value * value * value);
    const total = fourths.reduce((sum, weight) => sum + weight, 0);
    return this.#places.map((places) => {
      let sum = 0;
      for (let i = 0; i < fourths.length; i++) sum += fourths[i] * places[i];
      return Math.round(sum / (total || 1));
    });
  }

  #cut(values: Float32Array, origin: readonly number[]): Float64Array {
    const strides = stridesOf(this.#shape);
    return Float64Array.from({ length: sizeOf(this.#window) }, (_, i) => {
      let at = 0;
      for (let axis = 0; axis < origin.length; axis++) {
        const place = origin[axis] + this.#inside[axis][i];
        if (place < 0 || place >= this.#shape[axis]) return 0;
        at += place * strides[axis];
      }
      return values[at];
    });
  }
}

/** The place of each sample along each axis. */
function placesIn(shape: Shape): Uint16Array[] {
  const strides = stridesOf(shape);
  return shape.map((size, axis) =>
    Uint16Array.from({ length: sizeOf(shape) }, (_, i) => Math.floor(i / strides[axis]) % size),
  );
}
