import { spawnSync } from "node:child_process";
import { mkdtemp, readdir, rm, utimes, writeFile } from "node:fs/promises";
import { hostname, tmpdir } from "node:os";
import { basename, join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { crc32 } from "../formats/crc32.js";
import { removeStaleIn, removeStaleOf, Temporary } from "./temporaryNames.js";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "trainlets-temporary-"));
});
afterEach(() => rm(folder, { recursive: true }));

const tag = (text: string) => crc32(Buffer.from(text)).toString(16).padStart(8, "0");
const gone = spawnSync(process.execPath, ["-e", ""]).pid; // of a process that has ended

/** A temporary file of some process for a file. */
async function left(pid: number, target: string, machine = hostname()): Promise<string> {
  const name = `.trainlets-${pid}-${tag(machine)}-${tag(target)}-0123456789ab.tmp`;
  await writeFile(join(folder, name), "half");
  return name;
}

it("removes what a process that has ended left of the same file, and nothing else", async () => {
  await left(gone, "dict.npz");
  await left(process.pid, "dict.npz"); // an earlier process of this number
  const others = [
    await left(process.ppid, "dict.npz"),
    await left(gone, "other.npz"),
    await left(gone, "dict.npz", "elsewhere"),
  ];
  await writeFile(join(folder, ".trainlets-mine.tmp"), "");
  const mine = new Temporary(join(folder, "dict.npz"));
  await writeFile(mine.path, "");
  await removeStaleOf(join(folder, "dict.npz"));
  expect((await readdir(folder)).sort()).toEqual(
    [...others, ".trainlets-mine.tmp", basename(mine.path)].sort(),
  );
  await mine.remove();
  expect(await readdir(folder)).not.toContain(basename(mine.path));
});

it("removes all that was left in a folder of a run, what other machines left after a while", async () => {
  await left(gone, "checkpoint-000001.tlc");
  await left(gone, "metrics.jsonl");
  const running = await left(process.ppid, "checkpoint-000002.tlc");
  const recent = await left(gone, "checkpoint-000003.tlc", "elsewhere");
  const old = await left(1, "checkpoint-000004.tlc", "elsewhere");
  const hourAgo = Date.now() / 1000 - 3600;
  await utimes(join(folder, old), hourAgo, hourAgo);
  await removeStaleIn(folder);
  expect((await readdir(folder)).sort()).toEqual([recent, running].sort());
});

it("does nothing where there is no folder", async () => {
  await removeStaleIn(join(folder, "none"));
});
