/**
 * Dense and sparse matrices on the host, stored by columns.
 *
 * A column is an example, an atom or a code. Storage is f32 and column-major, so
 * a range of columns is contiguous in memory, which suits SIMD and GPUs alike.
 */

import {
  type ArgumentType,
  callback,
  float32,
  listOf,
  requireArgument,
  requireArguments,
  words32,
} from "./arguments/argumentTypes.js";
import { InputError } from "./errors.js";
import { requireInteger } from "./require.js";

/** A dense rows × cols matrix; entry (i, j) is `data[j * rows + i]`. */
export class DenseMatrix {
  readonly rows: number;
  readonly cols: number;
  readonly data: Float32Array;

  constructor(rows: number, cols: number, values?: Float32Array) {
    this.rows = requireInteger("DenseMatrix", "rows", rows, 0);
    this.cols = requireInteger("DenseMatrix", "cols", cols, 0);
    const data = values === undefined ? new Float32Array(rows * cols) : values;
    requireArgument("DenseMatrix", "data", data, float32);
    if (data.length !== rows * cols) {
      throw new InputError(`DenseMatrix: data must hold ${rows} × ${cols} values, got ${data.length}`);
    }
    this.data = data;
  }

  /** From a function of (row, column). */
  static build(rows: number, cols: number, entry: (i: number, j: number) => number): DenseMatrix {
    requireArgument("DenseMatrix.build", "entry", entry, callback);
    const matrix = new DenseMatrix(rows, cols);
    for (let j = 0; j < cols; j++) for (let i = 0; i < rows; i++) matrix.data[j * rows + i] = entry(i, j);
    return matrix;
  }

  static identity(size: number): DenseMatrix {
    requireInteger("DenseMatrix.identity", "size", size, 0);
    return DenseMatrix.build(size, size, (i, j) => (i === j ? 1 : 0));
  }

  at(i: number, j: number): number {
    return this.data[j * this.rows + i];
  }

  /** Column j, as a view: writing to it changes the matrix. */
  column(j: number): Float32Array {
    return this.data.subarray(j * this.rows, (j + 1) * this.rows);
  }

  /** Columns [from, to), as a view: writing to it changes the matrix. */
  slice(from: number, to: number): DenseMatrix {
    return new DenseMatrix(this.rows, to - from, this.data.subarray(from * this.rows, to * this.rows));
  }

  copy(): DenseMatrix {
    return new DenseMatrix(this.rows, this.cols, this.data.slice());
  }

  /** A copy multiplied by a factor. */
  scaled(factor: number): DenseMatrix {
    const values = this.data.map((value) => value * factor);
    return new DenseMatrix(this.rows, this.cols, values);
  }
}

const pair: ArgumentType = {
  words: "[row, value]",
  accepts: (item) => Array.isArray(item) && item.length === 2,
};

function emptySlots(width: number, cols: number): Uint32Array {
  const columns = requireInteger("SparseColumns", "cols", cols, 0);
  return new Uint32Array(requireInteger("SparseColumns", "width", width, 0) * columns);
}

/**
 * A sparse rows × cols matrix with room for `width` non-zeros in each column.
 *
 * Column j holds `counts[j]` ≤ `width` entries, in the slots from `j * width`: rows
 * in `indices`, values in `values`. Unused slots are zero. Rows within a column are
 * distinct, in any order.
 */
export class SparseColumns {
  readonly rows: number;
  readonly cols: number;
  readonly width: number;
  readonly indices: Uint32Array;
  readonly values: Float32Array;
  readonly counts: Uint32Array;

  constructor(
    rows: number,
    cols: number,
    width: number,
    indices: Uint32Array = emptySlots(width, cols),
    values: Float32Array = new Float32Array(indices.length),
    counts: Uint32Array = new Uint32Array(cols),
  ) {
    this.rows = requireInteger("SparseColumns", "rows", rows, 0);
    this.cols = requireInteger("SparseColumns", "cols", cols, 0);
    this.width = requireInteger("SparseColumns", "width", width, 0);
    requireArguments("SparseColumns", {
      indices: [indices, words32],
      values: [values, float32],
      counts: [counts, words32],
    });
    if (indices.length !== width * cols || values.length !== width * cols || counts.length !== cols) {
      throw new InputError(
        `SparseColumns: indices, values and counts must fit ${cols} columns of width ${width}`,
      );
    }
    this.indices = indices;
    this.values = values;
    this.counts = counts;
  }

  /** From the entries of each column, as lists of [row, value]. */
  static fromEntries(
    rows: number,
    width: number,
    columns: readonly (readonly [number, number])[][],
  ): SparseColumns {
    requireArgument(
      "SparseColumns.fromEntries",
      "columns",
      columns,
      listOf(listOf(pair, ""), "lists of [row, value]"),
    );
    const sparse = new SparseColumns(rows, columns.length, width);
    columns.forEach((entries, j) => {
      sparse.setColumn(
        j,
        entries.map(([row]) => row),
        entries.map(([, value]) => value),
      );
    });
    return sparse;
  }

  /** The identity, in columns with room for `width` non-zeros. */
  static identity(size: number, width: number): SparseColumns {
    requireInteger("SparseColumns.identity", "size", size, 0);
    requireInteger("SparseColumns.identity", "width", width, 1);
    const sparse = new SparseColumns(size, size, width);
    for (let j = 0; j < size; j++) sparse.setColumn(j, [j], [1]);
    return sparse;
  }

  /** Replace column j. */
  setColumn(j: number, rows: ArrayLike<number>, values: ArrayLike<number>): void {
    requireInteger("SparseColumns.setColumn", "number of entries", rows.length, 0, this.width);
    const start = j * this.width;
    for (let s = 0; s < this.width; s++) {
      const used = s < rows.length;
      this.indices[start + s] = used
        ? requireInteger("SparseColumns.setColumn", "row", rows[s], 0, this.rows - 1)
        : 0;
      this.values[start + s] = used ? values[s] : 0;
    }
    this.counts[j] = rows.length;
  }

  /** Column `to` ← column `from` of another matrix, with no more entries than fit. */
  copyColumn(source: SparseColumns, from: number, to: number): void {
    const start = from * source.width;
    const end =
      start + requireInteger("SparseColumns", "number of entries", source.counts[from], 0, this.width);
    this.indices.set(source.indices.subarray(start, end), to * this.width);
    this.values.set(source.values.subarray(start, end), to * this.width);
    this.counts[to] = source.counts[from];
  }

  /** Columns [from, to), as a view. */
  slice(from: number, to: number): SparseColumns {
    const { rows, width } = this;
    return new SparseColumns(
      rows,
      to - from,
      width,
      this.indices.subarray(from * width, to * width),
      this.values.subarray(from * width, to * width),
      this.counts.subarray(from, to),
    );
  }

  copy(): SparseColumns {
    return new SparseColumns(
      this.rows,
      this.cols,
      this.width,
      this.indices.slice(),
      this.values.slice(),
      this.counts.slice(),
    );
  }

  toDense(): DenseMatrix {
    const dense = new DenseMatrix(this.rows, this.cols);
    for (let j = 0; j < this.cols; j++) {
      for (let s = j * this.width; s < j * this.width + this.counts[j]; s++) {
        dense.data[j * this.rows + this.indices[s]] += this.values[s];
      }
    }
    return dense;
  }
}
