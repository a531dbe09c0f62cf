/** A dictionary with some of its atoms. */

import { DenseMatrix, SparseColumns } from "../core/matrix.js";
import { requireInteger } from "../core/require.js";
import { Model } from "./model.js";

/** The numbers of the `count` atoms with the largest uses, ascending; of equals, the earlier ones. */
export function mostUsedAtoms(uses: ArrayLike<number>, count: number): number[] {
  return Array.from({ length: uses.length }, (_, j) => j)
    .sort((a, b) => uses[b] - uses[a] || a - b)
    .slice(0, count)
    .sort((a, b) => a - b);
}

/** The model of these atoms, in this order, with all that is known of them. */
export function pruneModel(model: Model, atoms: readonly number[]): Model {
  for (const j of atoms) requireInteger("pruneModel", "atom", j, 0, model.A.cols - 1);
  const { A, meta, dictionary, uses, norms } = model;
  const { sparsity } = meta.coding;
  const coding =
    sparsity === undefined ? meta.coding : { ...meta.coding, sparsity: Math.min(sparsity, atoms.length) };
  const kept = { ...meta, coding, options: { ...meta.options, prunedFrom: A.cols } };
  const history = {
    uses: uses && Uint32Array.from(atoms, (j) => uses[j]),
    norms: norms && Float32Array.from(atoms, (j) => norms[j]),
  };
  if (dictionary) {
    const D = new DenseMatrix(dictionary.rows, atoms.length);
    atoms.forEach((j, i) => {
      D.column(i).set(dictionary.column(j));
    });
    return Model.explicit(model.shape, D, kept, history);
  }
  const factor = new SparseColumns(A.rows, atoms.length, A.width);
  atoms.forEach((j, i) => {
    factor.copyColumn(A, j, i);
  });
  return new Model(model.base, factor, kept, history);
}
