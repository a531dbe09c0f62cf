/**
 * Plans for assembly/transform.ts: a separable base as lists of what is not zero.
 */

import type { Matrix64 } from "../../linalg/matrix64.js";

/** Rows of the largest array on the way, and the words of the plan. */
export interface TransformPlan {
  readonly rows: number;
  /** Weights that one example meets. */
  readonly weights: number;
  readonly words: Uint32Array;
}

/** The plan of Φᵀ (`analysis`) or Φ (`synthesis`) for factors φ₀, φ₁, …. */
export function planTransform(
  factors: readonly Matrix64[],
  direction: "analysis" | "synthesis",
): TransformPlan {
  const matrices = direction === "analysis" ? factors : factors.map((factor) => factor.transpose());
  const words: number[] = [];
  let outer = 1;
  let inner = matrices.reduce((product, matrix) => product * matrix.rows, 1);
  let rows = inner;
  let weights = 0;
  for (const matrix of matrices) {
    inner /= matrix.rows;
    pushStage(words, matrix, outer, inner);
    weights += outer * inner * matrix.data.reduce((count, value) => count + (value === 0 ? 0 : 1), 0);
    outer *= matrix.cols;
    rows = Math.max(rows, outer * inner);
  }
  return { rows, weights, words: Uint32Array.from([matrices.length, rows, ...words]) };
}

/** Bytes of a row of a block of sixteen examples. */
const rowBytes = 64;

/** The stage of outputs j = Σᵣ matrix[r, j] × input r, in pairs of outputs. */
function pushStage(words: number[], matrix: Matrix64, outer: number, inner: number): void {
  words.push(outer, inner, matrix.rows, matrix.cols);
  for (let j = 0; j < matrix.cols; j += 2) {
    const start = words.push(0) - 1;
    for (let r = 0; r < matrix.rows; r++) {
      const first = matrix.at(r, j);
      const second = j + 1 < matrix.cols ? matrix.at(r, j + 1) : 0;
      if (first === 0 && second === 0) continue;
      words.push(r * inner * rowBytes, bitsOf(first), bitsOf(second));
      words[start]! += 1;
    }
  }
}

const view = new DataView(new ArrayBuffer(4));

/** The bits of a number as f32. */
function bitsOf(value: number): number {
  view.setFloat32(0, value);
  return view.getUint32(0);
}
