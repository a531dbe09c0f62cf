/**
 * How far an atom spreads, over its samples and over frequencies: the fewest of them that hold nine tenths of its energy, as
 * a share of all. A spike fills one sample and all frequencies, a sinusoid nearly all samples and two frequencies; a Gabor
 * atom, a wave under a window, has little of both.
 *
 * Frequencies are those of the discrete Fourier transform, so the axes must be powers of two.
 */

import { matrix, requireArgument } from "../../core/arguments/argumentTypes.js";
import type { DenseMatrix } from "../../core/matrix.js";
import { requireFinite, requireInteger } from "../../core/require.js";
import { requireShape, type Shape, sizeOf } from "../../core/shape.js";
import { Fourier } from "../../linalg/fft.js";

/** Shares in (0, 1]; 0 for a zero atom. */
export interface AtomSpread {
  readonly samples: number;
  readonly frequencies: number;
}

/** The fraction of the energy that is looked for. */
const held = 0.9;

/** The spread of each column of `atoms`, signals of this shape. */
export function atomSpreads(atoms: DenseMatrix, shape: Shape): AtomSpread[] {
  requireArgument("atomSpreads", "atoms", atoms, matrix);
  requireShape("atomSpreads", "shape", shape);
  const n = sizeOf(shape);
  requireInteger("atomSpreads", "rows of the atoms", atoms.rows, n, n);
  requireFinite("atomSpreads", "atoms", atoms.data);
  const fourier = new Fourier(shape);
  return Array.from({ length: atoms.cols }, (_, j) => {
    const re = Float64Array.from(atoms.column(j));
    const im = new Float64Array(n);
    const samples = shareHolding(re.map((value) => value ** 2));
    fourier.forward({ re, im });
    return { samples, frequencies: shareHolding(re.map((value, i) => value ** 2 + im[i] ** 2)) };
  });
}

/** The fewest of these energies that hold nine tenths of their sum, as a share of their number. */
function shareHolding(energies: Float64Array): number {
  const total = energies.reduce((sum, energy) => sum + energy, 0);
  let left = held * total;
  let count = 0;
  for (const energy of energies.sort().reverse()) {
    if (left <= 0) break;
    left -= energy;
    count++;
  }
  return count / energies.length;
}
