import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { InputError } from "../../core/errors.js";
import { syntheticPictures } from "../../data/syntheticPictures.js";
import { createReferenceKernels } from "../../kernels/reference/index.js";
import { CheckpointFolder } from "../../learn/checkpoints/node/checkpointFolder.js";
import { DivergedError } from "../../learn/learners/learner.js";
import { train } from "../../learn/run/train.js";
import { resolveTraining } from "../../learn/run/trainOptions.js";
import { type CheckpointFlags, notSaved, openCheckpoints, withLastCheckpoint } from "./checkpoints.js";

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

const open = (flags: CheckpointFlags, more: object = {}) => {
  notes = [];
  return openCheckpoints(flags, resolveTraining({ ...options, ...more }), (line) => notes.push(line));
};

describe("openCheckpoints", () => {
  it("opens nothing where nothing is asked for", async () => {
    expect(await open({})).toEqual({ folder: undefined, resume: undefined });
  });

  it("goes on from what is there, and says so", async () => {
    const { folder: opened, resume } = await open({ checkpoint: run, resume: true }, { epochs: 5 });
    expect(opened!.last).toBe(join(run, "checkpoint-000004.tlc"));
    expect(resume!.header.position.examples).toBe(200);
    expect(notes).toEqual([`going on from ${run}/checkpoint-000004.tlc: step 4, epoch 2`]);
  });

  it("starts from the beginning where there is nothing yet", async () => {
    const fresh = join(folder, "fresh");
    const { resume, folder: made } = await open({ checkpoint: fresh, resume: true });
    expect(resume).toBeUndefined();
    await made!.close();
    expect(await readdir(fresh)).toEqual([]);
    expect(notes).toEqual([`train: --resume: no checkpoint in ${fresh} yet, starting from the beginning`]);
  });

  it.each<[CheckpointFlags, object, string]>([
    [{ resume: true }, {}, "--resume must come with --checkpoint, got none"],
    [{ checkpointEvery: 5 }, {}, "--checkpoint-every must come with --checkpoint, got none"],
    [{ checkpointSteps: 5 }, {}, "--checkpoint-steps must come with --checkpoint, got none"],
    [{ checkpoint: "" }, {}, '--checkpoint must be a folder, got ""'],
    [{ checkpoint: "RUN", checkpointEvery: 0 }, {}, "--checkpoint-every must be a number above 0, got 0"],
    [
      { checkpoint: "RUN", checkpointSteps: 0.5 },
      {},
      "--checkpoint-steps must be an integer of at least 1, got 0.5",
    ],
    [{ checkpoint: "RUN" }, {}, "--checkpoint RUN must be empty without --resume, got checkpoint-000004.tlc"],
    [
      { checkpoint: "RUN", resume: true },
      { batch: 25 },
      "resume: batch must be 50 as in the checkpoint, got 25",
    ],
    [
      { checkpoint: "RUN", resume: true },
      { atomSparsity: 4 },
      "resume: atomSparsity must be 10 as in the checkpoint, got 4",
    ],
    [
      { checkpoint: "RUN", resume: true },
      { epochs: 1 },
      "resume: epochs must be at least 2, which the checkpoint has begun, got 1",
    ],
  ])("refuses %j with %j", async (flags, more, message) => {
    const given = flags.checkpoint === "RUN" ? { ...flags, checkpoint: run } : flags;
    await expect(open(given, more)).rejects.toThrow(new InputError(`train: ${message.replace("RUN", run)}`));
  });

  it("refuses a folder where all is damaged, and a file", async () => {
    const bad = await mkdtemp(join(folder, "bad-"));
    await writeFile(join(bad, "checkpoint-000001.tlc"), "");
    await expect(open({ checkpoint: bad, resume: true })).rejects.toThrow(
      new InputError(`${bad}: no valid checkpoint: ${bad}/checkpoint-000001.tlc: damaged (only 0 bytes)`),
    );
    await expect(open({ checkpoint: join(bad, "checkpoint-000001.tlc") })).rejects.toThrow(InputError);
  });
});

describe("what is said of a run that failed", () => {
  it("names the last good checkpoint", async () => {
    const error = new DivergedError("train: atom 3 is not finite at step 9");
    const { folder: opened } = await open({ checkpoint: run, resume: true });
    const none = await CheckpointFolder.open(join(folder, "none"));
    expect(withLastCheckpoint(error, opened)).toEqual(
      new Error(
        `train: atom 3 is not finite at step 9; the last good checkpoint is ${run}/checkpoint-000004.tlc`,
      ),
    );
    expect(withLastCheckpoint(error, none)).toEqual(
      new Error("train: atom 3 is not finite at step 9; there is no checkpoint"),
    );
    expect(withLastCheckpoint(error, undefined)).toBe(error);
    const other = new TypeError("a mistake");
    expect(withLastCheckpoint(other, opened)).toBe(other);
  });

  it("is a failure where the model could not be written, and names where the run is", async () => {
    const { folder: opened } = await open({ checkpoint: run, resume: true });
    const error = notSaved(new InputError("a.npz: cannot be written (no such folder)"), opened);
    expect(error).not.toBeInstanceOf(InputError);
    expect(error.message).toBe(
      `a.npz: cannot be written (no such folder); the run is in ${run}/checkpoint-000004.tlc`,
    );
  });
});
