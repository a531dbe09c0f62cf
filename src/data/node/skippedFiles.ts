/** Files that are left out, reported in one line each; of many, the first ones and how many more there are. */

import { emitWarning } from "node:process";
import type { InputError } from "../../core/errors.js";
import { grouped } from "../../core/formatText.js";

/** Where skipped files are reported: one line per call. */
export type OnSkip = (message: string) => void;

/** Where skipped files are reported by default. */
export function warnOfSkipped(message: string): void {
  emitWarning(message);
}

/** Files reported by name. */
const maxNamed = 20;

export class SkippedFiles {
  readonly #report: OnSkip;
  #count = 0;

  constructor(report: OnSkip) {
    this.#report = report;
  }

  add({ message }: InputError): void {
    this.#count++;
    if (this.#count <= maxNamed) this.#report(`${message}, skipped`);
  }

  /** Report how many more there were. */
  end(): void {
    const more = this.#count - maxNamed;
    if (more > 0) this.#report(`${grouped(more)} more skipped without being named`);
  }
}
