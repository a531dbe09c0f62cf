/** What of a source could not be read: each file is told of once, all are counted. */

import type { InputError } from "../../core/errors.js";
import type { SignalUnit } from "./signalSource.js";

/** Files told of by name; of more, only the number is. */
const mostTold = 20;

export class Unreadable {
  readonly #files = new Set<string>();
  readonly #tell: (message: string) => void;
  /** Examples of them that were left out, once for each epoch. */
  examples = 0;

  constructor(tell: (message: string) => void = () => {}) {
    this.#tell = tell;
  }

  /** Files of which something could not be read, in the order they were met. */
  get files(): readonly string[] {
    return [...this.#files];
  }

  add({ name }: SignalUnit, problem: InputError): void {
    if (this.#files.has(name)) return;
    this.#files.add(name);
    if (this.#files.size <= mostTold) this.#tell(`${problem.message}, skipped`);
    if (this.#files.size === mostTold) this.#tell("further files that cannot be read are counted only");
  }
}
