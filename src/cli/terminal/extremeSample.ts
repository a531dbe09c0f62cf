/** The line of a command about a sample far beyond all others in its data. */

import { describeExtreme, findExtreme } from "../../core/samples/extremes.js";
import type { Signal } from "../../core/signal.js";
import { stderr } from "./output.js";

/** Print it, if there is such a sample; `remedy` says what to do if it marks missing samples. */
export function noteExtreme(
  command: string,
  signals: readonly Signal[],
  remedy = "name it by --nodata",
  print: (line: string) => void = (line) => stderr.write(`${line}\n`),
): void {
  const extreme = findExtreme(signals);
  if (extreme) print(`${command}: ${describeExtreme(extreme, remedy)}`);
}
