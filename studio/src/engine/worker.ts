/** The script of a worker: takes calls and runs the tasks of tasks.ts. */

import { type Answer, buffersOf, type Request, type Task } from "./protocol";
import { tasks } from "./tasks";

const running = new Map<number, AbortController>();

function answer(message: Answer, transfer: Transferable[] = []): void {
  self.postMessage(message, { transfer });
}

async function run(id: number, name: string, input: unknown): Promise<void> {
  const abort = new AbortController();
  running.set(id, abort);
  try {
    const task = (tasks as unknown as Record<string, Task<unknown, unknown, unknown>>)[name];
    const result = await task(input, {
      signal: abort.signal,
      report: (progress, transfer) => answer({ id, progress }, transfer),
    });
    answer({ id, result }, buffersOf(result));
  } catch (error) {
    const { name: kind = "Error", message = String(error) } = error as Partial<Error>;
    answer({ id, error: { name: kind, message } });
  } finally {
    running.delete(id);
  }
}

self.addEventListener("message", ({ data }: MessageEvent<Request>) => {
  if ("cancel" in data) running.get(data.id)?.abort();
  else void run(data.id, data.task, data.input);
});
