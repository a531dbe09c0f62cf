/**
 * Which first steps a run of `osdl` takes by default: those of the paper, or short ones (shortStart.ts).
 *
 * The paper's first steps overwrite the starting atoms with what is particular to one mini-batch, and later mini-batches must
 * repair that. An atom has k unknowns, and a run of t mini-batches uses it tNp/m times on average. From about one to
 * four uses per unknown on, and not before the tenth mini-batch, the paper's steps are ahead; a shorter run ends better
 * with short ones (docs/decisions/0028-short-start.md). So the paper's are taken if
 *
 *     t ≥ 20   and   t·Np/m ≥ 4k.
 *
 * A run that may end before, after some minutes or for want of improvement, and a run whose start is better than the base,
 * a dictionary or examples, take short ones. A resumed run keeps those it began with.
 */

import { counted, grouped } from "../../core/formatText.js";
import type { RunSettings } from "../checkpoints/checkpointHeader.js";
import type { ExamplePlan } from "../examples/examplePlan.js";
import type { FirstSteps } from "../learners/shortStart.js";
import { sizeOfRun, usesPerEpoch } from "./runLength.js";
import type { ResolvedTraining } from "./trainOptions.js";

/** Mini-batches and uses of an atom per non-zero of it from which on a run recovers from the paper's first steps. */
const recovers = { updates: 20, usesPerUnknown: 4 } as const;

export interface ChosenSteps {
  readonly firstSteps: FirstSteps;
  /** Which were chosen, and why, in words; undefined for the paper's, and if nothing was chosen. */
  readonly reason: string | undefined;
}

/** What the choice depends on. */
export interface StepsSetting {
  /** Those that the caller gave, or that the run began with. */
  readonly fixed: FirstSteps | undefined;
  readonly startsFrom: "the base" | "examples" | "base atoms and examples" | "a dictionary";
  /** Whether the run may end before all of its epochs. */
  readonly mayEndEarly: boolean;
  /** `k`. */
  readonly atomSparsity: number;
  /** Mini-batches of the run. */
  readonly updates: number;
  /** How often the run uses an atom, on average and at most. */
  readonly uses: number;
}

/** What starting atoms are called in a reason. */
const startNames = {
  base: "the base",
  examples: "examples",
  both: "base atoms and examples",
} as const;

/** The first steps of a run that has them: as given, as in the checkpoint it resumes from, or by the length of the run. */
export function firstStepsOf(
  options: ResolvedTraining,
  { sampler: { examples }, length: { epochs }, batch }: Pick<ExamplePlan, "sampler" | "length" | "batch">,
  resumed: RunSettings | undefined,
): ChosenSteps {
  const { kind, given, start, init, minutes, patience, atomSparsity } = options;
  if (!kind.ownOptions.includes("firstSteps")) return { firstSteps: options.firstSteps, reason: undefined };
  const saved = resumed && (resumed.firstSteps === "short" ? "short" : "paper");
  return chooseFirstSteps({
    fixed: given.firstSteps ?? saved,
    startsFrom: start ? "a dictionary" : startNames[init],
    mayEndEarly: minutes < Infinity || patience < Infinity,
    atomSparsity,
    updates: epochs * Math.ceil(examples / batch),
    uses: epochs * usesPerEpoch(sizeOfRun(options, examples)),
  });
}

export function chooseFirstSteps(setting: StepsSetting): ChosenSteps {
  if (setting.fixed !== undefined) return { firstSteps: setting.fixed, reason: undefined };
  const why = whyShort(setting);
  return why === undefined
    ? { firstSteps: "paper", reason: undefined }
    : { firstSteps: "short", reason: `short first steps: ${why}` };
}

function whyShort(setting: StepsSetting): string | undefined {
  const { startsFrom, mayEndEarly, updates, uses, atomSparsity: k } = setting;
  if (startsFrom !== "the base") return `the run starts from ${startsFrom}`;
  if (mayEndEarly) return "the run may end early";
  if (updates < recovers.updates) return `the run has only ${counted(updates, "update")}`;
  if (uses >= recovers.usesPerUnknown * k) return undefined;
  return `the run uses an atom of ${counted(k, "non-zero")} only about ${grouped(Math.round(uses))} times`;
}
