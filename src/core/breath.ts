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
    await new Promise((resolve) => setTimeout(resolve, 0));
    this.#last = performance.now();
  }
}
