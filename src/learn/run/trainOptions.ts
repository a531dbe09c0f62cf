/**
 * What a training run is told, what it assumes, and how both are checked.
 *
 * Defaults are written here once; `--help` and the docs are made from them. Those
 * that depend on the patch are near the paper's experiments: about n/40 atoms a
 * code (4, 10 and 26 at 12×12, 20×20 and 32×32, where the paper has 4, 10 and 20),
 * a tenth of n non-zeros an atom.
 */

import { InputError, onBehalfOf } from "../../core/errors.js";
import { requireAbove, requireFraction, requireInteger, requireOneOf } from "../../core/require.js";
import { requireSameShape, requireShape, type Shape, sizeOf } from "../../core/shape.js";
import type { Signal } from "../../core/signal.js";
import { type BaseDictionary, baseCols, createBase, defaultBase } from "../../dictionaries/base.js";
import type { Kernels } from "../../kernels/contract.js";
import type { Model } from "../../model/model.js";
import { type CodingRule, defaultSparsity, resolveLimits } from "../../pursuit/limits.js";
import { type AtomCareOptions, atomCareDefaults, resolveAtomCare } from "../atoms/atomCare.js";
import { startSparsity } from "../atoms/initialAtoms.js";
import type { Checkpoint, CheckpointKeeper } from "../checkpoints/checkpoint.js";
import { nihtDefaults } from "../learners/atomwise/niht.js";
import { type LearnerKind, type LearnerOptions, ownOptions } from "../learners/learner.js";
import { osdlDefaults } from "../learners/osdl.js";
import { type LearnerName, learnerNames, learners } from "../learners/registry.js";

export interface TrainOptions {
  /** The shape of the signals to learn: windows of the data. */
  readonly patch: Shape;
  /** The base dictionary Φ: a name such as `cropped:sym8`, or one that was made. */
  readonly base?: string | BaseDictionary | undefined;
  /** Atoms of the dictionary, `m`; as many as the base has unless told. */
  readonly atoms?: number | undefined;
  /** Atoms as a multiple of those of the base, instead of `atoms`. */
  readonly redundancy?: number | undefined;
  /** Non-zeros of each column of A, `k`; 2√n unless told. */
  readonly atomSparsity?: number | undefined;
  /** How examples are coded: `sparsity` atoms (`p`; n/40 unless told), or down to an `error`. */
  readonly coding?: CodingRule | undefined;
  /** The algorithm: see `learners`. */
  readonly learner?: LearnerName | undefined;
  /** A dictionary to go on from, with its base and its atoms. */
  readonly start?: Model | undefined;
  /** Examples of a mini-batch, `N`; those coded at a time, where the learner takes the whole set. */
  readonly batch?: number | undefined;
  /** Times that each example is seen. */
  readonly epochs?: number | undefined;
  /** Examples of an epoch, drawn without repetition; all there are where there are fewer. */
  readonly examples?: number | undefined;
  /** Momentum `γ` of `osdl`, in [0, 1). */
  readonly momentum?: number | undefined;
  /** Mini-batches after which the steps of `niht` are halved: `T` of 1 + t/T. */
  readonly stepDecay?: number | undefined;
  readonly seed?: number | undefined;
  /** Examples kept for testing, never trained on; at most a tenth of those there are. */
  readonly holdout?: number | undefined;
  /** Signals to test on instead of held-out windows of the training data. */
  readonly testSignals?: readonly Signal[] | undefined;
  /** Examples between two measurements of the test error; an epoch unless told. */
  readonly testEvery?: number | undefined;
  /** Stop after this many measurements of the test error without a better one. */
  readonly patience?: number | undefined;
  /** Stop after this many seconds. */
  readonly seconds?: number | undefined;
  /** Mini-batches between two reports; about a hundred reports an epoch unless told, and some early ones. */
  readonly reportEvery?: number | undefined;
  /** Replacement of unused and near-identical atoms; `false` for none. */
  readonly atomCare?: AtomCareOptions | false | undefined;
  /** Remove the mean of each example before coding. */
  readonly removeMean?: boolean | undefined;
  /**
   * Samples of a source that are in memory at a time. One with more is read again and again, unless the
   * examples of an epoch have no more; then the order of examples depends on this number.
   */
  readonly groupSamples?: number | undefined;
  /** Told in a line of each part of a source that cannot be read, and is left out. */
  readonly onUnreadable?: ((message: string) => void) | undefined;
  /** Told what part of a source has been read, from 0 to 1, during a pass over it before the first update. */
  readonly onReading?: ((part: number) => void) | undefined;
  /** Where to compute; the best there is unless told. The caller disposes of what it gives. */
  readonly kernels?: Kernels | undefined;
  /** Abort to end the run early, with the model so far. */
  readonly signal?: AbortSignal | undefined;
  /** Who keeps checkpoints: asked after each update, and in the end. They change nothing in the result. */
  readonly checkpoints?: CheckpointKeeper | undefined;
  /** A checkpoint of a run with the same options and data, to go on from to the same result. */
  readonly resume?: Checkpoint | undefined;
}

export const trainDefaults = {
  base: defaultBase,
  learner: "osdl",
  batch: osdlDefaults.batch,
  epochs: 1,
  examples: 200_000,
  momentum: osdlDefaults.momentum,
  stepDecay: nihtDefaults.stepDecay,
  seed: 1,
  holdout: 5000,
  removeMean: true,
  groupSamples: 2 ** 26,
} as const satisfies Partial<TrainOptions>;

/** Options with every default filled in. */
export interface ResolvedTraining extends LearnerOptions {
  readonly learner: LearnerName;
  readonly start: Model | undefined;
  readonly epochs: number;
  readonly examples: number;
  readonly seed: number;
  readonly holdout: number;
  readonly testEvery: number | undefined;
  readonly patience: number;
  readonly seconds: number;
  readonly reportEvery: number | undefined;
  readonly atomCare: Required<AtomCareOptions> | null;
  readonly removeMean: boolean;
  readonly groupSamples: number;
}

/** Check options and fill in the defaults. */
export function resolveTraining(options: TrainOptions): ResolvedTraining {
  const patch = requireShape("train", "patch", options.patch);
  const n = sizeOf(patch);
  const learner = requireOneOf("train", "learner", options.learner ?? trainDefaults.learner, learnerNames);
  const kind = learners[learner];
  const { start } = options;
  if (start && kind.goesOn === false) throw noUseFor("start", learner);
  if (start) requireGoesOn(options, start);
  const base = start?.base ?? resolveBase(options.base ?? trainDefaults.base, patch);
  const L = baseCols(base);
  const atoms = start?.A.cols ?? resolveAtoms(options, L, kind.defaults?.atoms?.(base) ?? L);
  const given = options.coding ?? {};
  const unlimited = given.sparsity === undefined && given.error === undefined;
  const coding = unlimited ? { sparsity: Math.min(atoms, defaultSparsity(n)) } : given;
  resolveLimits("train", coding, n, atoms);
  const count = (name: keyof TrainOptions, fallback: number, min = 1): number =>
    requireInteger("train", name, options[name] ?? fallback, min);
  const resolved: ResolvedTraining = {
    base,
    atoms,
    coding,
    atomSparsity: resolveAtomSparsity(options, n, L),
    learner,
    start,
    batch: count("batch", trainDefaults.batch),
    epochs: count("epochs", kind.defaults?.epochs ?? trainDefaults.epochs),
    examples: count("examples", kind.defaults?.examples ?? trainDefaults.examples),
    momentum: requireFraction("train", "momentum", options.momentum ?? trainDefaults.momentum),
    stepDecay: requireAbove("train", "stepDecay", options.stepDecay ?? trainDefaults.stepDecay, 0),
    seed: count("seed", trainDefaults.seed, 0),
    holdout: count("holdout", trainDefaults.holdout, 0),
    testEvery: options.testEvery === undefined ? undefined : count("testEvery", 1),
    patience: options.patience === undefined ? Infinity : count("patience", 1),
    seconds: options.seconds === undefined ? Infinity : requireAbove("train", "seconds", options.seconds, 0),
    reportEvery: options.reportEvery === undefined ? undefined : count("reportEvery", 1),
    atomCare: resolveCare(options.atomCare, kind),
    removeMean: options.removeMean ?? trainDefaults.removeMean,
    groupSamples: count("groupSamples", trainDefaults.groupSamples),
  };
  for (const name of ownOptions) {
    if (options[name] === undefined || kind.own.includes(name)) continue;
    throw noUseFor(name, learner);
  }
  kind.check?.(resolved);
  return resolved;
}

function noUseFor(name: string, learner: LearnerName): InputError {
  const rule = `must not be given: the learner ${learner} does not use it`;
  return new InputError((nameOf) => `${nameOf(name)} ${rule}`, { where: "train", argument: name, rule });
}

/** Non-zeros an atom unless told: `k` = 2√n, a smaller share the larger the patch (docs/decisions/0013-defaults-by-size.md). */
export function defaultAtomSparsity(n: number, L: number): number {
  return Math.min(L, Math.round(2 * Math.sqrt(n)));
}

function resolveBase(base: string | BaseDictionary, patch: Shape): BaseDictionary {
  if (typeof base === "string") return onBehalfOf("train", () => createBase(base, patch));
  requireSameShape("train", "base", base.shape, patch);
  return base;
}

function resolveAtoms({ atoms, redundancy }: TrainOptions, L: number, usual: number): number {
  if (atoms !== undefined && redundancy !== undefined) {
    throw new InputError(
      (nameOf) => `${nameOf("atoms")} and ${nameOf("redundancy")} must not both be given`,
      { where: "train", argument: "redundancy" },
    );
  }
  if (redundancy === undefined) return requireInteger("train", "atoms", atoms ?? usual, 1);
  return Math.max(1, Math.round(requireAbove("train", "redundancy", redundancy, 0) * L));
}

/** k, which is at least what the atoms to start from have. */
function resolveAtomSparsity({ atomSparsity, start }: TrainOptions, n: number, L: number): number {
  const least = start ? startSparsity(start.A) : 1;
  const fallback = start ? least : defaultAtomSparsity(n, L);
  return requireInteger("train", "atomSparsity", atomSparsity ?? fallback, least, L);
}

/** A run that goes on from a dictionary has its patch, its base and its atoms. */
function requireGoesOn(options: TrainOptions, start: Model): void {
  requireSameShape("train", "start", start.shape, options.patch);
  for (const name of ["base", "atoms", "redundancy"] as const) {
    if (options[name] === undefined) continue;
    throw new InputError(
      (nameOf) => `${nameOf(name)} must not be given with ${nameOf("start")}, which has its own`,
      { where: "train", argument: name },
    );
  }
}

function resolveCare(
  asked: TrainOptions["atomCare"],
  { defaults }: LearnerKind,
): Required<AtomCareOptions> | null {
  const every = defaults?.careEvery ?? atomCareDefaults.every;
  if (asked === false || (asked === undefined && every === false)) return null;
  return resolveAtomCare({ ...(every === false ? {} : { every }), ...asked });
}
