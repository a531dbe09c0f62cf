/**
 * The colours and markers of learners and dictionaries, the same in all figures: OSDL is blue with circles everywhere.
 * Dashed are variants that are not in the paper and, in figure 7, the ODCT as the base dictionary.
 */

import type { ChartSeries } from "../../figures/charts/chart.js";
import type { LearnerName } from "../../learn/learners/registry.js";
import type { MTermCurve } from "../../tasks/approximate/mTermCurves.js";
import { trainletsLabel } from "./mTermComparison.js";

type CurveLook = Pick<ChartSeries, "style" | "dashed">;

/** Places in the list of colours and markers of charts. */
const learnerStyles: Partial<Record<LearnerName, number>> = {
  osdl: 0,
  odl: 1,
  "sparse-ksvd": 2,
  niht: 3,
  "sparse-odl": 4,
  ksvd: 6,
};

/** The `style` of the curves of a learner. */
export function learnerStyle(learner: LearnerName): number {
  return learnerStyles[learner] ?? 5;
}

const looks: Readonly<Record<string, CurveLook>> = {
  [trainletsLabel]: { style: learnerStyle("osdl") },
  ODL: { style: learnerStyle("odl") },
  "cropped wavelets": { style: 2 },
  "separable wavelets": { style: 3 },
  "cropped contourlets": { style: 4 },
  contourlets: { style: 5 },
  wavelets: { style: 6 },
  "PCA, first M": { style: 3 },
  SeDiL: { style: 4 },
};

/** What is not in the paper is dashed; variants of a method have its colour and marker. */
const variants: Readonly<Record<string, number>> = {
  "PCA, M largest": 3,
  "OSDL, p = 36": learnerStyle("osdl"),
  "Sparse ODL": learnerStyle("sparse-odl"),
  "OSDL, then": learnerStyle("osdl"),
  "ODL, then": learnerStyle("odl"),
};

/** M-term curves with the looks of their dictionaries; one that is not known has that of its place in the chart. */
export function withLooks(curves: readonly MTermCurve[]): (MTermCurve & CurveLook)[] {
  return curves.map((curve) => ({ ...curve, ...lookOf(curve.label) }));
}

function lookOf(label: string): CurveLook {
  const variant = Object.keys(variants).find((start) => label.startsWith(start));
  return variant === undefined ? (looks[label] ?? {}) : { style: variants[variant], dashed: true };
}
