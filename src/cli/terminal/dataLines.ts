/** The lines about data before work begins: what was read, and a hint if rows and columns look exchanged. */

import type { Shape } from "../../core/shape.js";
import type { Input } from "../../data/node/inputs.js";
import { type CountedSignals, describeInputs, hintAtColumns } from "../../data/node/units/describeInputs.js";
import { stderr } from "./output.js";

export function noteData(
  command: string,
  inputs: readonly Input[],
  signals: readonly CountedSignals[],
  patch: Shape,
  note: (line: string) => void = (line) => void stderr.write(`${line}\n`),
): void {
  note(describeInputs(inputs, signals));
  const hint = hintAtColumns(inputs, patch);
  if (hint) note(`${command}: ${hint}`);
}
