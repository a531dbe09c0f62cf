/** What the experiment finds, and what the paper says of it. */

import type { Claim } from "../shared/experiment.js";

/** The steps at one mini-batch, for unit atoms and samples in the units of the data. */
export interface StepPoint {
  readonly iteration: number;
  /** ηⱼ* of the atoms used: mean, and the 10th, 50th and 90th of a hundred. */
  readonly mean: number;
  readonly quantiles: readonly [low: number, middle: number, high: number];
  /** η of (13). */
  readonly global: number;
}

/** The mini-batch from its steps; those of atoms that stayed are left out. */
export function stepPoint(iteration: number, steps: readonly number[], global: number): StepPoint {
  const sorted = steps.filter((step) => step > 0).sort((a, b) => a - b);
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0;
  const mean = sorted.reduce((sum, step) => sum + step, 0) / Math.max(1, sorted.length);
  return { iteration, mean, quantiles: [at(0.1), at(0.5), at(0.9)], global };
}

/** "A fair approximation", where steps differ by many orders: within one, by the mean over the iterations. */
const fair = 10;

/**
 * §V-A: the global step is a fair approximation of the mean, and its square is too conservative. Ours: it lies between
 * the step of the middle atom and the mean, which a few atoms of large steps decide.
 */
export function judge(points: readonly StepPoint[]): Claim[] {
  if (points.length === 0) return [];
  const ratio = (value: (point: StepPoint) => number) =>
    Math.exp(points.reduce((sum, point) => sum + Math.log(value(point)), 0) / points.length);
  const global = ratio((point) => point.global / point.mean);
  const square = ratio((point) => point.global ** 2 / point.mean);
  const middle = ratio((point) => point.global / point.quantiles[1]);
  return [
    {
      text: `the step of (13) is within a factor of ${fair} of the mean of the atoms' own (measured: ${global.toPrecision(2)} times it)`,
      holds: global < fair && global > 1 / fair,
    },
    {
      text: `its square is further away, and too small (measured: ${square.toExponential(1)} times the mean)`,
      holds: square < 1 && Math.abs(Math.log(square)) > Math.abs(Math.log(global)),
    },
    {
      text: `the step of (13) is between that of the middle atom and the mean (measured: ${middle.toPrecision(2)} and ${global.toPrecision(2)} times them)`,
      holds: middle >= 1 && global <= 1,
    },
  ];
}
