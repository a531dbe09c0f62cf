/** The claims about analytic dictionaries: some curves are above others at every M of the table. */

import { formatShape } from "../../core/shape.js";
import type { MTermCurve } from "../../tasks/approximate/mTermCurves.js";
import type { Claim } from "../shared/experiment.js";
import { psnrByLabel } from "../shared/mTermComparison.js";
import type { ChartSettings } from "./settings.js";

export function analyticClaims(
  { patch, terms, orders }: ChartSettings,
  curves: readonly MTermCurve[],
): Claim[] {
  const psnr = psnrByLabel(curves);
  return orders.map(({ better, than, ...claim }) => {
    const gains = terms.map((M) => psnr[better][M] - psnr[than][M]);
    return {
      ...claim,
      text: `${formatShape(patch)}: ${better} are above ${than} at M = ${terms.join(", ")}`,
      measured: `${gains.map((gain) => gain.toFixed(2)).join(", ")} dB`,
      holds: gains.every((gain) => gain > 0),
    };
  });
}
