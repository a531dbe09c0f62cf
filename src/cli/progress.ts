/**
 * The progress of a run on standard error: one line that is redrawn on a
 * terminal, a plain line every few seconds elsewhere.
 */

import { stderr } from "node:process";

/** Seconds between two lines where there is no terminal. */
const plainInterval = 5;

export class ProgressLine {
  readonly #terminal: boolean;
  #last = -Infinity;
  #drawn = false;

  constructor(terminal: boolean = stderr.isTTY === true) {
    this.#terminal = terminal;
  }

  /** Show where the work stands; `important` lines are not left out. */
  show(line: string, important = false): void {
    const now = performance.now() / 1000;
    if (this.#terminal) {
      stderr.write(`\r\x1b[2K${line.slice(0, (stderr.columns ?? 80) - 1)}`);
      this.#drawn = true;
    } else if (important || now - this.#last >= plainInterval) {
      stderr.write(`${line}\n`);
      this.#last = now;
    }
  }

  /** A line that stays, above the progress. */
  note(line: string): void {
    this.clear();
    stderr.write(`${line}\n`);
  }

  /** Take the progress away. */
  clear(): void {
    if (this.#drawn) stderr.write("\r\x1b[2K");
    this.#drawn = false;
  }
}

/** `95` → `1:35`, `4000` → `1:06:40`. */
export function clock(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  const [h, m, s] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  const two = (value: number) => String(value).padStart(2, "0");
  return h > 0 ? `${h}:${two(m)}:${two(s)}` : `${m}:${two(s)}`;
}

/** `1234567` → `1,234,567`. */
export function grouped(value: number): string {
  return Math.round(value).toLocaleString("en-US");
}
