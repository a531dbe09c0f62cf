/** The curves of figure 5 as the numbers of a result, and back: a stored result can be judged anew. */

import { type Shape, sameShape } from "../../core/shape.js";
import type { Claim, OutcomeTable } from "../shared/experiment.js";
import { type Comparison, convergenceClaims, describeComparison } from "./claims.js";
import { convergenceRemarks, redundancyClaim } from "./remarks.js";
import type { ConvergenceSettings } from "./settings.js";
import type { CurvePoint } from "./speed.js";

/** One curve. */
export interface CurveValues {
  readonly patch: Shape;
  readonly sparsity: number;
  readonly atomSparsity: number;
  /** The method, by its id. */
  readonly method: string;
  readonly label: string;
  readonly tested: number;
  readonly points: readonly CurvePoint[];
}

export function curveValues({ size, atomSparsity, curves }: Comparison): CurveValues[] {
  return curves.map(({ method, points, tested }) => ({
    ...{ patch: size.patch, sparsity: size.sparsity, atomSparsity },
    ...{ method: method.id, label: method.label, tested, points },
  }));
}

/** The claims about these curves, which were measured with these settings. */
export function judgeCurves(settings: CurveSettings, curves: readonly CurveValues[]): Claim[] {
  const comparisons = comparisonsOf(settings, curves);
  if (comparisons.length === 0) return [];
  return [
    ...convergenceClaims(comparisons),
    ...convergenceRemarks(comparisons),
    redundancyClaim({ ...settings, sizes: [...new Set(comparisons.map(({ size }) => size))] }),
  ];
}

/** One row per curve. */
export function curveTable(settings: CurveSettings, curves: readonly CurveValues[]): OutcomeTable {
  return {
    header: ["test RMSE", "before learning", "after one epoch", "at the end", "seconds"],
    rows: comparisonsOf(settings, curves).flatMap((comparison) =>
      comparison.curves.map(({ method, points }) => {
        const end = points.at(-1)!;
        const errors = [points[0], points[1], end].map(({ testRmse }) => testRmse.toFixed(3));
        return [`${describeComparison(comparison)}: ${method.label}`, ...errors, end.seconds.toFixed(1)];
      }),
    ),
  };
}

type CurveSettings = Pick<ConvergenceSettings, "base" | "sizes" | "methods">;

function comparisonsOf({ sizes, methods }: CurveSettings, curves: readonly CurveValues[]): Comparison[] {
  return sizes.flatMap((size) => {
    const ofSize = curves.filter(({ patch }) => sameShape(patch, size.patch));
    return [...new Set(ofSize.map(({ atomSparsity }) => atomSparsity))].map((atomSparsity) => ({
      size,
      atomSparsity,
      curves: ofSize
        .filter((curve) => curve.atomSparsity === atomSparsity)
        .map(({ method: id, points, tested }) => {
          const method = methods.find((one) => one.id === id)!;
          return { method, points, tested };
        }),
    }));
  });
}
