/**
 * Colour patches: which base suits the axis of channels, and what patches with all channels gain in denoising over
 * planes. The first table learns from `--images` and measures on `--test`; the second denoises pictures of `--test`,
 * evenly spaced among them, every way with the same noise.
 */

import { Rng } from "../src/core/random/rng.js";
import type { Signal } from "../src/core/signal.js";
import { readSignals } from "../src/data/node/readSignals.js";
import type { Kernels } from "../src/kernels/contract.js";
import { createCpuKernels } from "../src/kernels/cpu/index.js";
import { train } from "../src/learn/run/train.js";
import type { TrainOptions } from "../src/learn/run/trainOptions.js";
import { psnr } from "../src/tasks/approximate/representation.js";
import { denoise } from "../src/tasks/restore/denoise.js";
import type { DenoiseOptions } from "../src/tasks/restore/denoiseOptions.js";
import { addNoise, rmseBetween } from "../src/tasks/restore/trialDamage.js";
import type { Options } from "./setting.js";
import { table } from "./table.js";

const patch = [8, 8, 3];
const plane = "cropped:sym8,cropped:sym8";

/** What is learned: a label, and options. */
const learned: readonly (readonly [string, Partial<TrainOptions>])[] = [
  ["cropped:sym8 along channels", { base: "cropped:sym8" }],
  ["cropped:sym8 along channels", { base: "cropped:sym8", atoms: 768 }],
  ["identity along channels", { base: `${plane},identity` }],
  ["identity along channels", { base: `${plane},identity`, atoms: 2048 }],
  ["odct:1 along channels", { base: `${plane},odct:1` }],
  ["odct:1 along channels", { base: `${plane},odct:1`, atoms: 2048 }],
  ["no base (odl)", { learner: "odl", atoms: 768 }],
];

const sigma = 25;
const stride = 2;
const pictures = 10;

/** How pictures are denoised: a label, and options. */
const ways: readonly (readonly [string, DenoiseOptions])[] = [
  ["red, green, blue, 8×8", { colour: "each", patch: [8, 8] }],
  ["luma and chroma, 8×8", { colour: "luma-chroma", patch: [8, 8] }],
  ["joint, 8×8×3", { colour: "joint", patch: [8, 8] }],
  ["luma and chroma, 16×16", { colour: "luma-chroma", patch: [16, 16] }],
];

export async function benchColour(options: Options): Promise<string> {
  const { images, test, quick, threads, only = "bases,denoising" } = options;
  if (images.length === 0 || test.length === 0)
    throw new Error("bench: colour needs --images and --test, files or folders of colour pictures");
  const kernels = await createCpuKernels({ threads });
  const unseen = await readSignals(test, { patch });
  const parts: string[] = [];
  if (only.includes("bases"))
    parts.push(await compareBases(await readSignals(images, { patch }), unseen, quick, kernels));
  if (only.includes("denoising")) parts.push(await compareWays(unseen, quick, kernels));
  await kernels.close();
  return parts.join("\n\n");
}

async function compareBases(
  seen: readonly Signal[],
  test: readonly Signal[],
  quick: boolean,
  kernels: Kernels,
): Promise<string> {
  const examples = quick ? 20_000 : 200_000;
  const rows: string[][] = [];
  for (const [label, options] of learned) {
    const run = train(seen, { patch, test, examples, ...options, kernels });
    const { atoms } = await run.plan();
    let best = Infinity;
    for await (const report of run) best = Math.min(best, report.testRmse ?? Infinity);
    rows.push([label, atoms.toLocaleString("en-US"), best.toPrecision(4)]);
    process.stderr.write(`${rows.at(-1)?.join(" ")}\n`);
  }
  const title = `Patches of 8×8×3 of ${test.length} pictures, ${examples.toLocaleString("en-US")} examples, all else by default:`;
  return `${title}\n\n${table(["base", "atoms", "test RMSE"], rows)}`;
}

async function compareWays(all: readonly Signal[], quick: boolean, kernels: Kernels): Promise<string> {
  const count = quick ? 2 : pictures;
  const every = Math.max(1, Math.floor(all.length / count));
  const clean = all.filter((_, i) => i % every === 0).slice(0, count);
  const rows: string[][] = [];
  const sums = ways.map(() => 0);
  for (const picture of clean) {
    const noisy = addNoise(picture, sigma, Rng.from(1).split("noise"));
    const quality: number[] = [];
    for (const [, options] of ways) {
      const { signals } = await denoise(noisy, { ...options, sigma, stride, kernels });
      quality.push(psnr(rmseBetween(signals, [picture], [0, 255])));
    }
    quality.forEach((value, w) => {
      sums[w] += value;
    });
    rows.push([baseName(picture.name), ...quality.map((value) => value.toFixed(2))]);
    process.stderr.write(`${rows.at(-1)?.join(" ")}\n`);
  }
  rows.push(["mean", ...sums.map((sum) => (sum / clean.length).toFixed(2))]);
  const title = `PSNR in dB of pictures with noise of ${sigma}, a dictionary learned from each, every ${stride} samples:`;
  return `${title}\n\n${table(["picture", ...ways.map(([label]) => label)], rows)}`;
}

function baseName(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1).replace(/\.\w+$/, "");
}
