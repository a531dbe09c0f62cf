/**
 * Opening files, although the system limits how many may be open: whoever keeps files open
 * for later can be asked to close those that are not in use.
 */

import { constants, type Stats } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { setTimeout as pause } from "node:timers/promises";
import { InputError } from "../../../core/errors.js";
import { shownPath, systemPath } from "./fileNames.js";

/** Closes files that are kept open but not in use. */
type CloseIdle = () => void;

const keepers = new Set<CloseIdle>();

/** Call `closeIdle` when no more files may be opened; returns how to stop that. */
export function onShortage(closeIdle: CloseIdle): () => void {
  keepers.add(closeIdle);
  return () => keepers.delete(closeIdle);
}

/** How often opening is tried again, and the milliseconds before the first time; each wait is longer by as much. */
const retries = { count: 20, pause: 10 } as const;

/** Open a file; if too many are open, close idle ones and try again for a while. */
export async function openHandle(path: string, flags: string | number, mode?: number): Promise<FileHandle> {
  for (let failed = 0; ; failed++) {
    try {
      return await open(systemPath(path), flags, mode);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if ((code !== "EMFILE" && code !== "ENFILE") || failed === retries.count) throw error;
      for (const closeIdle of keepers) closeIdle();
      await pause(retries.pause * (failed + 1));
    }
  }
}

/** Open a regular file to read it. Anything else is rejected without waiting: a pipe would wait for its writer. */
export async function openRegular(path: string): Promise<{ handle: FileHandle; stats: Stats }> {
  const handle = await openHandle(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const stats = await handle.stat();
    if (!stats.isFile())
      throw new InputError(`${shownPath(path)}: cannot be read (it is ${kindOfFile(stats)})`);
    return { handle, stats };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** What a file is, with its article. */
export function kindOfFile(
  file: Pick<Stats, "isFile" | "isDirectory" | "isFIFO" | "isSocket" | "isCharacterDevice">,
): string {
  if (file.isFile()) return "a regular file";
  if (file.isDirectory()) return "a folder";
  if (file.isFIFO()) return "a named pipe";
  if (file.isSocket()) return "a socket";
  return file.isCharacterDevice() ? "a character device" : "a block device";
}
