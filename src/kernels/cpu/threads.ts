/**
 * Threads of Node or of a browser behind one small interface, without importing
 * anything of either (Node's modules are looked up at run time); and what a thread
 * of the pool runs.
 */

/** What a thread receives when it starts. */
export interface WorkerStart {
  readonly module: WebAssembly.Module;
  readonly memory: WebAssembly.Memory;
  /** Names of the kernels, by their number in a job. */
  readonly names: readonly string[];
  /** Addresses of the control block and of a job's arguments. */
  readonly control: number;
  readonly args: number;
  /** The slot of the control block that holds the address of this thread's scratch memory. */
  readonly scratchSlot: number;
}

/** Indices into the control block, which consists of i32. */
export const slots = {
  generation: 0,
  nextItem: 1,
  pending: 2,
  kernel: 3,
  items: 4,
  step: 5,
  stop: 6,
  /** Threads that are ready. */
  ready: 7,
  /** The scratch addresses of threads 0, 1, … start here. */
  scratch: 8,
} as const;

/**
 * What a thread runs. It sleeps on the generation counter; a new generation is a new job. It
 * takes ranges of items until none is left, and the last to finish wakes the caller.
 *
 * It is sent to threads as text, so it uses nothing from outside itself, nor syntax for which
 * a compiler to older JavaScript would bring in a helper (spread, destructured arrays).
 */
function runWorker(start: WorkerStart): void {
  const { module, memory, names, control, args, scratchSlot } = start;
  const instance = new WebAssembly.Instance(module, { env: { memory } });
  const kernels = names.map((name) => instance.exports[name] as (...args: number[]) => void);
  const state = new Int32Array(memory.buffer, control, 512);
  let generation = 0;
  Atomics.add(state, 7, 1);
  Atomics.notify(state, 7);
  for (;;) {
    // the caller's own work between two jobs takes less than this; waking up takes tens of microseconds
    for (let spin = 0; spin < 20000 && Atomics.load(state, 0) === generation; spin++);
    Atomics.wait(state, 0, generation);
    generation = Atomics.load(state, 0);
    if (Atomics.load(state, 6) === 1) return;
    const kernel = kernels[state[3]];
    const items = state[4];
    const step = state[5];
    const scratch = state[scratchSlot] >>> 0;
    for (;;) {
      const from = Atomics.add(state, 1, step);
      if (from >= items) break;
      kernel(from, Math.min(from + step, items), scratch, args);
    }
    if (Atomics.sub(state, 2, 1) === 1) Atomics.notify(state, 2);
  }
}

export interface Thread {
  /** Called once if the thread ends or fails before `end`. */
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

/** The number of cores. */
export function availableThreads(): number {
  const node = nodeModules();
  if (node) return Math.max(1, node.availableParallelism());
  return Math.max(1, globalThis.navigator?.hardwareConcurrency ?? 1);
}

/** Bytes of free memory of the machine; Infinity if unknown. */
export function availableMemory(): number {
  const host = (globalThis as unknown as { readonly process?: { availableMemory?(): number } }).process;
  return host?.availableMemory?.() ?? Infinity;
}

/** Why threads are not available here; undefined if they are. */
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
