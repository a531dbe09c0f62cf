/**
 * Small dense matrices in double precision, for work that is done once on the host:
 * the 1-D factors of a base dictionary, and checks of the kernels. Column-major, like
 * all matrices here. Plain loops: not for large data.
 */

import { float64, matrix64, requireArgument } from "../core/arguments/argumentTypes.js";
import { InputError } from "../core/errors.js";
import { requireInteger } from "../core/require.js";
import { largestMagnitude, powerBelow } from "../core/units.js";

export class Matrix64 {
  readonly rows: number;
  readonly cols: number;
  /** Entry (i, j) is `data[j * rows + i]`. */
  readonly data: Float64Array;

  constructor(rows: number, cols: number, data: Float64Array = emptyMatrix(rows, cols)) {
    requireInteger("Matrix64", "rows", rows, 0);
    requireInteger("Matrix64", "cols", cols, 0);
    requireArgument("Matrix64", "data", data, float64);
    if (data.length !== rows * cols) {
      throw new InputError(`Matrix64: data must hold ${rows} × ${cols} values, got ${data.length}`);
    }
    this.rows = rows;
    this.cols = cols;
    this.data = data;
  }

  static identity(size: number): Matrix64 {
    const matrix = new Matrix64(size, size);
    for (let i = 0; i < size; i++) matrix.data[i * size + i] = 1;
    return matrix;
  }

  at(i: number, j: number): number {
    return this.data[j * this.rows + i];
  }

  /** Column j, as a view. */
  column(j: number): Float64Array {
    return this.data.subarray(j * this.rows, (j + 1) * this.rows);
  }

  transpose(): Matrix64 {
    const result = new Matrix64(this.cols, this.rows);
    for (let j = 0; j < this.cols; j++) {
      for (let i = 0; i < this.rows; i++) result.data[i * this.cols + j] = this.at(i, j);
    }
    return result;
  }

  times(other: Matrix64): Matrix64 {
    requireArgument("Matrix64.times", "other", other, matrix64);
    if (this.cols !== other.rows) {
      throw new InputError(`Matrix64.times: the other matrix must have ${this.cols} rows, got ${other.rows}`);
    }
    const result = new Matrix64(this.rows, other.cols);
    for (let j = 0; j < other.cols; j++) {
      const target = result.column(j);
      for (let l = 0; l < this.cols; l++) {
        const weight = other.at(l, j);
        if (weight === 0) continue;
        const source = this.column(l);
        for (let i = 0; i < this.rows; i++) target[i] += weight * source[i];
      }
    }
    return result;
  }
}

function emptyMatrix(rows: number, cols: number): Float64Array {
  return new Float64Array(
    requireInteger("Matrix64", "rows", rows, 0) * requireInteger("Matrix64", "cols", cols, 0),
  );
}

/** The Kronecker product a ⊗ b. */
export function kron(a: Matrix64, b: Matrix64): Matrix64 {
  const result = new Matrix64(a.rows * b.rows, a.cols * b.cols);
  for (let ja = 0; ja < a.cols; ja++) {
    for (let jb = 0; jb < b.cols; jb++) {
      const target = result.column(ja * b.cols + jb);
      for (let ia = 0; ia < a.rows; ia++) {
        for (let ib = 0; ib < b.rows; ib++) target[ia * b.rows + ib] = a.at(ia, ja) * b.at(ib, jb);
      }
    }
  }
  return result;
}

/** Scale every column to unit Euclidean norm, in place. A zero column is an error; `name` is for its message. */
export function normalizeColumns(name: string, matrix: Matrix64): Matrix64 {
  for (let j = 0; j < matrix.cols; j++) {
    const column = matrix.column(j);
    const unit = powerBelow(largestMagnitude(column)); // a norm may be beyond f64 where its entries are not
    for (let i = 0; i < column.length; i++) column[i] /= unit;
    const length = norm(column);
    if (length === 0) throw new InputError(`${name}: column ${j} must not be zero`);
    for (let i = 0; i < column.length; i++) column[i] /= length;
  }
  return matrix;
}

/** ‖x‖₂ with the same bits in every JavaScript engine, which `Math.hypot` does not promise. */
export function norm(x: Float64Array): number {
  const unit = powerBelow(largestMagnitude(x)); // so that squares neither overflow nor underflow
  let sum = 0;
  for (const value of x) sum += (value / unit) * (value / unit);
  return unit * Math.sqrt(sum);
}
