/**
 * M-term approximation by thresholding: the M atoms with the largest |⟨dⱼ, y⟩|, with the coefficients that are best for
 * them. Atoms are taken in the order of their correlations and made orthonormal one after the other (modified
 * Gram–Schmidt, f64), so that one pass has the error for every M.
 *
 * The coefficients are those of least squares, the best that thresholding can have: the correlations themselves would
 * count what coherent atoms share several times.
 *
 * Shapes   Φ n×L, held whole; Y n×N
 */

import type { DenseMatrix } from "../../core/matrix.js";
import type { BaseDictionary } from "../../dictionaries/base.js";
import type { Kernels } from "../../kernels/contract.js";
import { withKernels } from "../../kernels/handleScope.js";
import { kron, type Matrix64 } from "../../linalg/matrix64.js";

/** The mean squared error per sample with 0, 1, …, `maxTerms` terms, over all patches together. */
export async function thresholdingErrors(
  base: BaseDictionary,
  patches: DenseMatrix,
  maxTerms: number,
  kernels: Kernels,
): Promise<Float64Array> {
  const correlations = await correlationsWith(base, patches, kernels);
  const atoms = base.factors.reduce(kron);
  const errors = new Float64Array(maxTerms + 1);
  for (let i = 0; i < patches.cols; i++) {
    const order = largestFirst(correlations.column(i));
    const curve = projectionErrors(atoms, patches.column(i), order, maxTerms);
    curve.forEach((energy, M) => {
      errors[M] += energy / (patches.rows * patches.cols);
    });
  }
  return errors;
}

/** ΦᵀY. */
function correlationsWith(
  base: BaseDictionary,
  patches: DenseMatrix,
  kernels: Kernels,
): Promise<DenseMatrix> {
  return withKernels(kernels, async (on) => {
    const phi = on.base(base.factors);
    const Y = on.matrix(patches.rows, patches.cols);
    const Z = on.matrix(phi.cols, patches.cols);
    await on.writeMatrix(Y, patches);
    await on.analyze(phi, Y, Z);
    return on.readMatrix(Z);
  });
}

function largestFirst(values: Float32Array): Uint32Array {
  return Uint32Array.from(values.keys()).sort((a, b) => Math.abs(values[b]) - Math.abs(values[a]) || a - b);
}

/** An atom that is nearer than this to those before it adds nothing but rounding. */
const leastDistance = 1e-6;

/** ‖y − P_M y‖², with P_M the projection on the first M atoms of `order`, for M = 0 … maxTerms. */
export function projectionErrors(
  atoms: Matrix64,
  y: ArrayLike<number>,
  order: ArrayLike<number>,
  maxTerms: number,
): Float64Array {
  const residual = Float64Array.from(y);
  const directions: Float64Array[] = [];
  const errors = new Float64Array(maxTerms + 1);
  errors[0] = dot(residual, residual);
  for (let M = 1; M <= maxTerms; M++) {
    const direction = atoms.column(order[M - 1]).slice();
    for (const other of directions) subtract(direction, dot(direction, other), other);
    const distance = Math.sqrt(dot(direction, direction));
    if (distance > leastDistance) {
      for (let t = 0; t < direction.length; t++) direction[t] /= distance;
      subtract(residual, dot(residual, direction), direction);
      directions.push(direction);
    }
    errors[M] = dot(residual, residual);
  }
  return errors;
}

function dot(a: Float64Array, b: Float64Array): number {
  let sum = 0;
  for (let t = 0; t < a.length; t++) sum += a[t] * b[t];
  return sum;
}

/** a ← a − factor·b. */
function subtract(a: Float64Array, factor: number, b: Float64Array): void {
  for (let t = 0; t < a.length; t++) a[t] -= factor * b[t];
}
