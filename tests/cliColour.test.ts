/** Colour patches (8x8x3) through every command: pictures as arrays, files in, files out, and what does not fit. */

import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { makeNpy, readNpy, writeNpy } from "../src/data/formats/npy.js";
import { writeFileAtomic } from "../src/data/node/files.js";
import { loadModel } from "../src/model/node/files.js";
import { psnr } from "../src/tasks/approximate/representation.js";
import { rejects, works } from "./cliHere.js";
import { writePhotos } from "./cliProcess.js";

let folder: string;
const path = (name: string): string => join(folder, name);
const [height, width] = [40, 48];

/** Stripes and a disc, each of another colour. */
function shade(y: number, x: number, channel: number, shift: number): number {
  const inDisc = Math.hypot(y - 18, x - 24 - shift) < 11;
  const stripe = Math.floor((x + y + shift) / 7) % 2;
  return inDisc ? [200, 60, 90][channel] + 2 * y : [40, 130, 180][channel] + 30 * stripe * (1 + channel);
}

function pixels(shift: number): Uint8Array {
  return Uint8Array.from({ length: height * width * 3 }, (_, i) => {
    const at = Math.floor(i / 3);
    return shade(Math.floor(at / width), at % width, i % 3, shift);
  });
}

const rgb = (data: Uint8Array) => sharp(data, { raw: { width, height, channels: 3 } });
const training = "--examples 600 --epochs 1 --holdout 50 --sparsity 5";

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "trainlets-colour-"));
  mkdirSync(path("out"));
  mkdirSync(path("pictures"));
  writePhotos(folder);
  for (const shift of [0, 5, 11])
    writeFileSync(path(`pictures/${shift}.png`), await rgb(pixels(shift)).png().toBuffer());
  const equal = pixels(0).map((_, i, all) => all[i - (i % 3)]);
  writeFileSync(path("equal.png"), await rgb(equal).png().toBuffer());
  writeFileSync(path("picture.npy"), writeNpy(makeNpy([height, width, 3], pixels(0))));
  writeFileSync(path("pictures.npy"), writeNpy(makeNpy([1, height, width, 3], pixels(0))));
  await works(folder, `train pictures --patch 8x8x3 ${training} -o colour.npz`);
  await works(folder, `train photos --patch 8 ${training} -o grey.npz`);
}, 120_000);

afterAll(() => rmSync(folder, { recursive: true }));

const run = async (line: string): Promise<string> => (await works(folder, line)).stdout;
const read = async (name: string): Promise<Buffer> => sharp(path(name)).raw().toBuffer();
const bytes = (name: string): Buffer => readFileSync(path(name));

async function qualityOf(name: string, of = pixels(0)): Promise<number> {
  const { data, info } = await sharp(path(name)).raw().toBuffer({ resolveWithObject: true });
  expect(info).toMatchObject({ width, height, channels: 3 });
  const squares = data.reduce((sum, value, i) => sum + (value - of[i]) ** 2, 0);
  return psnr(Math.sqrt(squares / data.length));
}

describe("train", () => {
  it("takes a base per axis, by default odct:1 along channels", async () => {
    expect((await loadModel(path("colour.npz"))).base).toMatchObject({
      name: "cropped:sym8,cropped:sym8,odct:1",
      shape: [8, 8, 3],
    });
    await run(
      `train pictures --patch 8x8x3 --base odct:1,cropped:haar,identity ${training} -o out/mixed.npz`,
    );
    const { base } = await loadModel(path("out/mixed.npz"));
    expect(base.name).toBe("odct:1,cropped:haar,identity");
    expect(base.factors.map(({ cols }) => cols)).toEqual([8, 10, 3]);
  });

  it("learns the same from arrays as from files, on any number of threads", async () => {
    await run(`train pictures/0.png --patch 8x8x3 ${training} -o out/file.npz`);
    await run(`train picture.npy --patch 8x8x3 ${training} --threads 1 -o out/array.npz`);
    expect(bytes("out/array.npz").equals(bytes("out/file.npz"))).toBe(true);
  });

  it("resumes from a checkpoint to the same bytes", async () => {
    const line = `train pictures --patch 8x8x3 --examples 600 --holdout 50 --batch 64 --checkpoint out/run`;
    const epochs = (n: number, out: string) => `${line} --init base --epochs ${n} --resume -o out/${out}.npz`;
    await run(epochs(1, "half"));
    await run(epochs(2, "resumed"));
    await run(`${epochs(2, "whole").replace("out/run", "out/other")}`);
    expect(bytes("out/resumed.npz").equals(bytes("out/whole.npz"))).toBe(true);
  });

  it("skips grey pictures among colour ones", async () => {
    const { stderr } = await works(folder, `train pictures photos --patch 8x8x3 ${training} -o out/some.npz`);
    expect(stderr).toContain(
      "patches of 8x8x3 are for colour pictures, photos/0.png is grey (40x40), skipped",
    );
    await run(`train equal.png --patch 8x8x3 ${training} -o out/equal.npz`); // stored as colour
  });
});

describe("encode and decode", () => {
  it("write a colour picture, from a file as from an array", async () => {
    for (const input of ["pictures/0.png", "picture.npy"]) {
      await run(`encode ${input} -d colour.npz --error 3 --stride 6 -o out/codes.npz`);
      await run("decode out/codes.npz -d colour.npz -o out/again.png");
      expect(await qualityOf("out/again.png")).toBeGreaterThan(37);
    }
    await run("decode out/codes.npz -d colour.npz -o out/again.npy");
    expect(readNpy(bytes("out/again.npy"), "again").shape).toEqual([height, width, 3]);
  });
});

it("approximate compares bases over colour patches", async () => {
  const line =
    "approximate pictures --base cropped:sym8,cropped:sym8,odct:1 -d colour.npz --count 50 --terms 5";
  const table = await run(line);
  expect(table).toMatch(/^colour +[\d.]+$/m);
  expect(table).toMatch(/^cropped:sym8,cropped:sym8,odct:1 +[\d.]+$/m);
});

it("atoms draws colour atoms in colour", async () => {
  await run("atoms colour.npz --count 9 -o out/atoms.png");
  const { data, info } = await sharp(path("out/atoms.png")).raw().toBuffer({ resolveWithObject: true });
  expect(info.channels).toBe(3);
  expect(data.some((value, i) => i % 3 === 0 && value !== data[i + 1])).toBe(true);
});

describe("denoise", () => {
  const quick = "--stride 4 --examples 300 --epochs 1 --sigma 20 --trial 20";
  const noisy = psnr(20);
  const psnrAfter = (text: string) => Number(/→ ([\d.]+) dB/.exec(text)?.[1]);

  it("treats patches with channels as --colour joint does", async () => {
    const patch = await run(`denoise pictures/0.png ${quick} --patch 8x8x3 -o out/patch.png`);
    await run(`denoise pictures/0.png ${quick} --patch 8 --colour joint -o out/joint.png`);
    await run(`denoise pictures/0.png ${quick} --patch 8x8x3 --colour joint --threads 1 -o out/both.png`);
    expect(await read("out/joint.png")).toEqual(await read("out/patch.png"));
    expect(await read("out/both.png")).toEqual(await read("out/patch.png"));
    expect(psnrAfter(patch)).toBeGreaterThan(noisy + 1);
  });

  it("takes channels one by one, colour dictionaries, and colour arrays", async () => {
    expect(
      psnrAfter(await run(`denoise pictures/0.png ${quick} --patch 8 --colour each -o out/each.png`)),
    ).toBeGreaterThan(noisy + 1);
    const given = "--stride 4 --sigma 20 --trial 20 -d colour.npz";
    expect(psnrAfter(await run(`denoise pictures/0.png ${given} -o out/given.png`))).toBeGreaterThan(
      noisy + 1,
    );
    await run(`denoise equal.png ${given} -o out/equal.png`);
    const array = await run(`denoise picture.npy ${quick} --patch 8x8 --colour joint -o out/joint.npy`);
    expect(array).toContain("40x48x3");
    expect(array).toMatch(/RMSE [\d.]+ → [\d.]+/);
  });

  it("names the planes of an estimated noise", async () => {
    const auto = quick.replace("--sigma 20 ", "");
    expect(await run(`denoise pictures/0.png ${auto} --patch 8 -o out/auto.png`)).toMatch(
      /noise [\d.]+ \(luma\), [\d.]+ \(red–blue\), [\d.]+ \(green–magenta\) \(estimated\)/,
    );
  });
});

describe("inpaint", () => {
  const quick = "--trial 30% --stride 4 --examples 300";

  it.each(["--patch 8x8x3", "--colour each --patch 8", "-d colour.npz"])(
    "fills colour with %s",
    async (how) => {
      const flags = how.startsWith("-d") ? quick.replace("--examples 300", "") : quick;
      expect(await run(`inpaint pictures/0.png ${flags} ${how} -o out/filled.png`)).toContain("PSNR");
      expect(await qualityOf("out/filled.png")).toBeGreaterThan(22);
    },
  );
});

describe("compress and decompress", () => {
  it("keep colour in blocks of all channels, from files as from arrays", async () => {
    const said = await run("compress pictures/0.png -d colour.npz --psnr 34 -o out/picture.tlt");
    await run("decompress out/picture.tlt -d colour.npz -o out/back.png");
    expect(await qualityOf("out/back.png")).toBeGreaterThan(33.9);
    const rate = (8 * bytes("out/picture.tlt").length) / (height * width);
    expect(said).toContain(`${rate.toFixed(3)} bits per pixel`);
    await run("compress picture.npy -d colour.npz --psnr 34 -o out/array.tlt");
    expect(bytes("out/array.tlt").equals(bytes("out/picture.tlt"))).toBe(true);
  });
});

it("info names colour pictures", async () => {
  const { stdout } = await works(folder, "info pictures/0.png photos/0.png");
  expect(stdout).toContain("pictures/0.png: colour image of 40x48\n");
  expect(stdout).toContain("train pictures/0.png --patch 8x8x3 ");
  expect(stdout).toContain("photos/0.png: image of 40x40\n");
});

describe("what does not fit", () => {
  const colour = (name: string) => `the dictionary is for colour patches (8x8x3), ${name} is grey (40x40)`;
  const grey = "the dictionary is for grey patches (8x8), picture.npy is colour (40x48x3)";

  it.each([
    ["encode photos/0.png -d colour.npz -o out/x.npz", `encode: ${colour("photos/0.png")}`],
    ["approximate photos/0.png -d colour.npz", `approximate: ${colour("photos/0.png")}`],
    ["denoise photos/0.png -d colour.npz -o out/x.png", `denoise: ${colour("photos/0.png")}`],
    ["inpaint photos/0.png --trial 9% -d colour.npz -o out/x.png", `inpaint: ${colour("photos/0.png")}`],
    ["compress photos/0.png -d colour.npz -o out/x.tlt", `compress: ${colour("photos/0.png")}`],
    ["encode picture.npy -d grey.npz -o out/x.npz", `encode: ${grey}`],
    [
      "encode pictures.npy -d grey.npz -o out/x.npz",
      `encode: ${grey.replace("picture.npy", "pictures.npy").replace("(40", "(1x40")}`,
    ],
    ["denoise picture.npy -d grey.npz -o out/x.npy", `denoise: ${grey}`],
    ["compress picture.npy -d grey.npz -o out/x.tlt", `compress: ${grey}`],
    [
      "train photos/0.png --patch 8x8x3 -o out/x.npz",
      "train: patches of 8x8x3 are for colour pictures, photos/0.png is grey (40x40)",
    ],
    [
      "train pictures --patch 8x8x4 -o out/x.npz",
      "train: pictures/0.png is an image: the patch must have 2 axes, or 3 channels as in 8x8x3, got 8x8x4",
    ],
    [
      "denoise pictures/0.png -d colour.npz --colour each -o out/x.png",
      'denoise: --colour must be joint for patches of 8x8x3, got "each"',
    ],
    [
      "denoise photos.npy --colour joint -o out/x.npy",
      "denoise: --colour needs an array of height x width x 3, or several of them, got 40x40 in photos.npy",
    ],
    [
      "train pictures --patch 8x8x3 --base odct:1,identity -o out/x.npz",
      'train: --base must be one name, or one for each of the 3 axes of 8x8x3, got "odct:1,identity"',
    ],
    [
      "train pictures --patch 8x8x3 --base odct:1,contourlet,identity -o out/x.npz",
      'train: --base of one axis must be cropped:WAVELET, separable:WAVELET, odct:REDUNDANCY or identity, got "contourlet"',
    ],
  ])("%s", async (line, message) => {
    await writeFileAtomic(path("photos.npy"), writeNpy(makeNpy([40, 40], new Uint8Array(1600))));
    expect(await rejects(folder, line)).toBe(message);
  });
});
