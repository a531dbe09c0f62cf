/** `denoise` and `inpaint` as a person uses them: files in, files out, and what they reject. */

import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readNpy } from "../src/data/formats/npy.js";
import { rejects, works } from "./cliHere.js";
import { outcomeOf, startTrainlets, wave, writeArray, writePhotos, writePng } from "./cliProcess.js";

let folder: string;
const path = (name: string): string => join(folder, name);
const quick = "--patch 8 --stride 4 --examples 300 --epochs 1";

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "trainlets-restore-"));
  mkdirSync(path("out"));
  writePhotos(folder);
  writePng(path("dot.png"), 1, () => 9);
  writePng(path("mask.png"), 40, (i) => (i % 40 > 10 && i % 40 < 14 ? 255 : 0));
  writePng(path("white.png"), 40, () => 255);
  writePng(path("small-mask.png"), 39, () => 0);
  writeArray(path("sound.npy"), [400], wave);
  writeArray(path("gaps.npy"), [400], (i) => (i % 7 === 3 ? Number.NaN : wave(i)));
  writeArray(path("gone.npy"), [40], () => Number.NaN);
  const colour = Uint16Array.from({ length: 30 * 40 * 4 }, (_, i) =>
    i % 4 === 3 ? 60000 : 30000 + 100 * wave((i >> 4) + 30 * (i % 4)),
  );
  const wide = sharp(colour, { raw: { width: 40, height: 30, channels: 4 } }).toColourspace("rgb16");
  writeFileSync(path("colour16.png"), await wide.png().toBuffer());
  const eight = Uint8Array.from({ length: 30 * 40 * 3 }, (_, i) => 120 + 50 * Math.sin(i / 40));
  const rgb = sharp(eight, { raw: { width: 40, height: 30, channels: 3 } });
  writeFileSync(path("cmyk.jpg"), await rgb.clone().toColourspace("cmyk").jpeg().toBuffer());
  const frames = sharp(eight, { raw: { width: 40, height: 30, channels: 3, pageHeight: 15 } });
  writeFileSync(path("moving.gif"), await frames.gif().toBuffer());
});

afterAll(() => rmSync(folder, { recursive: true }));

const run = async (line: string): Promise<string> => (await works(folder, line)).stdout;

describe("denoise", () => {
  it("removes noise, given or estimated, and prints the PSNR of a trial", async () => {
    const told = await run(`denoise photos/0.png --trial 20 --sigma 20 ${quick} -o out/told.png`);
    const [before, after] = /PSNR ([\d.]+) dB → ([\d.]+) dB/.exec(told)!.slice(1).map(Number);
    expect(before).toBeCloseTo(22.1, 0);
    expect(after).toBeGreaterThan(before + 1);
    expect(await run(`denoise photos/0.png --trial 20 ${quick} -o out/auto.png`)).toContain("(estimated)");
    const array = await run("denoise sound.npy --patch 32 --examples 300 --trial 10 -o out/wave.npy");
    const [noisy, left] = /RMSE ([\d.]+) → ([\d.]+)/.exec(array)!.slice(1).map(Number); // its scale is its own
    expect(Math.abs(noisy / 10 - 1)).toBeLessThan(0.15); // of 400 normal numbers, by 3.5 % or so
    expect(left).toBeLessThan(noisy);
    expect(await sharp(path("out/told.png")).metadata()).toMatchObject({
      width: 40,
      height: 40,
      channels: 1,
    });
  });

  it("gives the same file for the same seed", async () => {
    const line = (out: string) => `denoise photos/1.png --sigma 15 ${quick} -o out/${out}.png`;
    await run(line("first"));
    await run(`${line("second")} --threads 1`);
    expect(readFileSync(path("out/first.png")).equals(readFileSync(path("out/second.png")))).toBe(true);
  });

  it.each(["luma-chroma", "joint"])(
    "keeps 16 bits, colour and opacity (%s)",
    async (mode) => {
      await run(`denoise colour16.png --sigma 5 --colour ${mode} ${quick} -o out/${mode}.png`);
      const written = sharp(path(`out/${mode}.png`));
      expect(await written.metadata()).toMatchObject({ depth: "ushort", channels: 4, width: 40, height: 30 });
      const { data } = await written
        .toColourspace("rgb16")
        .raw({ depth: "ushort" })
        .toBuffer({ resolveWithObject: true });
      expect(new Uint16Array(data.buffer, data.byteOffset, 4)[3]).toBe(60000);
    },
    60_000,
  );

  it("with no noise gives the samples back", async () => {
    await run("denoise colour16.png --sigma 0 -o out/same.png");
    const pixels = (name: string) =>
      sharp(path(name)).toColourspace("rgb16").raw({ depth: "ushort" }).toBuffer();
    expect((await pixels("out/same.png")).equals(await pixels("colour16.png"))).toBe(true);
  });

  it("takes arrays, CMYK, a given dictionary, several sizes and iterations", async () => {
    await run(`denoise sound.npy --sigma 5 --patch 16 --examples 300 -o out/sound.npy`);
    expect(readNpy(readFileSync(path("out/sound.npy")), "sound").shape).toEqual([400]);
    await run(`denoise cmyk.jpg --sigma 5 ${quick} -o out/cmyk.png`);
    const few = await run(`denoise photos/0.png --sigma 10 ${quick} --atom-sparsity 6 -o out/few.png`);
    expect(few).toMatch(/^out\/few\.png: 40x40, noise 10\.00, in /);
    await run(`denoise photos/0.png --sigma 10 ${quick} --atom-sparsity 10% -o out/share.png`); // of 64: 6
    expect(readFileSync(path("out/few.png")).equals(readFileSync(path("out/share.png")))).toBe(true);
    await run("train photos --patch 8 --examples 64 -o out/dict.npz");
    await run("denoise photos/0.png -d out/dict.npz --sigma 10 -o out/given.tif");
    const both = "denoise photos/0.png -d out/dict.npz --base odct:2 -o out/both.png";
    expect(await rejects(folder, both)).toBe("denoise: --base and --dictionary must not both be given");
    await run(`denoise photos/0.png --sigma 10 ${quick.replace("8", "6,8")} --iterations 2 -o out/sizes.npy`);
    await run("denoise dot.png --sigma 10 -o out/dot.png");
    expect((await sharp(path("out/dot.png")).raw().toBuffer())[0]).toBe(9);
  });

  it("leaves nothing behind when it is interrupted", async () => {
    const child = startTrainlets(folder, "denoise photos/0.png --sigma 10 --epochs 5000 -o out/never.png");
    const ended = outcomeOf(child);
    child.stderr!.once("data", () => setTimeout(() => child.kill("SIGINT"), 500));
    const { code, stderr } = await ended;
    expect(code).toBe(130);
    expect(stderr).toContain("denoise: interrupted: nothing was written");
    expect(readdirSync(path("out")).filter((name) => /never|tmp/.test(name))).toEqual([]);
  });
});

describe("inpaint", () => {
  it("fills what a mask or NaN mark, and prints the PSNR of a trial", async () => {
    expect(await run(`inpaint photos/0.png --mask mask.png ${quick} -o out/masked.png`)).toContain(
      "120 samples filled (7.5 %)",
    );
    const known = (pixels: Buffer) => pixels.filter((_, i) => !(i % 40 > 10 && i % 40 < 14));
    const grey = (name: string) => sharp(path(name)).toColourspace("b-w").raw().toBuffer();
    expect(known(await grey("out/masked.png"))).toEqual(known(await grey("photos/0.png")));
    await run("inpaint gaps.npy --patch 32 --examples 300 -o out/gaps.npy");
    const { data } = readNpy(readFileSync(path("out/gaps.npy")), "gaps");
    for (let i = 3; i < 400; i += 7) expect(Math.abs(Number(data[i]) - wave(i))).toBeLessThan(20);
    expect(await run(`inpaint photos/0.png --trial 50% ${quick} -o out/trial.png`)).toMatch(/PSNR [\d.]+ dB/);
    for (const mode of ["luma-chroma", "joint"]) {
      await run(`inpaint colour16.png --trial 30% --colour ${mode} ${quick} -o out/colour.png`);
      expect(await sharp(path("out/colour.png")).metadata()).toMatchObject({ depth: "ushort", channels: 4 });
    }
  });
});

describe.concurrent("what they reject", () => {
  const patch = "must be sizes joined by x, such as 32, 32x24 or 16x16x8";
  it.each([
    ["denoise photos/0.png --sigma -1 -o OUT.png", "denoise: --sigma must be a number of at least 0, got -1"],
    ["denoise photos/0.png --trial 1e39 -o OUT.png", "denoise: --trial must be at most 1e+30, got 1e+39"],
    [
      "denoise photos/0.png --sigma much -o OUT.png",
      'denoise: --sigma must be a number of at least 0, got "much"',
    ],
    ["denoise photos/0.png --patch 0 -o OUT.png", `denoise: --patch ${patch}, got "0"`],
    [
      "denoise photos/0.png --colour red -o OUT.png",
      'denoise: unknown colour mode "red"; known: luma-chroma, joint, each',
    ],
    [
      "denoise photos/0.png --patch 8 --atom-sparsity 0 -o OUT.png",
      "denoise: --atom-sparsity must be an integer from 1 to 256, got 0",
    ],
    [
      "denoise photos/0.png --patch 8 --atom-sparsity 0% -o OUT.png",
      'denoise: --atom-sparsity must be a number, or a percentage above 0, got "0%"',
    ],
    [
      "denoise moving.gif -o OUT.png",
      "denoise: moving.gif: must hold one picture, got 2 (an animation, or pages)",
    ],
    ["denoise nowhere.png -o OUT.png", "denoise: nowhere.png: cannot be read (no such file)"],
    [
      "denoise photos/0.png -o OUT.jpg",
      'denoise: --output must end in .png or .tif or .tiff or .npy, got "OUT.jpg"',
    ],
    ["denoise photos/0.png -o photos/0.png", "denoise: --output must not be an input, got photos/0.png"],
    ["denoise sound.npy -o OUT.png", "denoise: an array of 400 must be written to a .npy, got OUT.png"],
    [
      "denoise gaps.npy -o OUT.npy",
      "denoise: gaps.npy: samples must be finite, got NaN at [3]; if it marks missing samples, name it by --nodata",
    ],
    [
      "inpaint photos/0.png --mask small-mask.png -o OUT.png",
      "inpaint: --mask must have shape 40x40, got 39x39 in small-mask.png",
    ],
    [
      "inpaint photos/0.png --mask white.png -o OUT.png",
      "inpaint: photos/0.png must have a known sample, got all of them missing",
    ],
    [
      "inpaint gone.npy --patch 8 -o OUT.npy",
      "inpaint: gone.npy must have a known sample, got all of them missing",
    ],
    [
      "inpaint photos/0.png -o OUT.png",
      "inpaint: photos/0.png has no missing samples (NaN): give a --mask, or the value that marks them by --nodata",
    ],
    [
      "denoise photos/0.png --learner best -o OUT.png",
      'denoise: unknown learner "best"; known: osdl, niht, niht-batch, sparse-ksvd, sparse-odl, odl, ksvd, pca, sedil',
    ],
    [
      "denoise photos/0.png --learner ksvd --patch 8 --atom-sparsity 10% -o OUT.png",
      "denoise: --atom-sparsity must not be given: the learner ksvd does not use it",
    ],
    [
      "inpaint photos/0.png --trial 0% -o OUT.png",
      'inpaint: --trial must be a percentage above 0, up to 100%, got "0%"',
    ],
  ])(
    "%s",
    async (line, expected) => {
      const out = mkdtempSync(path("out/refused-"));
      const name = `${out.slice(folder.length + 1)}/new`;
      const last = await rejects(folder, line.replaceAll("OUT", name));
      expect(last).toBe(expected.replaceAll("OUT", name));
      expect(readdirSync(out)).toEqual([]);
    },
    60_000,
  );

  it("the noise of a single pixel cannot be estimated", async () => {
    expect(await rejects(folder, "denoise dot.png -o out/dot-auto.png")).toBe(
      "denoise: the noise of dot.png cannot be estimated from 1x1 samples: sigma must be given",
    );
  });
});
