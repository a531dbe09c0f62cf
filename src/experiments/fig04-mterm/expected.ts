/** What is expected of the curves: some are above others, by so much. */

import { formatShape } from "../../core/shape.js";
import type { MTermCurve } from "../../tasks/approximate/mTermCurves.js";
import type { Claim } from "../shared/experiment.js";
import type { MTermPanel } from "./config.js";

export function judge({ patch, margins }: MTermPanel, curves: readonly MTermCurve[]): Claim[] {
  const at = (label: string) => curves.find((curve) => curve.label === label)!.psnr;
  return margins.map(({ better, than, decibels, terms }) => {
    const gains = terms.map((M) => at(better)[M] - at(than)[M]);
    const how = decibels === 0 ? "at or above" : `at least ${decibels} dB above`;
    const measured = gains.map((gain) => gain.toFixed(2)).join(", ");
    const text = `${formatShape(patch)}: ${better} are ${how} ${than} at M = ${terms.join(", ")}`;
    return { text: `${text} (measured: ${measured})`, holds: gains.every((gain) => gain >= decibels) };
  });
}
