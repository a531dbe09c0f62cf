/**
 * What the paper finds in figure 11, and whether it was so: the trained dictionary is
 * above all others, ODL included, and learned over twice as fast (§V-D: 2 days against
 * 4.6), and cropping improves wavelets much. The margin in dB is ours, from prototypes
 * on the same kind of data.
 */

import type { MTermCurve } from "../../tasks/approximate/mTermCurves.js";
import type { Claim } from "../shared/experiment.js";
import type { UniversalConfig } from "./config.js";
import { type Learned, learned } from "./result.js";

/** The claims about the curves, at the M of the table. */
export function judge(
  { terms, margin }: UniversalConfig,
  curves: readonly MTermCurve[],
  learnings: readonly Learned[],
): Claim[] {
  const at = (label: string) => curves.find((curve) => curve.label === label)!.psnr;
  const others = curves.filter(({ label }) => label !== learned);
  const allOf = (isSo: (M: number) => boolean) => terms.every(isSo);
  const list = (values: readonly number[]) => values.join(", ");
  const claims = [
    {
      text: `${learned} has the highest PSNR at M = ${list(terms)}`,
      holds: allOf((M) => others.every(({ psnr }) => at(learned)[M] > psnr[M])),
    },
    {
      text: `cropped wavelets are better than wavelets at M = ${list(terms)}`,
      holds: allOf((M) => at("cropped wavelets")[M] > at("wavelets")[M]),
    },
    ...fasterThan(learnings),
  ];
  if (!margin) return claims;
  const gains = margin.terms.map((M) => at(learned)[M] - at(margin.over)[M]);
  const measured = gains.map((gain) => gain.toFixed(2)).join(", ");
  const text = `at least ${margin.decibels} dB above ${margin.over} at M = ${list(margin.terms)} (measured: ${measured})`;
  return [
    ...claims,
    { text: `${learned} is ${text}`, holds: gains.every((gain) => gain >= margin.decibels) },
  ];
}

/** How many times as fast the paper has it learned. */
const timesFaster = 2;

function fasterThan(learnings: readonly Learned[]): Claim[] {
  const { seconds: ours } = learnings.at(-1)!;
  return learnings.slice(0, -1).map(({ label, seconds }) => ({
    text: `${learned} is learned over twice as fast as ${label} (measured: ${ours.toFixed(0)} s and ${seconds.toFixed(0)} s)`,
    holds: seconds > timesFaster * ours,
  }));
}
