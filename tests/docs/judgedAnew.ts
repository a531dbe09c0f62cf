/**
 * The claims of stored results, judged by the program of today. An experiment that takes hours is not run again because
 * a claim was added or a sentence changed: its numbers are stored, and its claims follow from them.
 */

import { judgeCurves } from "../../src/experiments/fig05-convergence/values.js";
import { denoisingClaims } from "../../src/experiments/fig07-denoising/claims.js";
import { remarkClaims } from "../../src/experiments/remarks/claims.js";
import type { Result } from "../../src/experiments/results/result.js";
import type { Claim } from "../../src/experiments/shared/experiment.js";

type Judge = (settings: never, values: never) => readonly Claim[];

const judges: Readonly<Record<string, Judge>> = {
  fig5: (settings, { curves }: { readonly curves: never }) => judgeCurves(settings, curves),
  fig7: (settings, { measurements }: { readonly measurements: never }) =>
    denoisingClaims(settings, measurements),
  remarks: remarkClaims,
};

/** The experiments whose claims can be judged anew. */
export const judgedExperiments: readonly string[] = Object.keys(judges);

/** The result with the claims of today. */
export function judgedAnew(result: Result): Result {
  const { experiment, settings, values } = result;
  return { ...result, claims: judges[experiment](settings as never, values as never) };
}
