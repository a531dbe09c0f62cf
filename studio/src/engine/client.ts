/**
 * The page's side of the engine. There are two workers with the same script: one learns, the other does what a person
 * asks for meanwhile, so that neither waits for the other.
 */

import type { Answer, Task } from "./protocol";
import type { Tasks } from "./tasks";

type InputOf<K extends keyof Tasks> = Parameters<Tasks[K]>[0];
type ResultOf<K extends keyof Tasks> = Awaited<ReturnType<Tasks[K]>>;
type ProgressOf<K extends keyof Tasks> = Tasks[K] extends Task<never, unknown, infer P> ? P : never;

export interface CallOptions<Progress> {
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: Progress) => void;
  /** Buffers of the input that move to the worker: the page has them no more. */
  readonly transfer?: Transferable[];
}

interface Call {
  readonly resolve: (result: never) => void;
  readonly reject: (error: Error) => void;
  readonly onProgress?: ((progress: never) => void) | undefined;
}

/** An error of the engine; `kind` is the name of its class in the worker. */
export class EngineError extends Error {
  readonly kind: string;
  constructor(kind: string, message: string) {
    super(message);
    this.name = "EngineError";
    this.kind = kind;
  }
}

export class Engine {
  #worker: Worker | undefined;
  readonly #calls = new Map<number, Call>();
  #next = 1;

  /** Run a task in the worker, which starts with the first call. */
  run<K extends keyof Tasks & string>(
    task: K,
    input: InputOf<K>,
    { signal, onProgress, transfer = [] }: CallOptions<ProgressOf<K>> = {},
  ): Promise<ResultOf<K>> {
    signal?.throwIfAborted();
    const id = this.#next++;
    const worker = this.#start();
    const cancel = () => worker.postMessage({ id, cancel: true });
    signal?.addEventListener("abort", cancel, { once: true });
    return new Promise<ResultOf<K>>((resolve, reject) => {
      this.#calls.set(id, { resolve, reject, onProgress });
      worker.postMessage({ id, task, input }, transfer);
    }).finally(() => signal?.removeEventListener("abort", cancel));
  }

  /** End the worker, whatever it does; the next call starts another. */
  stop(): void {
    this.#worker?.terminate();
    this.#worker = undefined;
    this.#fail(new EngineError("AbortError", "the work was stopped"));
  }

  #start(): Worker {
    if (this.#worker) return this.#worker;
    const worker = new Worker(new URL("./worker.ts", import.meta.url), { type: "module" });
    worker.addEventListener("message", ({ data }: MessageEvent<Answer>) => this.#take(data));
    worker.addEventListener("error", (event) => {
      this.#worker = undefined;
      this.#fail(new EngineError("Error", event.message || "the worker could not be started"));
    });
    this.#worker = worker;
    return worker;
  }

  #take(answer: Answer): void {
    const call = this.#calls.get(answer.id);
    if (!call) return;
    if ("progress" in answer) {
      call.onProgress?.(answer.progress as never);
      return;
    }
    this.#calls.delete(answer.id);
    if ("error" in answer) call.reject(new EngineError(answer.error.name, answer.error.message));
    else call.resolve(answer.result as never);
  }

  #fail(error: Error): void {
    for (const { reject } of this.#calls.values()) reject(error);
    this.#calls.clear();
  }
}

/** Learns. */
export const learner = new Engine();
/** Does everything else. */
export const helper = new Engine();
