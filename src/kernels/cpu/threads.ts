/**
 * Threads of Node or of a browser behind one small interface, without importing
 * anything of either: Node's modules are asked for at run time.
 */

import type { WorkerStart } from "./worker.js";
import { runWorker } from "./worker.js";

export interface Thread {
  /** Called once if the thread ends or fails before it is told to. */
  onEnd(listener: (reason: string) => void): void;
  end(): void;
}

/** The parts of Node's worker_threads and os that are used here. */
interface NodeModules {
  readonly Worker: new (
    code: string,
    options: { eval: true; workerData: unknown },
  ) => {
    on(event: "error" | "exit", listener: (value: unknown) => void): void;
    unref(): void;
    terminate(): Promise<number>;
  };
  availableParallelism(): number;
}

function nodeModules(): NodeModules | undefined {
  const host = (globalThis as unknown as { readonly process?: { getBuiltinModule?(name: string): object } })
    .process;
  if (!host?.getBuiltinModule) return undefined;
  return {
    ...host.getBuiltinModule("worker_threads"),
    ...host.getBuiltinModule("os"),
  } as NodeModules;
}

/** How many threads there are cores for. */
export function availableThreads(): number {
  const node = nodeModules();
  if (node) return Math.max(1, node.availableParallelism());
  return Math.max(1, globalThis.navigator?.hardwareConcurrency ?? 1);
}

/** Bytes of memory the machine has to spare; Infinity where it does not tell. */
export function availableMemory(): number {
  const host = (globalThis as unknown as { readonly process?: { availableMemory?(): number } }).process;
  return host?.availableMemory?.() ?? Infinity;
}

/** Why threads cannot be had here, or undefined where they can. */
export function noThreadsBecause(): string | undefined {
  if (typeof SharedArrayBuffer === "undefined")
    return "shared memory is not allowed here (the page is not cross-origin isolated)";
  if (!nodeModules() && typeof Worker === "undefined") return "this runtime offers no worker threads";
  return undefined;
}

/** Start a thread that runs `runWorker(start)`. */
export function startThread(start: WorkerStart): Thread {
  const node = nodeModules();
  return node ? nodeThread(node, start) : browserThread(start);
}

function nodeThread(node: NodeModules, start: WorkerStart): Thread {
  const code = `(${runWorker.toString()})(globalThis.process.getBuiltinModule("worker_threads").workerData)`;
  const worker = new node.Worker(code, { eval: true, workerData: start });
  worker.unref(); // it ends with the process, whatever happens
  return {
    onEnd(listener) {
      worker.on("error", (error) => listener(String(error)));
      worker.on("exit", (code) => listener(`exit code ${code}`));
    },
    end: () => void worker.terminate(),
  };
}

function browserThread(start: WorkerStart): Thread {
  const code = `onmessage = (event) => (${runWorker.toString()})(event.data)`;
  const url = URL.createObjectURL(new Blob([code], { type: "text/javascript" }));
  const worker = new Worker(url);
  worker.postMessage(start);
  return {
    onEnd(listener) {
      // A worker that the browser refuses to load has no message.
      worker.onerror = ({ message }) =>
        listener(message || "the page's Content-Security-Policy must allow worker-src blob:");
    },
    end() {
      worker.terminate();
      URL.revokeObjectURL(url);
    },
  };
}
