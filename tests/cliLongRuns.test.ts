/** Runs that are killed or fail to write, from end to end: the built program on files. */

import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { loadModel } from "../src/model/node/files.js";
import {
  outcomeOf,
  program,
  rejects,
  startTrainlets,
  trainlets,
  wave,
  words,
  works,
  writeArray,
  writePhotos,
} from "./cliProcess.js";

let folder: string;
let plain: Buffer;
const path = (name: string): string => join(folder, name);
/** What a command reports, but for the length of its run and its tests. */
const problems = /^train: (?!a short run|the run ).*$/gm;
const task = "train photos --patch 8 --init base --examples 600 --batch 50 --epochs 3 --holdout 100";

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "trainlets-long-"));
  writePhotos(folder);
  await works(folder, `${task} --threads 1 -o plain.npz`);
  plain = readFileSync(path("plain.npz"));
});

afterAll(() => rmSync(folder, { recursive: true }));

/** Wait until a folder has a checkpoint after this step. */
async function checkpointAfter(run: string, step: number): Promise<void> {
  const steps = () =>
    (existsSync(path(run)) ? readdirSync(path(run)) : []).map((name) =>
      Number(/^checkpoint-(\d+)/.exec(name)?.[1]),
    );
  while (!steps().some((saved) => saved > step)) await pause(5);
}

/** The checkpoints in a folder, newest last. */
const checkpointsIn = (run: string) => readdirSync(path(run)).filter((name) => name.endsWith(".tlc"));

describe("a run with checkpoints", () => {
  it("gives the same bytes, killed at any moment and resumed, on 1 and 2 threads", async () => {
    for (const [kill, after] of [0, 5, 20].entries()) {
      const line = `${task} --threads ${1 + (kill % 2)} --checkpoint killed --checkpoint-steps 1 --resume -o k.npz`;
      const child = startTrainlets(folder, line);
      const outcome = outcomeOf(child);
      await checkpointAfter("killed", after);
      child.kill("SIGKILL");
      expect((await outcome).code).toBe(null);
      expect(existsSync(path("k.npz"))).toBe(false);
    }
    const line = `${task} --threads 2 --checkpoint killed --resume -o k.npz`;
    const { stderr } = await works(folder, line);
    expect(stderr).toMatch(/^resuming from killed\/checkpoint-\d{6}\.tlc: step \d+, epoch \d$/m);
    expect(readFileSync(path("k.npz")).equals(plain)).toBe(true);
    expect(checkpointsIn("killed").length).toBe(2);
    expect(readdirSync(folder).filter((name) => name.startsWith(".trainlets"))).toEqual([]);
  });

  it("starts from the beginning without a checkpoint, and ends at once if all is done", async () => {
    const line = `${task} --checkpoint done --resume -o done.npz`;
    expect((await works(folder, line)).stderr).toMatch(
      /^no checkpoint in done yet: starting from the beginning$/m,
    );
    rmSync(path("done.npz"));
    await works(folder, line);
    expect(readFileSync(path("done.npz")).equals(plain)).toBe(true);
  });

  it("names a damaged checkpoint and uses the one before", async () => {
    const newest = checkpointsIn("done").at(-1)!;
    const line = `${task} --checkpoint damaged --checkpoint-steps 20 -o d.npz`;
    await works(folder, line);
    const bytes = readFileSync(path(`damaged/${newest}`));
    writeFileSync(path(`damaged/${newest}`), bytes.subarray(0, bytes.length - 1));
    const { stderr } = await works(folder, `${line} --resume`);
    expect(stderr).toContain(
      `train: damaged/${newest}: damaged (${bytes.length - 1} bytes instead of ${bytes.length}); using checkpoint-000020.tlc\n`,
    );
    expect(readFileSync(path("d.npz")).equals(plain)).toBe(true);
  });

  it("rejects another seed, by name", async () => {
    const line = `${task} --seed 2 --checkpoint done --resume -o refused.npz`;
    const stderr = "train: --resume: --seed must be 1, as in the checkpoint, got 2\n";
    expect(await trainlets(folder, line)).toEqual({ code: 2, stdout: "", stderr });
    expect(existsSync(path("refused.npz"))).toBe(false);
  });

  it("rejects other data", async () => {
    const line = `${task.replace("photos", "photos/0.png")} --checkpoint done --resume -o refused.npz`;
    expect(await rejects(folder, line)).toMatch(
      /^train: --resume: the data must be 2 files of 3200 samples \(\w{16}\), as in the checkpoint, got 1 file of 1600 samples \(\w{16}\)$/,
    );
  });

  it("rejects fewer epochs, and a folder with checkpoints that is not resumed", async () => {
    expect(await rejects(folder, `${task} --epochs 1 --checkpoint done --resume -o refused.npz`)).toBe(
      "train: --resume: --epochs must be at least 3, which the checkpoint has begun, got 1",
    );
    expect(await rejects(folder, `${task} --checkpoint done -o refused.npz`)).toMatch(
      /^train: --checkpoint done must be empty without --resume, got checkpoint-\d{6}\.tlc$/,
    );
  });
});

describe("a disk that is full", () => {
  /** Limits files to this many blocks of 512 bytes, as a full disk would. */
  const limited = (blocks: number, line: string) =>
    outcomeOf(
      spawn("sh", ["-c", `ulimit -f ${blocks}; exec "$0" "$@"`, process.execPath, program, ...words(line)], {
        cwd: folder,
        stdio: ["ignore", "pipe", "pipe"],
      }),
    );

  it("is reported, and training continues", async () => {
    const { code, stderr } = await limited(
      100,
      `${task} --checkpoint full --checkpoint-steps 30 -o full.npz`,
    );
    expect(code, stderr).toBe(0);
    const why = "cannot be written (too large for this file system); training continues";
    expect(stderr.match(problems)).toEqual([
      `train: full/checkpoint-000030.tlc: ${why}`,
      `train: full/checkpoint-000036.tlc: ${why}`,
      expect.stringMatching(
        /^train: the report could not be updated, training continues: full\/report.html: /,
      ),
    ]);
    expect(checkpointsIn("full")).toEqual([]);
    expect(readFileSync(path("full.npz")).equals(plain)).toBe(true);
  });

  it("is a failure if the model cannot be written; the checkpoint exists", async () => {
    // with few atoms over a large base, a checkpoint is smaller than the model, which holds the base
    writeArray(path("base.npy"), [64, 300], wave);
    const line = `train photos --patch 8 --examples 100 --epochs 1 --base base.npy --atoms 4 --holdout 0 --checkpoint part -o part.npz`;
    const { code, stderr } = await limited(120, line);
    expect(code).toBe(1);
    expect(stderr).toMatch(
      /\ntrain: part\.npz: cannot be written \(too large for this file system\); the run is in part\/checkpoint-000004\.tlc\n$/,
    );
    expect(readdirSync(folder)).not.toContain("part.npz");
    expect(readdirSync(folder).filter((name) => name.startsWith(".trainlets"))).toEqual([]);
  });
});

describe("data of extreme range", () => {
  const line = `train hard.npy --patch 6 --examples 400 --epochs 1 --batch 50 --holdout 50 --atom-care 2 --force -o hard.npz`;

  it("give a finite dictionary", async () => {
    writeArray(path("hard.npy"), [40, 40], (i) => 1e30 * wave(i));
    await works(folder, line);
    expect((await loadModel(path("hard.npz"))).A.values.every(Number.isFinite)).toBe(true);
  });

  it("with outliers far beyond the others are refused, by name", async () => {
    writeArray(path("hard.npy"), [40, 40], (i) => (i % 500 === 7 ? 1e30 : wave(i)));
    expect(await rejects(folder, line)).toMatch(
      /hard\.npy\[0\] has a sample of 1e\+30 at \[7\], far beyond the others/,
    );
  });
});
