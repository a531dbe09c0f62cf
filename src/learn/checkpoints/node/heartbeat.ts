/**
 * A count in an open file that a thread raises at intervals, to show that this process is
 * alive. The thread does not wait for the computing of the main thread, and does not keep the
 * process from ending.
 */

import type { FileHandle } from "node:fs/promises";
import { Worker } from "node:worker_threads";

/** What the thread runs. If the disk refuses a write, the next one is tried. */
const code = `
const { workerData } = require("node:worker_threads");
const { writeSync, fdatasyncSync } = require("node:fs");
const { file, at, interval } = workerData;
let count = 0;
setInterval(() => {
  try {
    writeSync(file, String(++count).padStart(15, "0") + "\\n", at);
    fdatasyncSync(file);
  } catch {}
}, interval);
`;

/** It needs next to no memory of its own. */
const limits = { maxOldGenerationSizeMb: 16, maxYoungGenerationSizeMb: 4, codeRangeSizeMb: 8 };

/** Milliseconds after which the thread starts: a short run needs none. */
const patience = 1000;

export class Heartbeat {
  readonly #handle: FileHandle;
  readonly #start: NodeJS.Timeout;
  #thread: { readonly worker: Worker; readonly closed: Promise<void> } | undefined;

  /** Takes the file over, and closes it in the end. */
  constructor(handle: FileHandle, at: number, interval: number) {
    this.#handle = handle;
    const start = () => {
      this.#thread = startThread(handle, at, interval);
    };
    this.#start = setTimeout(start, Math.min(interval, patience)).unref();
  }

  /** End the thread and close the file. */
  async stop(): Promise<void> {
    clearTimeout(this.#start);
    await this.#thread?.worker.terminate();
    await (this.#thread?.closed ?? this.#handle.close().catch(() => {}));
  }
}

function startThread(handle: FileHandle, at: number, interval: number) {
  const workerData = { file: handle.fd, at, interval };
  const worker = new Worker(code, { eval: true, workerData, resourceLimits: limits });
  worker.on("error", () => {}); // without a heartbeat, the lock may be taken for one that was left behind
  const closed = new Promise<void>((resolve) => {
    // not before: its number may be another file's then
    worker.once("exit", () => handle.close().then(resolve, resolve));
  });
  worker.unref();
  return { worker, closed };
}
