/** `trainlets` on tables, plain numbers and signals in columns: the dictionary is that of the same numbers in a `.npy`. */

import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readNpy } from "../src/data/formats/npy.js";
import { rejects, works } from "./cliHere.js";
import { writeArray } from "./cliProcess.js";

let folder: string;
const path = (name: string) => join(folder, name);
const quick =
  "--patch 8 --base odct:1 --sparsity 2 --examples 300 --epochs 1 --batch 50 --holdout 50 --device reference";
const [rows, columns] = [20, 40];
const sample = (i: number) => Math.fround(30 * Math.sin(i / 3) + (i % 7));
const row = (r: number) => Array.from({ length: columns }, (_, c) => sample(r * columns + c));
const table = (separator: string, decimal = ".") =>
  Array.from({ length: rows }, (_, r) => row(r).join(separator).replaceAll(".", decimal)).join("\n");

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "trainlets-formats-"));
  writeArray(path("set.npy"), [rows, columns], sample);
  writeArray(path("turned.npy"), [columns, rows], (i) => sample((i % rows) * columns + Math.floor(i / rows)));
  await works(folder, `train set.npy ${quick} -o expected.npz`);
});

afterAll(() => rmSync(folder, { recursive: true }));

/** Train on data; the lines about the plan. */
async function same(data: string): Promise<string> {
  const { stderr } = await works(folder, `train ${data} ${quick} --force -o found.npz`);
  expect(readFileSync(path("found.npz"))).toEqual(readFileSync(path("expected.npz")));
  return stderr;
}

describe("tables", () => {
  it("are read whatever separates their columns", async () => {
    writeFileSync(path("set.csv"), table(","));
    expect(await same("set.csv")).toMatch(/^20 signals of 40 samples from set\.csv$/m);
    const names = Array.from({ length: columns }, (_, c) => `t${c}`).join("\t");
    writeFileSync(path("set.tsv"), `${names}\r\n${table("\t")}`);
    expect(await same("set.tsv")).toMatch(/^20 signals of 40 samples from set\.tsv \(without its header\)$/m);
    writeFileSync(path("comma.csv"), table(";", ","));
    await same("comma.csv");
  });

  it("are refused with the line and column of what is not a number", async () => {
    writeFileSync(path("bad.csv"), `${table(",")}\n${row(0).fill(1).join(",").replace("1,1", "1,one")}`);
    expect(await rejects(folder, `train bad.csv ${quick} --force -o d.npz`)).toBe(
      'train: bad.csv: line 21, column 2: "one" is not a number',
    );
  });

  it("may have gaps, if they are named", async () => {
    const [first, ...rest] = table(",").split("\n");
    writeFileSync(path("gaps.csv"), [first.replace(/^[^,]*/, ""), ...rest].join("\n"));
    expect(await rejects(folder, `train gaps.csv ${quick} --force -o d.npz`)).toMatch(
      /samples must be finite, got NaN at \[0\].*name it by --nodata$/,
    );
    await works(folder, `train gaps.csv ${quick} --nodata nan --force -o d.npz`);
  });

  it("are denoised to an array", async () => {
    const { stderr } = await works(
      folder,
      "denoise set.csv --patch 8 --sigma 2 --examples 300 -o clean.npy --device reference",
    );
    expect(stderr).toMatch(/^20 signals of 40 samples from set\.csv$/m);
    expect(readNpy(readFileSync(path("clean.npy")), "clean.npy").shape).toEqual([rows, columns]);
  });

  it("are left alone in folders", async () => {
    mkdirSync(path("set"));
    writeFileSync(path("set/list.csv"), "name,label\na.png,1\n");
    writeFileSync(path("set/set.npy"), readFileSync(path("set.npy")));
    await same("set");
  });
});

describe("signals in columns", () => {
  it("are those of the transposed array", async () => {
    expect(await same("turned.npy --signals columns")).toMatch(
      /^20 signals of 40 samples from the columns of turned\.npy$/m,
    );
    const lines = Array.from({ length: columns }, (_, c) =>
      Array.from({ length: rows }, (_, r) => sample(r * columns + c)).join(","),
    );
    writeFileSync(path("turned.csv"), lines.join("\n"));
    await same("turned.csv --signals columns");
    await same("turned.csv --signals columns --group-samples 1000000");
    await works(folder, "encode set.npy -d expected.npz -o rows.npz --device reference");
    await works(
      folder,
      "encode turned.npy --signals columns -d expected.npz -o columns.npz --device reference",
    );
    expect(readFileSync(path("columns.npz"))).toEqual(readFileSync(path("rows.npz")));
  });

  it("are suggested where columns have the size of the patch", async () => {
    const line = `train turned.npy ${quick.replace("--patch 8", "--patch 40")} --force -o d.npz`;
    expect(await rejects(folder, line)).toBe(
      "train: turned.npy: 20 is smaller than the patch 40; if each column is a signal, --signals columns reads 20 of 40",
    );
    const { stderr } = await works(
      folder,
      `train set.npy ${quick.replace("--patch 8", "--patch 20")} --force -o d.npz`,
    );
    expect(stderr).toMatch(
      /^train: set\.npy is 20x40: read as 20 signals of 40 samples; if each column is a signal, --signals columns reads 40 signals of 20 samples$/m,
    );
  });

  it("are refused for a patch with as many axes as the array", async () => {
    const picture = quick.replace("--patch 8", "--patch 8x8");
    expect(await rejects(folder, `train set.npy --signals columns ${picture} --force -o d.npz`)).toMatch(
      /^train: set\.npy \(20x40\) has as many axes as the patch: it is one signal/,
    );
    expect(await rejects(folder, `train set.npy --signals both ${quick} --force -o d.npz`)).toMatch(
      /^train: --signals must be rows or columns, got "both"$/,
    );
  });
});

describe("plain numbers", () => {
  const write = (name: string, little: boolean) => {
    const view = new DataView(new ArrayBuffer(rows * columns * 4));
    for (let i = 0; i < rows * columns; i++) view.setFloat32(4 * i, sample(i), little);
    writeFileSync(path(name), Buffer.from(view.buffer));
  };

  it("are read with --raw, in both byte orders", async () => {
    write("set.bin", true);
    write("big.dat", false);
    expect(await same("set.bin --raw float32:20x40")).toMatch(/^20 signals of 40 samples from set\.bin$/m);
    await same("big.dat --raw float32be:*x40");
    await same("set.bin --raw float32:*x40 --group-samples 1M");
    await works(
      folder,
      "denoise set.bin --raw float32:20x40 --patch 8 --sigma 2 --examples 300 -o a.npy --device reference",
    );
    await works(folder, "denoise set.npy --patch 8 --sigma 2 --examples 300 -o b.npy --device reference");
    expect(readFileSync(path("a.npy"))).toEqual(readFileSync(path("b.npy")));
  });

  it("are refused if the file has another size, or the form is unknown", async () => {
    write("set.bin", true);
    expect(await rejects(folder, `train set.bin --raw float32:20x41 ${quick} --force -o d.npz`)).toBe(
      "train: set.bin: float32:20x41 takes 3280 bytes (3.2 KiB), the file has 3200",
    );
    expect(await rejects(folder, `train set.bin --raw single:20x40 ${quick} --force -o d.npz`)).toMatch(
      /^train: --raw must be a type and sizes, as in float32:800x1000 or int16be:\*x256, of the types bool, .*, got "single:20x40"$/,
    );
    expect(await rejects(folder, `train set.bin ${quick} --force -o d.npz`)).toMatch(
      /numpy\.save writes other data as \.npy, and --raw reads files of plain numbers$/,
    );
  });
});
