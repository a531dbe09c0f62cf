/**
 * What §V-A says of figure 5, and whether it was so: online learning converges faster
 * than the batch method; Algorithm 1 and OSDL are close for small patches, and OSDL is ahead for
 * larger ones; more non-zeros an atom represent better, and from a share on that falls with
 * the size of the patches, as well as the dense atoms of ODL.
 */

import { sizeOf } from "../../core/shape.js";
import type { Claim } from "../shared/experiment.js";
import { atomSparsityOf, type Curve, curveOf, type Panel, panelName } from "./result.js";

/** Algorithm 1 is "close" within this part of the error of OSDL, where the paper sees little difference. */
const close = 0.04;
/** OSDL "meets" ODL within this part of its error, or below it. */
const met = 0.01;
/** Samples of a patch up to which the paper calls the dimension low. */
const low = 144;

export function judge(panels: readonly Panel[]): Claim[] {
  return [...panels.flatMap(claimsOf), ...sharesOf(panels)];
}

function claimsOf(panel: Panel): Claim[] {
  const name = panelName(panel);
  const osdl = curveOf(panel, "osdl");
  if (!osdl) return [];
  const first = osdl.points[1];
  const faster = panel.curves
    .filter(({ method }) => method.batch)
    .map((curve) => {
      const seconds = secondsTo(curve, first.testRmse);
      const took = seconds === undefined ? "never" : `${seconds.toFixed(1)} s`;
      return {
        text: `${name}: OSDL has the error of its first epoch (${first.testRmse.toFixed(3)}) before ${curve.method.label} (${first.seconds.toFixed(1)} s, ${took})`,
        holds: seconds === undefined || first.seconds < seconds,
      };
    });
  const niht = curveOf(panel, "niht");
  const odl = curveOf(panel, "odl");
  return [
    ...faster,
    ...(niht ? [againstNiht(panel, osdl, niht)] : []),
    ...(odl && meetsOdl(panel) ? [againstOdl(panel, osdl, odl)] : []),
  ];
}

function meetsOdl({ size, atomSparsity }: Panel): boolean {
  return size.meetsOdl !== undefined && atomSparsity >= atomSparsityOf(size, size.meetsOdl);
}

function againstOdl(panel: Panel, osdl: Curve, odl: Curve): Claim {
  const [ours, theirs] = [last(osdl), last(odl)];
  return {
    text: `${panelName(panel)}: OSDL ends within ${100 * met} % of ODL, or below it (measured: ${ours.toFixed(3)} and ${theirs.toFixed(3)})`,
    holds: ours <= (1 + met) * theirs,
  };
}

function againstNiht(panel: Panel, osdl: Curve, niht: Curve): Claim {
  const [ours, theirs] = [last(osdl), last(niht)];
  const measured = `(measured: ${ours.toFixed(3)} and ${theirs.toFixed(3)})`;
  if (sizeOf(panel.size.patch) > low)
    return {
      text: `${panelName(panel)}: OSDL ends ahead of Algorithm 1 ${measured}`,
      holds: ours < theirs,
    };
  return {
    text: `${panelName(panel)}: OSDL and Algorithm 1 end within ${100 * close} % of each other ${measured}`,
    holds: Math.abs(theirs / ours - 1) <= close,
  };
}

/** More non-zeros an atom are better, for OSDL. */
function sharesOf(panels: readonly Panel[]): Claim[] {
  return panels.slice(1).flatMap((panel, i) => {
    const before = panels[i];
    const [less, more] = [curveOf(before, "osdl"), curveOf(panel, "osdl")];
    if (before.size !== panel.size || !less || !more) return [];
    return [
      {
        text: `${panelName(panel)}: OSDL ends below its error with k = ${before.atomSparsity}`,
        holds: last(more) < last(less),
      },
    ];
  });
}

function last({ points }: Curve): number {
  return points.at(-1)!.testRmse;
}

/** Seconds until a curve is at an error, straight between its points. */
function secondsTo({ points }: Curve, error: number): number | undefined {
  const at = points.findIndex(({ testRmse }) => testRmse <= error);
  if (at <= 0) return at === 0 ? 0 : undefined;
  const [a, b] = [points[at - 1], points[at]];
  return a.seconds + ((b.seconds - a.seconds) * (a.testRmse - error)) / (a.testRmse - b.testRmse);
}
