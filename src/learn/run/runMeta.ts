/** How a model came to be, as its file records it. */

import { Model, type ModelMeta } from "../../model/model.js";
import type { OwnOption } from "../learners/learner.js";
import type { TrainPlan } from "./setup.js";
import type { ResolvedTraining } from "./trainOptions.js";

/** What is recorded of the plan of a run. */
export type RecordedPlan = ResolvedTraining & Pick<TrainPlan, "holds">;

/** What is recorded of a model that has seen this many examples. */
export function describeRun(plan: RecordedPlan, examplesSeen: number): ModelMeta {
  const { learner, batch, epochs, examples, atomCare, seed, removeMean, coding } = plan;
  const { ownOptions } = plan.kind;
  const ifOwn = (name: OwnOption) => (ownOptions.includes(name) ? { [name]: plan[name] } : {});
  const options = {
    ...ifOwn("atomSparsity"),
    batch,
    epochs,
    examples,
    ...ifOwn("momentum"),
    ...ifOwn("stepDecay"),
    ...(plan.start || startsAsPrinted(plan) ? {} : ifOwn("init")),
    ...(plan.firstSteps === "paper" ? {} : ifOwn("firstSteps")),
    ...(plan.refineBase ? ifOwn("refineBase") : {}),
    ...(isAverage(plan, examplesSeen) ? ifOwn("average") : {}),
    atomCare,
    ...(plan.start ? startOf(plan.start) : {}),
    ...(plan.holds === "groups" ? { groupSamples: plan.groupSamples } : {}),
  };
  return { learner, options, seed, examplesSeen, removeMean, coding };
}

/** Whether the atoms are the mean: only the end of the last epoch brings it. */
function isAverage({ average, examples, epochs }: RecordedPlan, examplesSeen: number): boolean {
  return average && examplesSeen === examples * epochs;
}

/** Of a run that starts from a dictionary which was learned: how that one came to be. */
function startOf({ meta }: Model): { start?: Record<string, unknown> } {
  const { learner, coding, examplesSeen, options } = meta;
  if (examplesSeen === 0) return {};
  const before = options.start === undefined ? {} : { start: options.start };
  return { start: { learner, coding, examplesSeen, ...before } };
}

/** Whether the atoms start as in the paper, from the base, which goes without saying where it is the default. */
function startsAsPrinted({ kind, init }: RecordedPlan): boolean {
  return kind.defaults?.init === "base" && init === "base";
}

/** The same model with another record. */
export function withMeta({ base, A, uses, norms, dictionary }: Model, meta: ModelMeta): Model {
  return new Model(base, A, meta, { uses, norms }, dictionary);
}
