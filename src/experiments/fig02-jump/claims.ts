/** What §III-A claims about figure 2 and, in a footnote, about the borders that the figure leaves out. */

import type { Claim } from "../shared/experiment.js";
import type { JumpErrors } from "./errors.js";

const source = "§III-A, figure 2";

export function jumpClaims({ periodic, cropped, usual }: JumpErrors): Claim[] {
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
      ...{ id: "jump-no-larger", source: "ours" },
      text: "around the jump, the error of cropped wavelets is no larger than that of periodic wavelets",
      paper: "",
      measured: `${shown(cropped.jump)} against ${shown(periodic.jump)}`,
      holds: cropped.jump <= periodic.jump,
    },
    periodicBetter("symmetric", "symmetric borders", usual),
    periodicBetter("zero", "zero-padding", usual),
  ];
}

/** Over all samples. */
function periodicBetter(
  mode: "symmetric" | "zero",
  name: string,
  { periodic, [mode]: other }: JumpErrors["usual"],
): Claim {
  return {
    ...{ id: `periodic-over-${mode}`, source: "§III-A, footnote" },
    text: `over all samples, periodic wavelets have less error than wavelets with ${name}, each with the number of levels that suits it best`,
    paper: "periodic extensions perform better than symmetric extensions or zero-padding",
    measured: [periodic, other].map(({ label, all }) => `${shown(all)} (${label})`).join(" and "),
    holds: periodic.all < other.all,
  };
}

export function shown(error: number): string {
  return error.toExponential(2);
}
