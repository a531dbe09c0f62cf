/** A command line run in this process: its exit code, what it prints, and what it leaves behind here. */

import { runProgram } from "../../src/cli/program.js";
import { words } from "../cliProcess.js";

export interface Outcome {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Run a line of `trainlets`, or its words, in the current folder, to its end. */
export async function runHere(line: string | readonly string[]): Promise<Outcome> {
  const printed = { stdout: "", stderr: "" };
  const streams = ["stdout", "stderr"] as const;
  const writers = streams.map((name) => process[name].write);
  for (const name of streams) {
    process[name].write = ((text: string) => {
      printed[name] += text;
      return true;
    }) as typeof process.stdout.write;
  }
  try {
    return { code: await runProgram(typeof line === "string" ? words(line) : line), ...printed };
  } finally {
    streams.forEach((name, i) => {
      process[name].write = writers[i];
    });
  }
}

/** Instead of the heartbeat of a lock: a thread per run would take most of the time. It closes the file of the lock. */
export class NoHeartbeat {
  readonly #handle: { close(): Promise<void> };

  constructor(handle: { close(): Promise<void> }) {
    this.#handle = handle;
  }

  async stop(): Promise<void> {
    await this.#handle.close().catch(() => {});
  }
}

/** Listeners on the process and its streams: a run must remove those that it adds. */
export function countListeners(): Record<string, number> {
  const found: Record<string, number> = {};
  for (const [name, emitter] of Object.entries({ process, stdout: process.stdout, stderr: process.stderr }))
    for (const event of emitter.eventNames())
      found[`${name} ${String(event)}`] = emitter.listenerCount(event as string);
  return found;
}
