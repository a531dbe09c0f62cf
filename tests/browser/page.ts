/**
 * The script of the test page. Tests call `runTask`, which runs a task in the page itself
 * or in a worker of the page; this file is the script of both.
 */

import { type Learned, learn, type Task } from "./task.js";

/** Where a task runs. */
export type Place = "page" | "worker";

/**
 * The outcome of a task: its result, with `shared` if another thread did a part of the
 * work; or the error as text.
 */
export type Outcome = (Learned & { readonly shared?: true }) | { readonly error: string };

declare global {
  var runTask: (task: Task, place: Place) => Promise<Outcome>;
}

if (typeof document === "undefined") {
  self.onmessage = async ({ data }: MessageEvent<Task>) => self.postMessage(await runHere(data));
} else {
  globalThis.runTask = (task, place) => (place === "page" ? runHere(task) : runInWorker(task));
}

async function runHere(task: Task): Promise<Outcome> {
  const otherThreads = watchItems();
  try {
    const learned = await learn(task);
    return otherThreads() ? { ...learned, shared: true } : learned;
  } catch (error) {
    return { error: String(error) };
  }
}

function runInWorker(task: Task): Promise<Outcome> {
  const worker = new Worker(new URL("page.js", document.baseURI), { type: "module" });
  return new Promise<Outcome>((resolve, reject) => {
    worker.onmessage = ({ data }: MessageEvent<Outcome>) => resolve(data);
    worker.onerror = ({ message }) => reject(new Error(`the worker of the page failed: ${message}`));
    worker.postMessage(task);
  }).finally(() => worker.terminate());
}

/**
 * Finds out whether other threads take part. All threads take the items of a job from one
 * counter in shared memory, so this thread sees the counter ahead of its own count.
 */
function watchItems(): () => boolean {
  const counter = 1; // `slots.nextItem` in src/kernels/cpu/pool.ts
  const { add, store } = Atomics;
  let taken = 0;
  let ahead = false;
  Atomics.store = ((array: Int32Array, index: number, value: number) => {
    if (index === counter) taken = value;
    return store(array, index, value);
  }) as typeof Atomics.store;
  Atomics.add = ((array: Int32Array, index: number, value: number) => {
    const before = add(array, index, value);
    if (index === counter) {
      ahead ||= before > taken;
      taken += value;
    }
    return before;
  }) as typeof Atomics.add;
  return () => ahead;
}
