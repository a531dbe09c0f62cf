/** A task of this view: started, followed, cancelled; its result is dropped when what it was computed from changes. */

import { useEffect, useRef, useState } from "preact/hooks";

export interface TaskState<Result, Progress> {
  readonly result?: Result;
  readonly progress?: Progress;
  readonly isRunning: boolean;
  /** Why it failed, in one line. */
  readonly failure?: string;
}

export type Work<Result, Progress> = (
  signal: AbortSignal,
  onProgress: (progress: Progress) => void,
) => Promise<Result>;

export interface TaskControl<Result, Progress> extends TaskState<Result, Progress> {
  start(work: Work<Result, Progress>): void;
  cancel(): void;
  /** Drop the result. */
  clear(): void;
}

/** `inputs`: when one of them changes, what runs is cancelled; the result is dropped unless it is to be kept. */
export function useTask<Result, Progress>(
  inputs: readonly unknown[],
  { keep = false } = {},
): TaskControl<Result, Progress> {
  const [state, setState] = useState<TaskState<Result, Progress>>({ isRunning: false });
  const abort = useRef<AbortController | undefined>(undefined);
  const cancel = () => {
    abort.current?.abort();
    abort.current = undefined;
    setState(({ result }) => ({ ...(result === undefined ? {} : { result }), isRunning: false }));
  };
  useEffect(() => {
    if (!keep) setState({ isRunning: false });
    return () => {
      abort.current?.abort();
      abort.current = undefined;
    };
  }, inputs);
  const start = (work: Work<Result, Progress>) => {
    abort.current?.abort();
    const own = new AbortController();
    abort.current = own;
    const isCurrent = () => abort.current === own;
    setState(({ result }) => ({ ...(keep && result !== undefined ? { result } : {}), isRunning: true }));
    work(own.signal, (progress) => isCurrent() && setState((before) => ({ ...before, progress }))).then(
      (result) => isCurrent() && setState({ result, isRunning: false }),
      (error: unknown) => isCurrent() && setState({ isRunning: false, failure: messageOf(error) }),
    );
  };
  return { ...state, start, cancel, clear: () => setState({ isRunning: false }) };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
