/** M-term approximation of the same patches by several dictionaries: figures 4, 8 and 11. */

import type { DenseMatrix } from "../../core/matrix.js";
import type { Shape } from "../../core/shape.js";
import { approximatorOf } from "../../tasks/approximate/mTerm.js";
import { type Contender, type MTermCurve, mTermCurves } from "../../tasks/approximate/mTermCurves.js";
import type { Claim, ExperimentTools, OutcomeFile, OutcomeTable } from "./experiment.js";
import { csvFile } from "./outcomeFiles.js";

/** An analytic dictionary: a name as `approximatorOf` knows it, and its label in tables and charts. */
export interface AnalyticDictionary {
  readonly label: string;
  readonly approximator: string;
}

/** The claim that `better` is above `than` at every M of a table. */
export interface CurveOrder extends Pick<Claim, "id" | "source" | "paper"> {
  readonly better: string;
  readonly than: string;
}

/** The claims about curves that are there, judged at these M; `prefix` says which patches they are about. */
export function orderClaims(
  orders: readonly CurveOrder[],
  curves: readonly MTermCurve[],
  terms: readonly number[],
  prefix = "",
): Claim[] {
  const psnr = psnrByLabel(curves);
  return orders
    .filter(({ better, than }) => better in psnr && than in psnr)
    .map((order) => {
      const { better, than, ...claim } = order;
      const gains = terms.map((M) => psnr[better][M] - psnr[than][M]);
      return {
        ...claim,
        text: `${prefix}${orderText(order, terms)}`,
        measured: describeGains(gains, terms),
        holds: gains.every((gain) => gain > 0),
      };
    });
}

/** `cropped wavelets are above wavelets at M = 10, 20`. */
export function orderText({ better, than }: CurveOrder, terms: readonly number[]): string {
  return `${describeAbove(better, than)} at M = ${terms.join(", ")}`;
}

/** `cropped wavelets are above wavelets`. */
export function describeAbove(better: string, than: string): string {
  return `${better} ${better.endsWith("s") ? "are" : "is"} above ${than}`;
}

/** `0.21, 0.34 dB (M = 20, 40)`. */
export function describeGains(gains: readonly number[], terms: readonly number[]): string {
  return `${gains.map((gain) => gain.toFixed(2)).join(", ")} dB (M = ${terms.join(", ")})`;
}

/** The label of the dictionary that the paper's method learned. */
export const trainletsLabel = "trainlets (OSDL)";

export function analyticContenders(dictionaries: readonly AnalyticDictionary[], patch: Shape): Contender[] {
  return dictionaries.map(({ label, approximator }) => ({
    label,
    make: () => approximatorOf(approximator, patch),
  }));
}

/** The curves of all contenders with up to `maxTerms` terms; `what` names the patches in the progress. */
export function compareMTerms(
  contenders: readonly Contender[],
  patches: DenseMatrix,
  maxTerms: number,
  what: string,
  { kernels, onStage, onProgress }: ExperimentTools,
): Promise<MTermCurve[]> {
  return mTermCurves(contenders, patches, {
    maxTerms,
    kernels,
    onProgress(label, done) {
      if (done === 0) onStage?.(`approximating ${patches.cols} ${what}: ${label}`);
      else onProgress?.(`${label}: ${done} of ${patches.cols} ${what}`);
    },
  });
}

/** PSNR of each curve at some M, one row per curve. */
export function mTermTable(
  heading: string,
  terms: readonly number[],
  curves: readonly MTermCurve[],
): OutcomeTable {
  return {
    header: [heading, ...terms.map((M) => `M = ${M}`)],
    rows: curves.map(({ label, psnr }) => [label, ...terms.map((M) => psnr[M].toFixed(2))]),
  };
}

/** The curves as comma-separated values, one line per M from 0. */
export function mTermCsvFile(name: string, curves: readonly MTermCurve[]): OutcomeFile {
  const header = ["M", ...curves.map(({ label }) => label)];
  const rows = curves[0].psnr.map((_, M) => [M, ...curves.map(({ psnr }) => psnr[M].toFixed(4))]);
  return csvFile(name, header, rows);
}

/** Curves as data: the PSNR with each M from 0 on, by label. */
export type PsnrCurves = Readonly<Record<string, readonly number[]>>;

export function psnrByLabel(curves: readonly MTermCurve[]): PsnrCurves {
  return Object.fromEntries(curves.map(({ label, psnr }) => [label, psnr]));
}
