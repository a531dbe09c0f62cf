/**
 * Locks of folders between processes: started at once, killed, suspended, in containers of
 * their own. Times are shortened; otherwise this is what `train --checkpoint` does.
 */

import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { RunLock } from "../src/learn/checkpoints/node/runLock.js";
import { rejects, works, writePhotos } from "./cliProcess.js";
import { skippedBecause } from "./missing.js";

const dist = new URL("../dist/learn/checkpoints/node/", import.meta.url);

/** Opens a folder, prints `open` or why not, and saves a checkpoint for each line that it reads. */
const script = `
import { createInterface } from "node:readline";
import { CheckpointFolder } from ${JSON.stringify(new URL("checkpointFolder.js", dist).href)};
import { RunLock } from ${JSON.stringify(new URL("runLock.js", dist).href)};
const print = (line) => process.stdout.write(line + "\\n");
const times = { beat: 100, stale: 4000, poll: 50 };
try {
  const lock = await RunLock.acquire(process.argv[2], { times, onNote: print });
  const folder = await CheckpointFolder.openLocked(lock, {});
  print("open");
  for await (const step of createInterface({ input: process.stdin })) {
    const bytes = async function* () { yield Buffer.from(process.argv[3]); };
    await folder.save({ step: Number(step), bytes });
    print("saved " + step);
  }
  await folder.close();
} catch (error) {
  print("refused: " + error.message);
}
process.exit();
`;

const uts = unshared(["--uts"], "hostname other; exec");
const pid = unshared(["--pid", "--fork", "--mount-proc", "--kill-child"]);

/** How a program is started in a container of its own; or why it cannot be. */
function unshared(kinds: readonly string[], before = "exec") {
  for (const more of [[], ["--user", "--map-root-user"]]) {
    const words = ["unshare", ...more, ...kinds, "sh", "-c", `${before} "$@"`, "sh"];
    const [command, ...args] = words;
    if (spawnSync(command, [...args, "true"]).status === 0) return { words, note: "" };
  }
  return { words: undefined, note: skippedBecause(`unshare ${kinds[0]} is not permitted here`) };
}

let base: string;
let folder: string;
let program: string;
const started: Run[] = [];

beforeAll(() => {
  base = mkdtempSync(join(tmpdir(), "trainlets-locks-"));
  program = join(base, "run.mjs");
  writeFileSync(program, script);
});
afterAll(() => rmSync(base, { recursive: true }));
beforeEach(() => {
  folder = mkdtempSync(join(base, "run-"));
});
afterEach(async () => {
  for (const run of started.splice(0)) await run.kill();
});

/** A process that wants the folder. */
class Run {
  readonly #child: ChildProcess;
  readonly #ended: Promise<unknown>;
  readonly lines: string[] = [];

  constructor(name: string, words: readonly string[] = []) {
    const [command, ...args] = [...words, process.execPath, program, folder, name];
    this.#child = spawn(command, args, { stdio: ["pipe", "pipe", "inherit"] });
    this.#ended = new Promise((resolve) => this.#child.once("exit", resolve));
    let text = "";
    this.#child.stdout?.setEncoding("utf8").on("data", (more: string) => {
      text += more;
      this.lines.splice(0, Infinity, ...text.split("\n").slice(0, -1));
    });
    started.push(this);
  }

  /** Its first line that starts like this, once it is there. */
  async says(start: string): Promise<string> {
    for (const end = Date.now() + 60_000; Date.now() < end; ) {
      const line = this.lines.find((one) => one.startsWith(start));
      if (line !== undefined) return line.replaceAll(folder, "RUN");
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    throw new Error(`no line "${start}" but ${JSON.stringify(this.lines)}`);
  }

  /** Whether it got the folder. */
  async opened(): Promise<boolean> {
    return (await Promise.race([this.says("open"), this.says("refused")])) === "open";
  }

  save(step: number): void {
    this.#child.stdin?.write(`${step}\n`);
  }

  /** Send a signal to it; in a container, to all of its processes. */
  signal(name: NodeJS.Signals): void {
    for (const child of [...descendantsOf(this.#child.pid!), this.#child.pid!]) {
      try {
        process.kill(child, name);
      } catch {} // it has just ended
    }
  }

  async kill(): Promise<void> {
    if (this.#child.exitCode === null && this.#child.signalCode === null) this.signal("SIGKILL");
    await this.#ended;
  }
}

function descendantsOf(pid: number): number[] {
  const list = `/proc/${pid}/task/${pid}/children`;
  const children = existsSync(list) ? readFileSync(list, "utf8").trim().split(" ").filter(Boolean) : [];
  return children.map(Number).flatMap((child) => [...descendantsOf(child), child]);
}

const names = () => readdirSync(folder).sort();

describe("the folder of a run", () => {
  it("goes to one of four starts at once, and after a kill to one of the next four", async () => {
    for (let round = 0; round < 3; round++) {
      const runs = Array.from({ length: 4 }, (_, i) => new Run(`round ${round}, run ${i}`));
      const opened = await Promise.all(runs.map((run) => run.opened()));
      expect(opened.filter(Boolean)).toHaveLength(1);
      for (const [i, run] of runs.entries()) {
        if (!opened[i])
          expect(await run.says("refused")).toMatch(/RUN: process \d+ is already using this folder$/);
      }
      for (const run of runs) await run.kill(); // without giving the lock back
    }
    const last = new Run("last");
    expect(await last.opened()).toBe(true);
    expect(last.lines, "no waiting for a process that has ended").toEqual(["open"]);
  });

  it("is not taken from a suspended process of this machine", async () => {
    const first = new Run("first");
    expect(await first.opened()).toBe(true);
    first.signal("SIGSTOP");
    expect(await new Run("second").says("refused")).toMatch(/process \d+ is already using this folder/);
    first.signal("SIGCONT");
    first.save(1);
    expect(await first.says("saved 1")).toBe("saved 1");
  });
});

it("the folder of a report is refused to a second run, and given back", async () => {
  writePhotos(folder);
  const report = join(folder, "report");
  mkdirSync(report);
  const lock = await RunLock.acquire(report);
  const line =
    "train photos --patch 6 --examples 200 --epochs 1 --holdout 0 --device reference --force -o d.npz --report report";
  expect(await rejects(folder, line)).toBe(
    `train: report: process ${process.pid} is already using this folder`,
  );
  await lock.release();
  await works(folder, line);
  await works(folder, `${line} --checkpoint report`); // one folder for both is locked once
  expect(readdirSync(report).filter((name) => name.startsWith("."))).toEqual([".trainlets-outputs"]);
});

describe.skipIf(!uts.words)(`the folder of a run, and another host name${uts.note}`, () => {
  it("is refused to a run on the same machine", async () => {
    expect(await new Run("first").opened()).toBe(true);
    expect(await new Run("second", uts.words).says("refused")).toMatch(
      /process \d+ is already using this folder/,
    );
  });
});

describe.skipIf(!pid.words)(`the folder of a run, and other containers${pid.note}`, () => {
  it.each([
    ["in", "out"],
    ["out", "in"],
    ["in", "in"],
  ])("first %s a container, then %s: is refused while the first is alive", async (one, other) => {
    const first = new Run("first", one === "in" ? pid.words : []);
    expect(await first.opened()).toBe(true);
    const second = new Run("second", other === "in" ? pid.words : []);
    expect(await second.says("refused")).toMatch(
      /^refused: RUN: another run \(host .+, process \d+\) is already using this folder$/,
    );
    expect(await second.says(folder)).toMatch(
      /^RUN: another run \(host .+, process \d+\) held this folder \d+ s ago; waiting to see whether it is alive$/,
    );
    first.save(3);
    await first.says("saved 3");
    expect(names()).toEqual([".trainlets-lock", "checkpoint-000003.tlc"]);
  });

  it("is taken over when a container was killed", async () => {
    const first = new Run("first", pid.words);
    expect(await first.opened()).toBe(true);
    await first.kill();
    const second = new Run("second");
    expect(await second.opened()).toBe(true);
    expect(second.lines.at(-2)).toMatch(/gave no sign of life; taking its place$/);
    second.save(1);
    await second.says("saved 1");
  });

  it("is taken over from a suspended one, which notices before it writes", async () => {
    const first = new Run("first", pid.words);
    expect(await first.opened()).toBe(true);
    first.save(5);
    await first.says("saved 5");
    first.signal("SIGSTOP");
    const second = new Run("second", pid.words);
    expect(await second.opened()).toBe(true);
    for (const step of [6, 7, 8]) {
      second.save(step);
      await second.says(`saved ${step}`);
    }
    first.signal("SIGCONT");
    first.save(9);
    expect(await first.says("refused")).toMatch(
      /^refused: RUN: another run \(host .+, process \d+\) took the folder over while this run was suspended; this run ends and leaves the folder alone$/,
    );
    expect(names()).toEqual([".trainlets-lock", "checkpoint-000007.tlc", "checkpoint-000008.tlc"]);
    expect(readFileSync(join(folder, "checkpoint-000008.tlc"), "utf8")).toBe("second");
    second.save(10);
    await second.says("saved 10");
  });
});
