/**
 * What the paper finds in figure 8, and whether it was so: the trained dictionary is
 * above all others, though it is not redundant. The margin over wavelets is ours.
 */

import type { MTermCurve } from "../../tasks/approximate/mTermCurves.js";
import { learned } from "../fig11-universal/result.js";
import type { Claim } from "../shared/experiment.js";
import type { FacesConfig } from "./config.js";

/** One claim for each of the others, with the gain in dB. */
export function judge({ judged }: FacesConfig, curves: readonly MTermCurve[]): Claim[] {
  const { terms: M, margin } = judged;
  const own = curves.find(({ label }) => label === learned)!.psnr[M];
  return curves
    .filter(({ label }) => label !== learned)
    .map(({ label, psnr }) => {
      const gain = own - psnr[M];
      const asked = label === "wavelets" && margin > 0;
      const how = asked ? `at least ${margin} dB above` : "above";
      return {
        text: `with ${M} coefficients, ${learned} is ${how} ${label} (measured: ${gain.toFixed(2)} dB)`,
        holds: asked ? gain >= margin : gain > 0,
      };
    });
}
