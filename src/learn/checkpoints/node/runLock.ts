/**
 * The lock of a run on its folder, so that two runs do not remove each other's
 * checkpoints. It is an empty file whose name holds the process, the machine and the
 * start time of the process:
 *
 *     .trainlets-run-PID-MACHINE-START
 *
 * A lock left by a dead process, or by another machine, is ignored and removed: a run that
 * was killed can be resumed without cleaning up first.
 */

import { readFileSync } from "node:fs";
import { readdir, unlink, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { InputError } from "../../../core/errors.js";
import { fileError, isRunning, machineTag } from "../../../data/node/files.js";

const pattern = /^\.trainlets-run-(\d+)-([0-9a-f]{8})-(\d+)$/;

/** Lock a folder for this process; an error if another run is using it. Returns the path of the lock. */
export async function lockFolder(folder: string): Promise<string> {
  const path = join(folder, `.trainlets-run-${process.pid}-${machineTag()}-${readStatus(process.pid).start}`);
  try {
    await writeFile(path, "");
    for (const name of await readdir(folder)) {
      const [, pid, machine, start] = pattern.exec(name) ?? [];
      if (pid === undefined || name === basename(path)) continue;
      if (machine === machineTag() && isAlive(Number(pid), Number(start)))
        throw new InputError(`${folder}: process ${pid} is already using this folder`);
      await unlink(join(folder, name)).catch(() => {});
    }
    return path;
  } catch (error) {
    await unlink(path).catch(() => {});
    if (error instanceof InputError) throw error;
    throw fileError(error, `${folder}: cannot hold checkpoints`, "no such folder");
  }
}

/** Whether the process that left a lock still runs; another process may have been given its number since. */
function isAlive(pid: number, start: number): boolean {
  if (pid === process.pid || !isRunning(pid)) return false;
  const now = readStatus(pid);
  return !ended.has(now.state) && (start === 0 || now.start === 0 || now.start === start);
}

/** States of processes that have ended but still have a number. */
const ended = new Set(["Z", "X"]);

/** The state of a process, and its start in ticks since the machine booted; "" and 0 if the system does not say. */
function readStatus(pid: number): { readonly state: string; readonly start: number } {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "latin1");
    const fields = text.slice(text.lastIndexOf(")") + 2).split(" "); // from field 3 on: the name before may hold anything
    return { state: fields[0] ?? "", start: Number(fields[19]) || 0 };
  } catch {
    return { state: "", start: 0 };
  }
}
