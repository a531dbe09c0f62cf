import { spawnSync } from "node:child_process";
import {
  chmod,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  stat,
  symlink,
  utimes,
  writeFile,
} from "node:fs/promises";
import { hostname, tmpdir } from "node:os";
import { basename, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { InputError } from "../../core/errors.js";
import { crc32, crcToHex } from "../formats/checksums.js";
import {
  fileError,
  readFileBytes,
  readFileStart,
  removeStaleIn,
  removeStaleOf,
  requireWritable,
  TemporaryFile,
  writeFileAtomic,
} from "./files.js";
import { processNamespace } from "./processIdentity.js";

let folder: string;
const inFolder = (name: string) => join(folder, name);
const bytes = Uint8Array.of(1, 2, 3);

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "trainlets-files-"));
});

afterEach(() => rm(folder, { recursive: true }));

/** The message of an InputError, with the folder's name taken out. */
async function refusal(promise: Promise<unknown>): Promise<string> {
  const error = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(InputError);
  return (error as Error).message.replaceAll(`${folder}/`, "");
}

describe("readFileBytes", () => {
  it("reads a file, an empty one, and the start of one", async () => {
    await writeFile(inFolder("a"), bytes);
    await writeFile(inFolder("empty"), "");
    expect(await readFileBytes(inFolder("a"))).toEqual(bytes);
    expect(await readFileBytes(inFolder("empty"))).toEqual(new Uint8Array());
    expect(await readFileStart(inFolder("a"), 2)).toEqual(bytes.subarray(0, 2));
    expect(await readFileStart(inFolder("a"), 10)).toEqual(bytes);
  });

  it("reports in one line why a file cannot be read", async () => {
    await writeFile(inFolder("a"), bytes);
    expect(await refusal(readFileBytes(inFolder("no")))).toBe("no: cannot be read (no such file)");
    expect(await refusal(readFileStart(inFolder("no"), 5))).toBe("no: cannot be read (no such file)");
    expect(await refusal(readFileBytes(inFolder("a/b")))).toBe(
      "a/b: cannot be read (a part of its path is not a folder)",
    );
    await mkdir(inFolder("sub"));
    expect(await refusal(readFileBytes(inFolder("sub")))).toBe("sub: cannot be read (it is a folder)");
    expect(await refusal(readFileBytes("a\0b"))).toBe("a\\x00b: cannot be read (its name is not valid)");
  });
});

describe("writeFileAtomic", () => {
  it("creates and replaces a file, and leaves nothing else", async () => {
    await writeFileAtomic(inFolder("a.npz"), new Uint8Array(100));
    await writeFileAtomic(inFolder("a.npz"), bytes);
    expect(await readFile(inFolder("a.npz"))).toEqual(Buffer.from(bytes));
    expect(await readdir(folder)).toEqual(["a.npz"]);
  });

  it("keeps the permissions of the file it replaces", async () => {
    await writeFile(inFolder("secret"), "");
    await chmod(inFolder("secret"), 0o600);
    await writeFileAtomic(inFolder("secret"), bytes);
    expect((await stat(inFolder("secret"))).mode & 0o777).toBe(0o600);
  });

  it("writes through a link, and directly to a device", async () => {
    await writeFile(inFolder("target"), "");
    await symlink("target", inFolder("link"));
    await writeFileAtomic(inFolder("link"), bytes);
    expect((await lstat(inFolder("link"))).isSymbolicLink()).toBe(true);
    expect(await readFileBytes(inFolder("target"))).toEqual(bytes);
    await writeFileAtomic("/dev/null", bytes);
    expect((await stat("/dev/null")).isCharacterDevice()).toBe(true);
  });

  it("reports in one line why a file cannot be written, and leaves nothing behind", async () => {
    await writeFile(inFolder("a"), "");
    await mkdir(inFolder("sub"));
    const write = (name: string) => refusal(writeFileAtomic(inFolder(name), bytes));
    expect(await write("no/dict.npz")).toBe("no/dict.npz: cannot be written (no such folder)");
    expect(await write("sub")).toBe("sub: cannot be written (it is a folder)");
    expect(await write("a/b")).toBe("a/b: cannot be written (a part of its path is not a folder)");
    expect(await write("x".repeat(300))).toMatch(/: cannot be written \(its name is too long\)$/);
    expect((await readdir(folder)).sort()).toEqual(["a", "sub"]);
  });
});

describe("requireWritable", () => {
  it("accepts a new file, an existing one and a device, and leaves nothing behind", async () => {
    await writeFile(inFolder("old"), "");
    for (const path of [inFolder("new"), inFolder("old"), "/dev/null"]) await requireWritable(path);
    expect(await readdir(folder)).toEqual(["old"]);
  });

  it("rejects paths that could not be written", async () => {
    const check = (name: string) => refusal(requireWritable(inFolder(name)));
    expect(await check("no/dict.npz")).toBe("no/dict.npz cannot be written (no such folder)");
    expect(await check("new/")).toBe("new/ cannot be written (it is a folder)");
    expect(await check("")).toMatch(/ cannot be written \(it is a folder\)$/);
  });

  it.skipIf(process.getuid?.() === 0)(
    "rejects a folder without write permission (root has every permission)",
    async () => {
      await chmod(folder, 0o500);
      const message = await refusal(requireWritable(inFolder("a")));
      await chmod(folder, 0o700);
      expect(message).toBe("a cannot be written (permission denied)");
    },
  );
});

describe("fileError", () => {
  const failure = (code: string, message: string) => Object.assign(new Error(message), { code });

  it("is an InputError if the caller can correct it, and a plain Error if the disk is full", () => {
    const readOnly = fileError(failure("EROFS", ""), "a: cannot be written", "");
    expect(readOnly).toBeInstanceOf(InputError);
    expect(readOnly.message).toBe("a: cannot be written (read-only file system)");
    expect(fileError(failure("EACCES", ""), "a: cannot be read", "").message).toBe(
      "a: cannot be read (permission denied)",
    );
    const full = fileError(
      failure("ENOSPC", "ENOSPC: no space left on device, write"),
      "a: cannot be written",
      "",
    );
    expect(full).not.toBeInstanceOf(InputError);
    expect(full.message).toBe("a: cannot be written (no space left on the disk)");
  });
});

describe("temporary files", () => {
  const tag = (text: string) => crcToHex(crc32(Buffer.from(text)));
  const ended = spawnSync(process.execPath, ["-e", ""]).pid; // the number of a process that has ended

  /** Leave behind a temporary file for `target`, as a process of this number would. */
  async function leave(
    pid: number,
    target: string,
    machine = `${hostname()} ${processNamespace()}`,
  ): Promise<string> {
    const name = `.trainlets-${pid}-${tag(machine)}-${tag(target)}-0123456789ab.tmp`;
    await writeFile(inFolder(name), "half");
    return name;
  }

  it("for the same file are removed if their process has ended; no others are", async () => {
    await leave(ended, "dict.npz");
    await leave(process.pid, "dict.npz"); // an earlier process with our number
    const others = [
      await leave(process.ppid, "dict.npz"),
      await leave(ended, "other.npz"),
      await leave(ended, "dict.npz", "elsewhere"),
    ];
    await writeFile(inFolder(".trainlets-mine.tmp"), "");
    const mine = new TemporaryFile(inFolder("dict.npz"));
    await writeFile(mine.path, "");
    await removeStaleOf(inFolder("dict.npz"));
    expect((await readdir(folder)).sort()).toEqual(
      [...others, ".trainlets-mine.tmp", basename(mine.path)].sort(),
    );
    await mine.remove();
    expect(await readdir(folder)).not.toContain(basename(mine.path));
  });

  it("in the folder of a run are all removed, those of other machines after ten minutes", async () => {
    await leave(ended, "checkpoint-000001.tlc");
    await leave(ended, "metrics.jsonl");
    const running = await leave(process.ppid, "checkpoint-000002.tlc");
    const recent = await leave(ended, "checkpoint-000003.tlc", "elsewhere");
    const old = await leave(1, "checkpoint-000004.tlc", "elsewhere");
    const hourAgo = Date.now() / 1000 - 3600;
    await utimes(inFolder(old), hourAgo, hourAgo);
    await removeStaleIn(folder);
    expect((await readdir(folder)).sort()).toEqual([recent, running].sort());
  });

  it("are not looked for in a folder that does not exist", async () => {
    await removeStaleIn(inFolder("none"));
  });
});
