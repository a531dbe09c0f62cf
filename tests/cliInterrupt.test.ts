/**
 * Commands that a signal ends, or whose reader or data go away, from end to end: what they leave, and
 * their exit codes. tests/signals.test.ts has many signals at random moments.
 */

import { spawn } from "node:child_process";
import {
  closeSync,
  copyFileSync,
  existsSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { constants, tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Rng } from "../src/core/random/rng.js";
import { loadModel } from "../src/model/node/files.js";
import {
  outcomeOf,
  program,
  rejects,
  startTrainlets,
  words,
  works,
  writeArray,
  writePhotos,
} from "./cliProcess.js";
import { skippedBecause } from "./missing.js";
import { requirePython, runPython } from "./python/python.js";

let folder: string;
let plain: Buffer;
const path = (...names: string[]): string => join(folder, ...names);
const task =
  "train photos --patch 8 --init base --examples 600 --batch 50 --epochs 3 --holdout 100 --device cpu";
/** What a command reports, but for the length of its run and its tests. */
const problems = /^train: (?!a short run|the run ).*$/gm;
const endless = "train photos --patch 8 --examples 1000 --batch 50 --epochs 1000000 --holdout 0 --device cpu";

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "trainlets-interrupt-"));
  writePhotos(folder);
  await works(folder, `${task} -o plain.npz`);
  plain = readFileSync(path("plain.npz"));
});

afterAll(() => rmSync(folder, { recursive: true }));

/** Run a line, send it signals at its first line on standard output, and see what it leaves. */
async function interrupted(line: string, ...signals: NodeJS.Signals[]) {
  const child = startTrainlets(folder, line);
  child.stdout!.once("data", () => {
    for (const signal of signals) child.kill(signal);
  });
  return outcomeOf(child);
}

const checkpointsIn = (run: string) => readdirSync(path(run)).filter((name) => name.endsWith(".tlc"));

describe("a signal", () => {
  it.each(["SIGINT", "SIGTERM", "SIGHUP", "SIGUSR1", "SIGUSR2", "SIGXCPU"] as const)(
    "%s saves a checkpoint and the dictionary so far beside the output, and is the exit code",
    async (signal) => {
      copyFileSync(path("plain.npz"), path(`${signal}.npz`)); // of an earlier run
      const line = `${endless} --checkpoint ${signal} --json --force -o ${signal}.npz`;
      const { code, stderr } = await interrupted(line, signal);
      expect(code, stderr).toBe(128 + constants.signals[signal]);
      expect(stderr).toContain(
        `stopping: saving the dictionary so far to ${signal}.partial.npz, and a checkpoint to ${signal} (`,
      );
      const { meta } = await loadModel(path(`${signal}.partial.npz`));
      const { examplesSeen: seen } = meta;
      const [checkpoint, ...others] = checkpointsIn(signal);
      expect(others).toEqual([]);
      expect(checkpoint).toBe(`checkpoint-${String(seen / 50).padStart(6, "0")}.tlc`);
      expect(meta.partial).toEqual({ examples: seen, of: 1e9 });
      const last = stderr.trimEnd().split("\n").at(-1);
      expect(last).toMatch(
        new RegExp(
          `^train: ${signal}\\.partial\\.npz: 256 atoms of 8x8, RMSE [^,]+, interrupted after [\\d,]+ of ` +
            `1,000,000,000 examples, in \\d:\\d\\d; to continue from ${signal}/${checkpoint}, run the same command with --resume$`,
        ),
      );
      expect(readFileSync(path(`${signal}.npz`)).equals(plain)).toBe(true);
      expect(stderr).not.toContain("Debugger");
    },
  );

  it("that arrives twice, as timeout(1) and npm send it, counts once", async () => {
    const { code, stderr } = await interrupted(`${endless} --json -o once.npz`, "SIGTERM", "SIGTERM");
    expect(code, stderr).toBe(143);
    expect((await loadModel(path("once.partial.npz"))).meta.partial).toBeDefined();
    expect(existsSync(path("once.npz"))).toBe(false);
  });

  it("after the first ends the program at once, also during a long update on one thread", async () => {
    const rng = Rng.from(1);
    writeArray(path("large.npy"), [96, 96], () => rng.normal());
    const long = "--patch 24x24 --learner ksvd --sparsity 200 --examples 5000 --atoms 1000 --holdout 0";
    const child = startTrainlets(
      folder,
      `train large.npy ${long} --threads 1 --device cpu --json -o long.npz`,
    );
    let ended: string | null = null;
    child.on("exit", (_, signal) => {
      ended = signal;
    });
    const outcome = outcomeOf(child);
    child.stderr!.on("data", (text: string) => {
      if (text.includes("stopping:")) setTimeout(() => child.kill("SIGINT"), 300);
    });
    child.stdout!.once("data", () => child.kill("SIGTERM"));
    const { code, stderr } = await outcome;
    expect({ code, ended }, stderr).toEqual({ code: null, ended: "SIGINT" });
    expect(readdirSync(folder).filter((name) => name.startsWith("long"))).toEqual([]);
  });

  it("during the last step ends nothing: the run is finished", async () => {
    const child = startTrainlets(folder, `${task} --json -o last.npz`);
    child.stdout!.on("data", (text) => {
      if (String(text).includes('"ended"')) child.kill("SIGTERM");
    });
    const { code, stderr } = await outcomeOf(child);
    if (code === 0) expect(readFileSync(path("last.npz")).equals(plain), stderr).toBe(true);
    else expect(existsSync(path("last.npz")), stderr).toBe(false); // it came too late to be handled
  });

  it("without a place beside the output saves a checkpoint alone", async () => {
    const { code, stderr } = await interrupted(
      `${endless} --checkpoint device --json -o /dev/null`,
      "SIGTERM",
    );
    expect(code, stderr).toBe(143);
    expect(stderr).toContain("stopping: saving a checkpoint to device (");
    expect(checkpointsIn("device").length).toBe(1);
    const alone = await interrupted(`${endless} --json -o /dev/null`, "SIGTERM");
    expect(alone.stderr).toContain("stopping: nothing is saved at /dev/null (");
    expect(existsSync("/dev/null.partial.npz")).toBe(false);
  });

  it("SIGUSR1 opens no debugger in commands that do not wait for signals", async () => {
    const child = startTrainlets(folder, "demo -o demo --device cpu");
    let ended: string | null = null;
    child.on("exit", (_, signal) => {
      ended = signal;
    });
    child.stdout!.once("data", () => child.kill("SIGUSR1"));
    const { code, stderr } = await outcomeOf(child);
    expect({ code, ended }).toEqual({ code: null, ended: "SIGUSR1" });
    expect(stderr).not.toContain("Debugger");
    expect(readdirSync(path("demo")).filter((name) => !name.startsWith("."))).toEqual([]);
  });
});

describe("the dictionary of an interrupted run", () => {
  it("is replaced by the next one, and removed when the resumed run is finished", async () => {
    const line = `${task} --epochs 200 --checkpoint again --resume --json -o again.npz`;
    const first = await interrupted(line, "SIGTERM");
    expect(first.code, first.stderr).toBe(143);
    const before = readFileSync(path("again.partial.npz"));
    expect((await interrupted(line, "SIGHUP")).code).toBe(129);
    expect(readFileSync(path("again.partial.npz")).equals(before)).toBe(false);
    await works(folder, `${line} --minutes 0.001`); // an end that was asked for
    expect((await loadModel(path("again.npz"))).meta.partial).toBeUndefined();
    expect(existsSync(path("again.partial.npz"))).toBe(false);
  });

  it("stays if another run is finished, and can be used like any other", async () => {
    copyFileSync(path("once.partial.npz"), path("other.partial.npz"));
    await works(folder, `${task} -o other.npz`);
    expect(readFileSync(path("other.npz")).equals(plain)).toBe(true);
    expect(existsSync(path("other.partial.npz"))).toBe(true);
    await works(folder, "encode photos/0.png -d other.partial.npz --device cpu -o codes.npz");
    await works(
      folder,
      "train photos --patch 8 --examples 100 --epochs 1 --start other.partial.npz --device cpu -o next.npz",
    );
    expect((await loadModel(path("next.npz"))).meta.partial).toBeUndefined();
  });

  it("never takes the place of another file, nor of an input", async () => {
    for (const name of ["photos/0.png", "plain.npz"]) {
      copyFileSync(path(name), path("mine.partial.npz"));
      expect(await rejects(folder, `${task} -o mine.npz`)).toBe(
        "train: an interrupted run is saved to mine.partial.npz, which exists and is not the dictionary of an interrupted run",
      );
      expect(readFileSync(path("mine.partial.npz")).equals(readFileSync(path(name)))).toBe(true);
    }
    copyFileSync(path("once.partial.npz"), path("mine.partial.npz"));
    expect(
      await rejects(folder, `${task.replace("--init base ", "")} --start mine.partial.npz -o mine.npz`),
    ).toBe("train: the file of an interrupted run must not be an input, got mine.partial.npz");
    expect(existsSync(path("mine.npz"))).toBe(false);
  });
});

describe("standard output that goes away", () => {
  it("does not end training: a reader who has left is reported once", async () => {
    const child = startTrainlets(folder, `${task} --epochs 20 --keep last --json -o unread.npz`);
    child.stdout!.once("data", () => child.stdout!.destroy());
    const { code, stderr } = await outcomeOf(child);
    expect(code, stderr).toBe(0);
    expect(stderr.match(problems)).toEqual([
      "train: nobody reads standard output any more: training continues without --json",
    ]);
    expect(stderr).toMatch(/^unread\.npz: 256 atoms of 8x8, test RMSE [\d.]+, in /m);
    expect((await loadModel(path("unread.npz"))).meta.examplesSeen).toBe(12_000);
  });

  const full = existsSync("/dev/full") ? "" : skippedBecause("there is no /dev/full");
  it.skipIf(full !== "")(`a log on a full disk is a failure, once the run is complete${full}`, async () => {
    const log = openSync("/dev/full", "w");
    const child = spawn(process.execPath, [program, ...words(`${task} --json -o full.npz`)], {
      cwd: folder,
      stdio: ["ignore", log, "pipe"],
    });
    const { code, stderr } = await outcomeOf(child);
    closeSync(log);
    expect(code, stderr).toBe(1);
    expect(stderr.match(problems)).toEqual([
      expect.stringMatching(/^train: standard output cannot be written \(ENOSPC/),
    ]);
    expect(readFileSync(path("full.npz")).equals(plain)).toBe(true);
  });

  it.skipIf(full !== "")(`a file on a full disk is one line${full}`, async () => {
    const disk = openSync("/dev/full", "w");
    const line = "encode photos/0.png -d full.npz -o - -q";
    const child = spawn(process.execPath, [program, ...words(line)], {
      cwd: folder,
      stdio: ["ignore", disk, "pipe"],
    });
    const { code, stderr } = await outcomeOf(child);
    closeSync(disk);
    expect(code, stderr).toBe(1);
    expect(stderr).toMatch(/^encode: standard output cannot be written \(ENOSPC[^\n]*\)\n$/);
  });
});

it("data that vanish leave what a signal would leave, and the run can be resumed", async () => {
  writePhotos(folder, "vanishing");
  const line =
    "train vanishing --patch 8 --examples 1000 --batch 50 --epochs 1000 --group-samples 1600 --holdout 0 --device cpu";
  const child = startTrainlets(folder, `${line} --checkpoint lost --json -o lost.npz`);
  child.stdout!.once("data", () => renameSync(path("vanishing"), path("away")));
  const { code, stderr } = await outcomeOf(child);
  expect(code, stderr).toBe(2);
  const last = stderr.trimEnd().split("\n").at(-1);
  expect(last).toMatch(
    /^train: the data cannot be read: nothing was readable in 2 groups, starting with vanishing\/\d\.png; the dictionary so far is in lost\.partial\.npz; to continue from lost\/checkpoint-\d+\.tlc, run the same command with --resume$/,
  );
  expect((await loadModel(path("lost.partial.npz"))).meta.partial).toMatchObject({ of: 1_000_000 });
  renameSync(path("away"), path("vanishing"));
  await works(folder, `${line} --checkpoint lost --resume --minutes 0.01 -o lost.npz`);
  expect(existsSync(path("lost.npz"))).toBe(true);
  expect(existsSync(path("lost.partial.npz"))).toBe(false);
});

describe("a damaged report", () => {
  it("does not stop a run from being resumed: the good lines stay", async () => {
    const line = `${task} --checkpoint damaged --resume -o damaged.npz`;
    await works(folder, line);
    const metrics = path("damaged", "metrics.jsonl");
    const [first, second, ...rest] = readFileSync(metrics, "utf8").split("\n");
    for (const [text, number, kept] of [
      [[first, second, second.slice(0, 40), ...rest].join("\n"), 3, [first, second]],
      [first.replace('"patch":[8,8]', '"patch":8'), 1, []],
      ["", undefined, []],
    ] as const) {
      writeFileSync(metrics, text === "" ? "" : `${text}\n`);
      const { stderr } = await works(folder, line);
      const problem = `train: damaged/metrics.jsonl: line ${number} is damaged: the report continues without it and what follows it`;
      expect(stderr.match(problems)).toEqual(number === undefined ? null : [problem]);
      const lines = readFileSync(metrics, "utf8").split("\n");
      expect(lines.slice(0, kept.length)).toEqual(kept);
      expect(JSON.parse(lines[kept.length]).kind).toBe("plan");
      await works(folder, "report damaged");
      expect(readFileSync(path("damaged.npz")).equals(plain)).toBe(true);
    }
  });
});

const python = requirePython(["pty"]);

it.skipIf(!python.path)(`Ctrl-C on a terminal ends the shell's loop as well${python.note}`, () => {
  const words = `${endless} --checkpoint loop --resume -o loop.npz`;
  const loop = `until "${process.execPath}" "${program}" ${words}; do echo AGAIN; done; echo ENDED`;
  const { output, signal } = runPython(python.path!, "terminal.py", {
    command: ["bash", "-c", loop],
    folder,
    waitFor: "RMSE",
  }) as { output: string; signal: number };
  expect(output).toContain("interrupted after");
  expect(output).not.toMatch(/AGAIN|ENDED/);
  expect(signal).toBe(constants.signals.SIGINT);
});
