/** One percentage of a whole command, and the time left, on the progress line; at most ten times per second. */

import { clock } from "../../core/formatText.js";
import { ProgressLine, type ProgressStyle } from "./progress.js";

/** A command that takes fewer seconds shows nothing. */
const quickly = 0.5;

/** Time is estimated once the command has taken this many seconds, and is this far. */
const estimates = { seconds: 1, part: 0.02 } as const;

export class PercentLine {
  readonly #line: ProgressLine;
  readonly #start = performance.now();
  #last = -Infinity;
  #part = 0;

  constructor(style?: ProgressStyle) {
    this.#line = new ProgressLine(style);
  }

  /** How far the command is, from 0 to 1, which never falls; and what it does. */
  show(part: number, ...what: readonly string[]): void {
    const now = performance.now();
    this.#part = Math.max(this.#part, Math.min(1, part));
    if (now - this.#last >= 100 && now - this.#start >= 1000 * quickly) this.#draw(now, what);
  }

  /** The same at once, before work that may take long without a sign. */
  announce(part: number, ...what: readonly string[]): void {
    this.#part = Math.max(this.#part, Math.min(1, part));
    this.#draw(performance.now(), what, true);
  }

  #draw(now: number, what: readonly string[], important = false): void {
    this.#last = now;
    this.#line.show([`${Math.floor(100 * this.#part)}%`.padStart(4), ...what, ...this.#left(now)], important);
  }

  /** The time left, if what was done until now is enough to say. */
  #left(now: number): string[] {
    const seconds = (now - this.#start) / 1000;
    if (seconds < estimates.seconds || this.#part < estimates.part) return [];
    return [`${clock(seconds / this.#part - seconds)} left`];
  }

  note(lines: string): void {
    this.#line.note(lines);
  }

  clear(): void {
    this.#line.clear();
  }
}
