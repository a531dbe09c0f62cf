/**
 * Lines of JSON on standard output for a command whose work matters more than its log: if the reader
 * has left, or the disk of the log is full, that is reported once and the work continues. (What cannot be
 * written is a failure in the end, a reader who has left is not: errors.ts.)
 */

import { stdout } from "./output.js";

export class JsonLines {
  readonly #onReaderLeft: () => void;
  #closed = false;

  constructor(onReaderLeft: () => void) {
    this.#onReaderLeft = onReaderLeft;
    stdout.on("error", this.#stop);
  }

  /** Print a value, unless an earlier one could not be printed. */
  write(value: object): void {
    if (!this.#closed) stdout.write(`${JSON.stringify(value)}\n`);
  }

  close(): void {
    stdout.off("error", this.#stop);
  }

  readonly #stop = ({ code }: NodeJS.ErrnoException): void => {
    if (this.#closed) return;
    this.#closed = true;
    if (code === "EPIPE") this.#onReaderLeft();
  };
}
