import { spawn } from "node:child_process";
import { mkdir, mkdtemp, readdir, readFile, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { InputError } from "../../../core/errors.js";
import { type ProcessIdentity, thisProcess } from "../../../data/node/processIdentity.js";
import { LostLockError, lockName, RunLock } from "./runLock.js";

let folder: string;
let path: string;
let notes: string[];
const held: RunLock[] = [];
const times = { beat: 40, stale: 400, poll: 10 };
/** Longer than anything that happens at once, on the busiest machine. */
const aWhile = 30_000;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "trainlets-lock-"));
  path = join(folder, lockName);
  notes = [];
});
afterEach(async () => {
  for (const lock of held.splice(0)) await lock.release();
  await rm(folder, { recursive: true });
});

/** `stale`: how long a lock that may be abandoned is watched. */
async function acquire(stale = times.stale): Promise<RunLock> {
  const onNote = (line: string) => notes.push(line.replaceAll(folder, "RUN"));
  const lock = await RunLock.acquire(folder, { times: { ...times, stale }, onNote });
  held.push(lock);
  return lock;
}

/** The lock of another process. */
async function leave(owner: Partial<ProcessIdentity>, count = 0): Promise<void> {
  const other = { token: "theirs", ...thisProcess(), ...owner };
  await writeFile(path, `${JSON.stringify(other)}\n${String(count).padStart(15, "0")}\n`);
}

const elsewhere = { host: "node7", scope: "another boot", pid: 4711 };
const read = () => readFile(path, "utf8");
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** A process that has ended. */
async function endedProcess(): Promise<number> {
  const child = spawn(process.execPath, ["-e", ""]);
  await new Promise((resolve) => child.once("exit", resolve));
  return child.pid!;
}

describe("the lock of a run", () => {
  it("is one file, which release removes", async () => {
    const lock = await acquire();
    expect(await readdir(folder)).toEqual([lockName]);
    expect(await lock.isOwned()).toBe(true);
    await lock.release();
    expect(await readdir(folder)).toEqual([]);
    await (await acquire()).release();
    expect(notes).toEqual([]);
  });

  it("goes to the last run of a process that locks it twice", async () => {
    const first = await acquire();
    const second = await acquire();
    expect([await first.isOwned(), await second.isOwned()]).toEqual([false, true]);
    await expect(first.requireOwned()).rejects.toThrow(
      new LostLockError(
        `${folder}: this process opened the folder again for another run; this run ends and leaves the folder alone`,
      ),
    );
    await first.release();
    expect(await second.isOwned()).toBe(true);
    expect(await readdir(folder)).toEqual([lockName]);
  });

  it("is refused while its process runs, and taken over at once when it has ended", async () => {
    await leave({ pid: process.ppid, start: 0, scope: thisProcess().scope });
    const other = await startOf(process.ppid);
    await leave({ pid: process.ppid, start: other });
    if (other !== 0)
      await expect(acquire()).rejects.toThrow(`process ${process.ppid} is already using this folder`);
    await leave({ pid: await endedProcess(), start: 1 });
    const start = performance.now();
    const lock = await acquire(aWhile);
    expect(await lock.isOwned()).toBe(true);
    expect(performance.now() - start).toBeLessThan(aWhile);
    expect(notes, "nothing to report").toEqual([]);
  });

  it.skipIf(process.platform !== "linux")("is taken over if another process now has its number", async () => {
    await leave({ pid: process.ppid, start: 1 });
    expect(await (await acquire()).isOwned()).toBe(true);
  });

  it("of another machine is taken over when it was silent for long enough, and not before", async () => {
    await leave(elsewhere);
    const start = performance.now();
    const lock = await acquire();
    expect(performance.now() - start).toBeGreaterThanOrEqual(times.stale);
    expect(await lock.isOwned()).toBe(true);
    const who = "another run (host node7, process 4711)";
    expect(notes).toEqual([
      `RUN: ${who} held this folder 0 s ago; waiting to see whether it is alive`,
      `RUN: ${who} gave no sign of life; taking its place`,
    ]);
  });

  it("of another machine is taken over at once if the file system dates it long ago", async () => {
    await leave(elsewhere);
    const longAgo = new Date(Date.now() - 3_600_000);
    await utimes(path, longAgo, longAgo);
    const start = performance.now();
    await acquire(aWhile);
    expect(performance.now() - start).toBeLessThan(aWhile);
    expect(notes).toEqual([
      "RUN: another run (host node7, process 4711) gave no sign of life; taking its place",
    ]);
  });

  it("of another machine is refused when its count changes", async () => {
    await leave(elsewhere);
    const refused = expect(acquire(aWhile)).rejects.toThrow(
      new InputError(`${folder}: another run (host node7, process 4711) is already using this folder`),
    );
    while (notes.length === 0) await pause(times.poll); // until it was seen once
    await leave(elsewhere, 1);
    await refused;
    expect(await read()).toContain("theirs");
    expect(await readdir(folder)).toEqual([lockName]);
  });

  it.each(["", "garbage", '{"token":5}\n', "\u0000".repeat(99)])(
    "that reads %j is taken over when it stays that way",
    async (text) => {
      await writeFile(path, text);
      expect(await (await acquire()).isOwned()).toBe(true);
    },
  );

  it("is taken over although another start ended half-way through taking it over", async () => {
    await leave({ pid: await endedProcess(), start: 1 });
    await writeFile(`${path}-takeover`, "");
    expect(await (await acquire()).isOwned()).toBe(true);
    expect(await readdir(folder)).toEqual([lockName]);
  });

  it("counts on while the process computes", async () => {
    await acquire();
    await pause(500); // until the thread has started
    const before = await read();
    const end = performance.now() + 300;
    while (performance.now() < end);
    expect(await read()).not.toBe(before);
  });

  it("that was taken over is noticed, left alone and no longer counted", async () => {
    const lock = await acquire();
    await rm(path);
    await leave(elsewhere);
    const theirs = await read();
    expect(await lock.isOwned()).toBe(false);
    await expect(lock.requireOwned()).rejects.toThrow(
      new LostLockError(
        `${folder}: another run (host node7, process 4711) took the folder over while this run was suspended; this run ends and leaves the folder alone`,
      ),
    );
    await pause(5 * times.beat);
    await lock.release();
    expect(await read()).toBe(theirs);
  });

  it("that vanished with its folder is placed again", async () => {
    const lock = await acquire();
    await rm(folder, { recursive: true });
    await expect(lock.isOwned()).rejects.toThrow("ENOENT");
    await mkdir(folder);
    expect(await lock.isOwned()).toBe(true);
    expect(await readdir(folder)).toEqual([lockName]);
  });
});

/** The start time of a process as the system gives it; 0 where it does not. */
async function startOf(pid: number): Promise<number> {
  const text = await readFile(`/proc/${pid}/stat`, "latin1").catch(() => "");
  return Number(text.slice(text.lastIndexOf(")") + 2).split(" ")[19]) || 0;
}
