/**
 * The past of a learner that keeps the sums of ODL, B = Σ yxᵀ (n × m) and C = Σ xxᵀ (m × m), when atoms R are replaced.
 *
 * With the codes fixed, the other atoms share the examples with those of R: bᵢ asks for what remains of the examples after
 * D_R C_R is subtracted. Once C no longer shows R, that has to be subtracted from B, or the others would be moved to explain
 * what the atoms of R did:
 *
 *     B ← B − D_R C_R,   then columns R of B, and rows and columns R of C, ← 0
 *
 * Cost     |R|·n·m, and |R| columns of C are read back.
 */

import { SparseColumns } from "../../core/matrix.js";
import type { DeviceMatrix, DeviceSet, Kernels } from "../../kernels/contract.js";
import { maxReplaced } from "./atomCare.js";

/** The sums, and room for a set of atoms. */
export interface SumsOfPast {
  readonly B: DeviceMatrix;
  readonly C: DeviceMatrix;
  readonly replaced: DeviceSet;
}

/** Forget the atoms R, ascending, of which D (n × m) still has the old ones. */
export async function forgetAtoms(
  { B, C, replaced }: SumsOfPast,
  R: Uint32Array,
  D: DeviceMatrix,
  kernels: Kernels,
): Promise<void> {
  const X = kernels.sparse(C.rows, C.cols, R.length);
  await kernels.writeSparse(X, await rowsOf(C, R, kernels));
  await kernels.remainder(D, X, B, B);
  kernels.free(X);
  await kernels.writeSet(replaced, R);
  await kernels.clearColumns(replaced, B);
  await kernels.clearColumns(replaced, C, { rows: true });
}

/** The rows R of C, which is symmetric, as sparse columns. */
async function rowsOf(C: DeviceMatrix, R: Uint32Array, kernels: Kernels): Promise<SparseColumns> {
  const m = C.cols;
  const rows = new SparseColumns(m, m, R.length);
  const column = kernels.matrix(m, 1);
  for (const [slot, atom] of R.entries()) {
    await kernels.copyColumns(C, atom, column);
    const { data } = await kernels.readMatrix(column);
    for (let i = 0; i < m; i++) {
      rows.indices[i * R.length + slot] = atom;
      rows.values[i * R.length + slot] = data[i];
    }
  }
  rows.counts.fill(R.length);
  kernels.free(column);
  return rows;
}

/** The bytes that forgetting takes for a moment, with m atoms. */
export function forgettingBytes(m: number): number {
  return 8 * m * maxReplaced(m);
}
