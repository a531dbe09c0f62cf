/**
 * All learners on twenty small sets (smallSets.ts) with their defaults. The dictionary of a run and the atoms
 * it started from are measured on examples that the run never saw, neither in training nor in its tests. A run that ends
 * worse than it began must report it.
 */

import { InputError } from "../src/core/errors.js";
import { counted } from "../src/core/formatText.js";
import { requireOneOf } from "../src/core/require.js";
import type { Kernels } from "../src/kernels/contract.js";
import { createCpuKernels } from "../src/kernels/cpu/index.js";
import { type LearnerName, learnerNames } from "../src/learn/learners/registry.js";
import { gainIsUnclear } from "../src/learn/run/bestModel.js";
import { train } from "../src/learn/run/train.js";
import type { TrainReport } from "../src/learn/run/trainingLoop.js";
import { trainDefaults } from "../src/learn/run/trainOptions.js";
import type { Model } from "../src/model/model.js";
import { representationError } from "../src/tasks/approximate/representation.js";
import type { Options } from "./setting.js";
import { type SmallSet, smallSets } from "./smallSets.js";
import { digits, table } from "./table.js";

/** What a run came to. Errors are on unseen examples. */
interface Outcome {
  readonly learner: LearnerName;
  readonly start: number;
  readonly end: number;
  /** Whether the run reported that it ended worse than it began, or that its gain may be chance, by its own tests. */
  readonly reported: boolean;
  readonly seconds: number;
}

export async function benchSmall({ threads, data, images, only }: Options): Promise<string> {
  const words = only?.split(",") ?? learnerNames;
  for (const word of words) requireOneOf("bench", "word in --only", word, learnerNames);
  const chosen = learnerNames.filter((name) => words.includes(name));
  const kernels = await createCpuKernels({ threads });
  const rows: string[][] = [];
  const all: Outcome[] = [];
  for (const set of await smallSets(data, images)) {
    const outcomes: Outcome[] = [];
    const cells: string[] = [];
    for (const learner of chosen) {
      const outcome = await runOn(set, learner, kernels).catch(refusal);
      if (outcome) outcomes.push(outcome);
      cells.push(outcome ? describe(outcome) : "refused");
    }
    all.push(...outcomes);
    rows.push([set.name, ...cells]);
    process.stderr.write(`${rows.at(-1)?.join("  ")}\n`);
  }
  await kernels.close();
  const lead =
    "RMSE on unseen examples at the start and of the dictionary that is kept; everything by default. * marks a run that reported that it ended worse than it began, or that its gain may be chance, by its own tests.";
  return [lead, table(["set", ...chosen], rows), ...summary(all)].join("\n\n");
}

async function runOn(
  { patch, examples, unseen }: SmallSet,
  learner: LearnerName,
  kernels: Kernels,
): Promise<Outcome> {
  const begun = performance.now();
  const run = train(examples, { patch, learner, kernels });
  let start: Model | undefined;
  let last: TrainReport | undefined;
  for await (const report of run) {
    start ??= await run.snapshot();
    last = report;
  }
  const seconds = (performance.now() - begun) / 1000;
  const measure = ({ base, A, meta: { coding, removeMean } }: Model) =>
    representationError({ base, A }, unseen, {
      coding,
      removeMean,
      examples: unseen.length,
      seed: 1,
      kernels,
    });
  const model = await run.model();
  const { testRmse = 0, kept } = last ?? {};
  const { startRmse = Infinity } = kept ?? {};
  const { holdout } = await run.plan();
  return {
    learner,
    start: start ? await measure(start) : Number.NaN,
    end: await measure(model),
    reported: testRmse > startRmse || gainIsUnclear(kept?.testRmse ?? testRmse, startRmse, holdout),
    seconds,
  };
}

/** Some bases do not suit `sedil`, and it refuses them. */
function refusal(error: unknown): undefined {
  if (!(error instanceof InputError)) throw error;
}

function describe({ start, end, reported }: Outcome): string {
  return `${digits(start)} → ${digits(end)}${reported ? " *" : ""}`;
}

/** For each learner: runs that ended worse on unseen examples, and whether they reported a decline. */
function summary(all: readonly Outcome[]): string[] {
  const rows = learnerNames.flatMap((learner) => {
    const own = all.filter((outcome) => outcome.learner === learner);
    if (own.length === 0) return [];
    const worse = own.filter(({ start, end }) => end > start);
    const silent = worse.filter(({ reported }) => !reported);
    const seconds = own.reduce((sum, outcome) => sum + outcome.seconds, 0);
    const name = learner === trainDefaults.learner ? `${learner} (the default)` : learner;
    return [
      [
        name,
        String(own.length),
        String(worse.length),
        String(silent.length),
        String(own.filter(({ reported }) => reported).length),
        digits(seconds),
      ],
    ];
  });
  const header = [
    "learner",
    "runs",
    "worse than the start",
    "of these not reported",
    "reported a decline or an unclear gain",
    "seconds",
  ];
  return [`${counted(all.length, "run")}, by learner:`, table(header, rows)];
}
