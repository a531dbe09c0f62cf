/**
 * Room for the event loop during long work. Awaiting promises that are already
 * resolved never leaves the current task, so signals, timers and pages would wait
 * until the end; a `Breath` lets them run every so often, at about 1 % of the time.
 */

/** Milliseconds of work between two breaths. */
const interval = 100;

export class Breath {
  #last = performance.now();

  /** Let other tasks run, if it is time to. */
  async take(): Promise<void> {
    if (performance.now() - this.#last < interval) return;
    await nextTask();
    this.#last = performance.now();
  }
}

/** A turn of the event loop. By message: browsers slow the timers of a hidden page to one a second, or a minute. */
function nextTask(): Promise<void> {
  const { port1, port2 } = new MessageChannel();
  return new Promise((resolve) => {
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(null);
  });
}
