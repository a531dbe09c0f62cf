/**
 * The worker of this view. It has one of its own, so that a task that does not end soon after it is cancelled can be
 * ended with its worker, and nothing else is lost. Tasks run one at a time.
 */

import type { Dictionary } from "../../app/library";
import { type CallOptions, Engine, EngineError } from "../../engine/client";
import type { Tasks } from "../../engine/tasks";

const engine = new Engine();
/** Dictionaries that the worker has. */
const sent = new Set<Dictionary>();
let last: Promise<unknown> = Promise.resolve();

/** Milliseconds that a cancelled task has to end. */
const patience = 600;

function restart(): void {
  engine.stop();
  sent.clear();
}

type RestoreTask = "removeNoise" | "fillPicture" | "compressPicture";
type InputOf<K extends RestoreTask> = Parameters<Tasks[K]>[0];
type ResultOf<K extends RestoreTask> = Awaited<ReturnType<Tasks[K]>>;

/** Run a task once the one before has ended; `dictionary` is what its input names by number. */
export function restore<K extends RestoreTask>(
  task: K,
  input: InputOf<K>,
  dictionary: Dictionary | undefined,
  options: CallOptions<never> & { readonly signal: AbortSignal },
): Promise<ResultOf<K>> {
  const work = last
    .catch(() => {})
    .then(async () => {
      const { signal } = options;
      signal.throwIfAborted();
      let ending: ReturnType<typeof setTimeout> | undefined;
      const abort = () => {
        ending = setTimeout(restart, patience);
      };
      signal.addEventListener("abort", abort, { once: true });
      try {
        if (dictionary && !sent.has(dictionary)) await send(dictionary);
        return await engine.run(task, input, options as never);
      } catch (error) {
        if (!isExpected(error)) restart(); // such as a lost device, or no memory
        throw error;
      } finally {
        clearTimeout(ending);
        signal.removeEventListener("abort", abort);
      }
    });
  last = work;
  return work as Promise<ResultOf<K>>;
}

async function send(dictionary: Dictionary): Promise<void> {
  const { id, name, bytes } = dictionary;
  await engine.run("openModel", { id, name, bytes });
  sent.add(dictionary);
}

function isExpected(error: unknown): boolean {
  if (!(error instanceof EngineError)) return true;
  return error.kind === "AbortError" || error.kind === "InputError";
}
