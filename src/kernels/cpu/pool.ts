/**
 * A pool of threads over one memory. A job is a kernel, its arguments and a number of
 * items. The calling thread works too, so a pool of one thread starts no others.
 *
 * Items go to whichever thread is free, a few at a time, and every output belongs to
 * one item: the result has the same bits for any number of threads. Starting a job
 * costs a few microseconds while the threads are awake (they spin a moment before they
 * sleep), and tens of microseconds if they sleep.
 */

import { EventLoopPause } from "../../core/eventLoop.js";
import type { Fields } from "../fields.js";
import { kernels } from "./binary.js";
import { Arena } from "./handles.js";

type Kernel = (from: number, to: number, scratch: number, args: number) => void;

type KernelName = keyof typeof kernels;

/** The kernels of assembly/. Threads know a kernel by its index here. */
const names = Object.keys(kernels) as readonly KernelName[];

/** Addresses in the reserved start of the memory, and the size of the arguments. */
const controlAddress = 1024;
const argsAddress = 3072;
export const argumentBytes = 1024;
/** Milliseconds that the caller polls the other threads before it lets other tasks run. */
const patience = 0.3;

/** `Atomics` that can wait without blocking (ES2024). */
type AsyncAtomics = typeof Atomics & {
  waitAsync?(
    array: Int32Array,
    index: number,
    value: number,
  ): { async: false; value: string } | { async: true; value: Promise<string> };
};

/** Threads that did not start; the message says why. */
export class ThreadsError extends Error {}

/** The most threads of a pool: the scratch slots of the control block. */
export const maxThreads = 256;

export interface PoolOptions {
  readonly threads: number;
  /** Whether the memory is shared between threads. */
  readonly shared: boolean;
  /** The most bytes of the memory. */
  readonly memoryBytes?: number | undefined;
}

export class Pool {
  readonly arena: Arena;
  readonly threads: number;
  readonly #kernels: Record<KernelName, Kernel>;
  readonly #others: Thread[] = [];
  readonly #pause = new EventLoopPause();
  #scratchBytes = 0;
  #seen: Int32Array | undefined;
  #ended: string | undefined;
  #onEnded: (() => void) | undefined;

  private constructor(arena: Arena, threads: number, instance: WebAssembly.Instance) {
    this.arena = arena;
    this.threads = threads;
    this.#kernels = instance.exports as Record<KernelName, Kernel>;
  }

  /** Threads that are ready to run the kernels of a module; a `ThreadsError` if they do not start. */
  static async open(
    module: WebAssembly.Module,
    { threads, shared, memoryBytes }: PoolOptions,
  ): Promise<Pool> {
    const arena = new Arena(shared, memoryBytes);
    const { memory } = arena;
    const instance = await WebAssembly.instantiate(module, { env: { memory } });
    const pool = new Pool(arena, threads, instance);
    try {
      await pool.#startOthers(module);
    } catch (error) {
      pool.close();
      throw new ThreadsError(`threads do not start here (${error instanceof Error ? error.message : error})`);
    }
    return pool;
  }

  /** Start all threads but the calling one, and wait until they are ready. */
  async #startOthers(module: WebAssembly.Module): Promise<void> {
    let refusal: string | undefined;
    for (let t = 1; t < this.threads; t++) {
      const start: WorkerStart = {
        module,
        memory: this.arena.memory,
        names,
        control: controlAddress,
        args: argsAddress,
        scratchSlot: slots.scratch + t,
      };
      const thread = startThread(start);
      this.#others.push(thread);
      thread.onEnd((reason) => {
        refusal ??= reason;
        this.#onThreadEnd(reason);
      });
    }
    while (Atomics.load(this.#control(), slots.ready) < this.#others.length) {
      if (refusal !== undefined) throw new Error(refusal);
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
  }

  /** Make sure that every thread has this many bytes of scratch memory. */
  reserveScratch(bytes: number): void {
    if (bytes <= this.#scratchBytes) return;
    const control = this.#control();
    for (let t = 0; t < this.threads; t++) {
      const old = control[slots.scratch + t] >>> 0;
      control[slots.scratch + t] = 0; // if there is no memory, no thread may use what was given back
      if (old !== 0) this.arena.give(old);
    }
    this.#scratchBytes = 0;
    for (let t = 0; t < this.threads; t++) {
      const at = this.arena.take(bytes); // may move the memory, so the control block is looked up afterwards
      this.#control()[slots.scratch + t] = at;
    }
    this.#scratchBytes = bytes;
  }

  /**
   * Run a kernel over the items from `first` to `end`, `step` at a time, with arguments by the names that assembly/ gives
   * them.
   */
  async run<Name extends KernelName, Given>(
    name: Name,
    args: Given & Fields<(typeof kernels)[Name], Given>,
    end: number,
    step: number,
    first = 0,
  ): Promise<void> {
    this.#requireAlive();
    this.arena.write(argsAddress, kernels[name], args);
    const kernel = this.#kernels[name];
    const control = this.#control();
    const scratch = control[slots.scratch] >>> 0;
    if (this.#others.length === 0 || end - first <= step) {
      for (let from = first; from < end; from += step) {
        if (this.#pause.isDue()) await this.#pause.take();
        kernel(from, Math.min(from + step, end), scratch, argsAddress);
      }
      return;
    }
    control[slots.kernel] = names.indexOf(name);
    control[slots.items] = end;
    control[slots.step] = step;
    Atomics.store(control, slots.nextItem, first);
    Atomics.store(control, slots.pending, this.#others.length);
    Atomics.add(control, slots.generation, 1);
    Atomics.notify(control, slots.generation);
    for (;;) {
      const from = Atomics.add(control, slots.nextItem, step);
      if (from >= end) break;
      kernel(from, Math.min(from + step, end), scratch, argsAddress);
      if (this.#pause.isDue()) await this.#pause.take();
    }
    await this.#othersDone(control);
  }

  /** Wait for the other threads: poll for a moment, then let other tasks run. */
  async #othersDone(control: Int32Array): Promise<void> {
    const until = performance.now() + patience;
    while (Atomics.load(control, slots.pending) > 0) {
      if (performance.now() < until) continue;
      this.#requireAlive();
      await this.#nap(control);
    }
  }

  /** Sleep until the others are done, or one has ended, or for at most 20 ms. */
  async #nap(control: Int32Array): Promise<void> {
    const pending = Atomics.load(control, slots.pending);
    if (pending === 0) return;
    await new Promise<void>((resolve) => {
      const wait = (Atomics as AsyncAtomics).waitAsync?.(control, slots.pending, pending);
      const timer = setTimeout(resolve, wait ? 20 : 0); // also keeps the process alive
      const wake = () => {
        clearTimeout(timer);
        resolve();
      };
      this.#onEnded = wake;
      if (wait?.async) void wait.value.then(wake);
      else if (wait) wake();
    });
    this.#onEnded = undefined;
  }

  /** End the threads. */
  close(): void {
    this.#ended = "closed";
    const control = this.#control();
    Atomics.store(control, slots.stop, 1);
    Atomics.add(control, slots.generation, 1);
    Atomics.notify(control, slots.generation);
    for (const thread of this.#others) thread.end();
    this.#others.length = 0;
  }

  #onThreadEnd(reason: string): void {
    this.#ended ??= `a thread ended (${reason})`;
    this.#onEnded?.();
  }

  #requireAlive(): void {
    if (this.#ended !== undefined) throw new Error(`cpu kernels: ${this.#ended}; they can no longer be used`);
  }

  /** The control block, looked up again if the memory has moved. */
  #control(): Int32Array {
    const { buffer } = this.arena.memory;
    if (this.#seen?.buffer !== buffer) this.#seen = new Int32Array(buffer, controlAddress, 512);
    return this.#seen;
  }
}

// Threads of Node or of a browser behind one small interface, without importing
// anything of either (Node's modules are looked up at run time); and what a thread
// of the pool runs.

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
const slots = {
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
    options: { eval: true; workerData: unknown; resourceLimits: typeof threadLimits },
  ) => {
    on(event: "error" | "exit", listener: (value: unknown) => void): void;
    unref(): void;
    terminate(): Promise<number>;
  };
  availableParallelism(): number;
}

/**
 * Limits of a thread's own heap, which holds next to nothing. Without them Node reserves 590 MiB of address space
 * for each thread, with them 80 (addressSpace.ts).
 */
const threadLimits = { maxOldGenerationSizeMb: 16, maxYoungGenerationSizeMb: 4, codeRangeSizeMb: 8 } as const;

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
function startThread(start: WorkerStart): Thread {
  const node = nodeModules();
  return node ? nodeThread(node, start) : browserThread(start);
}

function nodeThread(node: NodeModules, start: WorkerStart): Thread {
  const code = `(${runWorker.toString()})(globalThis.process.getBuiltinModule("worker_threads").workerData)`;
  const worker = new node.Worker(code, { eval: true, workerData: start, resourceLimits: threadLimits });
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
