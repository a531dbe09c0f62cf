/** Options of commands that learn a dictionary from what they are given: `denoise` and `inpaint`. */

import type { Command } from "commander";
import { baseForms } from "../../dictionaries/base.js";
import { learnerNames } from "../../learn/learners/registry.js";
import { trainDefaults } from "../../learn/run/trainOptions.js";
import { patchBatch, wholeSetExamples } from "../../tasks/restore/patchLearning.js";
import { defaultAtomShare } from "../../tasks/restore/patchOptions.js";
import { choice, count, option, share } from "./flags.js";

/** What a command assumes. */
interface LearningDefaults {
  readonly base: string;
  readonly examples: number;
  readonly epochs: number;
}

export function withLearningOptions(command: Command, d: LearningDefaults): Command {
  const examples = `${d.examples}; ${wholeSetExamples} for learners of one set`;
  const epochs = `${d.epochs}; by the learner of one set`;
  const k = `${100 * defaultAtomShare}%`;
  return command
    .addOption(option("--base <name>", `what atoms are made of: ${baseForms.join(", ")}`, undefined, d.base))
    .addOption(option("--atom-sparsity <k>", "base atoms in an atom, of the samples", share, k))
    .addOption(option("--examples <n>", "patches an epoch", count, examples))
    .addOption(option("--epochs <n>", "times that each patch is seen", count, epochs))
    .addOption(option("--batch <n>", "patches of a step", count, patchBatch))
    .addOption(choice("--learner <name>", "algorithm", learnerNames, trainDefaults.learner))
    .addOption(option("--seed <n>", "seed of everything random", count, trainDefaults.seed));
}
