/** `trainlets train` on archives, on data larger than its groups, and on damaged files. */

import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { makeNpy, readNpy } from "../src/data/formats/npy.js";
import { writeNpz } from "../src/data/formats/npz.js";
import { works } from "./cliHere.js";
import { wave, writeArray, writePng } from "./cliProcess.js";
import { tarOf } from "./fuzz/tarOf.js";

let folder: string;
const path = (name: string) => join(folder, name);
const quick =
  "--base odct:1 --sparsity 2 --examples 600 --epochs 1 --batch 100 --holdout 50 --device reference";
const pictures = [0, 1, 2, 3];

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "trainlets-data-"));
  mkdirSync(path("photos"));
  for (const p of pictures)
    writePng(path(`photos/${p}.png`), 40, (i) => 128 + Math.round(wave(i + 1000 * p) / 1.2));
  writeArray(path("scan.npy"), [60, 50], wave);
});

afterAll(() => rmSync(folder, { recursive: true }));

const run = (line: string) => works(folder, line);

describe("archives as data", () => {
  it("give the dictionary that their files do: tar", async () => {
    const files = pictures.map((p) => [`${p}.png`, new Uint8Array(readFileSync(path(`photos/${p}.png`)))]);
    writeFileSync(path("photos.tar"), tarOf(Object.fromEntries(files)));
    await run(`train photos --patch 8 ${quick} -o folder.npz`);
    await run(`train photos.tar --patch 8 ${quick} -o tar.npz`);
    expect(readFileSync(path("tar.npz"))).toEqual(readFileSync(path("folder.npz")));
    writeFileSync(path("photos.tar.gz"), gzipSync(readFileSync(path("photos.tar"))));
    await run(`train photos.tar.gz --patch 8 ${quick} -o gzip.npz`);
    expect(readFileSync(path("gzip.npz"))).toEqual(readFileSync(path("folder.npz")));
    const { stdout } = await run("encode photos.tar -d tar.npz -o codes.npz --device reference");
    expect(stdout).toMatch(/^codes\.npz: 100 codes of 8x8 windows/);
  });

  it("give the dictionary that their arrays do: npz", async () => {
    const { shape, data } = readNpy(readFileSync(path("scan.npy")), "scan.npy");
    writeFileSync(path("scan.npz"), writeNpz([["scan", makeNpy(shape, data)]]));
    await run(`train scan.npy --patch 8x8 ${quick} -o npy.npz`);
    await run(`train scan.npz --patch 8x8 ${quick} -o npz.npz`);
    expect(readFileSync(path("npz.npz"))).toEqual(readFileSync(path("npy.npz")));
  });
});

describe("data larger than a group", () => {
  it("give the same dictionary if the patches fit", async () => {
    await run(`train scan.npy --patch 4x4 ${quick} --examples 100 -o whole.npz`);
    const line = `train scan.npy --patch 4x4 ${quick} --examples 100 --group-samples 2500 -o windows.npz`;
    expect((await run(line)).stderr).toMatch(
      /^other memory: .*; of the data, only the chosen patches held in memory$/m,
    );
    expect(readFileSync(path("windows.npz"))).toEqual(readFileSync(path("whole.npz")));
  });

  it("are read in groups, in pieces of an array and in pictures", async () => {
    for (const data of ["scan.npy", "photos"]) {
      const { stdout, stderr } = await run(
        `train ${data} --patch 8x8 ${quick} --group-samples 2k --force -o g.npz`,
      );
      expect(stdout).toMatch(/^g\.npz: 64 atoms of 8x8, test RMSE \d/);
      expect(stderr).toMatch(/^other memory: \d+\.\d MiB \(.*\); data read in groups of 2,000 samples$/m);
      const first = readFileSync(path("g.npz"));
      await run(`train ${data} --patch 8x8 ${quick} --group-samples 2k --force -o g.npz`);
      expect(readFileSync(path("g.npz"))).toEqual(first);
    }
  });

  it("skip a damaged file, and name it", async () => {
    const whole = readFileSync(path("photos/2.png"));
    writeFileSync(path("photos/2.png"), whole.subarray(0, whole.length - 300));
    const damage = /^train: photos\/2\.png: cannot be read as an image \(.+\), skipped$/m;
    const groups = await run(`train photos --patch 8 ${quick} --group-samples 2k --force -o g.npz`);
    expect(groups.stderr).toMatch(damage);
    expect(groups.stdout).toMatch(/^1 file could not be read \(photos\/2\.png\), \d+ examples skipped$/m);
    const memory = await run(`train photos --patch 8 ${quick} --force -o g.npz`);
    expect(memory.stderr).toMatch(damage);
    expect(memory.stdout).toMatch(/^1 file could not be read \(photos\/2\.png\)$/m);
    writeFileSync(path("photos/2.png"), whole);
  });
});
