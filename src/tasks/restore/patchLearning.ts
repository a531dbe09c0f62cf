/** A dictionary learned from the signals that `denoise` and `inpaint` restore. */

import { onBehalfOf } from "../../core/errors.js";
import { extremeLimit } from "../../core/samples/extremes.js";
import type { Shape } from "../../core/shape.js";
import type { Signal } from "../../core/signal.js";
import type { BaseDictionary } from "../../dictionaries/base.js";
import type { Kernels } from "../../kernels/contract.js";
import type { LearnerKind } from "../../learn/learners/learner.js";
import { train } from "../../learn/run/train.js";
import {
  type AtomSparsity,
  resolveLearner,
  resolveTraining,
  trainDefaults,
} from "../../learn/run/trainOptions.js";
import type { Model } from "../../model/model.js";
import type { CodingRule } from "../../pursuit/encoder.js";
import type { PatchTraining } from "./patchOptions.js";

/** How a task learns. */
export interface PatchLearning {
  readonly where: string;
  readonly patch: Shape;
  readonly base: string | BaseDictionary;
  /** How patches are coded, in the units of the signals; `sparsity` limits it as well. */
  readonly coding: CodingRule & { readonly error: number; readonly sparsity: number };
  readonly training: PatchTraining;
  /** The defaults of the task; `examples` and `epochs` are for learners that take mini-batches. */
  readonly usual: {
    readonly examples: number;
    readonly epochs: number;
    readonly batch: number;
    readonly atomSparsity: AtomSparsity;
  };
  readonly kernels: Kernels;
  readonly signal?: AbortSignal | undefined;
  /** Called with the examples seen, of all; it may throw to end the learning. */
  readonly onProgress: (done: number, total: number) => void;
}

/** Defaults of both tasks: the mini-batches of `train`, and the k of §V-B. */
export const patchDefaults = { batch: trainDefaults.batch, atomSparsity: "10%" } as const;

/** The steps of `osdl`: as in the paper, whose denoising this is (docs/decisions/0028-short-start.md). */
const firstSteps = "paper" as const;

/** Reports per epoch: they show the progress, and each waits for the device. */
const reportsPerEpoch = 20;

/** The default of `examples` for learners that take the whole set and have none of their own. */
export const wholeSetExamples = 40_000;

export async function learnFromPatches(signals: readonly Signal[], task: PatchLearning): Promise<Model> {
  const { where, patch, base, coding, training, usual, kernels, signal } = task;
  const { kind } = onBehalfOf(where, () => resolveLearner(training.learner));
  const { atomSparsity = kind.ownOptions.includes("atomSparsity") ? usual.atomSparsity : undefined } =
    training;
  const { batch = usual.batch } = training;
  const size = sizeOfTraining(kind, task);
  const options = {
    ...training,
    ...size,
    batch,
    base,
    patch,
    atomSparsity,
    ...(kind.ownOptions.includes("firstSteps") ? { firstSteps } : {}),
    coding: { ...coding, sparsity: Math.max(1, Math.min(coding.sparsity, training.atoms ?? Infinity)) },
    holdout: 0,
    reportEvery: reportStep(size.examples, batch, kind.takes),
  };
  onBehalfOf(where, () => resolveTraining(options));
  const run = train(signals.map(withoutExtremes(signals)), {
    ...options,
    kernels,
    signal,
    nodata: Number.NaN,
  });
  const plan = await run.plan();
  for await (const report of run) task.onProgress(report.examples, plan.examples * plan.epochs);
  return run.model();
}

/** Signals whose samples far beyond all others are missing, as windows with such a sample are not worth learning. */
function withoutExtremes(all: readonly Signal[]): (signal: Signal) => Signal {
  const limit = extremeLimit(all);
  if (limit === undefined) return (signal) => signal;
  return (signal) => ({
    ...signal,
    data: signal.data.map((value) => (Math.abs(value) > limit ? Number.NaN : value)),
  });
}

/** Updates between two reports; invalid sizes are rejected by `train`. */
function reportStep(examples: number, batch: number, takes: LearnerKind["takes"]): number {
  const steps = takes === "mini-batches" ? Math.ceil(examples / batch / reportsPerEpoch) : 1;
  return steps >= 1 && steps < Infinity ? steps : 1;
}

/** Patches per epoch, and epochs; a learner of the whole set has its own default of epochs. */
function sizeOfTraining(
  { takes, defaults }: LearnerKind,
  { training, usual }: PatchLearning,
): { readonly examples: number; readonly epochs: number | undefined } {
  const { examples, epochs } = training;
  if (takes === "mini-batches")
    return { examples: examples ?? usual.examples, epochs: epochs ?? usual.epochs };
  return { examples: examples ?? defaults?.examples ?? wholeSetExamples, epochs };
}
