/**
 * Φᵀ Y and Φ C for Φ = φ₀ ⊗ φ₁ ⊗ …, one axis at a time, summed in f64.
 *
 * A column is an array with one axis per factor, row-major. Multiplying along axis a
 * leaves an array of the same other sizes, so d small products replace one large
 * one: n·L₁ + … multiplications instead of n·L.
 */

import type { DenseMatrix } from "../../core/matrix.js";
import type { Matrix64 } from "../../linalg/matrix64.js";
import type { ReferenceBase } from "./handles.js";

/** Z ← Φᵀ Y. */
export function analyze(base: ReferenceBase, Y: DenseMatrix, Z: DenseMatrix): void {
  for (let j = 0; j < Y.cols; j++) Z.column(j).set(analyzeColumn(base, Y.column(j)));
}

/** Y ← Φ C. */
export function synthesize(base: ReferenceBase, C: DenseMatrix, Y: DenseMatrix): void {
  for (let j = 0; j < C.cols; j++) Y.column(j).set(synthesizeColumn(base, C.column(j)));
}

/** Φᵀ y, in f64. */
export function analyzeColumn(base: ReferenceBase, y: ArrayLike<number>): Float64Array {
  return eachAxis(base.factors, y, (factor) => factor.rows, timesTransposed);
}

/** Φ c, in f64. */
export function synthesizeColumn(base: ReferenceBase, c: ArrayLike<number>): Float64Array {
  return eachAxis(base.factors, c, (factor) => factor.cols, times);
}

type AxisProduct = (
  factor: Matrix64,
  source: Float64Array,
  outer: number,
  inner: number,
  target: Float64Array,
) => void;

/** Multiply along each axis in turn; `sizeIn` is the size of an axis before its product. */
function eachAxis(
  factors: readonly Matrix64[],
  column: ArrayLike<number>,
  sizeIn: (factor: Matrix64) => number,
  product: AxisProduct,
): Float64Array {
  let source = new Float64Array(column);
  let outer = 1;
  let inner = factors.reduce((total, factor) => total * sizeIn(factor), 1);
  for (const factor of factors) {
    inner /= sizeIn(factor);
    const sizeOut = factor.rows + factor.cols - sizeIn(factor);
    const target = new Float64Array(outer * sizeOut * inner);
    product(factor, source, outer, inner, target);
    source = target;
    outer *= sizeOut;
  }
  return source;
}

/** target[o, j, i] ← Σᵣ factor[r, j] source[o, r, i]. */
function timesTransposed(
  factor: Matrix64,
  source: Float64Array,
  outer: number,
  inner: number,
  target: Float64Array,
): void {
  const { rows, cols, data } = factor;
  for (let o = 0; o < outer; o++) {
    for (let j = 0; j < cols; j++) {
      const to = (o * cols + j) * inner;
      for (let r = 0; r < rows; r++) {
        addScaled(data[j * rows + r], source, (o * rows + r) * inner, inner, target, to);
      }
    }
  }
}

/** target[o, r, i] ← Σⱼ factor[r, j] source[o, j, i]. */
function times(
  factor: Matrix64,
  source: Float64Array,
  outer: number,
  inner: number,
  target: Float64Array,
): void {
  const { rows, cols, data } = factor;
  for (let o = 0; o < outer; o++) {
    for (let r = 0; r < rows; r++) {
      const to = (o * rows + r) * inner;
      for (let j = 0; j < cols; j++) {
        addScaled(data[j * rows + r], source, (o * cols + j) * inner, inner, target, to);
      }
    }
  }
}

/** target[to + i] += weight · source[from + i]; a zero weight (wavelets have many) costs nothing. */
function addScaled(
  weight: number,
  source: Float64Array,
  from: number,
  count: number,
  target: Float64Array,
  to: number,
): void {
  if (weight === 0) return;
  for (let i = 0; i < count; i++) target[to + i] += weight * source[from + i];
}
