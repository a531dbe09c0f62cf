/** Folders as they are found: links, loops, names that are not UTF-8, and files that are not regular. */

import { spawnSync } from "node:child_process";
import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { skippedBecause } from "../../../../tests/missing.js";
import { shownPath } from "./fileNames.js";
import { listFolder } from "./folderFiles.js";

let folder: string;
const inFolder = (name: string) => join(folder, name);
const short = (text: string) => text.replaceAll(`${folder}/`, "");

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "trainlets-folders-"));
});

afterEach(() => rm(folder, { recursive: true }));

async function save(...names: string[]): Promise<void> {
  for (const name of names) {
    await mkdir(dirname(inFolder(name)), { recursive: true });
    await writeFile(inFolder(name), "");
  }
}

async function list(name = ".") {
  const skipped: string[] = [];
  const files = await listFolder(inFolder(name), {
    isWanted: (file) => file.endsWith(".png"),
    onSkip: ({ message }) => void skipped.push(short(message)),
  });
  return { files: files.map(({ path }) => short(shownPath(path))), skipped };
}

describe("listFolder", () => {
  it("finds wanted files at any depth, sorted by their paths; hidden ones and others are left out", async () => {
    await save("b.png", "a/z.png", "a/notes.txt", "a/.hidden.png", ".git/c.png", "a.png");
    expect(await list()).toEqual({ files: ["a.png", "a/z.png", "b.png"], skipped: [] });
  });

  it("reads names that are not valid UTF-8", async () => {
    for (const name of ["bad\xff.png", "caf\xe9.png"])
      await writeFile(Buffer.from(inFolder(name), "latin1"), "");
    await mkdir(Buffer.from(inFolder("f\xfcr"), "latin1"));
    await writeFile(Buffer.from(inFolder("f\xfcr/in.png"), "latin1"), "");
    expect(await list()).toEqual({ files: ["bad\\xff.png", "caf\\xe9.png", "f\\xfcr/in.png"], skipped: [] });
  });

  it("follows links to files and folders, and names those to nowhere", async () => {
    await save("real/a.png", "outside/b.png");
    await symlink(inFolder("real/a.png"), inFolder("real/again.png"));
    await symlink(inFolder("outside"), inFolder("real/more"));
    await symlink("gone", inFolder("real/folder"));
    await symlink("loop.png", inFolder("real/loop.png"));
    expect(await list("real")).toEqual({
      files: ["real/a.png", "real/again.png", "real/more/b.png"],
      skipped: [
        "real/folder: cannot be read (a link to nowhere)",
        "real/loop.png: cannot be read (its symbolic links form a loop)",
      ],
    });
  });

  it("walks each folder once, by its own name where it has one", async () => {
    const names = Array.from({ length: 11 }, (_, i) => `f${String(i).padStart(2, "0")}`);
    await save(...names.map((name) => `${name}/p.png`));
    for (const from of names) for (const to of names) await symlink(`../${to}`, inFolder(`${from}/to-${to}`));
    await symlink("..", inFolder("f03/up"));
    expect(await list()).toEqual({ files: names.map((name) => `${name}/p.png`), skipped: [] });
    expect((await list("f05")).files).toHaveLength(11);
  });

  it("goes through a link and out of it again as the system does", async () => {
    await save("elsewhere/below/x.png", "elsewhere/photos/a.png", "photos/other.png");
    await symlink(inFolder("elsewhere/below"), inFolder("shortcut"));
    const path = `${folder}/shortcut/../photos`; // not join, which would drop `shortcut/..`
    const files = await listFolder(path, { isWanted: () => true, onSkip: () => {} });
    expect(files).toEqual([{ path: `${path}/a.png`, folder: inFolder("elsewhere/photos") }]);
  });

  const noPipes = spawnSync("mkfifo", ["--version"]).status !== 0;
  const missing = noPipes ? skippedBecause("no mkfifo") : "";
  it.skipIf(noPipes)(`names pipes, sockets and devices instead of opening them${missing}`, async () => {
    await save("a.png");
    spawnSync("mkfifo", [inFolder("pipe.png"), inFolder("pipe.txt")]);
    await symlink("/dev/zero", inFolder("zero.png"));
    const server = createServer().listen(inFolder("socket.png"));
    await new Promise((resolve) => server.once("listening", resolve));
    expect(await list()).toEqual({
      files: ["a.png"],
      skipped: [
        "pipe.png: cannot be read (it is a named pipe)",
        "socket.png: cannot be read (it is a socket)",
        "zero.png: cannot be read (it is a character device)",
      ],
    });
    await new Promise((resolve) => server.close(resolve));
  });

  it.skipIf(process.getuid?.() === 0)("names folders that cannot be read (root reads all)", async () => {
    await save("a.png", "closed/b.png");
    await chmod(inFolder("closed"), 0);
    const found = await list();
    await chmod(inFolder("closed"), 0o700);
    expect(found).toEqual({ files: ["a.png"], skipped: ["closed cannot be read (permission denied)"] });
  });
});
