/** Whole arrays of Matlab, HDF5 and NIfTI files, and their pieces: the values that were written, in the right order. */

import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync, inflateSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hasHdf5, hdf5Note } from "../../../../tests/hdf5.js";
import { InputError } from "../../../core/errors.js";
import { mat5Of, type TestVariable } from "../../formats/matlab/mat5.case.js";
import { niftiOf, type TestVolume } from "../../formats/nifti.case.js";
import { toFloat64 } from "../../formats/npy.js";
import { readSignals } from "../readSignals.js";
import { readArrayFile } from "./arrayFiles.js";
import { files } from "./writtenByPython.case.js";

let folder: string;
const path = (name: string) => join(folder, name);

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "trainlets-arrays-"));
  for (const [name, text] of Object.entries(files))
    await writeFile(path(name), inflateSync(Buffer.from(text, "base64")));
});

afterAll(() => rm(folder, { recursive: true }));

async function read(name: string): Promise<{ shape: readonly number[]; values: number[] }> {
  const array = await readArrayFile(path(name));
  return { shape: array.shape, values: [...toFloat64(array, name)] };
}

const refusal = async (name: string, patch: number[] = [1]) => {
  const error = await readSignals(path(name), { patch, onSkip: () => {} }).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(InputError);
  return (error as Error).message.replaceAll(`${folder}/`, "");
};

const counting = (length: number) => Array.from({ length }, (_, i) => i);

describe("Matlab files", () => {
  const X: TestVariable = { name: "X", sizes: [2, 3], values: [1, 2, 3, 4, 5, 6] };

  it.each([
    ["plain", {}],
    ["compressed", { compressed: true }],
    ["big-endian", { bigEndian: true }],
    ["compressed and big-endian", { compressed: true, bigEndian: true }],
  ])("are read by columns, whatever type their numbers are stored as: %s", async (_, options) => {
    const stored = ["double", "single", "int8", "uint8", "int16", "uint32"] as const;
    const variables = stored.map((type) => ({ ...X, name: `a_${type}`, stored: type }));
    const cube = { name: "cube", sizes: [2, 3, 2], values: counting(12) };
    const row = { name: "row", sizes: [1, 4], values: [4, 3, 2, 1] };
    await writeFile(path("x.mat"), mat5Of([...variables, cube, row], options));
    for (const { name } of variables)
      expect(await read(`x.mat[${name}]`)).toEqual({ shape: [2, 3], values: [1, 3, 5, 2, 4, 6] });
    expect(await read("x.mat[cube]")).toEqual({
      shape: [2, 3, 2],
      values: [0, 6, 2, 8, 4, 10, 1, 7, 3, 9, 5, 11],
    });
    expect(await read("x.mat[row]")).toEqual({ shape: [4], values: [4, 3, 2, 1] });
  });

  it("may have signals in rows or in columns", async () => {
    await writeFile(path("x.mat"), mat5Of([X]));
    const signals = async (axis: "rows" | "columns") =>
      (await readSignals(path("x.mat"), { patch: [2], signals: axis })).map(({ data }) => [...data]);
    expect(await signals("rows")).toEqual([
      [1, 3, 5],
      [2, 4, 6],
    ]);
    expect(await signals("columns")).toEqual([
      [1, 2],
      [3, 4],
      [5, 6],
    ]);
  });

  it("written by scipy are read, without what is not an array of numbers", async () => {
    expect(await read("tiny.mat[X]")).toEqual({ shape: [2, 3], values: counting(6).map((i) => i / 8) });
    expect(await read("tiny.mat[n]")).toEqual({ shape: [3, 2], values: [-3, -2, -1, 0, 1, 2] });
    const skipped: string[] = [];
    await readSignals(path("tiny.mat"), { patch: [2], onSkip: (line) => void skipped.push(line) });
    expect(skipped.map((line) => line.replace(`${folder}/`, ""))).toEqual([
      "tiny.mat[name] is text: it must be an array of real numbers, skipped",
      "tiny.mat[fs] is a single value: it must be an array of real numbers, skipped",
    ]);
    expect(await refusal("tiny.mat[fs]")).toBe(
      "tiny.mat[fs] is a single value: it must be an array of real numbers",
    );
    expect(await refusal("tiny.mat[Y]")).toBe('tiny.mat has no member "Y"; it has X, n, whole');
  });

  it.each<[string, readonly TestVariable[]]>([
    ["x.mat[X] holds complex numbers: it must be an array of real numbers", [{ ...X, complex: true }]],
    ["x.mat[X] is a struct: it must be an array of real numbers", [{ ...X, kind: 2 }]],
    ["x.mat[X]: damaged Matlab file: 2 x 4 numbers of 8 bytes in 48 bytes", [{ ...X, sizes: [2, 4] }]],
    ["x.mat[X] holds no samples: it must be an array of real numbers", [{ ...X, sizes: [0, 4], values: [] }]],
  ])("are refused: %s", async (message, variables) => {
    await writeFile(path("x.mat"), mat5Of(variables));
    expect(await refusal("x.mat[X]")).toBe(message);
  });

  it("are refused if they are cut off, or something else", async () => {
    const bytes = mat5Of([X]);
    await writeFile(path("cut.mat"), bytes.subarray(0, bytes.length - 1));
    expect(await refusal("cut.mat")).toMatch(
      /^cut\.mat: truncated Matlab file: a variable takes \d+ bytes, \d+ left$/,
    );
    await writeFile(path("text.mat"), "1 2 3");
    expect(await refusal("text.mat")).toBe("text.mat: not a Matlab file of version 5 or later");
  });
});

describe.skipIf(!hasHdf5)(`HDF5 files${hdf5Note}`, () => {
  it("written by h5py are read: a path inside, chunks, compression, byte order, half precision", async () => {
    const values = counting(12).map((i) => 1000 * i - 5000);
    expect(await read("tiny.h5[group/X]")).toEqual({ shape: [3, 4], values });
    expect(await read("tiny.h5[half]")).toEqual({ shape: [2, 3], values: [0.5, -2, 65504, 1, 2, 3] });
    const signals = await readSignals(path("tiny.h5[group/X]"), { patch: [2], signals: "columns" });
    expect([...signals[1].data]).toEqual([-4000, 0, 4000]);
    expect(await refusal("tiny.h5[note]")).toBe("tiny.h5[note] is text: it must be an array of real numbers");
    expect(await refusal("tiny.h5[X]")).toBe('tiny.h5 has no member "X"; it has group/X, half');
  });

  it("of Matlab 7.3 have Matlab's order of axes", async () => {
    expect(await read("tiny73.mat[X]")).toEqual({ shape: [2, 3], values: counting(6).map((i) => i / 8) });
  });

  it("are refused in one line if they are damaged", async () => {
    const whole = inflateSync(Buffer.from(files["tiny.h5"], "base64"));
    await writeFile(path("cut.h5"), whole.subarray(0, 1000));
    expect(await refusal("cut.h5")).toMatch(/^cut\.h5: cannot be read as HDF5 \(truncated file: [^\n]*\)$/);
    await writeFile(path("text.h5"), "text");
    expect(await refusal("text.h5")).toMatch(/^text\.h5: cannot be read as HDF5 \([^\n]+\)$/);
  });
});

describe("NIfTI files", () => {
  const volume: TestVolume = { sizes: [2, 3, 4], values: counting(24) };

  it.each<[string, Partial<TestVolume>]>([
    ["version 1", {}],
    ["version 2", { version: 2 }],
    ["big-endian", { bigEndian: true }],
    ["version 2, big-endian floats", { version: 2, bigEndian: true, type: "float32" }],
    ["bytes", { type: "uint8" }],
    ["doubles", { type: "float64" }],
  ])("have the axes z, y, x: %s", async (_, form) => {
    const bytes = niftiOf({ ...volume, ...form });
    await writeFile(path("x.nii"), bytes);
    await writeFile(path("x.nii.gz"), gzipSync(bytes));
    expect(await read("x.nii")).toEqual({ shape: [4, 3, 2], values: volume.values });
    expect(await read("x.nii.gz")).toEqual({ shape: [4, 3, 2], values: volume.values });
  });

  it("are scaled as their header says", async () => {
    await writeFile(path("scaled.nii"), niftiOf({ ...volume, scale: [0.5, -3] }));
    expect((await read("scaled.nii")).values).toEqual(volume.values.map((value) => 0.5 * value - 3));
  });

  it("count the volumes of a series first, and have no axes of size 1 at their end", async () => {
    await writeFile(path("series.nii"), niftiOf({ sizes: [2, 1, 2, 3], values: counting(12) }));
    const signals = await readSignals(path("series.nii"), { patch: [1, 1, 1] });
    expect(signals.map(({ shape, data }) => [shape, [...data]])).toEqual([
      [
        [2, 1, 2],
        [0, 1, 2, 3],
      ],
      [
        [2, 1, 2],
        [4, 5, 6, 7],
      ],
      [
        [2, 1, 2],
        [8, 9, 10, 11],
      ],
    ]);
    await writeFile(path("slice.nii"), niftiOf({ sizes: [3, 2, 1, 1], values: counting(6) }));
    expect((await read("slice.nii")).shape).toEqual([2, 3]);
  });

  it.each<[string, Uint8Array]>([
    ["x.nii: not a NIfTI file", new Uint8Array(600)],
    ["x.nii: not a NIfTI file", niftiOf(volume).subarray(0, 300)],
    ["x.nii: not a NIfTI file", niftiOf({ ...volume, magic: "no" })],
    [
      "x.nii: its numbers are in another file (.img); convert it to one .nii file",
      niftiOf({ ...volume, magic: "ni1" }),
    ],
    ["x.nii: must hold real numbers, got colours", niftiOf({ ...volume, code: 128 })],
    [
      "x.nii: damaged NIfTI file: sizes 3, 2, 0, 2, 1, 1, 1, 1 from byte 352 on",
      niftiOf({ ...volume, sizes: [2, 0, 2] }),
    ],
    ["x.nii: truncated NIfTI file: 4x3x2 takes 400 bytes, got 399", niftiOf(volume).subarray(0, 399)],
  ])("are refused: %s", async (message, bytes) => {
    await writeFile(path("x.nii"), bytes);
    expect(await refusal("x.nii", [1, 1, 1])).toBe(message);
  });

  it("are refused if their compression is damaged", async () => {
    const packed = gzipSync(niftiOf(volume));
    await writeFile(path("cut.nii.gz"), packed.subarray(0, -9));
    expect(await refusal("cut.nii.gz", [1, 1, 1])).toMatch(
      /^cut\.nii\.gz: (cannot be inflated|truncated)[^\n]*$/,
    );
    const longer = gzipSync(niftiOf(volume).subarray(0, 370));
    await writeFile(path("short.nii.gz"), longer);
    expect(await refusal("short.nii.gz", [1, 1, 1])).toBe(
      "short.nii.gz: truncated: 400 bytes expected, got 370",
    );
  });
});
