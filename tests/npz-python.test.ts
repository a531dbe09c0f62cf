/**
 * numpy and scipy read the files written here, and their files are read here: every
 * type, byte order and axis order, compressed or not.
 */

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import {
  makeNpy,
  type NpyArray,
  npyFromText,
  npyToText,
  readNpy,
  toFloat64,
  writeNpy,
} from "../src/data/formats/npy.js";
import { readNpz, writeNpz } from "../src/data/formats/npz.js";
import { requirePython, runPython } from "./python/python.js";

/** An array as the script describes it: numbers as decimal text, which can hold 64-bit integers. */
interface Description {
  readonly dtype: string;
  readonly shape: number[];
  readonly values: string[];
}

const python = requirePython(["numpy", "scipy.sparse"]);
const folder = mkdtempSync(join(tmpdir(), "trainlets-npz-"));
const run = (job: string, path: string) =>
  runPython(python.path!, "npz.py", { job, path }) as Record<string, Description>;
const describeArray = ({ dtype, shape, data }: NpyArray): Description => ({
  dtype,
  shape: [...shape],
  values: Array.from(data, String),
});

afterAll(() => rmSync(folder, { recursive: true }));

describe.skipIf(!python.path)(`.npy and .npz with numpy and scipy${python.note}`, () => {
  const types = [
    Int8Array,
    Uint8Array,
    Int16Array,
    Uint16Array,
    Int32Array,
    Uint32Array,
    Float32Array,
    Float64Array,
  ];
  const arrays = new Map<string, NpyArray>([
    ...types.map((Type, i): [string, NpyArray] => [`${i}`, makeNpy([2, 3], Type.of(0, 1, 2, 3, 4, 5))]),
    ["i8", makeNpy([2], BigInt64Array.of(-(2n ** 63n), 5n))],
    ["u8", makeNpy([2], BigUint64Array.of(2n ** 64n - 1n, 5n))],
    ["bool", { shape: [2], dtype: "|b1", data: Uint8Array.of(1, 0) }],
    ["scalar", makeNpy([], Float64Array.of(0.5))],
    ["empty", makeNpy([0, 4], new Float32Array())],
    ["five axes", makeNpy([1, 2, 1, 2, 1], Int16Array.of(1, 2, 3, 4))],
    ["Ünïcode/名", makeNpy([1], Uint8Array.of(7))],
  ]);

  it("numpy reads every array of an archive", () => {
    const path = join(folder, "ours.npz");
    writeFileSync(path, writeNpz(arrays));
    const expected = Object.fromEntries([...arrays].map(([name, array]) => [name, describeArray(array)]));
    expect(run("read", path)).toEqual(expected);
  });

  it("numpy maps a single array into memory", () => {
    const path = join(folder, "ours.npy");
    writeFileSync(path, writeNpy(arrays.get("7")!));
    expect(run("map", path)).toEqual({ array: describeArray(arrays.get("7")!) });
  });

  it("scipy reads a sparse matrix", () => {
    const path = join(folder, "sparse.npz");
    const entries: [string, NpyArray][] = [
      ["indices", makeNpy([3], Int32Array.of(1, 0, 2))],
      ["indptr", makeNpy([3], Int32Array.of(0, 1, 3))],
      ["format", npyFromText("csc")],
      ["shape", makeNpy([2], BigInt64Array.of(3n, 2n))],
      ["data", makeNpy([3], Float32Array.of(5, 6, 7))],
      ["meta", makeNpy([2], Uint8Array.of(0x7b, 0x7d))],
    ];
    writeFileSync(path, writeNpz(entries));
    const dense = { dtype: "<f4", shape: [3, 2], values: ["0", "6", "5", "0", "0", "7"] };
    expect(run("sparse", path)).toEqual({ dense });
  });

  it.each(["stored", "deflated", "zip64"])("readNpz reads the archives of numpy (%s)", (job) => {
    const path = join(folder, `${job}.npz`);
    const saved = run(job, path);
    const read = readNpz(readFileSync(path), path);
    expect([...read.keys()].sort()).toEqual(Object.keys(saved).sort());
    for (const [name, array] of read) expect([name, describeArray(array)]).toEqual([name, saved[name]]);
  });

  it("readNpz reads the sparse matrices of scipy", () => {
    const path = join(folder, "scipy.npz");
    const { dense } = run("saveSparse", path);
    const read = readNpz(readFileSync(path), path);
    expect(npyToText(read.get("format")!, "format")).toBe("csc");
    const [rows, cols] = toFloat64(read.get("shape")!, "shape");
    const values = new Array<string>(rows * cols).fill("0");
    const [indptr, indices, data] = ["indptr", "indices", "data"].map((key) =>
      toFloat64(read.get(key)!, key),
    );
    for (let j = 0; j < cols; j++)
      for (let s = indptr[j]; s < indptr[j + 1]; s++) values[indices[s] * cols + j] = String(data[s]);
    expect(values).toEqual(dense.values);
  });

  it.each(["version2", "version3"])("readNpy reads numpy's format %s", (job) => {
    const path = join(folder, `${job}.npy`);
    const { array } = run(job, path);
    expect(describeArray(readNpy(readFileSync(path), path))).toEqual(array);
  });

  it("readNpy rejects pickled objects, structures and complex numbers", () => {
    const path = join(folder, "object.npy");
    run("object", path);
    expect(() => readNpy(readFileSync(path), "object.npy")).toThrow(
      "object.npy: object arrays (dtype |O) are not supported",
    );
    run("structure", path);
    expect(() => readNpy(readFileSync(path), "a.npy")).toThrow("a.npy: structured arrays are not supported");
    run("complex", path);
    expect(() => readNpy(readFileSync(path), "a.npy")).toThrow('a.npy: unsupported dtype "<c16"');
  });
});
