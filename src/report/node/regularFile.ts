/**
 * Files of a report folder, which may hold anything: only regular files are read, so that neither a
 * device nor a pipe is read without end, and nothing is written through a link.
 */

import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import { InputError } from "../../core/errors.js";
import { fileError, readError, removeStaleOf, writePiecesAtomic } from "../../data/node/files.js";
import { kindOfFile } from "../../data/node/system/handles.js";

const { O_RDONLY, O_RDWR, O_CREAT, O_NONBLOCK = 0, O_NOFOLLOW = 0 } = constants; // Windows has not all of them

/** Open a regular file to be read; the caller closes it. */
export function openForReading(path: string): number {
  try {
    return openRegular(path, O_RDONLY);
  } catch (error) {
    throw error instanceof OddFile
      ? new InputError(`${path}: cannot be read (${error.message})`)
      : readError(error, path);
  }
}

/** Open or create a regular file to be read and written; the caller closes it. A link is refused. */
export function openForWriting(path: string): number {
  try {
    return openRegular(path, O_RDWR | O_CREAT | O_NOFOLLOW);
  } catch (error) {
    throw error instanceof OddFile
      ? new InputError(`${path}: cannot be written (${error.message})`)
      : fileError(error, `${path}: cannot be written`, "no such folder");
  }
}

/** What is at a path is not a regular file. */
class OddFile extends Error {}

function openRegular(path: string, flags: number): number {
  let file: number;
  try {
    file = openSync(path, flags | O_NONBLOCK, 0o666); // a pipe would block
  } catch (error) {
    const isLink = flags & O_NOFOLLOW && (error as NodeJS.ErrnoException).code === "ELOOP";
    throw isLink ? new OddFile("it is a link") : error;
  }
  try {
    const stats = fstatSync(file);
    if (stats.isFile()) return file;
    throw new OddFile(`it is ${kindOfFile(stats)}`);
  } catch (error) {
    closeSync(file);
    throw error;
  }
}

/** The bytes of a regular file of at most `most` bytes; undefined if something else is there, a link say, or nothing. */
export function readRegular(path: string, most: number): Uint8Array | undefined {
  let file: number | undefined;
  try {
    file = openRegular(path, O_RDONLY | O_NOFOLLOW);
    const { size } = fstatSync(file);
    return size > most ? undefined : readAll(file, size);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (error instanceof OddFile || code === "ENOENT" || code === "EISDIR") return undefined;
    throw readError(error, path);
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

function readAll(file: number, size: number): Uint8Array {
  const bytes = new Uint8Array(size);
  for (let filled = 0; filled < size; ) {
    const count = readSync(file, bytes, filled, size - filled, null);
    if (count === 0) return bytes.subarray(0, filled);
    filled += count;
  }
  return bytes;
}

/** Write a file of the folder, whole or not at all. A link is replaced, and what it points to stays as it is. */
export async function replaceRegular(path: string, bytes: Uint8Array): Promise<void> {
  const pieces = async function* () {
    yield bytes;
  };
  try {
    await removeStaleOf(path);
    await writePiecesAtomic(path, pieces());
  } catch (error) {
    throw fileError(error, `${path}: cannot be written`, "no such folder");
  }
}
