/**
 * The progress of a run on standard error: one line that is redrawn on a terminal;
 * elsewhere, in a log file say, a plain line every few seconds.
 */

import type { ProgressDisplay } from "../../report/followRun.js";
import { clusterSession } from "../cluster/joined.js";
import { stderr } from "./output.js";

/** Seconds between two plain lines. */
const plainInterval = 5;

export type ProgressStyle = "redrawn" | "lines" | "none";

export class ProgressLine implements ProgressDisplay {
  readonly #style: ProgressStyle;
  #last = -Infinity;
  #drawn = false;

  /** Launchers of MPI mix the lines of their processes, so there a line is never redrawn. */
  constructor(style: ProgressStyle = stderr.isTTY && !clusterSession() ? "redrawn" : "lines") {
    this.#style = style;
  }

  show(parts: readonly string[], important = false): void {
    const now = performance.now() / 1000;
    if (this.#style === "redrawn") {
      stderr.redraw(fitting(parts, stderr.columns - 1));
      this.#drawn = true;
    } else if (this.#style === "lines" && (important || now - this.#last >= plainInterval)) {
      stderr.write(`${parts.join("  ")}\n`);
      this.#last = now;
    }
  }

  note(lines: string): void {
    this.clear();
    stderr.write(`${lines}\n`);
  }

  clear(): void {
    if (this.#drawn) stderr.redraw("");
    this.#drawn = false;
  }
}

/** As many parts as fit into a line of this width. */
function fitting(parts: readonly string[], width: number): string {
  return parts.filter((_, i) => parts.slice(0, i + 1).join("  ").length <= width).join("  ");
}
