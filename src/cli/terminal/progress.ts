/**
 * The progress of a run on standard error: one line that is redrawn on a
 * terminal, a plain line every few seconds elsewhere.
 */

import { stderr } from "node:process";

/** Seconds between two lines where there is no terminal. */
const plainInterval = 5;

export type ProgressStyle = "redrawn" | "lines" | "none";

export class ProgressLine {
  readonly #style: ProgressStyle;
  #last = -Infinity;
  #drawn = false;

  constructor(style: ProgressStyle = stderr.isTTY ? "redrawn" : "lines") {
    this.#style = style;
  }

  /** Show where the work stands, what matters most first; `important` news are not left out. */
  show(parts: readonly string[], important = false): void {
    const now = performance.now() / 1000;
    if (this.#style === "redrawn") {
      stderr.write(`\r\x1b[2K${fitting(parts, (stderr.columns || 80) - 1)}`);
      this.#drawn = true;
    } else if (this.#style === "lines" && (important || now - this.#last >= plainInterval)) {
      stderr.write(`${parts.join("  ")}\n`);
      this.#last = now;
    }
  }

  /** Lines that stay, above the progress. */
  note(lines: string): void {
    this.clear();
    stderr.write(`${lines}\n`);
  }

  /** Take the progress away. */
  clear(): void {
    if (this.#drawn) stderr.write("\r\x1b[2K");
    this.#drawn = false;
  }
}

/** As many parts as a line of this width holds. */
function fitting(parts: readonly string[], width: number): string {
  return parts.filter((_, i) => parts.slice(0, i + 1).join("  ").length <= width).join("  ");
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

/** `1 atom`, `2,000 atoms`. */
export function counted(value: number, noun: string): string {
  return `${grouped(value)} ${noun}${value === 1 ? "" : "s"}`;
}

/** Four digits that count, whatever the units: `15.20`, `0.0001234`. */
export function rounded(value: number): string {
  if (value === 0) return "0";
  return Math.abs(value) >= 1000 ? grouped(value) : value.toPrecision(4);
}
