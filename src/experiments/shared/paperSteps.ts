/** Options of a training of an experiment: the steps of OSDL are those of the paper, whatever the default of `train` is. */

import { resolveLearner, type TrainOptions } from "../../learn/run/trainOptions.js";

export function withPaperSteps(options: TrainOptions): TrainOptions {
  const { kind } = resolveLearner(options.learner);
  return kind.ownOptions.includes("firstSteps") ? { ...options, firstSteps: "paper" } : options;
}
