/**
 * Ends a command early with what it has so far, when a signal asks for it: Ctrl-C (SIGINT), SIGTERM,
 * SIGHUP (the terminal or the connection was closed), or SIGUSR1, SIGUSR2 and SIGXCPU, with which
 * queues of clusters announce that a job's time is nearly over.
 *
 * A second signal ends the program at once. Signals have their usual effect again by then, so that it
 * works even while kernels compute. One signal may arrive twice: npm and timeout(1) pass it on to a
 * process that has already received it. What arrives within a tenth of a second counts as one.
 */

import { constants } from "node:os";
import { isatty } from "node:tty";

const signals = ["SIGINT", "SIGTERM", "SIGHUP", "SIGUSR1", "SIGUSR2", "SIGXCPU"] as const;
type EndingSignal = (typeof signals)[number];

/** Milliseconds in which further signals count as the first one. */
const together = 100;

export class Interrupt {
  readonly #controller = new AbortController();
  #onInterrupt: () => void;
  #caught: { readonly name: EndingSignal; readonly at: number } | undefined;
  #timer: NodeJS.Timeout | undefined;

  /** `onInterrupt` informs the user; it is called once at most. */
  constructor(onInterrupt: () => void) {
    this.#onInterrupt = onInterrupt;
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** From now on; before that, signals end the program as usual. `onInterrupt` takes the place of the one before. */
  listen(onInterrupt = this.#onInterrupt): void {
    if (this.#caught) return; // the next signal ends the program
    this.stop();
    this.#onInterrupt = onInterrupt;
    for (const name of signals) process.on(name, this.#interrupted);
  }

  stop(): void {
    clearTimeout(this.#timer);
    for (const name of signals) process.off(name, this.#interrupted);
  }

  /** The error that ends an interrupted command. */
  error(message: string): InterruptedError {
    return new InterruptedError(message, this.#caught?.name ?? "SIGTERM");
  }

  readonly #interrupted = (name: NodeJS.Signals): void => {
    if (this.#caught) {
      if (performance.now() - this.#caught.at < together) return;
      this.stop();
      process.kill(process.pid, name);
      return;
    }
    this.#caught = { name: name as EndingSignal, at: performance.now() };
    this.#timer = setTimeout(() => this.stop(), together).unref();
    this.#controller.abort();
    this.#onInterrupt();
  };
}

/** A signal ended the command before its end; the message says what was saved. */
export class InterruptedError extends Error {
  readonly #signal: EndingSignal;

  constructor(message: string, signal: EndingSignal) {
    super(message);
    this.#signal = signal;
  }

  /**
   * The exit code of a shell for a command that a signal ended. On a terminal, Ctrl-C ends the process by the signal
   * itself: only then does a shell end the loop or the script that the command is part of.
   */
  exitCode(): number {
    if (this.#signal === "SIGINT" && isatty(0))
      process.once("exit", () => process.kill(process.pid, "SIGINT"));
    return 128 + constants.signals[this.#signal];
  }
}

/**
 * Make SIGUSR1 end the program, as it ends others: Node would open its debugger to every local program. If the signal
 * came before the program had begun, Node has done so, unless it was asked to when it was started.
 */
export async function closeDebugger(): Promise<void> {
  const listener = () => {};
  process.on("SIGUSR1", listener).off("SIGUSR1", listener); // without a listener, a signal has its usual effect
  if (!process.features.inspector || [...process.execArgv, process.env.NODE_OPTIONS].some(asksForDebugger))
    return;
  const { close, url } = await import("node:inspector");
  if (url() === undefined) return;
  close();
  process.kill(process.pid, "SIGUSR1");
}

function asksForDebugger(option: string | undefined): boolean {
  return option?.includes("--inspect") ?? false;
}
