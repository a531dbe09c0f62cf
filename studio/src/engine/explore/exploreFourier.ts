/**
 * The Fourier transform of atoms. The spectrum of an atom is that of its planes, the last two axes, summed over slices or
 * channels: P(f) = Σ_planes |F(plane)(f)|², with planes padded by zeros to powers of two.
 */

import type { Shape } from "trainlets";
import { Fourier } from "trainlets/parts";
import { isColour } from "./exploreRequests";
import type { Spectrum } from "./exploreSpectra";

/** Where the samples of a plane are in an atom. */
interface Plane {
  readonly offset: number;
  readonly rowStride: number;
  readonly columnStride: number;
}

/** The transform of atoms of one shape. */
export class AtomFourier {
  readonly #height: number;
  readonly #width: number;
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
    this.#height = padded(rows);
    this.#width = padded(columns);
    this.#fourier = new Fourier([this.#height, this.#width]);
    this.#re = new Float64Array(this.#fourier.size);
    this.#im = new Float64Array(this.#fourier.size);
  }

  spectrum(atom: Float32Array): Spectrum {
    const energies = new Float64Array(this.#re.length);
    for (const plane of this.#planes) {
      this.#load(atom, plane);
      this.#fourier.forward({ re: this.#re, im: this.#im });
      for (let i = 0; i < energies.length; i++) energies[i] += this.#re[i] ** 2 + this.#im[i] ** 2;
    }
    return { height: this.#height, width: this.#width, energies };
  }

  #load(atom: Float32Array, { offset, rowStride, columnStride }: Plane): void {
    this.#re.fill(0);
    this.#im.fill(0);
    for (let y = 0; y < this.#rows; y++)
      for (let x = 0; x < this.#columns; x++)
        this.#re[y * this.#width + x] = atom[offset + y * rowStride + x * columnStride];
  }
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
