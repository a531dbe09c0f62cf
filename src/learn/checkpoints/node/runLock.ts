/**
 * The mark of a run in the folder it has for itself, so that two at once do not take
 * each other's checkpoints away. Its name tells the process, the machine and when the
 * process began:
 *
 *     .trainlets-run-PID-MACHINE-BEGIN
 *
 * A mark of a process that is no more means nothing, and neither does one of another
 * machine, where nobody can ask: a run that was killed goes on without being asked to tidy up.
 */

import { readFileSync } from "node:fs";
import { readdir, unlink, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { InputError } from "../../../core/errors.js";
import { isRunning, machineTag } from "../../../data/node/temporaryNames.js";

const pattern = /^\.trainlets-run-(\d+)-([0-9a-f]{8})-(\d+)$/;

/** Leave the mark of this process in a folder; an error where another run is at work there. Returns its path. */
export async function markRun(folder: string): Promise<string> {
  const path = join(folder, `.trainlets-run-${process.pid}-${machineTag()}-${statusOf(process.pid)[1]}`);
  await writeFile(path, "");
  for (const name of await readdir(folder)) {
    const [, pid, machine, begin] = pattern.exec(name) ?? [];
    if (pid === undefined || name === basename(path)) continue;
    if (machine === machineTag() && isAlive(Number(pid), Number(begin))) {
      await unlink(path).catch(() => {});
      throw new InputError(`${folder}: must have no other run at work in it, got process ${pid}`);
    }
    await unlink(join(folder, name)).catch(() => {});
  }
  return path;
}

/** Whether the process that left a mark is still there; a number that has gone to another process is not it. */
function isAlive(pid: number, begin: number): boolean {
  if (pid === process.pid || !isRunning(pid)) return false;
  const [state, since] = statusOf(pid);
  return !ended.has(state) && (begin === 0 || since === 0 || since === begin);
}

/** States of processes that have ended, and of which only the number is left. */
const ended = new Set(["Z", "X"]);

/** The state of a process, and when it began in ticks since the machine did: "" and 0 where the system does not tell. */
function statusOf(pid: number): readonly [state: string, begin: number] {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "latin1");
    const fields = text.slice(text.lastIndexOf(")") + 2).split(" "); // from field 3 on: the name before may hold anything
    return [fields[0] ?? "", Number(fields[19]) || 0];
  } catch {
    return ["", 0];
  }
}
