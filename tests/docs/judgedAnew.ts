/**
 * The claims and tables of stored results, made by the program of today. An experiment that takes hours is not run again because
 * a claim was added or a sentence changed: its numbers are stored, and its claims follow from them.
 */

import { complexityClaims } from "../../src/experiments/complexity/claims.js";
import { slopeTable } from "../../src/experiments/complexity/files.js";
import { curveTable, judgeCurves } from "../../src/experiments/fig05-convergence/values.js";
import { stepSizeClaims } from "../../src/experiments/fig06-step-sizes/claims.js";
import { stepTable } from "../../src/experiments/fig06-step-sizes/run.js";
import { denoisingClaims } from "../../src/experiments/fig07-denoising/claims.js";
import { psnrTable } from "../../src/experiments/fig07-denoising/files.js";
import { faceKind, facesClaims } from "../../src/experiments/fig08-faces/claims.js";
import {
  type JudgedSettings,
  type UniversalValues,
  universalClaims,
  universalTexts,
} from "../../src/experiments/fig09-to-11-universal/claims.js";
import { universal32, universal64 } from "../../src/experiments/fig09-to-11-universal/settings.js";
import { remarkClaims } from "../../src/experiments/remarks/claims.js";
import { remarkTable } from "../../src/experiments/remarks/files.js";
import type { Result } from "../../src/experiments/results/result.js";
import type { Claim, OutcomeTable } from "../../src/experiments/shared/experiment.js";
import { mTermTable, type PsnrCurves } from "../../src/experiments/shared/mTermComparison.js";

/** What follows from the settings and values of a result, and from the names of its data. */
interface Judge {
  claims(settings: never, values: never, data: Result["data"]): readonly Claim[];
  rows(settings: never, values: never): OutcomeTable["rows"];
}

const judges: Readonly<Record<string, Judge>> = {
  complexity: {
    claims: (_, { curves }: { readonly curves: never }) => complexityClaims(curves),
    rows: (_, { curves }: { readonly curves: never }) => slopeTable(curves).rows,
  },
  fig5: {
    claims: (settings, { curves }: { readonly curves: never }) => judgeCurves(settings, curves),
    rows: (settings, { curves }: { readonly curves: never }) => curveTable(settings, curves).rows,
  },
  fig6: {
    claims: (_, { points }: { readonly points: never }) => stepSizeClaims(points),
    rows: (_, { points }: { readonly points: never }) => stepTable(points).rows,
  },
  fig7: {
    claims: (settings, { measurements }: { readonly measurements: never }) =>
      denoisingClaims(settings, measurements),
    rows: (settings, { measurements }: { readonly measurements: never }) =>
      psnrTable(settings, measurements).rows,
  },
  fig8: {
    claims: (settings, { psnr }: PsnrValues, data) =>
      facesClaims(settings, psnr, faceKind(data.map(({ name }) => name))),
    rows: psnrRows,
  },
  remarks: { claims: remarkClaims, rows: (settings, values) => remarkTable(settings, values).rows },
  universal32: universalJudge(universal32),
  universal64: universalJudge(universal64),
};

/** By the orders and margins that are asked for today; those of curves that a result lacks are left out. */
function universalJudge({ orders, margins }: JudgedSettings): Judge {
  return {
    claims: (settings: JudgedSettings, values: UniversalValues) =>
      universalClaims({ ...settings, orders, margins }, values),
    rows: psnrRows,
  };
}

interface PsnrValues {
  readonly psnr: PsnrCurves;
}

/** One row per curve. */
function psnrRows(
  { terms }: { readonly terms: readonly number[] },
  { psnr }: PsnrValues,
): OutcomeTable["rows"] {
  const curves = Object.entries(psnr).map(([label, values]) => ({ label, psnr: values }));
  return mTermTable("", terms, curves).rows;
}

/** The experiments whose claims can be judged anew. */
export const judgedExperiments: readonly string[] = Object.keys(judges);

/** The result with the claims of today. */
export function judgedAnew(result: Result): Result {
  const { experiment, settings, values, data } = result;
  return { ...result, claims: judges[experiment].claims(settings as never, values as never, data) };
}

/** The rows of its table, from its numbers. */
export function rowsAnew({ experiment, settings, values }: Result): OutcomeTable["rows"] {
  return judges[experiment].rows(settings as never, values as never);
}

/** Claims of these experiments that the stored results cannot judge: their rows and counts are newer. */
export const notInStoredRuns: readonly string[] = [
  "universal32 shorter-codes-over-osdl",
  "universal32 shorter-codes-over-base",
  "universal32 sparse-odl-over-osdl",
  "universal32 sparse-odl-over-odl",
  "universal32 kinds-of-atoms",
  "universal32 recurring-patterns",
  "universal64 kinds-of-atoms",
  "universal64 recurring-patterns",
];

/** What a claim will say, before it is measured. */
export function plannedText(name: string): string | undefined {
  const [experiment, id] = name.replace(/@\S+/, "").split(" ");
  const settings = [universal32, universal64].find((one) => one.name === experiment);
  return settings && universalTexts(settings)[id];
}
