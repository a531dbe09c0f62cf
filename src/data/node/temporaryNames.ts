/**
 * Temporary names of files that are being written, and what killed processes left
 * under them. A name tells the process, the machine and the file that it is for:
 *
 *     .trainlets-PID-MACHINE-FILE-RANDOM.tmp
 *
 * It stands in the folder of the file, hence on the same disk, and is short, so that
 * a long name of the file stays possible.
 */

import { randomBytes } from "node:crypto";
import { readdir, stat, unlink } from "node:fs/promises";
import { hostname } from "node:os";
import { basename, dirname, join } from "node:path";
import { crc32 } from "../formats/crc32.js";

const pattern = /^\.trainlets-(\d+)-([0-9a-f]{8})-([0-9a-f]{8})-[0-9a-f]{12}\.tmp$/;

/** Those that this process is writing. */
const alive = new Set<string>();

/** A temporary name for a file. */
export class Temporary {
  readonly path: string;

  constructor(target: string) {
    const random = randomBytes(6).toString("hex");
    const name = `.trainlets-${process.pid}-${machineTag()}-${tag(basename(target))}-${random}.tmp`;
    this.path = join(dirname(target), name);
    alive.add(name);
  }

  /** Remove what is there, if anything is. */
  async remove(): Promise<void> {
    await unlink(this.path).catch(() => {});
    alive.delete(basename(this.path));
  }
}

/** Remove what processes of this machine that are no more left of a file. */
export async function removeStaleOf(target: string): Promise<void> {
  const wanted = tag(basename(target));
  await removeStale(dirname(target), async (machine, file) => machine === machineTag() && file === wanted);
}

/** Milliseconds after which what another machine left has been left for good. */
const longAgo = 10 * 60 * 1000;

/** The same of all files of a folder that one run has for itself, wherever it ran before. */
export async function removeStaleIn(folder: string): Promise<void> {
  await removeStale(folder, async (machine, _, path) => {
    if (machine === machineTag()) return true;
    return Date.now() - (await stat(path)).mtimeMs > longAgo;
  });
}

async function removeStale(
  folder: string,
  isOurs: (machine: string, file: string, path: string) => Promise<boolean>,
): Promise<void> {
  for (const name of await readdir(folder).catch(() => [])) {
    const [, pid, machine, file] = pattern.exec(name) ?? [];
    if (pid === undefined || alive.has(name)) continue;
    const here = machine === machineTag();
    const path = join(folder, name);
    if (here && Number(pid) !== process.pid && isRunning(Number(pid))) continue;
    if (await isOurs(machine, file, path).catch(() => false)) await unlink(path).catch(() => {});
  }
}

/** Eight digits for this machine. */
export function machineTag(): string {
  return tag(hostname());
}

export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM"; // somebody else's
  }
}

function tag(text: string): string {
  return crc32(new TextEncoder().encode(text)).toString(16).padStart(8, "0");
}
