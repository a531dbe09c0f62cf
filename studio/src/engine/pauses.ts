/** Pauses in long work of a worker, in which a message arrives that may cancel it. */

import { nextTurn } from "./onKernels";

/** Milliseconds of work between two pauses. */
const interval = 60;

/** What to call often: a pause, if it is due, which throws if the call was cancelled. */
export function pauses(signal: AbortSignal): () => Promise<void> | undefined {
  let last = performance.now();
  return () => {
    if (performance.now() - last < interval) return undefined;
    return nextTurn(signal).then(() => {
      last = performance.now();
    });
  };
}
