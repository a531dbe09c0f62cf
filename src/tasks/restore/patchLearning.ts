/** A dictionary learned from the very signals that `denoise` and `inpaint` are to restore. */

import { onBehalfOf } from "../../core/errors.js";
import { requireOneOf } from "../../core/require.js";
import { type Shape, sizeOf } from "../../core/shape.js";
import type { Signal } from "../../core/signal.js";
import type { BaseDictionary } from "../../dictionaries/base.js";
import type { Kernels } from "../../kernels/contract.js";
import type { LearnerKind } from "../../learn/learners/learner.js";
import { learnerNames, learners } from "../../learn/learners/registry.js";
import { train } from "../../learn/run/train.js";
import { resolveTraining, trainDefaults } from "../../learn/run/trainOptions.js";
import type { Model } from "../../model/model.js";
import { atomSparsityOf, defaultAtomShare, type PatchTraining } from "./patchOptions.js";

/** What a task says of its learning. */
export interface PatchLearning {
  readonly where: string;
  readonly patch: Shape;
  readonly base: string | BaseDictionary;
  /** How patches are coded, in the units of the signals; `sparsity` is a limit beside it. */
  readonly coding: { readonly error: number; readonly sparsity: number };
  readonly training: PatchTraining;
  /** Unless `training` says otherwise, for learners that take mini-batches. */
  readonly usual: { readonly examples: number; readonly epochs: number };
  readonly kernels: Kernels;
  readonly signal?: AbortSignal | undefined;
  /** Examples seen, of all; it may throw to end the learning. */
  readonly onProgress: (done: number, total: number) => void;
}

/** Patches of a step, unless told: at 16×16, twice those of `train` cost 0.01 to 0.04 dB and save a third of the time. */
export const patchBatch = 1024;

/** Reports of an epoch: they tell how far it is, and each waits for the device. */
const reportsAnEpoch = 20;

/** Patches that a learner of the whole set learns from, where it has no number of its own. */
export const wholeSetExamples = 40_000;

export async function learnFromPatches(signals: readonly Signal[], task: PatchLearning): Promise<Model> {
  const { where, patch, base, coding, training, kernels, signal } = task;
  const { atomShare, ...others } = training;
  const kind =
    learners[requireOneOf(where, "learner", training.learner ?? trainDefaults.learner, learnerNames)];
  const share = atomShare ?? (kind.ownOptions.includes("atomSparsity") ? defaultAtomShare : undefined);
  const size = sizeOfTraining(task);
  const options = {
    batch: patchBatch,
    ...others,
    ...size,
    base,
    patch,
    atomSparsity: share === undefined ? undefined : atomSparsityOf(where, share, sizeOf(patch)),
    coding: { ...coding, sparsity: Math.max(1, Math.min(coding.sparsity, training.atoms ?? Infinity)) },
    holdout: 0,
    reportEvery: reportStep(size.examples, others.batch ?? patchBatch, kind.takes),
  };
  onBehalfOf(where, () => resolveTraining(options));
  const run = train(signals, { ...options, kernels, signal });
  const plan = await run.plan();
  for await (const report of run) task.onProgress(report.examples, plan.examples * plan.epochs);
  return run.model();
}

/** Updates between two reports; sizes that are none are refused elsewhere. */
function reportStep(examples: number, batch: number, takes: LearnerKind["takes"]): number {
  const steps = takes === "mini-batches" ? Math.ceil(examples / batch / reportsAnEpoch) : 1;
  return steps >= 1 && steps < Infinity ? steps : 1;
}

/** Patches an epoch, and epochs; a learner that passes over one set has its own epochs. */
function sizeOfTraining({ where, training, usual }: PatchLearning): {
  readonly examples: number;
  readonly epochs: number | undefined;
} {
  const { learner = trainDefaults.learner, examples, epochs } = training;
  const { takes, defaults } = learners[requireOneOf(where, "learner", learner, learnerNames)];
  if (takes === "mini-batches")
    return { examples: examples ?? usual.examples, epochs: epochs ?? usual.epochs };
  return { examples: examples ?? defaults?.examples ?? wholeSetExamples, epochs };
}
