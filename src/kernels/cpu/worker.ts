/**
 * A thread of the pool. `runWorker` is sent to threads as text, in Node and in
 * browsers alike, so it uses nothing from outside itself, nor syntax for which a
 * compiler to older JavaScript would bring in a helper (spread, arrays taken apart).
 *
 * A thread sleeps on the generation counter; a new generation is a new job. It
 * takes ranges of items until none is left, and the last to finish wakes the rest.
 */

/** What a thread is given to start with. */
export interface WorkerStart {
  readonly module: WebAssembly.Module;
  readonly memory: WebAssembly.Memory;
  /** Names of the kernels, by their number in a job. */
  readonly names: readonly string[];
  /** Addresses of the control block and of a job's arguments. */
  readonly control: number;
  readonly args: number;
  /** Which slot of the control block holds this thread's scratch address. */
  readonly scratchSlot: number;
}

/** Places of the control block, i32 each. */
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
  /** The scratch address of thread 0, 1, … follow from here. */
  scratch: 8,
} as const;

export function runWorker(start: WorkerStart): void {
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
