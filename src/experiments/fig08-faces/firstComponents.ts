/**
 * Projection on the first M principal components, for all M up to a maximum: the dimensionality
 * reduction that §V-C of the paper calls PCA. Of orthonormal d₀, d₁, … and a patch y,
 *
 *     ‖y − Σ_{j<M} ⟨dⱼ, y⟩dⱼ‖² = ‖y‖² − Σ_{j<M} ⟨dⱼ, y⟩²
 */

import type { DenseMatrix } from "../../core/matrix.js";
import { psnrOfErrors } from "../../tasks/approximate/mTerm.js";
import type { MTermCurve } from "../../tasks/approximate/mTermCurves.js";

/** The curve of the columns of `components`, taken in their order; it is flat after the last. */
export function firstComponentsCurve(
  label: string,
  components: DenseMatrix,
  patches: DenseMatrix,
  maxTerms: number,
): MTermCurve {
  const errors = new Float64Array(maxTerms + 1);
  const samples = patches.rows * patches.cols;
  for (let i = 0; i < patches.cols; i++) {
    const y = patches.column(i);
    let left = dot(y, y);
    errors[0] += left / samples;
    for (let M = 1; M <= maxTerms; M++) {
      if (M <= components.cols) left -= dot(components.column(M - 1), y) ** 2;
      errors[M] += Math.max(0, left) / samples;
    }
  }
  return { label, psnr: psnrOfErrors(errors) };
}

function dot(x: Float32Array, y: Float32Array): number {
  let total = 0;
  for (let i = 0; i < x.length; i++) total += x[i] * y[i];
  return total;
}
