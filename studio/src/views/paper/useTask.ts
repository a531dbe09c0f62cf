/**
 * The result of a task of the engine for an input that changes faster than it is computed: one call at a time, and only
 * the latest input waits. The last result stays until the next one comes.
 */

import { useEffect, useRef, useState } from "preact/hooks";
import { notifyOf } from "../../app/notices";
import { helper } from "../../engine/client";
import type { Tasks } from "../../engine/tasks";

type Input<K extends keyof Tasks> = Parameters<Tasks[K]>[0];
type Result<K extends keyof Tasks> = Awaited<ReturnType<Tasks[K]>>;

/** `key`: what the input depends on, as a text; undefined while there is nothing to compute. */
export function useTask<K extends keyof Tasks & string>(
  task: K,
  key: string | undefined,
  input: () => Input<K>,
): Result<K> | undefined {
  const [result, setResult] = useState<Result<K>>();
  const waiting = useRef<(() => Input<K>) | undefined>(undefined);
  const busy = useRef(false);
  useEffect(() => {
    if (key === undefined) return;
    waiting.current = input;
    if (!busy.current) void drain();
  }, [key]);
  async function drain(): Promise<void> {
    busy.current = true;
    for (let next = waiting.current; next; next = waiting.current) {
      waiting.current = undefined;
      await helper.run(task, next()).then((found) => setResult(() => found), notifyOf);
    }
    busy.current = false;
  }
  return result;
}
