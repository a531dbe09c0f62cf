/** D = ΦA in the worker: a small base, one column of A, and how many numbers a dictionary needs. */

import { atomGallery, createBase, DenseMatrix, Model, type Picture } from "trainlets";
import { type BaseDictionary, largestRows, type ModelMeta, SparseColumns } from "trainlets/parts";
import { onKernels } from "../onKernels";
import { type Task, transferring } from "../protocol";
import { smallBase, smallShape } from "./settings";

const meta: ModelMeta = {
  learner: "none",
  options: {},
  seed: 0,
  examplesSeen: 0,
  removeMean: true,
  coding: { sparsity: 1 },
};

function colsOf({ factors }: BaseDictionary): number {
  return factors.reduce((product, { cols }) => product * cols, 1);
}

export interface SmallBase {
  /** Base atoms, one after the other, row by row. */
  readonly atoms: Float32Array;
  readonly count: number;
  /** Atoms along each axis: the gallery has this many tiles per row. */
  readonly perAxis: number;
  readonly gallery: Picture;
  readonly gap: number;
}

const paperSmallBase: Task<void, SmallBase> = async () => {
  const phi = createBase(smallBase, smallShape);
  const count = colsOf(phi);
  const { data } = await onKernels((kernels) =>
    new Model(phi, SparseColumns.identity(count, 1), meta).atoms(kernels),
  );
  const [{ cols: perAxis }] = phi.factors;
  const gap = 2;
  const D = new DenseMatrix(data.length / count, count, data);
  const gallery = atomGallery(D, smallShape, { columns: perAxis, magnify: 3, gap });
  return transferring({ atoms: data, count, perAxis, gallery, gap }, [data.buffer, gallery.data.buffer]);
};

export interface ColumnInput {
  /** Base atoms and their coefficients. */
  readonly entries: readonly { readonly atom: number; readonly value: number }[];
  /** Non-zeros that are kept. */
  readonly k: number;
}

export interface ColumnResult {
  /** The base atoms that are kept. */
  readonly kept: readonly number[];
  /** d = Φa. */
  readonly atom: Float32Array;
}

/** P_k of a column of A, and its atom. */
const paperColumn: Task<ColumnInput, ColumnResult> = async ({ entries, k }) => {
  const phi = createBase(smallBase, smallShape);
  const column = new Float32Array(colsOf(phi));
  for (const { atom, value } of entries) column[atom] = value;
  const kept = largestRows(column, k);
  const A = new SparseColumns(column.length, 1, Math.max(1, kept.length));
  A.setColumn(
    0,
    kept,
    kept.map((row) => column[row]),
  );
  const { data } = await onKernels((kernels) => new Model(phi, A, meta).atoms(kernels));
  return { kept, atom: data };
};

export interface Counts {
  /** Samples of a patch, and atoms: as many as the base has. */
  readonly n: number;
  readonly m: number;
}

const paperCounts: Task<{ readonly side: number }, Counts> = async ({ side }) => {
  return { n: side * side, m: colsOf(createBase("cropped:sym8", [side, side])) };
};

export const doubleSparsityTasks = { paperSmallBase, paperColumn, paperCounts };
