/**
 * Files read whole and written whole, with errors of one line.
 *
 * A file is written under a temporary name in its own folder, flushed to the
 * disk and renamed, so that a reader sees the old file or the new one and never
 * a half, whatever happens in between. Folders are not created: a missing one
 * is more often a slip than a wish. What a killed process left under a temporary
 * name goes when the same file is about to be written again (temporaryNames.ts).
 */

import type { Stats } from "node:fs";
import { type FileHandle, mkdir, open, realpath, rename, stat, writeFile } from "node:fs/promises";
import { dirname, extname, join } from "node:path";
import { InputError, inputError } from "../../core/errors.js";
import { removeStaleOf, Temporary } from "./temporaryNames.js";

/** Failures that are the caller's to mend, in words. */
const reasons: Readonly<Record<string, string>> = {
  EACCES: "permission denied",
  EPERM: "permission denied",
  EROFS: "read-only file system",
  EISDIR: "it is a folder",
  ENOTDIR: "a part of its path is not a folder",
  ENAMETOOLONG: "its name is too long",
  ELOOP: "its symbolic links form a loop",
  EINVAL: "its name is not valid",
  ERR_INVALID_ARG_VALUE: "its name is not valid",
};

/** Failures of the disk, in words. */
const failures: Readonly<Record<string, string>> = {
  ENOSPC: "no space left on the disk",
  EDQUOT: "the quota of the disk is used up",
  EFBIG: "larger than files may be here",
};

/** The bytes of a file. */
export async function readFileBytes(path: string): Promise<Uint8Array> {
  try {
    return await withHandle(path, "r", async (handle) => {
      const stats = await handle.stat();
      return stats.isFile() ? await readWhole(handle, stats.size) : await handle.readFile();
    });
  } catch (error) {
    throw fileError(error, `${path}: cannot be read`, "no such file");
  }
}

/** How long a file is, and whether it is one that can be read again. */
export async function statFile(path: string): Promise<{ size: number; regular: boolean }> {
  try {
    const stats = await stat(path);
    return { size: stats.size, regular: stats.isFile() };
  } catch (error) {
    throw fileError(error, `${path}: cannot be read`, "no such file");
  }
}

/** Up to the first `length` bytes of a file. */
export async function readFileStart(path: string, length: number): Promise<Uint8Array> {
  try {
    return await withHandle(path, "r", (handle) => readWhole(handle, length));
  } catch (error) {
    throw fileError(error, `${path}: cannot be read`, "no such file");
  }
}

/** Write a file, whole or not at all. What is no regular file (`/dev/null`, a pipe) is written to as it is. */
export async function writeFileAtomic(path: string, bytes: Uint8Array): Promise<void> {
  try {
    const target = await realpath(path).catch(() => path); // a link stays, what it points to is replaced
    const before = await statIfAny(target);
    if (before && !before.isFile()) await writeFile(target, bytes);
    else await replaceFile(target, [bytes], before?.mode);
  } catch (error) {
    throw fileError(error, `${path}: cannot be written`, "no such folder");
  }
}

/** The same in pieces, for what is too large to be held at once. Errors are those of the system, or of `pieces`. */
export async function writePiecesAtomic(path: string, pieces: AsyncIterable<Uint8Array>): Promise<void> {
  await replaceFile(path, pieces, undefined);
}

/** Check, before any work, that `writeFileAtomic` will be able to write there. */
export async function requireWritable(path: string): Promise<void> {
  try {
    if (path === "") throw Object.assign(new Error(), { code: "ENOENT" });
    const target = await realpath(path).catch(() => path);
    const before = await statIfAny(target);
    if (before?.isDirectory() || /[\\/]$/.test(path)) throw Object.assign(new Error(), { code: "EISDIR" });
    if (before && !before.isFile()) return;
    await removeStaleOf(target);
    const trial = new Temporary(target);
    await withHandle(trial.path, "wx", async () => {});
    await trial.remove();
  } catch (error) {
    throw fileError(error, `${path} cannot be written`, "no such folder");
  }
}

/** The same for an option `output`, whose name must end in one of these; one without an ending (`/dev/null`) may be any. */
export async function requireOutput(path: string, formats: readonly string[]): Promise<void> {
  const ending = extname(path).toLowerCase();
  if (path === "" || (ending !== "" && !formats.includes(ending)))
    throw inputError("requireOutput", "output", `must end in ${formats.join(" or ")}`, path);
  await requireWritable(path);
}

/** Make the folder that an option names, unless it exists, and check that files can be written there. */
export async function makeFolder(folder: string, option = "output"): Promise<void> {
  try {
    await mkdir(folder, { recursive: true });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST")
      throw new InputError((nameOf) => `${nameOf(option)} must be a folder, got the file ${folder}`, {
        argument: option,
      });
    throw fileError(error, `folder ${folder} cannot be made`, "its name is not valid");
  }
  await requireWritable(join(folder, "index.html"));
}

async function replaceFile(
  target: string,
  pieces: AsyncIterable<Uint8Array> | readonly Uint8Array[],
  mode: number | undefined,
): Promise<void> {
  const temporary = new Temporary(target);
  try {
    await withHandle(temporary.path, "wx", async (handle) => {
      for await (const piece of pieces) await writeAll(handle, piece);
      if (mode !== undefined) await handle.chmod(mode & 0o777);
      await handle.sync();
    });
    await rename(temporary.path, target);
  } finally {
    await temporary.remove();
  }
  await syncFolder(dirname(target));
}

async function writeAll(handle: FileHandle, bytes: Uint8Array): Promise<void> {
  for (let at = 0; at < bytes.length; ) {
    at += (await handle.write(bytes, at, Math.min(bytes.length - at, 2 ** 30))).bytesWritten;
  }
}

/** Make a new name in a folder last; not every system lets a folder be flushed. */
async function syncFolder(path: string): Promise<void> {
  await withHandle(path, "r", (handle) => handle.sync()).catch(() => {});
}

async function withHandle<T>(
  path: string,
  flags: string,
  use: (handle: FileHandle) => Promise<T>,
): Promise<T> {
  const handle = await open(path, flags);
  try {
    return await use(handle);
  } finally {
    await handle.close();
  }
}

/** Up to `length` bytes; in pieces, because one read is limited to 2 GiB. */
async function readWhole(handle: FileHandle, length: number): Promise<Uint8Array> {
  const bytes = new Uint8Array(length);
  let filled = 0;
  while (filled < length) {
    const { bytesRead } = await handle.read(bytes, filled, Math.min(length - filled, 2 ** 30), null);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return bytes.subarray(0, filled);
}

/** What is at `path`, or nothing. */
async function statIfAny(path: string): Promise<Stats | undefined> {
  return await stat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return undefined;
    throw error;
  });
}

/** One line, and an `InputError` where the caller can mend it; a full or failing disk is a plain `Error`. */
export function fileError(error: unknown, what: string, whenMissing: string): Error {
  const { code = "", message = "" } = error as NodeJS.ErrnoException;
  const reason = code === "ENOENT" ? whenMissing : reasons[code];
  if (reason) return new InputError(`${what} (${reason})`);
  return new Error(`${what} (${failures[code] ?? message.split("\n")[0]})`, { cause: error });
}

/** Whether an error is of a file system, and no mistake of the program. */
export function isSystemError(error: unknown): boolean {
  return error instanceof Error && "syscall" in error && "errno" in error;
}
