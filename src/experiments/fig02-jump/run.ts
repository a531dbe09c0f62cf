/**
 * Figure 2: smooth functions with a jump, approximated with 5 coefficients of periodic and of cropped wavelets. A footnote of
 * the paper leaves symmetric and zero-padded borders out, because periodic ones are better: they are in the table, as the
 * usual transforms of n samples (wavelets/borders.ts), and once more with the signal mirrored first.
 */

import type { Kernels } from "../../kernels/contract.js";
import { chooseSettings, recordSettings } from "../shared/chooseSettings.js";
import type { ExperimentOptions, ExperimentRun, Outcome } from "../shared/experiment.js";
import { jumpClaims, shown } from "./claims.js";
import { jumpErrors } from "./errors.js";
import { jumpFiles } from "./files.js";
import type { JumpSettings } from "./settings.js";

/** The experiment with these options, checked. */
export function prepareJump(settings: JumpSettings, options: ExperimentOptions): ExperimentRun {
  const chosen = chooseSettings(settings, options, ["seed", "examples"]);
  return (_data, { kernels }) => runJump(chosen, kernels);
}

async function runJump(settings: JumpSettings, kernels: Kernels): Promise<Outcome> {
  const start = performance.now();
  const found = await jumpErrors(settings, kernels);
  const { periodic, cropped, usual, mirrored } = found;
  const { region, departures } = settings;
  const measured = [periodic, cropped, ...Object.values(usual), mirrored];
  const header = [
    "mean squared error",
    "coefficients to choose from",
    `${region} samples at each border`,
    `${region} around the jump`,
    "all samples",
  ];
  const rows = measured.map(({ label, coefficients, border, jump, all }) => [
    label,
    String(coefficients),
    ...[border, jump, all].map(shown),
  ]);
  const claims = jumpClaims(found);
  const files = jumpFiles(settings, [periodic, cropped], { header, rows, claims });
  return {
    ...{ header, rows, claims, departures, files },
    values: Object.fromEntries(
      measured.map(({ label, errors, ...means }) => [label, { ...means, errors: [...errors] }]),
    ),
    settings: recordSettings(settings),
    stageSeconds: { "approximating and drawing": (performance.now() - start) / 1000 },
  };
}
