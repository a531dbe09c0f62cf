/**
 * The discrete Fourier transform of complex arrays whose axes are powers of two, in
 * place, for small work on the host: F_k = Σ_x f_x e^{∓2πi⟨k, x⟩/N}. Neither direction
 * is scaled: forward and inverse together multiply by the number of samples.
 *
 * Radix 2, decimation in time [Cooley, Tukey 1965], one axis after the other.
 */

import { InputError } from "../core/errors.js";
import { requireShape, type Shape, sizeOf, stridesOf } from "../core/shape.js";

/** Complex samples, row-major. */
export interface ComplexArray {
  readonly re: Float64Array;
  readonly im: Float64Array;
}

/** The transform for arrays of one shape; its tables are made once. */
export class Fourier {
  readonly shape: Shape;
  readonly size: number;
  readonly #axes: readonly Axis[];

  constructor(shape: Shape) {
    requireShape("Fourier", "shape", shape);
    const odd = shape.find((length) => !isPowerOfTwo(length));
    if (odd !== undefined) throw new InputError(`Fourier: sizes must be powers of two, got ${odd}`);
    this.shape = shape;
    this.size = sizeOf(shape);
    const strides = stridesOf(shape);
    this.#axes = shape.map((length, axis) => new Axis(length, strides[axis], this.size));
  }

  forward(array: ComplexArray): void {
    for (const axis of this.#axes) axis.transform(array.re, array.im);
  }

  /** Not divided by the size. */
  inverse(array: ComplexArray): void {
    for (const axis of this.#axes) axis.transform(array.im, array.re); // swapping the parts conjugates
  }
}

/** All lines along one axis. */
class Axis {
  readonly #length: number;
  readonly #stride: number;
  readonly #size: number;
  readonly #cosines: Float64Array;
  readonly #sines: Float64Array;
  readonly #reversed: Uint32Array;
  readonly #re: Float64Array;
  readonly #im: Float64Array;

  constructor(length: number, stride: number, size: number) {
    this.#length = length;
    this.#stride = stride;
    this.#size = size;
    const angle = (k: number) => (-2 * Math.PI * k) / length;
    this.#cosines = Float64Array.from({ length: length / 2 }, (_, k) => Math.cos(angle(k)));
    this.#sines = Float64Array.from({ length: length / 2 }, (_, k) => Math.sin(angle(k)));
    this.#reversed = bitReversal(length);
    this.#re = new Float64Array(length);
    this.#im = new Float64Array(length);
  }

  transform(re: Float64Array, im: Float64Array): void {
    const length = this.#length;
    const stride = this.#stride;
    for (let block = 0; block < this.#size; block += length * stride) {
      for (let start = block; start < block + stride; start++) this.#line(re, im, start);
    }
  }

  #line(re: Float64Array, im: Float64Array, start: number): void {
    const length = this.#length;
    const stride = this.#stride;
    const lineRe = this.#re;
    const lineIm = this.#im;
    for (let i = 0; i < length; i++) {
      const from = start + this.#reversed[i] * stride;
      lineRe[i] = re[from];
      lineIm[i] = im[from];
    }
    this.#butterflies();
    for (let i = 0; i < length; i++) {
      re[start + i * stride] = lineRe[i];
      im[start + i * stride] = lineIm[i];
    }
  }

  #butterflies(): void {
    const length = this.#length;
    const re = this.#re;
    const im = this.#im;
    const cosines = this.#cosines;
    const sines = this.#sines;
    for (let half = 1; half < length; half *= 2) {
      const step = length / (2 * half);
      for (let first = 0; first < length; first += 2 * half) {
        for (let k = 0; k < half; k++) {
          const a = first + k;
          const b = a + half;
          const c = cosines[k * step];
          const s = sines[k * step];
          const tr = re[b] * c - im[b] * s;
          const ti = re[b] * s + im[b] * c;
          re[b] = re[a] - tr;
          im[b] = im[a] - ti;
          re[a] += tr;
          im[a] += ti;
        }
      }
    }
  }
}

/** Each index with its bits in reverse order. */
function bitReversal(length: number): Uint32Array {
  const reversed = new Uint32Array(length);
  for (let i = 1; i < length; i++) reversed[i] = (reversed[i >> 1] >> 1) | (i % 2 === 1 ? length / 2 : 0);
  return reversed;
}

function isPowerOfTwo(length: number): boolean {
  return Number.isInteger(Math.log2(length));
}
