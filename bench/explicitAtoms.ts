/** D = ΦA as a dense matrix of unit atoms, which the peers need. */

import { type DenseMatrix, SparseColumns } from "../src/core/matrix.js";
import { baseCols } from "../src/dictionaries/base.js";
import { Model } from "../src/model/model.js";
import type { Dictionary } from "./setting.js";

export async function explicitAtoms({
  base,
  A,
}: Pick<Dictionary, "base"> & Partial<Dictionary>): Promise<DenseMatrix> {
  const meta = { learner: "none", options: {}, seed: 0, examplesSeen: 0, removeMean: true, coding: {} };
  return new Model(base, A ?? SparseColumns.identity(baseCols(base), 1), meta).atoms();
}
