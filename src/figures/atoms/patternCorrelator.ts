/**
 * Cross-correlations of many patterns of one size, over all shifts, by the Fourier
 * transform: the mathematics is in atomFamilies.ts.
 */

import { type Shape, stridesOf } from "../../core/shape.js";
import { type ComplexArray, Fourier } from "../../linalg/fft.js";
import type { AtomPattern } from "./atomPattern.js";

/** The correlation of largest magnitude, and the shift between the two patterns within their atoms. */
export interface Peak {
  readonly value: number;
  readonly shift: readonly number[];
}

type Pair = readonly [a: number, b: number];

export class PatternCorrelator {
  readonly #patterns: readonly AtomPattern[];
  readonly #fourier: Fourier;
  readonly #spectra: readonly ComplexArray[];
  /** |D| / √N over half of the frequencies, weighted to stand for the mirrored other half. */
  readonly #magnitudes: readonly Float32Array[];
  readonly #work: ComplexArray;

  constructor(patterns: readonly AtomPattern[], window: Shape) {
    const padded = window.map((size) => 2 ** Math.ceil(Math.log2(2 * size)));
    this.#patterns = patterns;
    this.#fourier = new Fourier(padded);
    this.#spectra = patterns.map(({ samples }) => this.#spectrum(samples, window));
    this.#magnitudes = this.#spectra.map((spectrum) => this.#halfMagnitudes(spectrum));
    this.#work = zeros(this.#fourier.size);
  }

  /** Visit all pairs a < b whose correlation has at least the magnitude `minimum` at some shift. */
  eachPair(minimum: number, visit: (a: number, b: number, peak: Peak) => void): void {
    this.#visit(this.#pairs(minimum), minimum, visit);
  }

  /** Visit all b with such a correlation with a. */
  eachWith(a: number, minimum: number, visit: (b: number, peak: Peak) => void): void {
    this.#visit(this.#pairsOf(a, 0, minimum), minimum, (_, b, peak) => visit(b, peak));
  }

  *#pairs(minimum: number): Generator<Pair> {
    for (let a = 0; a < this.#patterns.length; a++) yield* this.#pairsOf(a, a + 1, minimum);
  }

  /** The pairs of a whose bound reaches the minimum. */
  *#pairsOf(a: number, from: number, minimum: number): Generator<Pair> {
    const own = this.#magnitudes[a];
    for (let b = from; b < this.#patterns.length; b++)
      if (b !== a && dot(own, this.#magnitudes[b]) >= minimum) yield [a, b];
  }

  #visit(pairs: Iterable<Pair>, minimum: number, visit: (a: number, b: number, peak: Peak) => void): void {
    const visitPeak = (pair: Pair, values: Float64Array) => {
      const peak = this.#peak(pair, values);
      if (Math.abs(peak.value) >= minimum) visit(...pair, peak);
    };
    let waiting: Pair | undefined;
    for (const pair of pairs) {
      if (!waiting) {
        waiting = pair;
        continue;
      }
      this.#correlate(waiting, pair);
      visitPeak(waiting, this.#work.re);
      visitPeak(pair, this.#work.im);
      waiting = undefined;
    }
    if (!waiting) return;
    this.#correlate(waiting, waiting);
    visitPeak(waiting, this.#work.re);
  }

  /** The correlations of two pairs, as real and imaginary part: F⁻¹(C₁ + iC₂) = c₁ + ic₂, both real. */
  #correlate(first: Pair, second: Pair): void {
    const { re, im } = this.#work;
    const [d, e, f, g] = [...first, ...second].map((i) => this.#spectra[i]);
    for (let i = 0; i < re.length; i++) {
      const firstRe = d.re[i] * e.re[i] + d.im[i] * e.im[i]; // D̄E
      const firstIm = d.re[i] * e.im[i] - d.im[i] * e.re[i];
      const secondRe = f.re[i] * g.re[i] + f.im[i] * g.im[i];
      const secondIm = f.re[i] * g.im[i] - f.im[i] * g.re[i];
      re[i] = firstRe - secondIm;
      im[i] = firstIm + secondRe;
    }
    this.#fourier.inverse(this.#work);
  }

  #peak([a, b]: Pair, values: Float64Array): Peak {
    let at = 0;
    for (let i = 1; i < values.length; i++) if (Math.abs(values[i]) > Math.abs(values[at])) at = i;
    const { shape, size } = this.#fourier;
    const strides = stridesOf(shape);
    const from = this.#patterns[a].origin;
    const to = this.#patterns[b].origin;
    const shift = shape.map((length, axis) => {
      const step = Math.floor(at / strides[axis]) % length;
      return (step < length / 2 ? step : step - length) + to[axis] - from[axis];
    });
    return { value: values[at] / size, shift };
  }

  #spectrum(samples: Float64Array, window: Shape): ComplexArray {
    const spectrum = zeros(this.#fourier.size);
    const windowStrides = stridesOf(window);
    const paddedStrides = stridesOf(this.#fourier.shape);
    for (let i = 0; i < samples.length; i++) {
      let at = 0;
      for (let axis = 0; axis < window.length; axis++)
        at += (Math.floor(i / windowStrides[axis]) % window[axis]) * paddedStrides[axis];
      spectrum.re[at] = samples[i];
    }
    this.#fourier.forward(spectrum);
    return spectrum;
  }

  /** For a real signal, |D| is the same at k and −k: along the first axis, 0 … N/2 are enough. */
  #halfMagnitudes({ re, im }: ComplexArray): Float32Array {
    const { shape, size } = this.#fourier;
    const line = size / shape[0];
    const half = size / 2;
    const weight = Math.sqrt(2 / size);
    return Float32Array.from({ length: half + line }, (_, i) => {
      const single = i < line || i >= half; // frequencies that are their own mirror along the first axis
      return Math.hypot(re[i], im[i]) * (single ? weight / Math.SQRT2 : weight);
    });
  }
}

function zeros(size: number): ComplexArray {
  return { re: new Float64Array(size), im: new Float64Array(size) };
}

function dot(x: Float32Array, y: Float32Array): number {
  let sum = 0;
  for (let i = 0; i < x.length; i++) sum += x[i] * y[i];
  return sum;
}
