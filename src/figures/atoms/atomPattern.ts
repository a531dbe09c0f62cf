/**
 * The pattern of a well-localised atom: its samples in a window of half its size
 * around its centre, and where that window is.
 *
 *     centre   Σ x d_x⁴ / Σ d_x⁴: the fourth power ignores faint ripples
 *     share    the fraction of the energy inside the window: how localised the atom is
 *     extent   (Σ v²)² / Σ v⁴ over the window: about how many samples it covers
 */

import { type Shape, sizeOf, stridesOf } from "../../core/shape.js";

export interface AtomPattern {
  readonly atom: number;
  /** The first sample of the window along each axis; it may lie outside the atom. */
  readonly origin: readonly number[];
  readonly centre: readonly number[];
  /** The window, row-major, of unit norm; zero outside the atom. */
  readonly samples: Float64Array;
  readonly share: number;
  readonly extent: number;
}

/** Half of each size, rounded up. */
export function patternWindow(shape: Shape): Shape {
  return shape.map((size) => Math.ceil(size / 2));
}

/** Finds patterns in atoms of one shape. */
export class PatternFinder {
  readonly #shape: Shape;
  readonly #window: Shape;
  /** The coordinates of each sample of an atom, per axis. */
  readonly #coordinates: readonly Uint16Array[];
  /** The same for a window. */
  readonly #windowCoordinates: readonly Uint16Array[];

  constructor(shape: Shape) {
    this.#shape = shape;
    this.#window = patternWindow(shape);
    this.#coordinates = coordinatesIn(shape);
    this.#windowCoordinates = coordinatesIn(this.#window);
  }

  /** The pattern of an atom; undefined for a zero atom. */
  find(atom: number, values: Float32Array): AtomPattern | undefined {
    const energy = values.reduce((sum, value) => sum + value * value, 0);
    if (energy === 0) return undefined;
    const centre = this.#centre(values);
    const origin = centre.map((middle, axis) => middle - Math.floor(this.#window[axis] / 2));
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
    return this.#coordinates.map((coordinates) => {
      let sum = 0;
      for (let i = 0; i < fourths.length; i++) sum += fourths[i] * coordinates[i];
      return Math.round(sum / (total || 1));
    });
  }

  #cut(values: Float32Array, origin: readonly number[]): Float64Array {
    const strides = stridesOf(this.#shape);
    return Float64Array.from({ length: sizeOf(this.#window) }, (_, i) => {
      let at = 0;
      for (let axis = 0; axis < origin.length; axis++) {
        const coordinate = origin[axis] + this.#windowCoordinates[axis][i];
        if (coordinate < 0 || coordinate >= this.#shape[axis]) return 0;
        at += coordinate * strides[axis];
      }
      return values[at];
    });
  }
}

/** The coordinate of each sample along each axis. */
function coordinatesIn(shape: Shape): Uint16Array[] {
  const strides = stridesOf(shape);
  return shape.map((size, axis) =>
    Uint16Array.from({ length: sizeOf(shape) }, (_, i) => Math.floor(i / strides[axis]) % size),
  );
}
