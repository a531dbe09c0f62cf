import { mkdir, mkdtemp, readdir, readFile, rm, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { InputError } from "../../../core/errors.js";
import { syntheticPictures } from "../../../data/syntheticPictures.js";
import { createReferenceKernels } from "../../../kernels/reference/index.js";
import { modelToBytes } from "../../../model/files.js";
import { collect } from "../../learners/learner.case.js";
import { DivergedError } from "../../learners/learner.js";
import type { TrainOptions } from "../../run/trainOptions.js";
import { CheckpointFolder } from "./checkpointFolder.js";

const data = syntheticPictures(3, 1, 24);
const small = {
  patch: [5, 5],
  base: "odct:1",
  batch: 20,
  examples: 210,
  epochs: 1,
  keep: "last",
  kernels: createReferenceKernels(),
} as const satisfies TrainOptions;

let path: string;
let problems: string[];
const onProblem = (problem: string) => problems.push(problem.replace(path, "RUN"));
const open = (steps = 2) => CheckpointFolder.open(path, { steps, onProblem });
beforeEach(async () => {
  path = join(await mkdtemp(join(tmpdir(), "trainlets-checkpoints-")), "deep/run");
  problems = [];
});
afterEach(() => rm(join(path, "../.."), { recursive: true }));

/** Flip a bit in the last part of a file. */
async function flip(name: string): Promise<void> {
  const bytes = await readFile(join(path, name));
  bytes[bytes.length - 20] ^= 1;
  await writeFile(join(path, name), bytes);
}

describe("a folder of checkpoints", () => {
  it("is created, and holds the last two", async () => {
    const folder = await open();
    expect(await folder.newest()).toBeUndefined();
    await collect(data, { ...small, checkpoints: folder });
    await folder.close();
    expect(await readdir(path)).toEqual(["checkpoint-000010.tlc", "checkpoint-000011.tlc"]);
    expect(folder.last).toBe(join(path, "checkpoint-000011.tlc"));
    expect(problems).toEqual([]);
  });

  it("gives the newest valid one, and reports damaged ones", async () => {
    const plain = await collect(data, small);
    await collect(data, { ...small, checkpoints: await open() });
    await flip("checkpoint-000011.tlc");
    const folder = await open(3);
    const resume = (await folder.newest())!;
    expect(resume.header.position.step).toBe(10);
    expect(problems).toEqual([
      "RUN/checkpoint-000011.tlc: damaged (wrong checksum of start); using checkpoint-000010.tlc",
    ]);
    const { model } = await collect(data, { ...small, checkpoints: folder, resume });
    expect(modelToBytes(model)).toEqual(modelToBytes(plain.model));
    expect((await (await open()).newest())!.header.position.step).toBe(11);
  });

  it("keeps the valid one before, not a damaged newer one", async () => {
    await collect(data, { ...small, checkpoints: await open() });
    await truncate(join(path, "checkpoint-000011.tlc"), 99);
    await writeFile(join(path, "checkpoint-000099.tlc"), "");
    const folder = await open(1);
    const resume = (await folder.newest())!;
    expect(problems).toEqual([
      "RUN/checkpoint-000099.tlc: damaged (only 0 bytes); using checkpoint-000010.tlc",
      "RUN/checkpoint-000011.tlc: damaged (the header is cut off); using checkpoint-000010.tlc",
    ]);
    await collect(data, { ...small, checkpoints: folder, resume });
    await folder.close();
    expect(await readdir(path)).toEqual(["checkpoint-000010.tlc", "checkpoint-000011.tlc"]);
  });

  it("is rejected if it has only damaged ones", async () => {
    await open();
    await writeFile(join(path, "checkpoint-000007.tlc"), "no checkpoint at all");
    await writeFile(join(path, "checkpoint-7.tlc"), "somebody else's");
    await expect((await open()).newest()).rejects.toThrow(
      new InputError(
        `${path}: no valid checkpoint: ${path}/checkpoint-000007.tlc: not a trainlets checkpoint`,
      ),
    );
  });

  it("lets training continue if it cannot be written, and recovers", async () => {
    const folder = await open(4);
    const save = folder.save.bind(folder);
    folder.save = async (draft) => {
      if (draft.step === 4) {
        await rm(path, { recursive: true });
        await writeFile(path, "");
      } else if (draft.step === 8) await rm(path);
      await save(draft);
    };
    const { model } = await collect(data, { ...small, checkpoints: folder });
    expect(model.meta.examplesSeen).toBe(210);
    expect(problems).toEqual([
      "RUN/checkpoint-000004.tlc: cannot be written (a part of its path is not a folder); training continues",
    ]);
    await folder.close();
    expect(await readdir(path)).toEqual(["checkpoint-000008.tlc", "checkpoint-000011.tlc"]);
  });

  it("discards what was written of a dictionary that is not finite", async () => {
    const folder = await open();
    const bad = { step: 3, bytes: () => failing() };
    await expect(folder.save(bad)).rejects.toThrow(DivergedError);
    await folder.close();
    expect(await readdir(path)).toEqual([]);
    expect(folder.last).toBeUndefined();
  });

  it("rejects a path that is not a folder, and bad intervals", async () => {
    await mkdir(join(path, ".."), { recursive: true });
    await writeFile(path, "");
    await expect(open()).rejects.toThrow(
      new InputError(`${path}: cannot hold checkpoints (a part of its path is not a folder)`),
    );
    await rm(path);
    await expect(open(0)).rejects.toThrow("CheckpointFolder: steps must be an integer of at least 1, got 0");
    await expect(CheckpointFolder.open(path, { minutes: 0 })).rejects.toThrow(
      "CheckpointFolder: minutes must be a number above 0, got 0",
    );
  });
});

async function* failing(): AsyncGenerator<Uint8Array> {
  yield new Uint8Array(100);
  throw new DivergedError("train: U is not finite at step 3");
}
