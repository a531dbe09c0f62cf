/** The claims about analytic dictionaries: some curves are above others, by a margin. */

import { formatShape } from "../../core/shape.js";
import type { MTermCurve } from "../../tasks/approximate/mTermCurves.js";
import type { Claim } from "../shared/experiment.js";
import { psnrByLabel } from "../shared/mTermComparison.js";
import type { ChartSettings } from "./settings.js";

export function analyticClaims({ patch, margins }: ChartSettings, curves: readonly MTermCurve[]): Claim[] {
  const psnr = psnrByLabel(curves);
  return margins.map(({ better, than, decibels, terms }) => {
    const gains = terms.map((M) => psnr[better][M] - psnr[than][M]);
    const relation = decibels === 0 ? "at or above" : `at least ${decibels} dB above`;
    const measured = gains.map((gain) => gain.toFixed(2)).join(", ");
    return {
      text: `${formatShape(patch)}: ${better} are ${relation} ${than} at M = ${terms.join(", ")} (measured: ${measured} dB)`,
      holds: gains.every((gain) => gain >= decibels),
    };
  });
}
