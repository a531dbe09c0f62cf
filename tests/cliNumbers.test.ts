/** Extreme numbers and missing samples, from the file that is read to the file that is written. */

import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { makeNpy, readNpy, writeNpy } from "../src/data/formats/npy.js";
import { rejects, trainlets, works } from "./cliHere.js";
import { outcomeOf, writeArray, writePhotos } from "./cliProcess.js";

let folder: string;
const path = (name: string) => join(folder, name);
const numbersOf = (name: string) => readNpy(readFileSync(path(name)), name).data as Float32Array;
const side = 40;
const smooth = (i: number) =>
  100 + 50 * Math.sin((i % side) / 5) * Math.cos(Math.floor(i / side) / 7) + ((i * 7919) % 13);
const missing = [3, 4, 5, 640, 641, 1200];
const quick = "--examples 300 --epochs 1 --batch 100 --device reference";

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "trainlets-numbers-"));
  writePhotos(folder);
  await works(folder, `train photos --patch 8 --holdout 50 ${quick} -o d.npz`);
  writeArray(path("smooth.npy"), [side, side], smooth);
  const gaps = (value: number) => (i: number) => (missing.includes(i) ? value : smooth(i));
  writeArray(path("lowest.npy"), [side, side], gaps(-3.4028234663852886e38));
  writeArray(path("spike.npy"), [side, side], (i) => (i === missing[0] ? 1e37 : smooth(i)));
  writeArray(path("nan.npy"), [side, side], gaps(Number.NaN));
  const doubles = (value: (i: number) => number) =>
    writeNpy(
      makeNpy(
        [side, side],
        Float64Array.from({ length: side * side }, (_, i) => value(i)),
      ),
    );
  writeFileSync(path("doubles.npy"), doubles(gaps(-1.7976931348623157e308)));
  writeFileSync(
    path("tiny.npy"),
    doubles((i) => smooth(i) * 1e-302),
  );
  const words = Uint16Array.from({ length: side * side }, (_, i) =>
    missing.includes(i) ? 65535 : 200 * smooth(i),
  );
  const raw = { width: side, height: side, channels: 1 } as const;
  await sharp(words, { raw }).toColourspace("grey16").png().toFile(path("words.png"));
  writeFileSync(path("heights.tif"), floatTiff(gaps(-3.4028234663852886e38)));
  const colours = Uint8Array.from({ length: 3 * side * side }, (_, i) =>
    missing.includes(Math.floor(i / 3)) ? 0 : (smooth(Math.floor(i / 3)) + 17 * (i % 3)) % 256,
  );
  colours[30] = 0; // one channel of a pixel that is there
  await sharp(colours, { raw: { ...raw, channels: 3 } })
    .png()
    .toFile(path("colours.png"));
});

afterAll(() => rmSync(folder, { recursive: true }));

const run = (line: string) => works(folder, line);

/** An uncompressed TIFF of float32 samples, as height maps are. */
function floatTiff(value: (i: number) => number): Buffer {
  const [short, long, tags] = [3, 4, 10];
  const samples = 8 + 2 + 12 * tags + 4;
  const bytes = Buffer.alloc(samples + 4 * side * side);
  bytes.write("II*\0");
  bytes.writeUInt32LE(8, 4);
  bytes.writeUInt16LE(tags, 8);
  const entries = [
    [256, long, side], // width
    [257, long, side], // height
    [258, short, 32], // bits per sample
    [259, short, 1], // not compressed
    [262, short, 1], // 0 is black
    [273, long, samples], // where they are
    [277, short, 1], // one channel
    [278, long, side], // rows per strip
    [279, long, 4 * side * side], // bytes
    [339, short, 3], // float
  ] as const;
  entries.forEach(([tag, type, number], t) => {
    const at = 10 + 12 * t;
    bytes.writeUInt16LE(tag, at);
    bytes.writeUInt16LE(type, at + 2);
    bytes.writeUInt32LE(1, at + 4);
    bytes.writeUInt32LE(number, at + 8);
  });
  for (let i = 0; i < side * side; i++) bytes.writeFloatLE(value(i), samples + 4 * i);
  return bytes;
}

test("every task ends on every array of extreme numbers: with a finite result, or with one line", async () => {
  const script = fileURLToPath(new URL("numbers/extremeNumbers.mjs", import.meta.url));
  const child = spawn(process.execPath, [script], { stdio: ["ignore", "pipe", "pipe"] });
  const timer = setTimeout(() => child.kill("SIGKILL"), 150_000);
  const { code, stdout, stderr } = await outcomeOf(child);
  clearTimeout(timer);
  const lines = stdout.trimEnd().split("\n");
  expect(code, `the last that ended: ${lines.at(-1)}\n${stderr}`).toBe(0);
  const outcomes = lines.map((line) => JSON.parse(line));
  expect(outcomes.length).toBeGreaterThan(400);
  for (const outcome of outcomes) {
    if (outcome.result === undefined) {
      expect(["InputError", "Error"], JSON.stringify(outcome)).toContain(outcome.error);
      expect(outcome.message).not.toContain("\n");
    } else expect(["finite", "returned"], JSON.stringify(outcome)).toContain(outcome.result);
    if (outcome.array === "smooth" || outcome.array === "zeros") expect(outcome.result).toBe("finite");
  }
}, 180_000);

describe("missing samples that are named", () => {
  const known = Array.from({ length: side * side }, (_, i) => i).filter((i) => !missing.includes(i));

  test.each([
    ["lowest", "-3.4028235e38"],
    ["nan", "nan"],
    ["doubles", "-1.7976931348623157e308"],
  ])("of %s.npy are filled by inpaint, and left out by train", async (name, value) => {
    await run(`inpaint ${name}.npy --nodata ${value} --patch 8x8 --stride 4 ${quick} -o filled.npy`);
    const filled = numbersOf("filled.npy");
    for (const i of known) expect(filled[i]).toBe(Math.fround(smooth(i)));
    for (const i of missing) expect(Math.abs(filled[i] - smooth(i))).toBeLessThan(40);
    const training = `train ${name}.npy --nodata ${value} --patch 8x8 --holdout 50 ${quick} -o ${name}.npz`;
    expect((await run(training)).stderr).toMatch(
      /300 of [\d,]+ patches \(\d+ with missing samples are left out\)/,
    );
  });

  test("are kept by denoise, filled by encode and decode, and left out by approximate", async () => {
    const named = "lowest.npy --nodata -3.4028235e38 -d d.npz --device reference";
    expect((await run(`denoise ${named} --sigma 4 --stride 2 -o clean.npy`)).stdout).toMatch(
      /, 6 missing samples kept as they are, in/,
    );
    const clean = numbersOf("clean.npy");
    for (const i of missing) expect(clean[i]).toBe(-3.4028234663852886e38);
    for (const i of known) expect(Math.abs(clean[i] - smooth(i))).toBeLessThan(40);
    await run(`encode ${named} --sparsity 6 -o codes.npz`);
    await run("decode codes.npz -d d.npz --device reference -o decoded.npy");
    const decoded = numbersOf("decoded.npy");
    for (let i = 0; i < decoded.length; i++) expect(Math.abs(decoded[i] - smooth(i))).toBeLessThan(60);
    const { stdout } = await run(`approximate ${named} --count 50 --terms 4 --json`);
    expect(JSON.parse(stdout).psnr.d[4]).toBeGreaterThan(20);
  });

  test("give the same dictionary whatever marks them", () => {
    const [first, ...others] = ["lowest", "nan", "doubles"].map((name) => readFileSync(path(`${name}.npz`)));
    for (const other of others) expect(other).toEqual(first);
  });

  test("of pictures are compared with the values in the file, pixel by pixel", async () => {
    await run(
      `denoise words.png --nodata 65535 --sigma 2 -d d.npz --stride 2 --device reference -o words-clean.png`,
    );
    const clean = await sharp(path("words-clean.png"))
      .toColourspace("grey16")
      .raw({ depth: "ushort" })
      .toBuffer();
    const words = new Uint16Array(clean.buffer, clean.byteOffset, side * side);
    for (const i of missing) expect(words[i]).toBe(65535);
    for (const i of known) expect(Math.abs(words[i] - 200 * smooth(i))).toBeLessThan(8000);
    const filled = `inpaint words.png --nodata 65535 --patch 8 --stride 2 ${quick} -o words-filled.png`;
    expect((await run(filled)).stdout).toMatch(/: 6 samples filled/);
    const colour = `inpaint colours.png --nodata 0 --patch 8 --stride 4 ${quick} -o colours-filled.png`;
    expect((await run(colour)).stdout).toMatch(/: 18 samples filled/);
    const heights = `inpaint heights.tif --nodata -3.4028235e38 --patch 8 --stride 4 ${quick} -o heights.npy`;
    expect((await run(heights)).stdout).toMatch(/: 6 samples filled/);
    for (const i of known) expect(numbersOf("heights.npy")[i]).toBe(Math.fround(smooth(i)));
    const plan = await run(`train words.png --nodata 65535 --patch 8 --holdout 50 ${quick} -o words.npz`);
    expect(plan.stderr).toMatch(/\(\d+ with missing samples are left out\)/);
  });

  test("cannot be compressed", async () => {
    expect(await rejects(folder, "compress lowest.npy --nodata -9999 -d d.npz -o x.tlt")).toBe(
      "compress: --nodata must not be given: fill missing samples first, with trainlets inpaint <data> --nodata -9999 -o <file>",
    );
  });

  test("must be numbers", async () => {
    expect(await rejects(folder, "train smooth.npy --patch 8x8 --nodata 1,,2 -o x.npz")).toBe(
      'train: --nodata must be numbers or nan, separated by commas, got "1,,2"',
    );
  });
});

describe("numbers that nobody named", () => {
  test("far beyond the others get one line, and the rest is coded as ever", async () => {
    const { stderr } = await run("encode spike.npy -d d.npz --sparsity 6 --device reference -o codes.npz");
    const line =
      "has a sample of 1e+37 at [0, 3], far beyond the others (below 128); if it marks missing samples, name it by --nodata";
    expect(stderr).toBe(`1 signal of 40x40 from spike.npy\nencode: spike.npy ${line}\n`);
    await run("decode codes.npz -d d.npz --device reference -o spoiled.npy");
    await run("encode smooth.npy -d d.npz --sparsity 6 --device reference -o codes.npz");
    await run("decode codes.npz -d d.npz --device reference -o plain.npy");
    const [spoiled, plain] = [numbersOf("spoiled.npy"), numbersOf("plain.npy")];
    expect(spoiled.every(Number.isFinite)).toBe(true);
    const inBlock = (i: number, j: number) =>
      Math.floor(i / side / 8) === Math.floor(j / side / 8) &&
      Math.floor((i % side) / 8) === Math.floor((j % side) / 8);
    for (let i = 0; i < plain.length; i++) if (!inBlock(i, missing[0])) expect(spoiled[i]).toBe(plain[i]);
    expect(await rejects(folder, `train spike.npy --patch 8x8 ${quick} -o no.npz`)).toBe(
      `train: spike.npy ${line}`,
    );
    expect(existsSync(path("no.npz"))).toBe(false);
    const { stderr: compressing } = await trainlets(
      folder,
      "compress spike.npy -d d.npz --device reference -o c.tlt",
    );
    expect(compressing).toContain("if it marks missing samples, fill them first: trainlets inpaint --nodata");
  });

  test("whose codes would be beyond float32 are refused, and nothing is written", async () => {
    expect(await rejects(folder, "encode lowest.npy -d d.npz --device reference -o no.npz")).toBe(
      "encode: the code of signal 0 is beyond float32 (3.4e38): its samples reach 3.4028235e+38",
    );
    expect(existsSync(path("no.npz"))).toBe(false);
  });

  test("beyond float32 are named, and so are arrays that become all zero", async () => {
    for (const command of [`train doubles.npy --patch 8x8 -o x.npz`, `denoise doubles.npy -o x.npy`])
      expect(await rejects(folder, command)).toMatch(
        /: doubles.npy: sample -1.7976931348623157e\+308 at \[0, 3\] is beyond float32 \(3.4e38\)$/,
      );
    for (const command of [`train tiny.npy --patch 8x8 -o x.npz`, `inpaint tiny.npy --trial 10% -o x.npy`])
      expect(await rejects(folder, command)).toMatch(
        /: tiny.npy: all samples are too small for float32, whose smallest number is 1.4e-45, got at most 1.\d+e-300/,
      );
  });
});
