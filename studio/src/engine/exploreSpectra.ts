/**
 * Spectra of atoms. The spectrum of an atom is that of its planes, the last two axes, summed over slices or channels:
 *
 *     P(f) = Σ_planes |F(plane)(f)|²,   f in cycles per sample, −½ ≤ f < ½ along each axis
 *
 * with planes padded by zeros to powers of two. Without the constant, f = 0:
 *
 *     frequency     Σ P(f) ‖f‖ / Σ P(f), the centre of the spectrum
 *     orientation   the main axis of M = Σ P(f) f fᵀ; the lines of an atom run across it. 0° is a horizontal line,
 *                   and angles grow against the clock. An atom has a direction if (λ₁ − λ₂)/(λ₁ + λ₂) is at least 0.2.
 */

import type { Shape } from "trainlets";
import { Fourier } from "trainlets/parts";
import { isColour } from "./exploreRequests";

/** Where the samples of a plane are in an atom. */
interface Plane {
  readonly offset: number;
  readonly rowStride: number;
  readonly columnStride: number;
}

/** Atoms whose spectrum is rounder have no direction. */
const leastDirection = 0.2;
/** Angles start here, below 0°: lines that are nearly horizontal stay together. */
const firstAngle = -11.25;
/** The decibels that the picture of a spectrum spans. */
const shownDecibels = 60;

export interface SpectrumMeasures {
  /** Cycles per sample. */
  readonly frequency: number;
  /** Degrees; undefined without a direction. */
  readonly orientation: number | undefined;
}

/** The spectra of atoms of one shape. */
export class AtomSpectra {
  readonly height: number;
  readonly width: number;
  readonly #rows: number;
  readonly #columns: number;
  readonly #planes: readonly Plane[];
  readonly #fourier: Fourier;
  readonly #re: Float64Array;
  readonly #im: Float64Array;

  /** `padding`: the least ratio of padded to own size. */
  constructor(shape: Shape, padding = 1) {
    const { rows, columns, planes } = planesOf(shape);
    const padded = (size: number) => (size === 1 ? 1 : 2 ** Math.ceil(Math.log2(padding * size)));
    this.#rows = rows;
    this.#columns = columns;
    this.#planes = planes;
    this.height = padded(rows);
    this.width = padded(columns);
    this.#fourier = new Fourier([this.height, this.width]);
    this.#re = new Float64Array(this.#fourier.size);
    this.#im = new Float64Array(this.#fourier.size);
  }

  /** P, the constant in the corner. */
  energies(atom: Float32Array): Float64Array {
    const energies = new Float64Array(this.#re.length);
    for (const plane of this.#planes) {
      this.#load(atom, plane);
      this.#fourier.forward({ re: this.#re, im: this.#im });
      for (let i = 0; i < energies.length; i++) energies[i] += this.#re[i] ** 2 + this.#im[i] ** 2;
    }
    return energies;
  }

  /** Shades of log P, 0 to 255, the constant in the middle (of a trace: at the left, up to half a cycle per sample). */
  picture(atom: Float32Array): {
    readonly width: number;
    readonly height: number;
    readonly shades: Uint8Array;
  } {
    const energies = this.energies(atom);
    const largest = energies.reduce((most, energy) => Math.max(most, energy), 0) || 1;
    const shadeOf = (energy: number) => {
      const decibels = energy > 0 ? 10 * Math.log10(energy / largest) : -Infinity;
      return Math.round(255 * Math.max(0, 1 + decibels / shownDecibels));
    };
    if (this.height === 1) {
      const width = Math.floor(this.width / 2) + 1;
      return {
        width,
        height: 1,
        shades: Uint8Array.from({ length: width }, (_, i) => shadeOf(energies[i % this.width])),
      };
    }
    const { height, width } = this;
    const shades = new Uint8Array(height * width);
    for (let y = 0; y < height; y++)
      for (let x = 0; x < width; x++) {
        const from = ((y + height / 2) % height) * width + ((x + width / 2) % width);
        shades[y * width + x] = shadeOf(energies[Math.floor(from)]);
      }
    return { width, height, shades };
  }

  measures(atom: Float32Array): SpectrumMeasures {
    const energies = this.energies(atom);
    let [sum, moment, xx, xy, yy] = [0, 0, 0, 0, 0];
    for (let i = 1; i < energies.length; i++) {
      const fx = cycles(i % this.width, this.width);
      const fy = cycles(Math.floor(i / this.width), this.height);
      const energy = energies[i];
      sum += energy;
      moment += energy * Math.hypot(fx, fy);
      xx += energy * fx * fx;
      xy += energy * fx * fy;
      yy += energy * fy * fy;
    }
    const constant = energies[0];
    if (!(sum > 1e-12 * (sum + constant))) return { frequency: 0, orientation: undefined };
    const split = Math.hypot(xx - yy, 2 * xy); // λ₁ − λ₂
    const directed = split >= leastDirection * (xx + yy);
    return { frequency: moment / sum, orientation: directed ? lineAngle(xx, xy, yy) : undefined };
  }

  #load(atom: Float32Array, { offset, rowStride, columnStride }: Plane): void {
    this.#re.fill(0);
    this.#im.fill(0);
    for (let y = 0; y < this.#rows; y++)
      for (let x = 0; x < this.#columns; x++)
        this.#re[y * this.width + x] = atom[offset + y * rowStride + x * columnStride];
  }
}

/** The angle of lines across the main axis of M; y grows downwards. */
function lineAngle(xx: number, xy: number, yy: number): number {
  const axis = 0.5 * Math.atan2(-2 * xy, xx - yy);
  const line = (axis * 180) / Math.PI + 90;
  return ((((line - firstAngle) % 180) + 180) % 180) + firstAngle;
}

function cycles(index: number, size: number): number {
  return (index < size / 2 ? index : index - size) / size;
}

function planesOf(shape: Shape): { rows: number; columns: number; planes: Plane[] } {
  if (shape.length === 1)
    return { rows: 1, columns: shape[0], planes: [{ offset: 0, rowStride: 0, columnStride: 1 }] };
  const [rows, columns] = isColour(shape) ? shape : shape.slice(-2);
  if (isColour(shape))
    return {
      rows,
      columns,
      planes: [0, 1, 2].map((offset) => ({ offset, rowStride: 3 * columns, columnStride: 3 })),
    };
  const slices = shape.slice(0, -2).reduce((product, size) => product * size, 1);
  const planes = Array.from({ length: slices }, (_, i) => ({
    offset: i * rows * columns,
    rowStride: columns,
    columnStride: 1,
  }));
  return { rows, columns, planes };
}
