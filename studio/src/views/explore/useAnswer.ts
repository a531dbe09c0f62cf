/** The answer of a task: asked for when its inputs change, cancelled when they change again. */

import { useEffect, useState } from "preact/hooks";
import { notifyOf } from "../../app/notices";

export interface Answer<T> {
  /** The last answer; it stays until there is a newer one. */
  readonly value: T | undefined;
  readonly busy: boolean;
}

/** `ask` is undefined if there is nothing to ask; `inputs` are what it depends on. */
export function useAnswer<T>(
  ask: ((signal: AbortSignal) => Promise<T>) | undefined,
  inputs: readonly unknown[],
): Answer<T> {
  const [answer, setAnswer] = useState<Answer<T>>({ value: undefined, busy: ask !== undefined });
  useEffect(() => {
    if (!ask) {
      setAnswer({ value: undefined, busy: false });
      return;
    }
    const abort = new AbortController();
    const { signal } = abort;
    setAnswer(({ value }) => ({ value, busy: true }));
    ask(signal).then(
      (value) => {
        if (!signal.aborted) setAnswer({ value, busy: false });
      },
      (error: unknown) => {
        if (signal.aborted) return;
        setAnswer({ value: undefined, busy: false });
        notifyOf(error);
      },
    );
    return () => abort.abort();
  }, inputs);
  return answer;
}
