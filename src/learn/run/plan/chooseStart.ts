/**
 * How a run of `osdl` begins by default: with the first steps of the paper or short ones (shortStart.ts), and from which atoms.
 *
 * The paper's first steps overwrite the starting atoms with what is particular to one mini-batch, and later mini-batches must
 * repair that. An atom has k unknowns, and a run of t mini-batches uses it tNp/m times on average. From about one to
 * four uses per unknown on, and not before the tenth mini-batch, the paper's steps are ahead; with large patches and long codes it
 * takes about np examples. A shorter run ends better with short steps (docs/decisions/0028-short-start.md). So the paper's are taken if
 *
 *     t ≥ 20,   tN ≥ np   and   tNp/m ≥ 4k.
 *
 * A run that may end before, after some minutes or for want of improvement, and a run whose start is better than the base,
 * a dictionary or examples, take short ones.
 *
 * A run with short steps has no time to make up for its starting atoms. So, where the caller does not say what to start from, it
 * starts from base atoms and examples (exampleStart.ts), if it sees at least twice as many examples as finding them
 * takes, if they fit in memory, and if no minutes are given, which finding them might take. A resumed run keeps what it
 * began with.
 */

import { counted, grouped } from "../../../core/formatText.js";
import { baseRows } from "../../../dictionaries/base.js";
import { startingExamples } from "../../atoms/exampleStart.js";
import type { RunSettings } from "../../checkpoints/checkpointHeader.js";
import type { ExamplePlan } from "../../examples/examplePlan.js";
import type { StartingAtoms } from "../../learners/learner.js";
import type { FirstSteps } from "../../learners/shortStart.js";
import type { ResolvedTraining } from "../trainOptions.js";
import { sizeOfRun, usesPerEpoch } from "./runLength.js";

/** Mini-batches, and uses of an atom per non-zero, from which on a run recovers from the paper's first steps. */
const recovers = { updates: 20, usesPerUnknown: 4 } as const;

/** Examples that a run sees, at least, for each one that finding its starting atoms takes. */
const worthStarting = 2;

export interface ChosenStart {
  readonly firstSteps: FirstSteps;
  readonly init: StartingAtoms;
  /** What was chosen, and why, in words; undefined for the paper's, and if nothing was chosen. */
  readonly reason: string | undefined;
}

/** What the choice depends on. */
export interface StartSituation {
  /** First steps that the caller gave, or that the run began with. */
  readonly fixed: FirstSteps | undefined;
  readonly startsFrom: "the base" | "examples" | "base atoms and examples" | "a dictionary";
  /** What the atoms start as if nothing else is chosen. */
  readonly init: StartingAtoms;
  /** Whether base atoms and examples may be chosen instead. */
  readonly canChoose: boolean;
  /** Whether the run may end before all of its epochs. */
  readonly mayEndEarly: boolean;
  /** `n`, `k` and `p`. */
  readonly samples: number;
  readonly atomSparsity: number;
  readonly sparsity: number;
  /** Mini-batches of the run, and examples of all its epochs. */
  readonly updates: number;
  readonly examples: number;
  /** How often the run uses an atom, on average and at most. */
  readonly uses: number;
}

/** What starting atoms are called in a reason. */
const startNames = {
  base: "the base",
  examples: "examples",
  both: "base atoms and examples",
} as const;

/**
 * The start of a run: as given, as in the checkpoint it resumes from, or by the length of the run. `fits` says whether the
 * run fits in memory with these starting atoms.
 */
export function startOf(
  options: ResolvedTraining,
  { sampler: { examples }, length: { epochs }, batch }: Pick<ExamplePlan, "sampler" | "length" | "batch">,
  resumed: RunSettings | undefined,
  fits: (init: StartingAtoms) => boolean,
): ChosenStart {
  const { kind, given, start, minutes, patience, base, atomSparsity, atoms } = options;
  const { firstSteps } = options;
  if (!kind.ownOptions.includes("firstSteps")) return { firstSteps, init: options.init, reason: undefined };
  const size = sizeOfRun(options, examples);
  const saved = resumed && savedStart(resumed);
  const init = given.init ?? saved?.init ?? options.init;
  const worthIt = epochs * examples >= worthStarting * startingExamples(atoms, examples);
  return chooseStart({
    fixed: given.firstSteps ?? saved?.firstSteps,
    startsFrom: start ? "a dictionary" : startNames[init],
    init,
    canChoose: given.init === undefined && worthIt && minutes === Infinity && fits("both"),
    mayEndEarly: minutes < Infinity || patience < Infinity,
    samples: baseRows(base),
    atomSparsity,
    sparsity: size.sparsity,
    updates: epochs * Math.ceil(examples / batch),
    examples: epochs * examples,
    uses: epochs * usesPerEpoch(size),
  });
}

/** Older checkpoints have neither. */
function savedStart({ firstSteps, init }: RunSettings): Omit<ChosenStart, "reason"> {
  return {
    firstSteps: firstSteps === "short" ? "short" : "paper",
    init: init === "both" || init === "examples" ? init : "base",
  };
}

export function chooseStart(situation: StartSituation): ChosenStart {
  const { fixed, init, canChoose, startsFrom } = situation;
  if (fixed !== undefined) return { firstSteps: fixed, init, reason: undefined };
  const why = whyShort(situation);
  if (why === undefined) return { firstSteps: "paper", init, reason: undefined };
  const both = canChoose && startsFrom === "the base";
  const what = both ? `short first steps from ${startNames.both}` : "short first steps";
  return { firstSteps: "short", init: both ? "both" : init, reason: `${what}: ${why}` };
}

function whyShort(situation: StartSituation): string | undefined {
  const { startsFrom, mayEndEarly, updates, examples, uses } = situation;
  const { samples: n, atomSparsity: k, sparsity: p } = situation;
  if (startsFrom !== "the base") return `the run starts from ${startsFrom}`;
  if (mayEndEarly) return "the run may end early";
  if (updates < recovers.updates) return `the run has only ${counted(updates, "update")}`;
  if (examples < n * p)
    return `the run sees only ${counted(examples, "example")}, of ${grouped(n)} samples and coded by ${counted(p, "atom")}`;
  if (uses >= recovers.usesPerUnknown * k) return undefined;
  return `the run uses an atom of ${counted(k, "non-zero")} only about ${grouped(Math.round(uses))} times`;
}
