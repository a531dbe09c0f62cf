/**
 * The parsers of untrusted files, each with valid files to damage. To add a parser, add a
 * line to `parsers`.
 */

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { inflateSync } from "node:zlib";
import { deflateSync, gzipSync } from "fflate";
import sharp from "sharp";
import { SparseColumns } from "../../src/core/matrix.js";
import type { Rng } from "../../src/core/random/rng.js";
import { crc32 } from "../../src/data/formats/checksums.js";
import { bmpOf } from "../../src/data/formats/images/bmp.case.js";
import { tiffOf } from "../../src/data/formats/images/tiff.case.js";
import { mat5Of } from "../../src/data/formats/matlab/mat5.case.js";
import { niftiOf } from "../../src/data/formats/nifti.case.js";
import { makeNpy, npyFromText, readNpy, writeNpy } from "../../src/data/formats/npy.js";
import { extractZip, listZip, readNpz, writeNpz, writeZip } from "../../src/data/formats/npz.js";
import { wavOf } from "../../src/data/formats/wav.case.js";
import { readWav } from "../../src/data/formats/wav.js";
import { files as pythonFiles } from "../../src/data/node/arrays/writtenByPython.case.js";
import { decodeImage } from "../../src/data/node/images.js";
import { inspectInputs } from "../../src/data/node/inputs.js";
import { openSource } from "../../src/data/node/openSource.js";
import { glob } from "../../src/data/node/system/glob.js";
import { readUnits, samplesOf } from "../../src/data/sampling/signalSource.js";
import { syntheticPictures } from "../../src/data/syntheticPictures.js";
import { createBase } from "../../src/dictionaries/base.js";
import { allPage } from "../../src/experiments/results/allPage.js";
import { readResult, resultToText } from "../../src/experiments/results/result.js";
import { sampleResult } from "../../src/experiments/results/sampleResult.case.js";
import { createReferenceKernels } from "../../src/kernels/reference/index.js";
import {
  type CheckpointDraft,
  checkpointFromBytes,
  checkpointToBytes,
} from "../../src/learn/checkpoints/checkpoint.js";
import { lockName, RunLock } from "../../src/learn/checkpoints/node/runLock.js";
import { train } from "../../src/learn/run/train.js";
import { modelFromContainer, modelToContainer } from "../../src/model/containers.js";
import { codesFromBytes, codesToBytes, modelFromBytes, modelToBytes } from "../../src/model/files.js";
import { Model } from "../../src/model/model.js";
import { readMetrics } from "../../src/report/node/metricsFile.js";
import { end, plan, report } from "../../src/report/runLines.case.js";
import { runPage } from "../../src/report/runPage.js";
import { Compressor } from "../../src/tasks/codec/compress.js";
import { decompress } from "../../src/tasks/codec/decompress.js";
import { hasHdf5 } from "../hdf5.js";
import { mutate } from "./mutate.js";
import { setChecksum, tarOf } from "./tarOf.js";

export interface Parser {
  readonly name: string;
  /** Files that it can read. */
  readonly valid: () => Promise<readonly Uint8Array[]>;
  /** Must return, or throw an `InputError`. */
  parse(bytes: Uint8Array): unknown;
  /** Damage that checksums do not reveal; by default, any damage. */
  readonly damage?: (bytes: Uint8Array, rng: Rng, other: Uint8Array) => Uint8Array;
}

const counted = (count: number) => Float32Array.from({ length: count }, (_, i) => (i * 37) % 251);

const arrays = async () => [
  writeNpy(makeNpy([6, 7], counted(42))),
  writeNpy(makeNpy([3, 4, 5], Uint16Array.from(counted(60)))),
  writeNpy(makeNpy([40], BigInt64Array.from(counted(40), BigInt))),
  writeNpy(npyFromText("csc")),
];

const sounds = async () => [
  wavOf({ channels: 1, samples: "int16", values: [...counted(40)] }),
  wavOf({ channels: 3, samples: "int24", values: [...counted(60)], form: "RIFX", before: [["LIST", 7]] }),
  wavOf({ channels: 2, samples: "float64", values: [...counted(40)], form: "RF64", extensible: true }),
];

const tables = async () =>
  [
    "a,b,c,d\n1,2.5,-3e2,4\n5,6,7,8\n9,10,11,12\n",
    "# made by hand\n1,5;2;3,25;4\n\n5;6;7;8",
    ',0,1,2,3\r\n0,1,2,3,"4"\r\n1,NA,,6,7\r\n',
    "1 2 3 4\n5 6 7 8\n",
  ].map((text) => new TextEncoder().encode(text));

const matlab = async () => {
  const X = { name: "X", sizes: [5, 6], values: [...counted(30)] };
  const Y = { name: "Y", sizes: [6, 4], values: [...counted(24)], stored: "int16" as const };
  return [mat5Of([X, Y]), mat5Of([X, Y], { compressed: true }), mat5Of([Y, X], { bigEndian: true })];
};

const volumes = async () => [
  niftiOf({ sizes: [3, 4, 5], values: [...counted(60)], scale: [0.5, 1] }),
  niftiOf({ sizes: [2, 3, 2, 2], values: [...counted(24)], version: 2, bigEndian: true, type: "float32" }),
  gzipSync(niftiOf({ sizes: [3, 4, 5], values: [...counted(60)] })),
];

const hdf5 = async () =>
  Object.entries(pythonFiles)
    .filter(([name]) => name !== "tiny.mat")
    .map(([, text]) => new Uint8Array(inflateSync(Buffer.from(text, "base64"))));

const model = () => {
  const A = new SparseColumns(64, 20, 3);
  for (let j = 0; j < 20; j++) A.setColumn(j, [j, j + 20, j + 40], [0.5, -0.25, 0.125]);
  const meta = { learner: "osdl", options: { batch: 5 }, seed: 1, examplesSeen: 2, removeMean: true };
  return new Model(createBase("odct:1", [8, 8]), A, { ...meta, coding: { sparsity: 2 } });
};

/** A model as other programs have it, and a matrix. */
const containers = async (ending: ".mat" | ".safetensors") => {
  const explicit = Model.from([counted(16), counted(16).reverse()], [4, 4]);
  const write = (one: Model) => modelToContainer(one, ending, "f32", () => one.atoms());
  return [await write(model()), await write(explicit)];
};

const codes = () => {
  const X = new SparseColumns(20, 4, 2);
  for (let j = 0; j < 4; j++) X.setColumn(j, [j, j + 5], [1, -2]);
  const signals = { dictionary: "12345678", patch: [8, 8], stride: [8, 8], shapes: [[16, 16]] };
  return codesToBytes({ X, means: counted(4) }, signals);
};

/** Half of the time, damage a member and make the archive anew, so that its checksums are right. */
function damageMember(bytes: Uint8Array, rng: Rng, other: Uint8Array): Uint8Array {
  if (rng.below(2) === 0) return mutate(bytes, rng, other);
  const members = listZip(bytes, "valid").map((member) => {
    return { name: member.name, bytes: extractZip(bytes, member, "valid") };
  });
  const victim = rng.below(members.length);
  const parts = members.map(({ name, bytes }, i) => {
    return {
      name,
      parts: [i === victim ? mutate(bytes, rng, members[rng.below(members.length)].bytes) : bytes],
    };
  });
  return writeZip(parts);
}

/** Half of the time with corrected checksums. */
function damageTar(bytes: Uint8Array, rng: Rng, other: Uint8Array): Uint8Array {
  const mutated = mutate(bytes, rng, other);
  if (rng.below(2) === 0) return mutated;
  for (let at = 0; at + 512 <= mutated.length; at += 512) {
    const header = mutated.subarray(at, at + 512);
    if (new TextDecoder().decode(header.subarray(257, 262)) === "ustar") setChecksum(header);
  }
  return mutated;
}

/** An archive with one deflated member, as from `numpy.savez_compressed`, that claims to inflate to `size` bytes. */
export function deflatedNpz(bytes: Uint8Array, size = bytes.length): Uint8Array {
  const packed = deflateSync(bytes);
  const stored = writeZip([{ name: "x.npy", parts: [packed] }]);
  const view = new DataView(stored.buffer);
  const directory = 30 + 5 + packed.length;
  for (const at of [8, directory + 10]) view.setUint16(at, 8, true);
  for (const at of [14, directory + 16]) view.setUint32(at, crc32(bytes), true);
  for (const at of [22, directory + 24]) view.setUint32(at, size, true);
  return stored;
}

async function images(): Promise<Uint8Array[]> {
  const raw = { width: 24, height: 20, channels: 3 } as const;
  const picture = () => sharp(Uint8Array.from(counted(24 * 20 * 3)), { raw });
  return Promise.all(
    [picture().png(), picture().jpeg(), picture().webp(), picture().tiff(), picture().gif()].map((format) =>
      format.toBuffer(),
    ),
  );
}

/** Pictures that the project decodes itself. */
const rasters = async () => {
  const palette = Array.from({ length: 16 }, (_, i) => [i, 2 * i, 3 * i, 0]);
  const text = (words: string, samples: ArrayLike<number> = []) =>
    Uint8Array.from([...new TextEncoder().encode(words), ...Array.from(samples)]);
  return [
    bmpOf({ width: 8, height: 6, bits: 24, pixels: [...counted(8 * 6 * 3)] }),
    bmpOf({ width: 8, height: 2, bits: 4, palette, pixels: [...counted(8)] }),
    bmpOf({
      width: 8,
      height: 2,
      bits: 8,
      compression: 1,
      palette,
      pixels: [8, 3, 0, 0, 0, 3, 1, 2, 3, 0, 5, 1, 0, 1],
    }),
    text("P2 3 2 9\n1 2 3 4 5 6"),
    text("P6 4 3 255\n", counted(36)),
    text(
      "P5 4 3 1000\n",
      counted(24).map((value, i) => (i % 2 === 0 ? 1 : value % 200)),
    ),
    text("P4 9 2\n", [1, 2, 3, 4]),
  ];
};

/** Files of several pages. */
async function pagedImages(): Promise<Uint8Array[]> {
  const page = (width: number, height: number) => ({ width, height, samples: counted(width * height) });
  const raw = { width: 8, height: 24, channels: 1, pageHeight: 8 } as const;
  const frames = () => sharp(Uint8Array.from(counted(8 * 24)), { raw });
  return [
    tiffOf([page(8, 7), page(8, 7), page(5, 5)]),
    tiffOf([page(6, 6), page(6, 6)], { bigTiff: true, bigEndian: true }),
    await frames().gif().toBuffer(),
    await frames().webp().toBuffer(),
  ];
}

/** Reads a whole file, as a command does. */
function readAs(extension: string, patch = [4, 4]): (bytes: Uint8Array) => Promise<void> {
  return async (bytes) => {
    const folder = mkdtempSync(join(tmpdir(), "trainlets-fuzz-"));
    try {
      const path = join(folder, `x${extension}`);
      writeFileSync(path, bytes);
      const options = { patch, onSkip: () => {}, unitSamples: 30 };
      const source = await openSource(await inspectInputs([path], { onSkip: options.onSkip }), options);
      const roomFor = (unit: number) => new Float32Array(samplesOf(source.units[unit]));
      const first = Array.from(source.units.keys()).slice(0, 20);
      await readUnits(source, first, roomFor, () => {}).finally(() => source.close());
    } finally {
      rmSync(folder, { recursive: true });
    }
  };
}

/** Paths that match a pattern, in a folder with a few files. */
async function match(bytes: Uint8Array): Promise<void> {
  const folder = fileURLToPath(new URL(".", import.meta.url));
  await glob(join(folder, new TextDecoder("latin1").decode(bytes).replaceAll("..", "")));
}

const patterns = async () =>
  ["*.ts", "**/*.{ts,png}", "p?rs*s.ts", "{a,b{c,d}}/**/x*y?z", "[a-z]*", "{*,**}/{*,**}"].map((text) =>
    new TextEncoder().encode(text),
  );

/** Lock a folder that has a lock already, by a run of which nothing is known. */
async function lockOver(bytes: Uint8Array): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "trainlets-fuzz-"));
  try {
    writeFileSync(join(folder, lockName), bytes);
    const lock = await RunLock.acquire(folder, { times: { beat: 1e6, stale: 0, poll: 1 } });
    await lock.release();
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** The lock of a process of this machine that has ended, and of one elsewhere. */
async function locks(): Promise<Uint8Array[]> {
  const folder = mkdtempSync(join(tmpdir(), "trainlets-fuzz-"));
  const lock = await RunLock.acquire(folder);
  const text = readFileSync(join(folder, lockName), "utf8");
  await lock.release();
  rmSync(folder, { recursive: true });
  const [owner, count] = text.split("\n");
  return [{ pid: 2 ** 22 + 1 }, { host: "elsewhere", scope: "elsewhere" }].map((other) =>
    new TextEncoder().encode(`${JSON.stringify({ ...JSON.parse(owner), ...other })}\n${count}\n`),
  );
}

/** The page of a run, from the bytes of its metrics. */
async function pageOf(bytes: Uint8Array): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "trainlets-fuzz-"));
  try {
    writeFileSync(join(folder, "metrics.jsonl"), bytes);
    runPage(await readMetrics(join(folder, "metrics.jsonl")), { now: new Date(0) });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const metrics = async () => [
  new TextEncoder().encode([plan, report, end].map((line) => `${JSON.stringify(line)}\n`).join("")),
];

const archive = async () => [
  writeNpz([
    ["a", makeNpy([6, 7], counted(42))],
    ["b", makeNpy([2, 5, 5], counted(50))],
  ]),
  deflatedNpz((await arrays())[0]),
];

const tar = async () => {
  const [png, jpeg] = await images();
  return [tarOf({ "a/one.png": png, "a/two.jpg": jpeg, "b.npy": (await arrays())[0] })];
};

/** Data and options of a run of a few steps. */
const run = () => ({
  pictures: syntheticPictures(1, 1, 12),
  options: {
    patch: [4, 4],
    base: "odct:1",
    atoms: 16,
    coding: { sparsity: 2 },
    examples: 40,
    epochs: 1,
    batch: 20,
  },
});

async function checkpoints(): Promise<Uint8Array[]> {
  const saved: Uint8Array[] = [];
  const keeper = {
    due: () => true,
    save: async (draft: CheckpointDraft) => void saved.push(await checkpointToBytes(draft)),
  };
  const { pictures, options } = run();
  await train(pictures, { ...options, checkpoints: keeper, kernels: createReferenceKernels() }).model();
  return saved;
}

/** Read a checkpoint and prepare a run that resumes from it. */
async function resumeFrom(bytes: Uint8Array): Promise<void> {
  const resume = await checkpointFromBytes(bytes, "x.tlc");
  const { pictures, options } = run();
  const resumed = train(pictures, { ...options, resume, kernels: createReferenceKernels() });
  await resumed.plan();
  await resumed.close();
}

/** Half of the time with a corrected checksum of the header. */
function damageCheckpoint(bytes: Uint8Array, rng: Rng, other: Uint8Array): Uint8Array {
  const mutated = mutate(bytes, rng, other);
  const start = 20; // the magic, the version, the length and the checksum of the header
  if (mutated.length < start || rng.below(2) === 0) return mutated;
  const view = new DataView(mutated.buffer, mutated.byteOffset);
  view.setUint32(16, crc32(mutated.subarray(start, start + view.getUint32(12, true))), true);
  return mutated;
}

async function compressed(): Promise<Uint8Array[]> {
  const kernels = createReferenceKernels();
  const compressor = await Compressor.open(model(), kernels);
  const picture = { shape: [20, 12], colour: false, data: Uint8Array.from(counted(240)) };
  const { bytes } = await compressor.compress(picture, { psnr: 10 });
  compressor.free();
  return [bytes];
}

/** Half of the time with a corrected checksum. */
function damageCompressed(bytes: Uint8Array, rng: Rng, other: Uint8Array): Uint8Array {
  const mutated = mutate(bytes, rng, other);
  const end = mutated.length - 4;
  if (end < 0 || rng.below(2) === 0) return mutated;
  new DataView(mutated.buffer, mutated.byteOffset).setUint32(end, crc32(mutated.subarray(0, end)));
  return mutated;
}

export const parsers: readonly Parser[] = [
  { name: ".npy", valid: arrays, parse: (bytes) => readNpy(bytes, "x.npy") },
  { name: ".npz", valid: archive, parse: (bytes) => readNpz(bytes, "x.npz") },
  {
    name: "models",
    valid: async () => [modelToBytes(model())],
    parse: (bytes) => modelFromBytes(bytes, "m.npz"),
    damage: damageMember,
  },
  {
    name: "codes",
    valid: async () => [codes()],
    parse: (bytes) => codesFromBytes(bytes, "c.npz"),
    damage: damageMember,
  },
  {
    name: ".mat",
    valid: () => containers(".mat"),
    parse: (bytes) => modelFromContainer(bytes, ".mat", "m.mat"),
  },
  {
    name: ".safetensors",
    valid: () => containers(".safetensors"),
    parse: (bytes) => modelFromContainer(bytes, ".safetensors", "m.safetensors"),
  },
  { name: "images", valid: images, parse: (bytes) => decodeImage(bytes, "x.png") },
  { name: "colour images", valid: images, parse: (bytes) => decodeImage(bytes, "x.png", [], "colour") },
  { name: "BMP and netpbm", valid: rasters, parse: (bytes) => decodeImage(bytes, "x.bmp") },
  { name: "images of several pages", valid: pagedImages, parse: readAs(".tif") },
  { name: ".npy files", valid: async () => (await arrays()).slice(0, 2), parse: readAs(".npy") },
  { name: ".wav", valid: sounds, parse: (bytes) => readWav(bytes, "x.wav") },
  { name: ".wav files", valid: sounds, parse: readAs(".wav", [4]) },
  { name: "tables", valid: tables, parse: readAs(".csv", [3]) },
  { name: ".mat files", valid: matlab, parse: readAs(".mat", [2]) },
  { name: ".nii files", valid: volumes, parse: readAs(".nii", [1, 1, 1]) },
  ...(hasHdf5 ? [{ name: "HDF5 files", valid: hdf5, parse: readAs(".h5", [2]) }] : []),
  { name: ".npz files", valid: archive, parse: readAs(".npz") },
  { name: ".tar files", valid: tar, parse: readAs(".tar"), damage: damageTar },
  {
    name: ".tar.gz files",
    valid: async () => (await tar()).map((bytes) => gzipSync(bytes)),
    parse: readAs(".tar.gz"),
  },
  { name: "metrics", valid: metrics, parse: pageOf },
  {
    name: "results",
    valid: async () => [new TextEncoder().encode(resultToText(sampleResult))],
    parse: (bytes) =>
      allPage([{ folder: "fig", result: readResult(new TextDecoder().decode(bytes), "result.json") }]),
  },
  { name: "patterns", valid: patterns, parse: match },
  { name: "locks", valid: locks, parse: lockOver },
  { name: "checkpoints", valid: checkpoints, parse: resumeFrom, damage: damageCheckpoint },
  {
    name: ".tlt",
    valid: compressed,
    parse: (bytes) => decompress(bytes, model(), "x.tlt"),
    damage: damageCompressed,
  },
];
