/**
 * The starting point A⁰ of a sparse dictionary.
 *
 *   m = L   the identity: D starts as the base dictionary itself.
 *   m > L   the identity, then columns that mix four base atoms drawn at random,
 *           with random signs: new directions that the pursuit can tell apart.
 *   m < L   the m base atoms that code the first examples best: those used most
 *           often when they are coded over Φ alone.
 *
 * Explicit dictionaries start from examples, the first that are not zero, scaled to
 * unit norm; where there are too few, the rest is random directions.
 *
 * A run that goes on from a dictionary starts with its atoms, of the norms they had.
 */

import { type DenseMatrix, SparseColumns } from "../../core/matrix.js";
import type { Rng } from "../../core/rng.js";
import type { Model } from "../../model/model.js";

/** Base atoms mixed in each additional column. */
const mixed = 4;

/** A⁰ for m ≥ L. */
export function initialAtoms(L: number, m: number, width: number, rng: Rng): SparseColumns {
  const A = new SparseColumns(L, m, width);
  for (let j = 0; j < m; j++) {
    if (j < L) A.setColumn(j, [j], [1]);
    else setMixture(A, j, rng);
  }
  return A;
}

function setMixture(A: SparseColumns, j: number, rng: Rng): void {
  const rows = rng.distinct(Math.min(mixed, A.width, A.rows), A.rows).sort((a, b) => a - b);
  const weight = 1 / Math.sqrt(rows.length);
  A.setColumn(
    j,
    rows,
    rows.map(() => (rng.uniform() < 0.5 ? -weight : weight)),
  );
}

/** A⁰ for m < L: the base atoms with the most uses; equal ones in the order of Φ. */
export function mostUsedAtoms(uses: Float32Array, m: number, width: number): SparseColumns {
  const ranked = Array.from(uses.keys()).sort((a, b) => uses[b] - uses[a] || a - b);
  const A = new SparseColumns(uses.length, m, width);
  ranked
    .slice(0, m)
    .sort((a, b) => a - b)
    .forEach((row, j) => A.setColumn(j, [row], [1]));
  return A;
}

/** The most non-zeros of a column: the least k that a run from these atoms can have. */
export function startSparsity(A: SparseColumns): number {
  return A.counts.reduce((most, count) => Math.max(most, count), 1);
}

/** A⁰ from a dictionary: its columns, of the norms they had where that is known, with room for `width` non-zeros. */
export function atomsToGoOnFrom({ A, norms }: Pick<Model, "A" | "norms">, width: number): SparseColumns {
  const copy = new SparseColumns(A.rows, A.cols, width);
  for (let j = 0; j < A.cols; j++) {
    const [from, to, norm] = [j * A.width, j * A.width + A.counts[j], norms?.[j] || 1];
    copy.setColumn(
      j,
      A.indices.subarray(from, to),
      A.values.subarray(from, to).map((value) => value * norm),
    );
  }
  return copy;
}

/** Examples that are not zero as the columns of D from `found` on; how many columns there are then. */
export function takeExamples(Y: DenseMatrix, D: DenseMatrix, found: number): number {
  let next = found;
  for (let i = 0; i < Y.cols && next < D.cols; i++) {
    const y = Y.column(i);
    if (y.some((value) => value !== 0)) D.column(next++).set(y);
  }
  return next;
}
