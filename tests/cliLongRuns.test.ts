/** Runs that are killed, interrupted or refused by the disk, from end to end: the built program on files. */

import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { loadModel } from "../src/model/node/files.js";
import { outcomeOf, startTrainlets, trainlets, wave, words, writeArray, writePhotos } from "./cliProcess.js";

let folder: string;
let plain: Buffer;
const path = (name: string): string => join(folder, name);
const task = "train photos --patch 8 --examples 600 --batch 50 --epochs 3 --holdout 100";
const endless = "train photos --patch 8 --examples 1000 --batch 50 --epochs 1000000 --holdout 0";

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "trainlets-long-"));
  writePhotos(folder);
  const { code, stderr } = await trainlets(folder, words(`${task} --threads 1 -o plain.npz`));
  expect(code, stderr).toBe(0);
  plain = readFileSync(path("plain.npz"));
}, 60_000);

afterAll(() => rmSync(folder, { recursive: true }));

/** Wait until a folder has a checkpoint after this step. */
async function checkpointAfter(run: string, step: number): Promise<void> {
  const steps = () =>
    (existsSync(path(run)) ? readdirSync(path(run)) : []).map((name) =>
      Number(/^checkpoint-(\d+)/.exec(name)?.[1]),
    );
  while (!steps().some((saved) => saved > step)) await pause(5);
}

/** The checkpoints in a folder, the newest last. */
const checkpointsIn = (run: string) => readdirSync(path(run)).filter((name) => name.endsWith(".tlc"));

describe("a run with checkpoints", () => {
  it("gives the same bytes, killed at any moment and resumed, on 1 and 2 threads", async () => {
    for (const [kill, after] of [0, 5, 20].entries()) {
      const line = `${task} --threads ${1 + (kill % 2)} --checkpoint killed --checkpoint-steps 1 --resume -o k.npz`;
      const child = startTrainlets(folder, words(line));
      const outcome = outcomeOf(child);
      await checkpointAfter("killed", after);
      child.kill("SIGKILL");
      expect((await outcome).code).toBe(null);
      expect(existsSync(path("k.npz"))).toBe(false);
    }
    const line = `${task} --threads 2 --checkpoint killed --resume -o k.npz`;
    const { code, stderr } = await trainlets(folder, words(line));
    expect(code, stderr).toBe(0);
    expect(stderr).toMatch(/^going on from killed\/checkpoint-\d{6}\.tlc: step \d+, epoch \d$/m);
    expect(readFileSync(path("k.npz")).equals(plain)).toBe(true);
    expect(checkpointsIn("killed").length).toBe(2);
    expect(readdirSync(folder).filter((name) => name.startsWith(".trainlets"))).toEqual([]);
  });

  it("starts from the beginning where there is none, and ends at once where all is done", async () => {
    const line = words(`${task} --checkpoint done --resume -o done.npz`);
    const first = await trainlets(folder, line);
    expect(first.stderr).toMatch(
      /^train: --resume: no checkpoint in done yet, starting from the beginning$/m,
    );
    rmSync(path("done.npz"));
    expect((await trainlets(folder, line)).code).toBe(0);
    expect(readFileSync(path("done.npz")).equals(plain)).toBe(true);
  });

  it("names a damaged checkpoint and uses the one before", async () => {
    const newest = checkpointsIn("done").at(-1)!;
    const line = `${task} --checkpoint damaged --checkpoint-steps 20 -o d.npz`;
    expect((await trainlets(folder, words(line))).code).toBe(0);
    const bytes = readFileSync(path(`damaged/${newest}`));
    writeFileSync(path(`damaged/${newest}`), bytes.subarray(0, bytes.length - 1));
    const { code, stderr } = await trainlets(folder, words(`${line} --resume`));
    expect(code, stderr).toBe(0);
    expect(stderr).toContain(
      `train: damaged/${newest}: damaged (${bytes.length - 1} bytes instead of ${bytes.length}); using checkpoint-000020.tlc\n`,
    );
    expect(readFileSync(path("d.npz")).equals(plain)).toBe(true);
  });

  it("refuses another seed, by name", async () => {
    const outcome = await trainlets(
      folder,
      words(`${task} --seed 2 --checkpoint done --resume -o refused.npz`),
    );
    const stderr = "train: --resume: --seed must be 1 as in the checkpoint, got 2\n";
    expect(outcome).toEqual({ code: 2, stdout: "", stderr });
    expect(existsSync(path("refused.npz"))).toBe(false);
  });

  it("refuses other data", async () => {
    const line = `${task.replace("photos", "photos/0.png")} --checkpoint done --resume -o refused.npz`;
    const { code, stderr } = await trainlets(folder, words(line));
    expect(code).toBe(2);
    expect(stderr).toMatch(
      /\ntrain: --resume: the data must be 2 files of 3200 samples \(\w{8}\) as in the checkpoint, got 1 file of 1600 samples \(\w{8}\)\n$/,
    );
  });
});

describe("signals", () => {
  it.each(["SIGINT", "SIGTERM"] as const)("%s saves a checkpoint and the model so far", async (signal) => {
    const child = startTrainlets(folder, words(`${endless} --checkpoint ${signal} --json -o ${signal}.npz`));
    child.stdout!.once("data", () => child.kill(signal));
    const { code, stderr } = await outcomeOf(child);
    expect(code, stderr).toBe(0);
    expect(stderr).toContain(
      `ending: the dictionary so far goes to ${signal}.npz, a checkpoint to ${signal} (`,
    );
    const { examplesSeen } = (await loadModel(path(`${signal}.npz`))).meta;
    expect(checkpointsIn(signal)).toEqual([`checkpoint-${String(examplesSeen / 50).padStart(6, "0")}.tlc`]);
  });

  it("twice leaves at once, harmlessly", async () => {
    const line = `${endless} --checkpoint twice --checkpoint-steps 1 -o twice.npz`;
    const child = startTrainlets(folder, words(line));
    child.stderr!.on("data", (text: string) => {
      if (text.includes("ending:")) child.kill("SIGINT");
    });
    const outcome = outcomeOf(child);
    await checkpointAfter("twice", 0);
    child.kill("SIGINT");
    await outcome;
    const again = await trainlets(
      folder,
      words(`${endless} --minutes 0.0001 --checkpoint twice --resume -o twice.npz`),
    );
    expect(again.code, again.stderr).toBe(0);
    expect(again.stderr).toContain("going on from twice/checkpoint-");
    expect(again.stderr).not.toContain("damaged");
    expect(readdirSync(path("twice")).filter((name) => name.endsWith(".tmp"))).toEqual([]);
  });
});

describe("a disk that refuses", () => {
  const program = fileURLToPath(new URL("../dist/cli/main.js", import.meta.url));
  /** With files of at most so many blocks of 512 bytes, as a full disk would have it. */
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
    const why = "cannot be written (larger than files may be here); training continues";
    expect(stderr.match(/^train: .*$/gm)).toEqual([
      `train: full/checkpoint-000030.tlc: ${why}`,
      `train: full/checkpoint-000036.tlc: ${why}`,
      expect.stringMatching(
        /^train: the report is not up to date, the training goes on: full\/report.html: /,
      ),
    ]);
    expect(checkpointsIn("full")).toEqual([]);
    expect(readFileSync(path("full.npz")).equals(plain)).toBe(true);
  });

  it("is a failure where the model cannot be written; the checkpoint is there", async () => {
    // with few atoms over a large base, a checkpoint is smaller than the model, which holds the base
    writeArray(path("base.npy"), [64, 300], wave);
    const line = `train photos --patch 8 --examples 100 --base base.npy --atoms 4 --holdout 0 --checkpoint part -o part.npz`;
    const { code, stderr } = await limited(120, line);
    expect(code).toBe(1);
    expect(stderr).toMatch(
      /\ntrain: part\.npz: cannot be written \(larger than files may be here\); the run is in part\/checkpoint-000001\.tlc\n$/,
    );
    expect(readdirSync(folder)).not.toContain("part.npz");
    expect(readdirSync(folder).filter((name) => name.startsWith(".trainlets"))).toEqual([]);
  });
});

describe("data that are hard on numbers", () => {
  it.each([
    ["1e30", (i: number) => 1e30 * wave(i)],
    ["outliers", (i: number) => (i % 500 === 7 ? 1e30 : wave(i))],
  ])("%s: a dictionary of numbers", async (name, value) => {
    writeArray(path("hard.npy"), [40, 40], value);
    const line = `train hard.npy --patch 6 --examples 400 --batch 50 --holdout 50 --atom-care 2 -o hard.npz`;
    const { code, stderr } = await trainlets(folder, words(line));
    expect(code, `${name}: ${stderr}`).toBe(0);
    expect((await loadModel(path("hard.npz"))).A.values.every(Number.isFinite)).toBe(true);
  });
});
