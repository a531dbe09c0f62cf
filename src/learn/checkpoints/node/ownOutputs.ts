/**
 * The dictionaries that a run with checkpoints has written, so that it replaces its own when it is resumed, and no
 * other file. They are known by their contents: the file may be named from another folder, or have been moved
 * with the checkpoints or without them.
 *
 * `.trainlets-outputs` in the folder of the checkpoints has a line for each, the newest last: its bytes and their
 * SHA-256. The line is written before the dictionary, so that a run that is killed between the two knows its file.
 */

import { createHash } from "node:crypto";
import { lstat, readdir, stat, unlink } from "node:fs/promises";
import { join } from "node:path";
import {
  fileError,
  ifMissing,
  readError,
  readFileBytes,
  readFileStart,
  writePiecesAtomic,
} from "../../../data/node/files.js";
import { systemPath } from "../../../data/node/system/fileNames.js";
import { isCheckpointName } from "./checkpointFolder.js";

const listName = ".trainlets-outputs";

/** The most lines that are kept, and bytes that are read. */
const mostLines = 100;
const mostBytes = 2 ** 16;

/** Whether the run with checkpoints in `folder` wrote the file at `path`. */
export async function isOwnOutput(folder: string, path: string): Promise<boolean> {
  const lines = await linesIn(folder);
  if (lines.length === 0 || !(await hasCheckpoints(folder))) return false; // a run that starts anew has written nothing
  const size = await sizeOfFile(path);
  if (!lines.some((line) => line.startsWith(`${size} `))) return false;
  return lines.includes(lineOf(await readFileBytes(path)));
}

/** Record that the run with checkpoints in `folder` is about to write a file with these bytes. */
export async function recordOutput(folder: string, bytes: Uint8Array): Promise<void> {
  const path = join(folder, listName);
  const line = lineOf(bytes);
  const before = (await linesIn(folder)).filter((other) => other !== line);
  try {
    await writePiecesAtomic(path, asPiece([...before, line].slice(-mostLines)));
  } catch (error) {
    throw fileError(error, `${path}: cannot be written`, "no such folder");
  }
}

/** Forget what an earlier run in this folder wrote: a new one begins. */
export async function forgetOutputs(folder: string): Promise<void> {
  await unlink(join(folder, listName)).catch(() => {}); // most often it is not there
}

async function* asPiece(lines: readonly string[]): AsyncGenerator<Uint8Array> {
  yield new TextEncoder().encode(lines.map((line) => `${line}\n`).join(""));
}

function lineOf(bytes: Uint8Array): string {
  return `${bytes.length} ${createHash("sha256").update(bytes).digest("hex")}`;
}

/** The lines of the list, if it is there and a regular file. */
async function linesIn(folder: string): Promise<string[]> {
  const path = join(folder, listName);
  const found = await lstat(path).catch((error) => missingOr(error, path));
  if (!found?.isFile()) return [];
  const text = new TextDecoder().decode(await readFileStart(path, mostBytes));
  return text.split("\n").filter((line) => line !== "");
}

async function hasCheckpoints(folder: string): Promise<boolean> {
  const names = await readdir(folder).catch((error) => missingOr(error, folder));
  return names?.some(isCheckpointName) ?? false;
}

/** The bytes of a regular file; undefined for anything else. */
async function sizeOfFile(path: string): Promise<number | undefined> {
  const found = await stat(systemPath(path)).catch((error) => missingOr(error, path));
  return found?.isFile() ? found.size : undefined;
}

function missingOr(error: NodeJS.ErrnoException, path: string): undefined {
  try {
    return ifMissing(error);
  } catch {
    throw readError(error, path);
  }
}
