/**
 * Ends a run early with what it has so far: on Ctrl-C, on SIGTERM, on SIGHUP (the terminal or
 * the connection was closed), or when standard output is closed. A second Ctrl-C ends the program at once: the signal has its usual
 * effect again by then, so that it works even while kernels compute.
 */

import { stdout } from "./output.js";

const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

export class Interrupt {
  readonly #controller = new AbortController();
  readonly #onInterrupt: () => void;

  /** `onInterrupt` informs the user; it is called once at most, and not when standard output is closed. */
  constructor(onInterrupt: () => void) {
    this.#onInterrupt = onInterrupt;
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** From now on; before that, signals end the program as usual. */
  listen(): void {
    this.stop();
    for (const name of signals) process.on(name, this.#interrupted);
    stdout.on("error", this.#abort);
  }

  stop(): void {
    for (const name of signals) process.off(name, this.#interrupted);
    stdout.off("error", this.#abort);
  }

  readonly #abort = (): void => this.#controller.abort();

  readonly #interrupted = (): void => {
    this.stop();
    this.#abort();
    this.#onInterrupt();
  };
}
