/**
 * Files of every format version since 0.1 stay readable. `tests/formats` keeps
 * samples of each, and this test what is in them, as digests of the numbers that version
 * wrote. A new format version needs new samples; the old ones stay.
 *
 * The dictionaries were learned from `picture.npy`; the codes and the compressed files are
 * of that picture, with `model-sparse-v1.npz`.
 */

import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { makeSignal } from "../src/core/signal.js";
import { readNpy, toFloat32 } from "../src/data/formats/npy.js";
import { createReferenceKernels } from "../src/kernels/reference/index.js";
import {
  type CheckpointDraft,
  checkpointFromBytes,
  checkpointToBytes,
} from "../src/learn/checkpoints/checkpoint.js";
import { train } from "../src/learn/run/node/trainFiles.js";
import type { TrainOptions } from "../src/learn/run/trainOptions.js";
import { codesFromBytes, modelFromBytes, modelToBytes } from "../src/model/files.js";
import type { Model } from "../src/model/model.js";
import { readMetrics } from "../src/report/node/metricsFile.js";
import { Compressor } from "../src/tasks/codec/compress.js";
import { decompress } from "../src/tasks/codec/decompress.js";
import { samplePsnr } from "../src/tasks/codec/sampleArray.js";
import { decodeSignals } from "../src/tasks/encode/encodeSignals.js";

const folder = join(import.meta.dirname, "formats");
const read = (name: string) => new Uint8Array(readFileSync(join(folder, name)));
const kernels = createReferenceKernels();
const picture = () => toFloat32(readNpy(read("picture.npy"), "picture.npy"), "picture.npy");
const model = (name: string): Model => modelFromBytes(read(name), name);

/** How the sparse model and the checkpoint were learned. */
const settings = {
  patch: [4, 4],
  base: "cropped:db2",
  atoms: 24,
  atomSparsity: 3,
  coding: { sparsity: 2 },
  examples: 60,
  epochs: 1,
  batch: 20,
  holdout: 10,
  firstSteps: "paper",
} as const satisfies TrainOptions;

/** The first digits of a digest of numbers, as their bytes lie in memory. */
function digest(...arrays: readonly NodeJS.TypedArray[]): string {
  const hash = createHash("sha256");
  for (const array of arrays) hash.update(array);
  return hash.digest("hex").slice(0, 16);
}

describe("models of format 1", () => {
  it.each([
    ["model-sparse-v1.npz", [4, 4], 24, "985274628985fcdf"],
    ["model-explicit-v1.npz", [4, 4], 20, "987a9ea7ef9cbc85"],
    ["model-nonseparable-v1.npz", [4, 4], 16, "67a16a26af86862f"],
  ])("%s", async (name, shape, atoms, expected) => {
    const { A, base, meta, ...read } = model(name);
    expect(read.uses).toHaveLength(atoms);
    expect([base.shape, A.cols]).toEqual([shape, atoms]);
    expect(meta).toMatchObject({ seed: 1, examplesSeen: 60, removeMean: true, coding: { sparsity: 2 } });
    const factors = base.factors.map(({ data }) => data);
    expect(digest(A.indices, A.values, A.counts, ...factors)).toBe(expected);
  });
});

describe("codes of format 1", () => {
  it("codes-v1.npz", async () => {
    const { codes, signals } = codesFromBytes(read("codes-v1.npz"), "codes-v1.npz");
    expect(signals).toMatchObject({ patch: [4, 4], stride: [4, 4], shapes: [[24, 24]] });
    expect(digest(codes.X.indices, codes.X.values, codes.means)).toBe("f829d7c024f8b061");
    const [decoded] = await decodeSignals(model("model-sparse-v1.npz"), codes, signals, kernels);
    expect(samplePsnr(picture(), decoded.data)).toBeGreaterThan(20);
  });
});

describe("compressed files", () => {
  it.each([
    ["grey-v1.tlt", [24, 24], "1342d774b95c0b99"],
    ["float-v1.tlt", [24, 24], "e097767a52980e95"],
    ["colour-v1.tlt", [24, 24, 3], "aba63770921ebead"],
    ["float-v2.tlt", [24, 24], "9cbb067a1c72aeec"],
  ])("%s", (name, shape, expected) => {
    const array = decompress(read(name), model("model-sparse-v1.npz"), name);
    expect(array.shape).toEqual(shape);
    expect(digest(array.data)).toBe(expected);
  });
});

describe("checkpoints of format 2", () => {
  it("checkpoint-v2.tlc", async () => {
    const resume = await checkpointFromBytes(read("checkpoint-v2.tlc"), "checkpoint-v2.tlc");
    const run = train(join(folder, "picture.npy"), { ...settings, kernels, resume });
    const steps: number[] = [];
    for await (const { step } of run) steps.push(step);
    expect(steps).toEqual([3]);
    expect((await run.model()).meta.examplesSeen).toBe(60);
  });

  it("of format 1 are refused by name", async () => {
    const bytes = read("checkpoint-v2.tlc");
    bytes[8] = 1;
    await expect(checkpointFromBytes(bytes, "old.tlc")).rejects.toThrow(/^old\.tlc: .*1/);
  });
});

describe("metrics", () => {
  it("metrics-v1.jsonl", async () => {
    const { last } = await readMetrics(join(folder, "metrics-v1.jsonl"));
    expect(last).toMatchObject({ step: 3, examples: 60, ended: "epochs" });
  });
});

describe("the versions that are written now", () => {
  /** The version of each kind of file. */
  const versions: Record<string, () => Promise<number>> = {
    model: async () => metaOf(modelToBytes(model("model-sparse-v1.npz"))),
    tlt: async () => {
      const compressor = await Compressor.open(model("model-sparse-v1.npz"), kernels);
      const data = picture();
      const { bytes } = await compressor.compress({ shape: [24, 24], colour: false, data }, { psnr: 20 });
      return bytes[3];
    },
    checkpoint: async () => {
      const saved: Uint8Array[] = [];
      const save = async (draft: CheckpointDraft) => void saved.push(await checkpointToBytes(draft));
      await train([makeSignal("picture", [24, 24], picture())], {
        ...settings,
        kernels,
        checkpoints: { due: () => true, save },
      }).model();
      return saved[0][8];
    },
  };

  it.each(Object.keys(versions))("have samples: %s", async (kind) => {
    const version = await versions[kind]();
    expect(
      readdirSync(folder).filter((name) => name.includes(`-v${version}.`) && name.includes(kind)),
    ).not.toEqual([]);
  });
});

/** The format version in the `meta` of an archive. */
function metaOf(archive: Uint8Array): number {
  const text = new TextDecoder("latin1").decode(archive);
  return Number(/"formatVersion":\s*(\d+)/.exec(text)?.[1]);
}
