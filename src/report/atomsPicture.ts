/**
 * A small gallery of atoms for the page of a run. It is drawn while others wait, so
 * its cost is bounded: so many atoms and so many samples, whatever the dictionary.
 */

import { DenseMatrix, SparseColumns } from "../core/matrix.js";
import { type Shape, sizeOf } from "../core/shape.js";
import { atomGallery } from "../figures/atoms/atomGallery.js";
import { encodePng } from "../figures/png.js";
import type { Kernels } from "../kernels/contract.js";
import { Model } from "../model/model.js";

/** The most atoms of a picture, and the most samples of them all. */
const most = { atoms: 256, samples: 2 ** 18 } as const;

/** How many atoms of so many the picture shows. */
export function shownAtoms(all: number, shape: Shape): number {
  return Math.min(all, most.atoms, Math.max(1, Math.floor(most.samples / sizeOf(shape))));
}

/** PNG, a pixel a sample: atoms at even distances through the dictionary, so each keeps its place. */
export async function atomsPicture(model: Model, kernels: Kernels): Promise<Uint8Array> {
  const all = model.A.cols;
  const count = shownAtoms(all, model.shape);
  const shown = Array.from({ length: count }, (_, i) => Math.floor((i * all) / count));
  const atoms = await partOf(model, shown).atoms(kernels);
  return encodePng(atomGallery(atoms, model.shape, { magnify: 1, gap: 1 }));
}

/** A dictionary of some atoms of another. */
function partOf({ base, A, dictionary, meta, shape }: Model, atoms: readonly number[]): Model {
  if (dictionary) {
    const D = new DenseMatrix(dictionary.rows, atoms.length);
    atoms.forEach((atom, j) => D.column(j).set(dictionary.column(atom)));
    return Model.explicit(shape, D, meta);
  }
  const part = new SparseColumns(A.rows, atoms.length, A.width);
  atoms.forEach((atom, j) => {
    const [from, to] = [atom * A.width, (atom + 1) * A.width];
    part.indices.set(A.indices.subarray(from, to), j * A.width);
    part.values.set(A.values.subarray(from, to), j * A.width);
    part.counts[j] = A.counts[atom];
  });
  return new Model(base, part, meta);
}
