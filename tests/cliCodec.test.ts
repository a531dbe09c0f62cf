/** `compress` and `decompress` as a user runs them: files, what is printed, what is rejected. */

import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { makeNpy, readNpy, writeNpy } from "../src/data/formats/npy.js";
import { samplePsnr } from "../src/tasks/codec/sampleArray.js";
import { rejects, trainlets, works } from "./cliHere.js";
import { wave, writeArray, writePhotos } from "./cliProcess.js";

let folder: string;
const path = (name: string): string => join(folder, name);

const run = async (line: string): Promise<string> => (await works(folder, line)).stdout;

/** A picture of 20 × 28 pixels, by channel. */
const sample = (i: number) => Math.round(128 + wave(Math.floor(i / 3)) * (0.5 + (i % 3) / 4));

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "trainlets-codec-"));
  writePhotos(folder);
  const raw = { width: 28, height: 20, channels: 3 } as const;
  const pixels = Uint8Array.from({ length: 28 * 20 * 3 }, (_, i) => sample(i));
  await sharp(pixels, { raw }).png().toFile(path("colour.png"));
  const wide = Uint16Array.from({ length: 28 * 20 }, (_, i) => 150 * sample(3 * i));
  await sharp(wide, { raw: { width: 28, height: 20, channels: 1 } })
    .toColourspace("grey16")
    .png()
    .toFile(path("wide.png"));
  const clear = Uint8Array.from({ length: 16 * 16 * 4 }, (_, i) => i & 255);
  await sharp(clear, { raw: { width: 16, height: 16, channels: 4 } })
    .png()
    .toFile(path("clear.png"));
  writeFileSync(
    path("stack.npy"),
    writeNpy(
      makeNpy(
        [3, 9, 10],
        Int16Array.from({ length: 270 }, (_, i) => wave(i)),
      ),
    ),
  );
  writeFileSync(
    path("big.npy"),
    writeNpy(
      makeNpy(
        [9, 10],
        Int32Array.from({ length: 90 }, (_, i) => i),
      ),
    ),
  );
  writeArray(path("sound.npy"), [100], wave);
  await run("train photos --patch 8 --examples 400 --epochs 1 -o dict.npz");
  await run("train photos --patch 8 --examples 64 --epochs 1 --seed 2 -o other.npz");
  await run("compress photos/0.png -d dict.npz -o face.tlt --bytes 300");
  const damaged = readFileSync(path("face.tlt"));
  damaged[60] ^= 4;
  writeFileSync(path("damaged.tlt"), damaged);
  writeFileSync(path("cut.tlt"), damaged.subarray(0, 100));
});

afterAll(() => rmSync(folder, { recursive: true }));

async function pixelsOf(name: string): Promise<Uint8Array> {
  return new Uint8Array(await sharp(path(name)).toColourspace("b-w").raw().toBuffer());
}

describe("there and back", () => {
  it("a grey picture, within its bytes, the same from any device", async () => {
    for (const device of ["cpu", "reference"]) {
      const said = await run(`compress photos/0.png -d dict.npz -o a.tlt --bytes 300 --device ${device}`);
      const [, size, psnr] =
        /^a\.tlt: (\d+) bytes, [\d.]+ bits per pixel, PSNR ([\d.]+) dB, \d+ atoms in 25 blocks\n$/.exec(
          said,
        )!;
      expect(Number(size)).toBeLessThanOrEqual(300);
      expect(readFileSync(path("a.tlt")).length).toBe(Number(size));
      expect(await run("decompress a.tlt -d dict.npz -o a.png")).toBe("a.png: 40x40\n");
      expect(samplePsnr(await pixelsOf("photos/0.png"), await pixelsOf("a.png")).toFixed(2)).toBe(psnr);
    }
  });

  it("colour, to a PSNR, as a picture and as an array", async () => {
    const said = await run("compress colour.png -d dict.npz -o c.tlt --psnr 35");
    const psnr = Number(/PSNR ([\d.]+) dB/.exec(said)![1]);
    expect(psnr).toBeGreaterThanOrEqual(35);
    await run("decompress c.tlt -d dict.npz -o c.png");
    await run("decompress c.tlt -d dict.npz -o c.npy");
    const { data, info } = await sharp(path("c.png")).raw().toBuffer({ resolveWithObject: true });
    const array = readNpy(readFileSync(path("c.npy")), "c.npy");
    expect([info.height, info.width, info.channels]).toEqual(array.shape);
    expect(new Uint8Array(data)).toEqual(array.data);
  });

  it("16 bits stay 16 bits", async () => {
    await run("compress wide.png -d dict.npz -o w.tlt --bpp 4");
    expect(readFileSync(path("w.tlt")).length).toBeLessThanOrEqual(280);
    await run("decompress w.tlt -d dict.npz -o w.png");
    expect(await sharp(path("w.png")).metadata()).toMatchObject({ space: "grey16", width: 28, height: 20 });
  });

  it("arrays of one axis more than the patch", async () => {
    await run("compress stack.npy -d dict.npz -o s.tlt");
    await run("decompress s.tlt -d dict.npz -o s.npy");
    expect(readNpy(readFileSync(path("s.npy")), "s.npy")).toMatchObject({ shape: [3, 9, 10], dtype: "<i2" });
  });
});

describe.concurrent("rejects", () => {
  it.each([
    [
      "compress photos/0.png -d dict.npz -o OUT.tlt --bytes 100 --psnr 30",
      "compress: only one of --bytes, --bpp and --psnr can be given, got --bytes and --psnr",
    ],
    [
      "compress photos/0.png -d dict.npz -o OUT.tlt --psnr x",
      'compress: --psnr must be a number above 0, got "x"',
    ],
    [
      "compress photos -d dict.npz -o OUT.tlt",
      "compress: takes one image or array at a time, got 2 in photos",
    ],
    [
      "compress clear.png -d dict.npz -o OUT.tlt",
      "compress: clear.png is transparent in places, which cannot be compressed",
    ],
    [
      "compress big.npy -d dict.npz -o OUT.tlt",
      "compress: big.npy must be uint8, uint16, int16 or float32, got <i4",
    ],
    [
      "compress sound.npy -d dict.npz -o OUT.tlt",
      "compress: 100 cannot be divided into blocks of 8x8, the patch of the dictionary",
    ],
    [
      "decompress photos/0.png -d dict.npz -o OUT.png",
      "decompress: photos/0.png: not a trainlets compressed file",
    ],
    ["decompress damaged.tlt -d dict.npz -o OUT.png", "decompress: damaged.tlt: damaged: its CRC-32 differs"],
  ])("%s", async (line, stderr) => {
    const { code, stdout, stderr: printed } = await trainlets(folder, line);
    expect({ code, stdout, stderr: printed.split("\n").at(-2) }).toEqual({ code: 2, stdout: "", stderr });
  });

  it.each([
    [
      "compress photos/0.png -d dict.npz -o OUT.tlt --bytes 20",
      /^compress: --bytes must be at least \d+ for this array, got 20\n$/,
    ],
    [
      "compress photos/0.png -d dict.npz -o OUT.tlt --bpp 0.1",
      /^compress: bytes of --bpp must be at least \d+ for this array, got 20\n$/,
    ],
    [
      "decompress face.tlt -d other.npz -o OUT.png",
      /^decompress: face\.tlt: was compressed with dictionary \w{12}, got dictionary \w{12}\n$/,
    ],
    [
      "decompress cut.tlt -d dict.npz -o OUT.png",
      /^decompress: cut\.tlt: truncated: 100 bytes, at least \d+ are needed\n$/,
    ],
    [
      "decompress s.tlt -d dict.npz -o OUT.png",
      /^decompress: an image holds one picture of 8 or 16 bits; write this to a \.npy\n$/,
    ],
  ])("%s", async (line, stderr) => {
    expect(`${await rejects(folder, line)}\n`).toMatch(stderr);
  });

  afterAll(() => expect(readdirSync(folder).filter((name) => name.startsWith("OUT"))).toEqual([]));
});
