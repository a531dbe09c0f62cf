/**
 * What is measured for figure 6, and what §V-A claims about it: the global step is a fair
 * approximation of the mean of the atoms' own steps, and its square is too conservative. A claim
 * of ours: it lies between the step of the median atom and the mean, which a few atoms with large
 * steps dominate.
 */

import type { Claim } from "../shared/experiment.js";

/** The steps at one mini-batch, for unit atoms, in the units of the data. */
export interface StepPoint {
  readonly iteration: number;
  /** The mean of ηⱼ* over the atoms used. */
  readonly mean: number;
  /** Their 10th, 50th and 90th percentiles. */
  readonly quantiles: readonly [low: number, median: number, high: number];
  /** η of (13). */
  readonly global: number;
}

/** The point of a mini-batch from the steps of its atoms; atoms that did not move are left out. */
export function stepPoint(iteration: number, steps: readonly number[], global: number): StepPoint {
  const sorted = steps.filter((step) => step > 0).sort((a, b) => a - b);
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0;
  const mean = sorted.reduce((sum, step) => sum + step, 0) / Math.max(1, sorted.length);
  return { iteration, mean, quantiles: [at(0.1), at(0.5), at(0.9)], global };
}

const source = "§V-A, figure 6";

/** "A fair approximation", as steps differ by orders of magnitude: within this factor. */
const fairFactor = 10;

/** Ratios are geometric means over the mini-batches. */
export function stepSizeClaims(points: readonly StepPoint[]): Claim[] {
  if (points.length === 0) return [];
  const meanRatio = (ratio: (point: StepPoint) => number) =>
    Math.exp(points.reduce((sum, point) => sum + Math.log(ratio(point)), 0) / points.length);
  const global = meanRatio((point) => point.global / point.mean);
  const square = meanRatio((point) => point.global ** 2 / point.mean);
  const toMedian = meanRatio((point) => point.global / point.quantiles[1]);
  return [
    {
      id: "close-to-the-mean",
      source,
      text: `the step of (13) is within a factor of ${fairFactor} of the mean step of the atoms`,
      paper: "a fair approximation to the mean of the individual step sizes",
      measured: `${global.toPrecision(2)} times it`,
      holds: global < fairFactor && global > 1 / fairFactor,
    },
    {
      id: "square-too-small",
      source,
      text: "the square of (13) is further from the mean, and too small",
      paper: "the square would be too conservative",
      measured: `${square.toExponential(1)} times the mean`,
      holds: square < 1 && Math.abs(Math.log(square)) > Math.abs(Math.log(global)),
    },
    {
      id: "between-median-and-mean",
      source: "ours",
      text: "the step of (13) is between the median and the mean step of the atoms",
      paper: "",
      measured: `${toMedian.toPrecision(2)} and ${global.toPrecision(2)} times them`,
      holds: toMedian >= 1 && global <= 1,
    },
  ];
}
