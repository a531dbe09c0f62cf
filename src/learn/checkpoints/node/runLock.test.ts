import { spawn } from "node:child_process";
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { machineTag } from "../../../data/node/files.js";
import { lockFolder } from "./runLock.js";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "trainlets-lock-"));
});
afterEach(() => rm(folder, { recursive: true }));

describe("the lock of a run", () => {
  it("is one file per process, however often the folder is locked", async () => {
    const path = await lockFolder(folder);
    expect(await lockFolder(folder)).toBe(path);
    expect(await readdir(folder)).toEqual([basename(path)]);
  });

  it("keeps other processes out as long as its process runs", async () => {
    const child = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"]);
    const gone = new Promise((resolve) => child.once("exit", resolve));
    const theirs = `.trainlets-run-${child.pid}-${machineTag()}-0`;
    await writeFile(join(folder, theirs), "");
    await expect(lockFolder(folder)).rejects.toThrow(
      `${folder}: process ${child.pid} is already using this folder`,
    );
    expect(await readdir(folder), "nothing of ours is left").toEqual([theirs]);
    child.kill("SIGKILL");
    await gone;
    expect(await readdir(folder)).toEqual([theirs]);
    const ours = await lockFolder(folder);
    expect(await readdir(folder)).toEqual([basename(ours)]);
  });

  it.skipIf(process.platform !== "linux")("is ignored if another process now has its number", async () => {
    await writeFile(join(folder, `.trainlets-run-${process.ppid}-${machineTag()}-1`), "");
    const ours = await lockFolder(folder);
    expect(await readdir(folder)).toEqual([basename(ours)]);
  });

  it("is ignored if another machine left it", async () => {
    await writeFile(join(folder, `.trainlets-run-${process.ppid}-00000000-0`), "");
    const ours = await lockFolder(folder);
    expect(await readdir(folder)).toEqual([basename(ours)]);
  });
});
