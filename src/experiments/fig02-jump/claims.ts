/**
 * What §III-A claims about figure 2 and, in a footnote, about the borders that the figure leaves out. The paper does not say
 * how it transforms a mirrored signal, so symmetric borders are judged twice: in every level of the transform, and by a periodic
 * transform of the signal that was mirrored first, as in figure 1.
 */

import type { Claim } from "../shared/experiment.js";
import type { ErrorCurve, JumpErrors } from "./errors.js";

const source = "§III-A, figure 2";

export function jumpClaims({ periodic, cropped, usual, mirrored }: JumpErrors): Claim[] {
  return [
    {
      ...{ id: "periodic-borders", source },
      text: "periodic wavelets have errors at the borders as large as at the jump",
      paper: "substantial errors at the borders",
      measured: `${shown(periodic.border)} at the borders, ${shown(periodic.jump)} at the jump`,
      holds: periodic.border >= periodic.jump,
    },
    {
      ...{ id: "cropped-borders", source },
      text: "cropped wavelets reduce the errors at the borders",
      paper: "manage to reduce these errors",
      measured: `${shown(cropped.border)} against ${shown(periodic.border)}`,
      holds: cropped.border < periodic.border,
    },
    {
      ...{ id: "cropped-lower-error", source: "§III-A" },
      text: "over all samples, cropped wavelets have less error than periodic wavelets",
      paper: "enabling for a lower approximation error",
      measured: `${shown(cropped.all)} against ${shown(periodic.all)}`,
      holds: cropped.all < periodic.all,
    },
    {
      ...{ id: "jump-no-larger", source: "ours" },
      text: "around the jump, the error of cropped wavelets is no larger than that of periodic wavelets",
      paper: "",
      measured: `${shown(cropped.jump)} against ${shown(periodic.jump)}`,
      holds: cropped.jump <= periodic.jump,
    },
    periodicBetter(
      "symmetric",
      `wavelets with symmetric borders, ${bestLevels}`,
      usual.periodic,
      usual.symmetric,
    ),
    periodicBetter("zero", `wavelets with zero-padding, ${bestLevels}`, usual.periodic, usual.zero),
    periodicBetter(
      "mirrored",
      "the same wavelets of a signal that is mirrored first, as in figure 1",
      usual.periodic,
      mirrored,
    ),
  ];
}

const bestLevels = "each with the number of levels that suits it best";

/** Over all samples. */
function periodicBetter(id: string, others: string, periodic: ErrorCurve, other: ErrorCurve): Claim {
  return {
    ...{ id: `periodic-over-${id}`, source: "§III-A, footnote" },
    text: `over all samples, periodic wavelets have less error than ${others}`,
    paper: "periodic extensions perform better than symmetric extensions or zero-padding",
    measured: [periodic, other]
      .map(({ label, coefficients, all }) => `${shown(all)} (${label}, from ${coefficients} coefficients)`)
      .join(" and "),
    holds: periodic.all < other.all,
  };
}

export function shown(error: number): string {
  return error.toExponential(2);
}
