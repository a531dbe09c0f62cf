/**
 * A soak: training, saving, coding, denoising and compressing over and over in one process,
 * while its memory, file handles and threads are counted after each round. What leaks grows.
 *
 * Each round makes its own kernels and closes them, learns with another learner from files
 * in a folder, with checkpoints, saves and loads the model, codes and decodes a picture,
 * denoises it and compresses it. The verdict compares the second quarter of the rounds with
 * the last one: what a process needs for its caches is there after the first quarter.
 */

import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { memoryUsage } from "node:process";
import type { Signal } from "../src/core/signal.js";
import { syntheticPictures } from "../src/data/syntheticPictures.js";
import { lineChart } from "../src/figures/charts/lineChart.js";
import { pictureFrom } from "../src/figures/pictureFrom.js";
import { encodePng } from "../src/figures/png.js";
import { chooseKernels, type DeviceName } from "../src/kernels/chooseDevice.js";
import type { Kernels } from "../src/kernels/contract.js";
import { CheckpointFolder } from "../src/learn/checkpoints/node/checkpointFolder.js";
import { type LearnerName, learnerNames } from "../src/learn/learners/registry.js";
import { train } from "../src/learn/run/node/trainFiles.js";
import type { Model } from "../src/model/model.js";
import { loadModel, saveModel } from "../src/model/node/files.js";
import { Compressor } from "../src/tasks/codec/compress.js";
import { decompress } from "../src/tasks/codec/decompress.js";
import { decodeSignals, encodeSignals } from "../src/tasks/encode/encodeSignals.js";
import { denoise } from "../src/tasks/restore/denoise.js";
import type { Options } from "./setting.js";
import { digits, table } from "./table.js";

/** What is counted after a round. */
interface Sample {
  readonly minutes: number;
  /** MiB. */
  readonly resident: number;
  readonly heap: number;
  readonly buffers: number;
  /** MiB of address space. */
  readonly address: number;
  readonly handles: number;
  readonly threads: number;
  /** Bytes in use on the device before its kernels are closed: their workspace, and what was not freed. */
  readonly device: number;
}

const counts = {
  resident: "resident memory, MiB",
  heap: "JavaScript heap, MiB",
  buffers: "array buffers, MiB",
  address: "address space, MiB",
  handles: "open file handles",
  threads: "threads",
  device: "workspace of the device, bytes",
} as const satisfies Partial<Record<keyof Sample, string>>;

const rowsOf = Object.entries(counts) as [keyof typeof counts, string][];

export async function benchSoak(options: Options): Promise<string> {
  const { device, save } = options;
  const folder = mkdtempSync(join(tmpdir(), "trainlets-soak-"));
  try {
    const pictures = syntheticPictures(1, 4, 128);
    writePictures(folder, pictures);
    const samples = await rounds({ ...options, folder, picture: pictures[0] });
    if (save) writeFileSync(`bench/results/${save}.svg`, chart(samples, device));
    return summary(samples, device);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

interface Soak extends Options {
  readonly folder: string;
  readonly picture: Signal;
}

async function rounds(soak: Soak): Promise<Sample[]> {
  const samples: Sample[] = [];
  const start = performance.now();
  let minutes = 0;
  for (let round = 0; minutes < soak.minutes; round++) {
    const left = await oneRound(soak, round);
    minutes = (performance.now() - start) / 60_000;
    samples.push(countNow(minutes, left));
    if (round % 100 === 0) process.stderr.write(`soak: round ${round}, ${minutes.toFixed(1)} minutes\n`);
  }
  return samples;
}

/** All jobs once; the bytes in use on the device afterwards. */
async function oneRound({ folder, picture, device, threads }: Soak, round: number): Promise<number> {
  const { kernels } = await chooseKernels(device as DeviceName, { threads });
  const unused = kernels.memory.used;
  try {
    const learner = learnerNames[round % learnerNames.length];
    const model = await learn(folder, learner, round, kernels);
    await codeAndDecode(model, picture, kernels);
    const noisy = { ...picture, name: "noisy" };
    await denoise(noisy, { patch: [8, 8], sigma: 10, training: { examples: 2000 }, kernels });
    return kernels.memory.used - unused;
  } finally {
    await kernels.close();
  }
}

/** Train from files, with checkpoints, and read the saved model back; every other round is left in the middle and resumed. */
async function learn(folder: string, learner: LearnerName, round: number, kernels: Kernels): Promise<Model> {
  const path = join(folder, "run");
  const data = join(folder, "pictures");
  const options = { patch: [8, 8], learner, examples: 2000, epochs: 2, batch: 128, seed: round, kernels };
  for (const leaves of round % 2 === 0 ? [false] : [true, false]) {
    const checkpoints = await CheckpointFolder.open(path, { steps: 4 });
    const run = train(data, { ...options, checkpoints, resume: await checkpoints.newest() });
    for await (const report of run) if (leaves && report.examples > 0) break;
    await saveModel(join(folder, "model.npz"), await run.model());
    await checkpoints.close();
  }
  rmSync(path, { recursive: true });
  return loadModel(join(folder, "model.npz"));
}

async function codeAndDecode(model: Model, picture: Signal, kernels: Kernels): Promise<void> {
  const { codes, signals } = await encodeSignals(model, [picture], { stride: [4, 4], kernels });
  await decodeSignals(model, codes, signals, kernels);
  const compressor = await Compressor.open(model, kernels);
  const { bytes } = await compressor.compress(
    { shape: picture.shape, colour: false, data: picture.data },
    { psnr: 25 },
  );
  compressor.free();
  await decompress(bytes, model, "soak.tlt");
}

function writePictures(folder: string, pictures: readonly Signal[]): void {
  mkdirSync(join(folder, "pictures"));
  pictures.forEach((picture, i) => {
    writeFileSync(join(folder, "pictures", `${i}.png`), encodePng(pictureFrom(picture)));
  });
}

function countNow(minutes: number, device: number): Sample {
  (globalThis as { gc?: () => void }).gc?.();
  const { rss, heapUsed, arrayBuffers } = memoryUsage();
  const mib = (bytes: number) => bytes / 2 ** 20;
  return {
    minutes,
    resident: mib(rss),
    heap: mib(heapUsed),
    buffers: mib(arrayBuffers),
    address: addressSpace(),
    handles: entries("/proc/self/fd"),
    threads: entries("/proc/self/task"),
    device,
  };
}

/** The number of entries of a folder of /proc; 0 without such a folder. */
function entries(folder: string): number {
  try {
    return readdirSync(folder).length;
  } catch {
    return 0;
  }
}

/** MiB of address space; 0 where the system does not say. */
function addressSpace(): number {
  try {
    return Number(readFileSync("/proc/self/statm", "latin1").split(" ")[0]) / 256; // pages of 4 KiB
  } catch {
    return 0;
  }
}

/** The mean of a count over part of the rounds. */
function meanOf(samples: readonly Sample[], count: keyof Sample, from: number, to: number): number {
  const part = samples.slice(Math.floor(from * samples.length), Math.max(1, Math.ceil(to * samples.length)));
  return part.reduce((sum, sample) => sum + sample[count], 0) / part.length;
}

function summary(samples: readonly Sample[], device: string): string {
  const minutes = samples[samples.length - 1].minutes;
  const rows = rowsOf.map(([count, label]) => {
    const early = meanOf(samples, count, 0.25, 0.5);
    const late = meanOf(samples, count, 0.75, 1);
    const most = Math.max(...samples.map((sample) => sample[count]));
    const growth = early === 0 ? "—" : `${(100 * (late / early - 1)).toFixed(1)} %`;
    return [label, digits(samples[0][count]), digits(early), digits(late), digits(most), growth];
  });
  const done = `${samples.length} rounds in ${minutes.toFixed(1)} minutes on \`${device}\`, one process.`;
  const header = ["after each round", "first", "second quarter", "last quarter", "most", "growth"];
  return `${done}\n\n${table(header, rows)}`;
}

/** Memory in MiB and counts over time, on one logarithmic axis. */
function chart(samples: readonly Sample[], device: string): string {
  const every = Math.ceil(samples.length / 400);
  const drawn = samples.filter((_, i) => i % every === 0);
  return lineChart({
    title: `Training, coding and denoising in one process on ${device}`,
    x: { label: "minutes" },
    y: { label: "MiB, or number", log: true },
    series: rowsOf
      .filter(([count]) => count !== "device")
      .map(([count, label]) => ({
        label,
        points: drawn.map((sample) => ({ x: sample.minutes, y: sample[count] })),
      })),
  });
}
