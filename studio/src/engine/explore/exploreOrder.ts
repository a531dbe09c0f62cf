/**
 * Orders of atoms beside those of `orderAtoms`, by their spectra (exploreSpectra.ts) and by their correlation with one of
 * them. Atoms that tie keep their own order.
 */

import { type DenseMatrix, orderAtoms, type Shape } from "trainlets";
import { pauses } from "../pauses";
import { AtomFourier } from "./exploreFourier";
import type { OrderRequest } from "./exploreRequests";
import { spectrumMeasures } from "./exploreSpectra";

/** All atoms in an order. */
export async function exploreOrder(
  atoms: DenseMatrix,
  shape: Shape,
  uses: ArrayLike<number> | undefined,
  { sort, like }: OrderRequest,
  signal: AbortSignal,
): Promise<Uint32Array<ArrayBuffer>> {
  if (sort === "own") return Uint32Array.from({ length: atoms.cols }, (_, j) => j);
  if (sort === "similarity") return byKeys(correlations(atoms, like).map((value) => -Math.abs(value)));
  if (sort === "frequency" || sort === "orientation")
    return byKeys(await spectrumKeys(atoms, shape, sort, signal));
  return Uint32Array.from(orderAtoms(atoms, sort, uses ? { uses } : {}));
}

/** ⟨dⱼ, d⟩ with one of the atoms; they have unit norm. */
export function correlations(atoms: DenseMatrix, with_: number): Float64Array {
  const own = atoms.column(with_);
  const found = new Float64Array(atoms.cols);
  for (let j = 0; j < atoms.cols; j++) {
    const other = atoms.column(j);
    let sum = 0;
    for (let i = 0; i < own.length; i++) sum += own[i] * other[i];
    found[j] = sum;
  }
  return found;
}

/** Frequencies, or angles; atoms without a direction come last. */
async function spectrumKeys(
  atoms: DenseMatrix,
  shape: Shape,
  sort: "frequency" | "orientation",
  signal: AbortSignal,
): Promise<Float64Array> {
  const fourier = new AtomFourier(shape);
  const keys = new Float64Array(atoms.cols);
  const pause = pauses(signal);
  for (let j = 0; j < atoms.cols; j++) {
    const { frequency, orientation = 1000 } = spectrumMeasures(fourier.spectrum(atoms.column(j)));
    keys[j] = sort === "frequency" ? frequency : orientation;
    const due = pause();
    if (due) await due;
  }
  return keys;
}

function byKeys(keys: Float64Array): Uint32Array<ArrayBuffer> {
  return Uint32Array.from(keys.keys()).sort((a, b) => keys[a] - keys[b] || a - b);
}
