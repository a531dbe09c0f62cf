/**
 * Messages between the page and a worker of the engine: a call has a number; the worker answers with progress, any number
 * of times, and then with a result or an error. The page may cancel a call.
 */

/** From the page. */
export type Request =
  | { readonly id: number; readonly task: string; readonly input: unknown }
  | { readonly id: number; readonly cancel: true };

/** From the worker. */
export type Answer =
  | { readonly id: number; readonly progress: unknown }
  | { readonly id: number; readonly result: unknown }
  | { readonly id: number; readonly error: Problem };

/** An error as it travels: its class decides whether a person can mend it. */
export interface Problem {
  readonly name: string;
  readonly message: string;
}

/** What a task is given beside its input. */
export interface TaskContext<Progress> {
  /** Aborted when the page cancels the call. */
  readonly signal: AbortSignal;
  /** Send something to the page before the end; buffers in `transfer` move there without a copy. */
  report(progress: Progress, transfer?: Transferable[]): void;
}

/** A task of the engine: an async function of one input. */
export type Task<Input, Result, Progress = never> = (
  input: Input,
  context: TaskContext<Progress>,
) => Promise<Result>;

const moved = new WeakMap<object, Transferable[]>();

/** Mark buffers of a result, which then move to the page without a copy; the worker has them no more. */
export function transferring<T extends object>(result: T, buffers: Transferable[]): T {
  moved.set(result, buffers);
  return result;
}

/** The buffers of a result that move. */
export function buffersOf(result: unknown): Transferable[] {
  return (typeof result === "object" && result !== null && moved.get(result)) || [];
}
