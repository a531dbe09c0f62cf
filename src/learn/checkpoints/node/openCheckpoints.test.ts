import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { InputError } from "../../../core/errors.js";
import { syntheticPictures } from "../../../data/syntheticPictures.js";
import { createReferenceKernels } from "../../../kernels/reference/index.js";
import { DivergedError } from "../../learners/learner.js";
import { train } from "../../run/train.js";
import { resolveTraining } from "../../run/trainOptions.js";
import { CheckpointFolder } from "./checkpointFolder.js";
import { notSaved, openCheckpoints, withLastCheckpoint } from "./openCheckpoints.js";

const options = { patch: [5, 5], base: "odct:1", batch: 50, examples: 100, epochs: 2, holdout: 0 } as const;
let folder: string;
let run: string;
let notes: string[];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "trainlets-cli-checkpoints-"));
  run = join(folder, "run");
  const checkpoints = await CheckpointFolder.open(run);
  await train(syntheticPictures(3, 1, 24), {
    ...options,
    checkpoints,
    kernels: createReferenceKernels(),
  }).model();
});
afterAll(() => rm(folder, { recursive: true }));

const open = (path: string, resume: boolean, more: object = {}) => {
  notes = [];
  const onStart = (line: string) => notes.push(line);
  return openCheckpoints(path, resolveTraining({ ...options, ...more }), { resume, onStart });
};

describe("openCheckpoints", () => {
  it("resumes from what is there, and reports it", async () => {
    const { folder: opened, resume } = await open(run, true, { epochs: 5 });
    expect(opened.last).toBe(join(run, "checkpoint-000004.tlc"));
    expect(resume!.header.position.examples).toBe(200);
    expect(notes).toEqual([`resuming from ${run}/checkpoint-000004.tlc: step 4, epoch 2`]);
  });

  it("starts from the beginning if there is no checkpoint yet", async () => {
    const fresh = join(folder, "fresh");
    const { resume, folder: made } = await open(fresh, true);
    expect(resume).toBeUndefined();
    await made.close();
    expect(await readdir(fresh)).toEqual([]);
    expect(notes).toEqual([`no checkpoint in ${fresh} yet: starting from the beginning`]);
  });

  it.each<[boolean, object, string]>([
    [false, {}, "checkpoint RUN must be empty without resume, got checkpoint-000004.tlc"],
    [true, { batch: 25 }, "resume: batch must be 50, as in the checkpoint, got 25"],
    [true, { atomSparsity: 4 }, "resume: atomSparsity must be 10, as in the checkpoint, got 4"],
    [true, { epochs: 1 }, "resume: epochs must be at least 2, which the checkpoint has begun, got 1"],
  ])("with resume %j rejects %j", async (resume, more, message) => {
    await expect(open(run, resume, more)).rejects.toThrow(
      new InputError(`train: ${message.replace("RUN", run)}`),
    );
  });

  it("rejects a folder with only damaged checkpoints, and a file", async () => {
    const bad = await mkdtemp(join(folder, "bad-"));
    await writeFile(join(bad, "checkpoint-000001.tlc"), "");
    await expect(open(bad, true)).rejects.toThrow(
      new InputError(`${bad}: no valid checkpoint: ${bad}/checkpoint-000001.tlc: damaged (only 0 bytes)`),
    );
    await expect(open(join(bad, "checkpoint-000001.tlc"), false)).rejects.toThrow(InputError);
  });
});

describe("the error of a run that failed", () => {
  it("names the last good checkpoint, whatever failed", async () => {
    const { folder: opened } = await open(run, true);
    const none = await CheckpointFolder.open(join(folder, "none"));
    const diverged = () => new DivergedError("train: atom 3 is not finite at step 9");
    const last = `the last good checkpoint is ${run}/checkpoint-000004.tlc`;
    const explained = withLastCheckpoint(diverged(), opened);
    expect(explained).toBeInstanceOf(DivergedError);
    expect((explained as Error).message).toBe(`train: atom 3 is not finite at step 9; ${last}`);
    expect(withLastCheckpoint(diverged(), none)).toMatchObject({
      message: "train: atom 3 is not finite at step 9; there is no checkpoint",
    });
    const error = diverged();
    expect(withLastCheckpoint(error, undefined)).toBe(error);
    const lost = new Error("the device was lost");
    expect(withLastCheckpoint(lost, opened)).toMatchObject({ message: `the device was lost; ${last}` });
    const input = new InputError("no data", { where: "train" });
    expect(withLastCheckpoint(input, opened)).toEqual(new InputError(`no data; ${last}`, { where: "train" }));
  });

  it("is a failure if the model could not be written, and names the checkpoint", async () => {
    const { folder: opened } = await open(run, true);
    const error = notSaved(new InputError("a.npz: cannot be written (no such folder)"), opened);
    expect(error).not.toBeInstanceOf(InputError);
    expect(error.message).toBe(
      `a.npz: cannot be written (no such folder); the run is in ${run}/checkpoint-000004.tlc`,
    );
  });
});
