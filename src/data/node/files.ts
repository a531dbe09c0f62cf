/**
 * Reading and writing whole files, with errors of one line.
 *
 * A file is written under a temporary name, flushed to the disk and renamed, so that
 * a reader sees either the old file or the new one, never half of it. Folders are not
 * created: a missing folder is more likely a typing error than a wish. Links are followed
 * once, before the first byte is written, so that the file that is tried before the work,
 * the temporary file and the file that is replaced are in one folder. Read-only files are
 * not replaced. outputs.ts decides what else may be written where.
 *
 * The temporary name identifies the process, the machine and the file:
 *
 *     .trainlets-PID-MACHINE-FILE-RANDOM.tmp
 *
 * It is in the folder of the file, hence on the same disk, and it is short, so that
 * the file itself may have a long name. What a killed process left behind is removed
 * when the same file is written again.
 */

import { randomBytes } from "node:crypto";
import type { Stats } from "node:fs";
import {
  type FileHandle,
  readdir,
  readlink,
  realpath,
  rename,
  stat,
  unlink,
  writeFile,
} from "node:fs/promises";
import { hostname } from "node:os";
import { basename, dirname, isAbsolute, join } from "node:path";
import { bytes as bytesType, requireArguments, text } from "../../core/arguments/argumentTypes.js";
import { InputError, ReadFailure } from "../../core/errors.js";
import { byteSize } from "../../core/formatText.js";
import { crc32, crcToHex } from "../formats/checksums.js";
import { isRunning, processNamespace } from "./processIdentity.js";
import { shownPath, systemPath } from "./system/fileNames.js";
import { kindOfFile, openHandle, openRegular } from "./system/handles.js";

/** Errors that the caller can correct, in words. */
const reasons: Readonly<Record<string, string>> = {
  EACCES: "permission denied",
  EPERM: "permission denied",
  EROFS: "read-only file system",
  EISDIR: "it is a folder",
  ENOTDIR: "a part of its path is not a folder",
  ENAMETOOLONG: "its name is too long",
  ELOOP: "its symbolic links form a loop",
  EINVAL: "its name is not valid",
  EREADONLY: "the file is read-only",
  ENXIO: "it is a socket, or a device that is not there",
  ERR_INVALID_ARG_VALUE: "its name is not valid",
};

/** Failures of the disk or of the system, in words. */
const failures: Readonly<Record<string, string>> = {
  ENOSPC: "no space left on the disk",
  EDQUOT: "the disk quota is used up",
  EFBIG: "too large for this file system",
  EIO: "the disk reports an input/output error",
  EINTR: "the system call was interrupted",
  EMFILE: "too many open files in this process",
  ENFILE: "too many open files on this machine",
  ESTALE: "its network file system has lost it",
  ETIMEDOUT: "the disk does not answer",
};

/** Most bytes that are read from a pipe, whose length is not known before. */
const maxPipeBytes = 2 ** 30;

/** Pipes that a program or shell has opened. A named pipe is never opened: that would wait for its writer. */
const openPipe = /^\/(dev|proc)\//;

/** The bytes of a regular file, or of a pipe such as `/dev/stdin`. */
export async function readFileBytes(path: string): Promise<Uint8Array> {
  try {
    if ((await statReadable(path)).isFIFO())
      return await withHandle(path, "r", (pipe) => readPipe(pipe, path));
    return await withRegular(path, (handle, { size }) => readWhole(handle, size));
  } catch (error) {
    throw readError(error, path);
  }
}

/** The size of a file, and whether it is a regular file, which can be read again. */
export async function statFile(path: string): Promise<{ size: number; regular: boolean }> {
  try {
    const stats = await statReadable(path);
    return { size: stats.size, regular: stats.isFile() };
  } catch (error) {
    throw readError(error, path);
  }
}

/** Up to the first `length` bytes of a regular file. */
export async function readFileStart(path: string, length: number): Promise<Uint8Array> {
  try {
    await statReadable(path);
    return await withRegular(path, (handle) => readWhole(handle, length));
  } catch (error) {
    throw readError(error, path);
  }
}

/** What is at a path, which must be a regular file or a pipe that is open: a device may have no end. */
async function statReadable(path: string): Promise<Stats> {
  const stats = await stat(systemPath(path));
  if (stats.isFile() || (stats.isFIFO() && openPipe.test(path))) return stats;
  if (stats.isDirectory()) throw Object.assign(new Error(), { code: "EISDIR" });
  throw new InputError(`${shownPath(path)}: cannot be read (it is ${kindOfFile(stats)})`);
}

/** Write a file, whole or not at all. Devices and pipes (`/dev/null`) are written to directly. */
export async function writeFileAtomic(path: string, bytes: Uint8Array): Promise<void> {
  requireArguments("writeFileAtomic", { path: [path, text], bytes: [bytes, bytesType] });
  try {
    const target = await resolveTarget(path); // a link stays; the file it points to is replaced
    const before = await statIfAny(target);
    requireNotReadOnly(before);
    if (before && !before.isFile()) return await writeFile(target, bytes);
    await removeStaleOf(target);
    await replaceFile(target, [bytes], before?.mode);
  } catch (error) {
    throw fileError(error, `${path}: cannot be written`, "no such folder");
  }
}

/** The same in pieces, for files too large to be held in memory. Throws the errors of the system, or of `pieces`. */
export async function writePiecesAtomic(path: string, pieces: AsyncIterable<Uint8Array>): Promise<void> {
  await replaceFile(path, pieces, undefined);
}

/** Check that `writeFileAtomic` will be able to write there, before the work begins. */
export async function requireWritable(path: string): Promise<void> {
  try {
    if (path === "") throw Object.assign(new Error(), { code: "ENOENT" });
    const target = await resolveTarget(path);
    const before = await statIfAny(target);
    if (before?.isDirectory() || /[\\/]$/.test(path)) throw Object.assign(new Error(), { code: "EISDIR" });
    if (before && !before.isFile()) return;
    requireNotReadOnly(before);
    await removeStaleOf(target);
    await tryFile(new TemporaryFile(target));
  } catch (error) {
    throw fileError(error, `${path} cannot be written`, "no such folder");
  }
}

/** Make a file and remove it. */
async function tryFile(trial: TemporaryFile): Promise<void> {
  try {
    await withHandle(trial.path, "wx", async () => {});
  } finally {
    await trial.remove();
  }
}

async function replaceFile(
  target: string,
  pieces: AsyncIterable<Uint8Array> | readonly Uint8Array[],
  mode: number | undefined,
): Promise<void> {
  const temporary = new TemporaryFile(target);
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

/** Write all bytes at the end of what was written before: one call may write less than it is asked for. */
export async function writeAll(
  handle: {
    write(bytes: Uint8Array, offset: number, length: number): Promise<{ readonly bytesWritten: number }>;
  },
  bytes: Uint8Array,
): Promise<void> {
  for (let at = 0; at < bytes.length; ) {
    at += (await handle.write(bytes, at, Math.min(bytes.length - at, 2 ** 30))).bytesWritten;
  }
}

/** Flush a folder, so that a new name in it lasts; not every system allows it. */
async function syncFolder(path: string): Promise<void> {
  await withHandle(path, "r", (handle) => handle.sync()).catch(() => {});
}

async function withHandle<T>(
  path: string,
  flags: string,
  use: (handle: FileHandle) => Promise<T>,
): Promise<T> {
  const handle = await openHandle(path, flags);
  try {
    return await use(handle);
  } finally {
    await handle.close();
  }
}

async function withRegular<T>(
  path: string,
  use: (handle: FileHandle, stats: Stats) => Promise<T>,
): Promise<T> {
  const { handle, stats } = await openRegular(path);
  try {
    return await use(handle, stats);
  } finally {
    await handle.close();
  }
}

/** Everything that comes through a pipe. */
async function readPipe(handle: FileHandle, path: string): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  const room = new Uint8Array(2 ** 16);
  for (let length = 0; ; ) {
    const { bytesRead } = await handle.read(room, 0, room.length, null);
    if (bytesRead === 0) return Buffer.concat(pieces);
    pieces.push(room.slice(0, bytesRead));
    length += bytesRead;
    if (length > maxPipeBytes)
      throw new InputError(
        `${shownPath(path)}: a pipe must give at most ${byteSize(maxPipeBytes)}, got more`,
      );
  }
}

/** Up to `length` bytes, in pieces because a single read is limited to 2 GiB. */
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

/** The most links that a path may lead through, as on Linux. */
const maxLinks = 40;

/** The file that a path stands for, through all links, whether it exists or not; its folder must exist. */
async function resolveTarget(path: string): Promise<string> {
  let file = path;
  for (let links = 0; links <= maxLinks; links++) {
    const folder = await realpath(dirname(file)); // `x/..` as the system sees it, not as text
    const target = join(folder, basename(file));
    const link = await readlink(target).catch(ifNotLink);
    if (link === undefined) return target;
    file = isAbsolute(link) ? link : `${folder}/${link}`;
  }
  throw Object.assign(new Error(), { code: "ELOOP" });
}

/** For `catch` of `readlink`: most files are not links (EINVAL; UNKNOWN on some disks of Windows). */
function ifNotLink(error: NodeJS.ErrnoException): undefined {
  if (error.code !== "EINVAL" && error.code !== "UNKNOWN") ifMissing(error);
}

/** Refuse to replace a file that nobody may write, although its folder would allow it. */
function requireNotReadOnly(before: Stats | undefined): void {
  if (before?.isFile() && (before.mode & 0o222) === 0)
    throw Object.assign(new Error(), { code: "EREADONLY" });
}

/** What is at `path`, if anything. */
async function statIfAny(path: string): Promise<Stats | undefined> {
  return await stat(path).catch(ifMissing);
}

/** Whether there is something at `path`. An error if the disk does not say. */
export async function fileExists(path: string): Promise<boolean> {
  try {
    return (await statIfAny(path)) !== undefined;
  } catch (error) {
    throw readError(error, path);
  }
}

/** For `catch`: nothing, if that is because there is no such file; whatever else went wrong is thrown. */
export function ifMissing(error: { readonly code?: string | undefined }): undefined {
  if (!["ENOENT", "ENOTDIR"].includes(error.code ?? "")) throw error;
}

/** An error of one line: an `InputError` if the caller can correct it, a plain `Error` if the disk is full or failing. */
export function fileError(error: unknown, what: string, whenMissing: string): Error {
  const { code = "", message = "" } = error as NodeJS.ErrnoException;
  const reason = code === "ENOENT" ? whenMissing : reasons[code];
  if (reason) return new InputError(`${what} (${reason})`);
  return new Error(`${what} (${failures[code] ?? message.split("\n")[0]})`, { cause: error });
}

/** Any failure to read a file as an error of one line: a run leaves such a file out and continues. */
export function readError(error: unknown, path: string, whenMissing = "no such file"): InputError {
  if (error instanceof InputError) return error;
  const made = fileError(error, `${shownPath(path)}: cannot be read`, whenMissing);
  return made instanceof InputError ? made : new ReadFailure(made.message);
}

/** Whether an error comes from the file system, and not from a bug. */
export function isSystemError(error: unknown): boolean {
  return error instanceof Error && "syscall" in error && "errno" in error;
}

const temporaryName = /^\.trainlets-(\d+)-([0-9a-f]{8})-([0-9a-f]{8})-[0-9a-f]{12}\.tmp$/;

/** Temporary names in use by this process. */
const inUse = new Set<string>();

/** A file under a temporary name, beside the file that it will become. */
export class TemporaryFile {
  readonly path: string;

  constructor(target: string) {
    const random = randomBytes(6).toString("hex");
    const name = `.trainlets-${process.pid}-${machineTag()}-${tag(basename(target))}-${random}.tmp`;
    this.path = join(dirname(target), name);
    inUse.add(name);
  }

  /** Remove the file, if it exists. */
  async remove(): Promise<void> {
    await unlink(this.path).catch(() => {});
    inUse.delete(basename(this.path));
  }
}

/** Remove temporary files for `target` that ended processes of this machine left behind. */
export async function removeStaleOf(target: string): Promise<void> {
  const wanted = tag(basename(target));
  await removeStale(dirname(target), async (machine, file) => machine === machineTag() && file === wanted);
}

/** Milliseconds after which a temporary file of another machine counts as left behind. */
const staleAfter = 10 * 60 * 1000;

/** Remove all temporary files left behind in a folder that belongs to one run, also those of other machines. */
export async function removeStaleIn(folder: string): Promise<void> {
  await removeStale(folder, async (machine, _, path) => {
    if (machine === machineTag()) return true;
    return Date.now() - (await stat(path)).mtimeMs > staleAfter;
  });
}

async function removeStale(
  folder: string,
  isStale: (machine: string, file: string, path: string) => Promise<boolean>,
): Promise<void> {
  for (const name of await readdir(folder).catch(() => [])) {
    const [, pid, machine, file] = temporaryName.exec(name) ?? [];
    if (pid === undefined || inUse.has(name)) continue;
    const here = machine === machineTag();
    const path = join(folder, name);
    if (here && Number(pid) !== process.pid && isRunning(Number(pid))) continue;
    if (await isStale(machine, file, path).catch(() => false)) await unlink(path).catch(() => {});
  }
}

/** Eight hexadecimal digits for this machine and container, where numbers of processes mean the same. */
function machineTag(): string {
  return tag(`${hostname()} ${processNamespace()}`);
}

function tag(text: string): string {
  return crcToHex(crc32(new TextEncoder().encode(text)));
}
