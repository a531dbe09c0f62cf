/**
 * The unit Gram matrix of D = ΦA, refreshed by columns: Algorithm 2's last line,
 * with unit atoms. Also the coherence of atoms with earlier ones.
 *
 * For an atom j: z = Φᵀ Φ aⱼ through the separable base, then ⟨Φaᵢ, Φaⱼ⟩ = ⟨aᵢ, z⟩
 * for every i, which costs k·m. Entries with both atoms in S are computed once
 * and mirrored, so that G stays symmetric to the bit.
 */

import type { DenseMatrix, SparseColumns } from "../../core/matrix.js";
import type { ReferenceBase, ReferenceSet } from "./handles.js";
import { sparseDot } from "./sparseProducts.js";
import { analyzeColumn, synthesizeColumn } from "./transforms.js";

export function refreshGram(
  base: ReferenceBase,
  A: SparseColumns,
  S: ReferenceSet,
  G: DenseMatrix | null,
  scale: DenseMatrix,
): void {
  const m = A.cols;
  const firstOf = new Uint8Array(m); // atoms of S whose column is done
  for (const j of S.members) scale.data[j] = inverseNorm(synthesizeColumn(base, denseAtom(A, j)));
  if (!G) return;
  for (const j of S.members) {
    const z = analyzeColumn(base, synthesizeColumn(base, denseAtom(A, j)));
    for (let i = 0; i < m; i++) {
      if (firstOf[i]) continue;
      const entry = sparseDot(A, i, z) * scale.data[i] * scale.data[j];
      G.data[j * m + i] = entry;
      G.data[i * m + j] = entry;
    }
    firstOf[j] = 1;
  }
}

/** 1/‖d‖, or 0 for a zero atom. */
function inverseNorm(d: Float64Array): number {
  let energy = 0;
  for (const value of d) energy += value * value;
  return energy > 0 ? 1 / Math.sqrt(energy) : 0;
}

function denseAtom(A: SparseColumns, j: number): Float32Array {
  return A.slice(j, j + 1).toDense().data;
}

/** coherenceⱼ ← max over i < j of |⟨d̂ᵢ, d̂ⱼ⟩|, for the atoms from `first` on whose columns G has. */
export function coherence(G: DenseMatrix, result: DenseMatrix, first: number): void {
  for (let c = 0; c < G.cols; c++) {
    const column = G.column(c);
    let largest = 0;
    for (let i = 0; i < first + c; i++) largest = Math.max(largest, Math.abs(column[i]));
    result.data[first + c] = largest;
  }
}
