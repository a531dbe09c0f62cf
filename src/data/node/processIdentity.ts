/**
 * Which process left a file behind, and whether it still runs, as far as this process can know.
 *
 * A process number means something only on one machine, and in a container only among the
 * processes of that container. So a process is identified by the boot of its machine, its
 * namespace of process numbers, its number and its start time. Of processes elsewhere nothing
 * is known.
 */

import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";

export interface ProcessIdentity {
  readonly host: string;
  /** Where its number counts: the boot of the machine and the namespace; the name of the host if the system has neither. */
  readonly scope: string;
  readonly pid: number;
  /** When it started, in ticks since the boot; 0 if the system does not say. */
  readonly start: number;
}

let own: ProcessIdentity | undefined;

export function thisProcess(): ProcessIdentity {
  own ??= { host: hostname(), scope: processScope(), pid: process.pid, start: readStatus(process.pid).start };
  return own;
}

/** Whether a process still runs: "unknown" if it belongs to another machine or container. */
export function stateOf({ scope, pid, start }: ProcessIdentity): "running" | "ended" | "unknown" {
  if (scope !== thisProcess().scope) return "unknown";
  if (!isRunning(pid)) return "ended";
  const now = readStatus(pid);
  if (ended.has(now.state)) return "ended";
  if (start === 0 || now.start === 0) return pid === process.pid ? "running" : "unknown"; // its number may be another's by now
  return now.start === start ? "running" : "ended";
}

/** Whether there is a process of this number here. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM"; // another user's process
  }
}

/** Where numbers of processes mean the same as here, until the machine is restarted. */
function processScope(): string {
  const namespace = processNamespace();
  try {
    return `${readFileSync("/proc/sys/kernel/random/boot_id", "latin1").trim()} ${namespace}`;
  } catch {
    return `host ${hostname()} ${namespace}`;
  }
}

/** The namespace of process numbers that containers separate; "" if the system has none. */
export function processNamespace(): string {
  try {
    return readlinkSync("/proc/self/ns/pid");
  } catch {
    return "";
  }
}

const nothing = { state: "", start: 0 };

/** States of processes that have ended but still have a number. */
const ended = new Set(["Z", "X"]);

/** The state of a process, and its start in ticks since the machine booted; "" and 0 if the system does not say. */
function readStatus(pid: number): { readonly state: string; readonly start: number } {
  try {
    if (Number(readlinkSync("/proc/self")) !== process.pid) return nothing; // it shows numbers of another namespace
    const text = readFileSync(`/proc/${pid}/stat`, "latin1");
    const fields = text.slice(text.lastIndexOf(")") + 2).split(" "); // from field 3 on: the name before may hold anything
    return { state: fields[0] ?? "", start: Number(fields[19]) || 0 };
  } catch {
    return nothing;
  }
}
