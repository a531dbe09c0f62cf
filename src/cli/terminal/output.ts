/**
 * What the program prints, on standard output and standard error: the only place that writes
 * there. Control characters, which a file name may hold, are shown as escapes; the program's
 * own redrawing of a line is the exception.
 */

import * as node from "node:process";
import { visibleText } from "../../core/visibleText.js";

class Output {
  readonly #stream: NodeJS.WriteStream;
  #muted = false;
  #writesBytes = false;

  constructor(stream: NodeJS.WriteStream) {
    this.#stream = stream;
  }

  get isTTY(): boolean {
    return this.#stream.isTTY === true;
  }

  /** Characters per line of a terminal. */
  get columns(): number {
    return this.#stream.columns || 80;
  }

  /** Print nothing from now on (`--quiet`), or everything again. */
  mute(muted: boolean): void {
    this.#muted = muted;
  }

  /** Print text; newlines are kept. */
  write(text: string): void {
    if (!this.#muted) this.#stream.write(visibleText(text));
  }

  /** Write bytes as they are; resolves when they are on their way. */
  writeBytes(bytes: Uint8Array): Promise<void> {
    this.#writesBytes = true;
    return new Promise((resolve, reject) => {
      this.#stream.write(bytes, (error) => (error ? reject(error) : resolve()));
    });
  }

  /** Whether bytes were written: their caller reports what fails. */
  get writesBytes(): boolean {
    return this.#writesBytes;
  }

  /** Clear the last line of a terminal and print text there. */
  redraw(text: string): void {
    if (!this.#muted) this.#stream.write(`\r\x1b[2K${visibleText(text)}`);
  }

  on(event: "error", listener: (error: NodeJS.ErrnoException) => void): void {
    this.#stream.on(event, listener);
  }

  off(event: "error", listener: (error: NodeJS.ErrnoException) => void): void {
    this.#stream.off(event, listener);
  }
}

export const stdout = new Output(node.stdout);
export const stderr = new Output(node.stderr);
