import fc from "fast-check";
import { expect, test } from "vitest";
import { InputError } from "../core/errors.js";
import { SparseColumns } from "../core/matrix.js";
import { Rng } from "../core/rng.js";
import { makeNpy, type NpyArray, npyFromText } from "../data/formats/npy.js";
import { randomSparse } from "../kernels/conformance/oracle.case.js";
import { fromScipy, hasScipy, toScipy } from "./scipySparse.js";

test("is compressed sparse columns, rows ascending", () => {
  const X = SparseColumns.fromEntries(4, 3, [
    [
      [2, 5],
      [0, 6],
    ],
    [],
    [[3, 7]],
  ]);
  const told = toScipy(X).map(([key, { dtype, shape, data }]) => [
    key,
    dtype,
    shape,
    Array.from(data, Number),
  ]);
  expect(told).toEqual([
    ["data", "<f4", [3], [6, 5, 7]],
    ["indices", "<i4", [3], [0, 2, 3]],
    ["indptr", "<i4", [4], [0, 2, 2, 3]],
    ["shape", "<i8", [2], [4, 3]],
    ["format", "|S3", [], [0x63, 0x73, 0x63]],
  ]);
});

test("gives back the same matrix, in columns no wider than they must be", () => {
  fc.assert(
    fc.property(fc.nat(), fc.nat(6), fc.nat(6), fc.nat(5), (seed, rows, cols, width) => {
      const X = randomSparse(Rng.from(seed), rows, cols, width);
      const back = fromScipy(new Map(toScipy(X)), "a.npz");
      expect(back.toDense()).toEqual(X.toDense());
      expect(back.width).toBe(Math.max(0, ...X.counts));
      expect(toScipy(back)).toEqual(toScipy(X));
    }),
  );
});

test("takes indices of any integer type, and values of any float", () => {
  const X = randomSparse(Rng.from(1), 5, 4, 3);
  const arrays = new Map(toScipy(X));
  for (const key of ["indices", "indptr"]) {
    const { shape, data } = arrays.get(key)!;
    arrays.set(key, makeNpy(shape, BigInt64Array.from(data as Int32Array, BigInt)));
  }
  arrays.set(
    "data",
    makeNpy(arrays.get("data")!.shape, Float64Array.from(arrays.get("data")!.data as Float32Array)),
  );
  expect(fromScipy(arrays, "a.npz").toDense()).toEqual(X.toDense());
});

/** The arrays of a 3 × 2 matrix with [1, 5] and [0, 6], [2, 7] in its columns, some of them changed. */
function arraysWith(changes: Record<string, NpyArray | undefined>): Map<string, NpyArray> {
  const X = SparseColumns.fromEntries(3, 2, [
    [[1, 5]],
    [
      [0, 6],
      [2, 7],
    ],
  ]);
  const arrays = new Map<string, NpyArray | undefined>(toScipy(X));
  for (const [key, array] of Object.entries(changes)) arrays.set(key, array);
  return new Map([...arrays].filter((entry): entry is [string, NpyArray] => entry[1] !== undefined));
}
const ints = (...values: number[]) => makeNpy([values.length], Int32Array.from(values));
const floats = (...values: number[]) => makeNpy([values.length], Float32Array.from(values));

test.each<[string, Record<string, NpyArray | undefined>]>([
  ["has no sparse matrix as scipy.sparse.save_npz writes it", { indptr: undefined }],
  ['the sparse matrix must be in csc format, got "csr"', { format: npyFromText("csr") }],
  ["damaged sparse matrix: shape", { shape: ints(3, 2, 1) }],
  ["damaged sparse matrix: shape", { shape: ints(3) }],
  ["damaged sparse matrix: shape", { shape: ints(-3, 2) }],
  ["damaged sparse matrix: shape must be integers, got 2.5", { shape: floats(2.5, 2) }],
  ["damaged sparse matrix: indptr does not fit the shape", { indptr: ints(0, 3) }],
  ["damaged sparse matrix: indptr does not fit the shape", { indptr: ints(1, 1, 3) }],
  ["damaged sparse matrix: lengths differ", { indptr: ints(0, 1, 2) }],
  ["damaged sparse matrix: lengths differ", { indices: ints(1, 0) }],
  ["damaged sparse matrix: lengths differ", { data: floats(5, 6) }],
  ["damaged sparse matrix: indptr does not ascend", { indptr: ints(0, 4, 3) }],
  ["damaged sparse matrix: indptr does not ascend", { indptr: ints(0, -1, 3) }],
  ["damaged sparse matrix: rows of column 1 must ascend below 3", { indices: ints(1, 2, 0) }],
  ["damaged sparse matrix: rows of column 1 must ascend below 3", { indices: ints(1, 0, 0) }],
  ["damaged sparse matrix: rows of column 1 must ascend below 3", { indices: ints(1, 0, 3) }],
  ["damaged sparse matrix: rows of column 0 must ascend below 3", { indices: ints(-1, 0, 2) }],
  ["damaged sparse matrix: value NaN in column 1", { data: floats(5, 6, Number.NaN) }],
  ["damaged sparse matrix: indices must be integers, got NaN", { indices: floats(1, Number.NaN, 2) }],
])("refuses: %s (%#)", (message, changes) => {
  expect(() => fromScipy(arraysWith(changes), "a.npz")).toThrow(new InputError(`a.npz: ${message}`));
});

test("knows an archive that has one", () => {
  expect(hasScipy(arraysWith({}))).toBe(true);
  expect(hasScipy(arraysWith({ format: undefined }))).toBe(false);
});
