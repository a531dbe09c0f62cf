/**
 * Three remarks of §IV that the curves of figure 5 can judge: training converges, updating atom by atom is slower than a
 * global update, and the non-zeros per atom may have to grow less than linearly with n. And one of §V-A about its settings:
 * the redundancy of the base, which the paper gives for all three sizes and which is that of 32×32 alone.
 */

import { formatShape } from "../../core/shape.js";
import { baseCols, createBase } from "../../dictionaries/base.js";
import type { Claim } from "../shared/experiment.js";
import {
  type Comparison,
  type Curve,
  describeComparison,
  finalError,
  findCurve,
  idPrefix,
} from "./claims.js";
import { type ConvergenceSettings, shareToSparsity } from "./settings.js";

/** A training has converged: its last epoch changed the error by at most this fraction. The paper has no threshold. */
const converged = 0.01;
/** The share of the samples of a patch at which patch sizes are compared. */
const comparedShare = 0.05;

export function convergenceRemarks(comparisons: readonly Comparison[]): Claim[] {
  return [...comparisons.flatMap(algorithmRemarks), ...fewerNonZerosSuffice(comparisons)];
}

/** Algorithms 1 and 2 beside each other. */
function algorithmRemarks(comparison: Comparison): Claim[] {
  const [osdl, niht] = ["osdl", "niht"].map((id) => findCurve(comparison, id));
  if (!osdl || !niht) return [];
  const name = describeComparison(comparison);
  const changes = [osdl, niht].map(lastChange);
  const [seconds, atomwise] = [osdl, niht].map(secondsPerEpoch);
  return [
    {
      ...{ id: `${idPrefix(comparison)}-converged`, source: "§IV-B" },
      text: `${name}: the last epoch of OSDL, and of Algorithm 1, changes the test error by at most ${100 * converged} %`,
      paper: "in all our experiments convergence is reached",
      measured: changes.map((change) => `${(100 * change).toFixed(2)} %`).join(" and "),
      holds: changes.every((change) => Math.abs(change) <= converged),
    },
    {
      ...{ id: `${idPrefix(comparison)}-atomwise-slower`, source: "§IV-C" },
      text: `${name}: an epoch of Algorithm 1, which updates atom by atom, takes longer than one of OSDL`,
      paper: "the atom-wise update is computationally slower than a global update",
      measured: `${atomwise.toFixed(1)} s and ${seconds.toFixed(1)} s`,
      holds: atomwise > seconds,
    },
  ];
}

/** The larger the patch, the nearer OSDL comes to ODL with the same share of non-zeros. */
function fewerNonZerosSuffice(comparisons: readonly Comparison[]): Claim[] {
  const found = comparisons.flatMap(({ size, atomSparsity, curves }) => {
    const isCompared = atomSparsity === shareToSparsity(size, comparedShare);
    const [osdl, odl] = ["osdl", "odl"].map((id) => findCurve({ curves }, id));
    if (!isCompared || !osdl || !odl) return [];
    return [{ size, atomSparsity, above: finalError(osdl) / finalError(odl) - 1 }];
  });
  if (found.length < 2) return [];
  const percent = found.map(({ above }) => `${(100 * above).toFixed(1)} %`);
  return [
    {
      ...{ id: "non-zeros-below-linear", source: "§IV-D" },
      text: `with ${100 * comparedShare} % of n non-zeros per atom, OSDL ends nearer to ODL the larger the patch (${found.map(describeComparison).join("; ")})`,
      paper: "the dependency of k on n might be less than linear",
      measured: `${percent.join(", ")} above ODL`,
      holds: found.slice(1).every(({ above }, i) => above < found[i].above),
    },
  ];
}

/** The change of the error in the last epoch, as a fraction. */
function lastChange({ points }: Curve): number {
  const [before, end] = points.slice(-2);
  return end.testRmse / before.testRmse - 1;
}

function secondsPerEpoch({ points }: Curve): number {
  return points.at(-1)!.seconds / (points.length - 1);
}

/** Per axis, to two decimals. */
const paperRedundancy = 1.75;

/** The redundancy of the base per axis, at each size of patches, which are square. */
export function redundancyClaim({ base, sizes }: Pick<ConvergenceSettings, "base" | "sizes">): Claim {
  const found = sizes.map(({ patch }) => {
    const perAxis = Math.sqrt(baseCols(createBase(base, patch))) / patch[0];
    return { size: formatShape(patch), perAxis };
  });
  const list = found.map(
    ({ size, perAxis }) => `${perAxis.toFixed(2)} at ${size} (${(perAxis ** 2).toFixed(2)} in all)`,
  );
  return {
    ...{ id: "base-redundancy", source: "§V-A" },
    text: `the base has a redundancy of ${paperRedundancy} per axis at every patch size`,
    paper: "the redundancy of this base dictionary is 1.75 (in 1-D), a total redundancy of just over 3",
    measured: list.join(", "),
    holds: found.every(({ perAxis }) => perAxis.toFixed(2) === paperRedundancy.toFixed(2)),
  };
}
