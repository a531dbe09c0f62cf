/**
 * What §IV-D claims: a mini-batch of OSDL takes O(N n²(√m + k) + m² log m), one of ODL O(N n³); so the time grows no
 * faster than that, and OSDL has the advantage in high dimension. A slope is that of a line fitted to logarithms.
 */

import type { Claim } from "../shared/experiment.js";
import { type KnownSizes, logSlope, predictedWork, sizeAlong } from "./growth.js";
import type { Letter } from "./settings.js";

/** The seconds of one learner against one size. */
export interface SweepCurve {
  readonly letter: Letter;
  readonly learner: "osdl" | "odl";
  readonly points: readonly SweepPoint[];
}

export interface SweepPoint {
  readonly sizes: KnownSizes;
  /** Seconds per mini-batch. */
  readonly seconds: number;
}

/** The slope of a curve, measured and predicted. */
export function slopesOf({ letter, learner, points }: SweepCurve): {
  readonly measured: number;
  readonly predicted: number;
} {
  const x = points.map(({ sizes }) => sizeAlong(sizes, letter));
  return {
    measured: logSlope(
      x,
      points.map(({ seconds }) => seconds),
    ),
    predicted: logSlope(
      x,
      points.map(({ sizes }) => predictedWork(learner, sizes)),
    ),
  };
}

/** How far above the predicted slope a measured one may be: times are not exact. */
const tolerance = 0.2;

const source = "§IV-D";

export function complexityClaims(curves: readonly SweepCurve[]): Claim[] {
  const find = (learner: string) => curves.find((one) => one.letter === "n" && one.learner === learner);
  const [osdl, odl] = [find("osdl"), find("odl")];
  return [
    ...curves.filter(({ learner }) => learner === "osdl").map(growsAsPredicted),
    ...(osdl && odl ? againstOdl(osdl, odl) : []),
    ...curves.filter(({ letter, learner }) => letter === "k" && learner === "osdl").map(dependsOnSparsity),
  ];
}

/** "k determines the computational complexity": the time at least doubles where k grows by far more. */
const muchLonger = 2;

function dependsOnSparsity({ points }: SweepCurve): Claim {
  const [first, last] = [points[0], points.at(-1)!];
  const [fewer, more] = [first, last].map(({ sizes }) => sizes.atomSparsity);
  return {
    ...{ id: "k-determines-time", source },
    text: `a mini-batch of OSDL takes at least ${muchLonger} times as long with k = ${more} as with k = ${fewer}`,
    paper: "the number of non-zeros per atom k determines the computational complexity",
    measured: `${milliseconds(last)} and ${milliseconds(first)}: ${(last.seconds / first.seconds).toFixed(1)} times`,
    holds: last.seconds >= muchLonger * first.seconds,
  };
}

function growsAsPredicted(curve: SweepCurve): Claim {
  const { measured, predicted } = slopesOf(curve);
  return {
    ...{ id: `grows-with-${curve.letter === "N" ? "batch" : curve.letter}`, source },
    text: `OSDL: the seconds per mini-batch grow with ${curve.letter} no faster than predicted (a slope at most ${tolerance} above)`,
    paper: `O(N n²(√m + k) + m² log m): slope ${predicted.toFixed(2)}`,
    measured: `slope ${measured.toFixed(2)}, predicted ${predicted.toFixed(2)}`,
    holds: measured <= predicted + tolerance,
  };
}

function againstOdl(osdl: SweepCurve, odl: SweepCurve): Claim[] {
  const [ours, theirs] = [osdl, odl].map((curve) => slopesOf(curve));
  const [last, lastOdl] = [osdl, odl].map(({ points }) => points.at(-1)!);
  const { side, atomSparsity, sparsity } = last.sizes;
  return [
    {
      ...{ id: "odl-grows-faster", source },
      text: "the seconds per mini-batch grow faster with n for ODL than for OSDL",
      paper: `O(N n³) for ODL: slopes ${ours.predicted.toFixed(2)} and ${theirs.predicted.toFixed(2)}`,
      measured: `slopes ${ours.measured.toFixed(2)} for OSDL and ${theirs.measured.toFixed(2)} for ODL, predicted ${ours.predicted.toFixed(2)} and ${theirs.predicted.toFixed(2)}`,
      holds: theirs.measured > ours.measured,
    },
    {
      ...{ id: "osdl-cheaper", source },
      text: `with ${side}x${side} patches (k = ${atomSparsity}, p = ${sparsity}) a mini-batch of OSDL takes less time than one of ODL`,
      paper: "a computational advantage over methods using explicit dictionaries",
      measured: `${milliseconds(last)} and ${milliseconds(lastOdl)}`,
      holds: last.seconds < lastOdl.seconds,
    },
  ];
}

function milliseconds({ seconds }: SweepPoint): string {
  return `${(1000 * seconds).toPrecision(3)} ms`;
}
