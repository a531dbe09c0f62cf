/**
 * What is measured for figure 6, and what §V-A claims about it: the global step of OSDL is a fair approximation of the
 * mean of the atoms' own steps, and its square would be too conservative.
 *
 * The first depends on the units of the data. With codes x in the units of the data y, ∇f goes with y², so that
 * the step (10) of an atom, ‖∇‖²/‖Φ∇x‖², goes with 1/y², and the global step (13), ‖∇‖/‖Φ∇X‖, with 1/y. "Close"
 * is read as: within a factor of two, for data in their own units. The square of (13) goes with 1/y², as the mean does: its share of
 * the mean is the same in all units.
 */

import type { Claim } from "../shared/experiment.js";

/** The steps ηⱼ* of the atoms that a mini-batch of Algorithm 1 used, for unit atoms, in the units of the data. */
export interface AtomSteps {
  readonly iteration: number;
  readonly mean: number;
  /** The smallest, the 10th, 50th and 90th percentiles, and the largest. */
  readonly quantiles: readonly [min: number, low: number, median: number, high: number, max: number];
}

/** All steps of one mini-batch, in the order of the atoms. */
export interface ShownSteps {
  readonly iteration: number;
  readonly steps: readonly number[];
}

/** One mini-batch of both algorithms, each in its own run. */
export interface StepPoint extends AtomSteps {
  /** η of (13), for the atoms of OSDL as they are, in the units of the data. */
  readonly global: number;
}

/** The summary of the steps of one mini-batch; atoms that did not move are left out. */
export function summarizeSteps(iteration: number, steps: readonly number[]): AtomSteps {
  const sorted = steps.filter((step) => step > 0).sort((a, b) => a - b);
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0;
  const mean = sorted.reduce((sum, step) => sum + step, 0) / Math.max(1, sorted.length);
  return { iteration, mean, quantiles: [at(0), at(0.1), at(0.5), at(0.9), at(1)] };
}

/** "A fair approximation": within this factor. */
const fairFactor = 2;
/** "Too conservative": at most this part of the mean. */
const conservative = 1 / 10;

/** How many times the mean step the global step and its square are: geometric means over the mini-batches. */
export function stepRatios(points: readonly StepPoint[]): {
  readonly global: number;
  readonly square: number;
} {
  const moved = movedPoints(points);
  const meanRatio = (ratio: (point: StepPoint) => number) =>
    Math.exp(moved.reduce((sum, point) => sum + Math.log(ratio(point)), 0) / Math.max(1, moved.length));
  return {
    global: meanRatio((point) => point.global / point.mean),
    square: meanRatio((point) => point.global ** 2 / point.mean),
  };
}

function movedPoints(points: readonly StepPoint[]): StepPoint[] {
  return points.filter(({ mean, global }) => mean > 0 && global > 0);
}

export function stepSizeClaims(points: readonly StepPoint[]): Claim[] {
  if (points.length === 0) return [];
  const { global, square } = stepRatios(points);
  const each = movedPoints(points).map((point) => point.global / point.mean);
  const [least, most] = [Math.min(...each), Math.max(...each)].map((ratio) => ratio.toPrecision(2));
  const source = "§V-A, figure 6";
  return [
    {
      ...{ id: "close-to-the-mean", source },
      text: `the global step of OSDL is within a factor of ${fairFactor} of the mean step of the atoms`,
      paper: "a fair approximation to the mean of the individual step sizes",
      measured: `${times(global)} the mean (from ${least} to ${most} times over the mini-batches), for grey levels from 0 to 255; equal to it if the data were multiplied by ${(1 / global).toPrecision(2)}`,
      holds: global <= fairFactor && global >= 1 / fairFactor,
    },
    {
      ...{ id: "square-too-small", source },
      text: `the square of the global step is at most ${conservative} of the mean`,
      paper: "the square would be too conservative, yielding very small step sizes",
      measured: `${times(square)} the mean, whatever the units`,
      holds: square <= conservative,
    },
  ];
}

/** `0.52 times`. */
function times(ratio: number): string {
  return `${ratio < 1e-3 || ratio >= 1e3 ? ratio.toExponential(1) : ratio.toPrecision(2)} times`;
}
