/**
 * Sparse columns in the layout of `scipy.sparse.save_npz` (compressed sparse
 * columns): `data`, `indices`, `indptr`, `shape`, `format`. Rows ascend within
 * a column, as scipy likes them.
 */

import { InputError, show } from "../core/errors.js";
import { SparseColumns } from "../core/matrix.js";
import { makeNpy, type NpyArray, npyFromText, npyToText, toFloat32, toFloat64 } from "../data/formats/npy.js";

/** The five arrays of a sparse matrix. */
export function toScipy(X: SparseColumns): [string, NpyArray][] {
  const indptr = new Int32Array(X.cols + 1);
  X.counts.forEach((count, j) => {
    indptr[j + 1] = indptr[j] + count;
  });
  const total = indptr[X.cols];
  const indices = new Int32Array(total);
  const data = new Float32Array(total);
  for (let j = 0; j < X.cols; j++) {
    const start = j * X.width;
    const slots = Array.from({ length: X.counts[j] }, (_, s) => start + s);
    slots.sort((a, b) => X.indices[a] - X.indices[b]);
    slots.forEach((s, at) => {
      indices[indptr[j] + at] = X.indices[s];
      data[indptr[j] + at] = X.values[s];
    });
  }
  return [
    ["data", makeNpy([total], data)],
    ["indices", makeNpy([total], indices)],
    ["indptr", makeNpy([X.cols + 1], indptr)],
    ["shape", makeNpy([2], BigInt64Array.of(BigInt(X.rows), BigInt(X.cols)))],
    ["format", npyFromText("csc")],
  ];
}

/** Whether an archive has the arrays of a sparse matrix. */
export function hasScipy(arrays: ReadonlyMap<string, NpyArray>): boolean {
  return ["data", "indices", "indptr", "shape", "format"].every((key) => arrays.has(key));
}

/** The sparse matrix of an archive, checked entry by entry; `name` is for messages. */
export function fromScipy(arrays: ReadonlyMap<string, NpyArray>, name: string): SparseColumns {
  if (!hasScipy(arrays))
    throw new InputError(`${name}: has no sparse matrix as scipy.sparse.save_npz writes it`);
  const format = npyToText(arrays.get("format")!, `${name}[format]`);
  if (format !== "csc")
    throw new InputError(`${name}: the sparse matrix must be in csc format, got ${show(format)}`);
  const [rows, cols, ...more] = integers(arrays, "shape", name);
  const indptr = integers(arrays, "indptr", name);
  const indices = integers(arrays, "indices", name);
  const values = toFloat32(arrays.get("data")!, `${name}[data]`);
  const damaged = (what: string) => new InputError(`${name}: damaged sparse matrix: ${what}`);
  if (rows === undefined || cols === undefined || more.length > 0 || rows < 0 || cols < 0)
    throw damaged("shape");
  if (indptr.length !== cols + 1 || indptr[0] !== 0) throw damaged("indptr does not fit the shape");
  if (indptr[cols] !== values.length || values.length !== indices.length) throw damaged("lengths differ");
  let width = 0;
  for (let j = 0; j < cols; j++) {
    const count = indptr[j + 1] - indptr[j];
    if (!(count >= 0 && count <= rows)) throw damaged("indptr does not ascend");
    width = Math.max(width, count);
  }
  if (width * cols > Math.max(2 ** 22, 64 * values.length)) {
    throw new InputError(
      `${name}: columns of the sparse matrix must be of like length, got one of ${width} of ${cols}`,
    );
  }
  const X = new SparseColumns(rows, cols, width);
  for (let j = 0; j < cols; j++) {
    X.counts[j] = indptr[j + 1] - indptr[j];
    for (let s = indptr[j], at = j * width, last = -1; s < indptr[j + 1]; s++, at++) {
      const row = indices[s];
      if (!(row > last && row < rows)) throw damaged(`rows of column ${j} must ascend below ${rows}`);
      if (!Number.isFinite(values[s])) throw damaged(`value ${values[s]} in column ${j}`);
      X.indices[at] = last = row;
      X.values[at] = values[s];
    }
  }
  return X;
}

function integers(arrays: ReadonlyMap<string, NpyArray>, key: string, name: string): Float64Array {
  const values = toFloat64(arrays.get(key)!, `${name}[${key}]`);
  const bad = values.find((value) => !Number.isSafeInteger(value));
  if (bad !== undefined)
    throw new InputError(`${name}: damaged sparse matrix: ${key} must be integers, got ${bad}`);
  return values;
}
