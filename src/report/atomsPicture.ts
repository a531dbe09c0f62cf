/**
 * A small gallery of atoms for the page of a run. Training waits while it is drawn, so
 * its cost is bounded by a number of atoms and of samples, whatever the dictionary.
 */

import { DenseMatrix, SparseColumns } from "../core/matrix.js";
import { type Shape, sizeOf } from "../core/shape.js";
import { atomGallery } from "../figures/atoms/atomGallery.js";
import { encodePng } from "../figures/png.js";
import type { Kernels } from "../kernels/contract.js";
import { Model } from "../model/model.js";

/** At most this many atoms in a picture, and samples in all of them. */
const limits = { atoms: 256, samples: 2 ** 18 } as const;

/** How many of `all` atoms the picture shows. */
export function shownAtoms(all: number, shape: Shape): number {
  return Math.min(all, limits.atoms, Math.max(1, Math.floor(limits.samples / sizeOf(shape))));
}

/** A PNG with one pixel per sample: evenly spaced atoms of the dictionary, so that each keeps its place. */
export async function atomsPicture(model: Model, kernels: Kernels): Promise<Uint8Array> {
  const all = model.A.cols;
  const count = shownAtoms(all, model.shape);
  const shown = Array.from({ length: count }, (_, i) => Math.floor((i * all) / count));
  const atoms = await partOf(model, shown).atoms(kernels);
  return encodePng(atomGallery(atoms, model.shape, { magnify: 1, gap: 1 }));
}

/** A dictionary with some of the atoms of another. */
function partOf({ base, A, dictionary, meta, shape }: Model, atoms: readonly number[]): Model {
  if (dictionary) {
    const D = new DenseMatrix(dictionary.rows, atoms.length);
    atoms.forEach((atom, j) => D.column(j).set(dictionary.column(atom)));
    return Model.explicit(shape, D, meta);
  }
  const part = new SparseColumns(A.rows, atoms.length, A.width);
  atoms.forEach((atom, j) => {
    const from = atom * A.width;
    const to = from + A.width;
    part.indices.set(A.indices.subarray(from, to), j * A.width);
    part.values.set(A.values.subarray(from, to), j * A.width);
    part.counts[j] = A.counts[atom];
  });
  return new Model(base, part, meta);
}
