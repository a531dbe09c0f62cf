import { spawn } from "node:child_process";
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { machineTag } from "../../../data/node/temporaryNames.js";
import { markRun } from "./runLock.js";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "trainlets-mark-"));
});
afterEach(() => rm(folder, { recursive: true }));

describe("the mark of a run", () => {
  it("stands once a process, however often it is left", async () => {
    const path = await markRun(folder);
    expect(await markRun(folder)).toBe(path);
    expect(await readdir(folder)).toEqual([basename(path)]);
  });

  it("keeps other processes out for as long as its process is there", async () => {
    const child = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"]);
    const gone = new Promise((resolve) => child.once("exit", resolve));
    const theirs = `.trainlets-run-${child.pid}-${machineTag()}-0`;
    await writeFile(join(folder, theirs), "");
    await expect(markRun(folder)).rejects.toThrow(
      `${folder}: must have no other run at work in it, got process ${child.pid}`,
    );
    expect(await readdir(folder), "nothing of ours is left").toEqual([theirs]);
    child.kill("SIGKILL");
    await gone;
    expect(await readdir(folder)).toEqual([theirs]);
    const ours = await markRun(folder);
    expect(await readdir(folder)).toEqual([basename(ours)]);
  });

  it.skipIf(process.platform !== "linux")(
    "means nothing where its number has gone to another process",
    async () => {
      await writeFile(join(folder, `.trainlets-run-${process.ppid}-${machineTag()}-1`), "");
      const ours = await markRun(folder);
      expect(await readdir(folder)).toEqual([basename(ours)]);
    },
  );

  it("of another machine means nothing", async () => {
    await writeFile(join(folder, `.trainlets-run-${process.ppid}-00000000-0`), "");
    const ours = await markRun(folder);
    expect(await readdir(folder)).toEqual([basename(ours)]);
  });
});
