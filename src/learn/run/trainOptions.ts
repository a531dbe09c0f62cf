/**
 * The options of a training run, their defaults, and how they are checked.
 *
 * Defaults are written only here and in plan/runLength.ts, which has those that follow from the
 * number of examples; `--help` and the docs are made from them. Two depend on the patch. Codes use about n/40 atoms, near the paper's experiments: 4, 10 and 26 at
 * 12×12, 20×20 and 32×32, where the paper has 4, 10 and 20. Atoms have 2√n non-zeros
 * (docs/decisions/0013-defaults-by-size.md).
 */

import {
  abortSignal,
  base as baseType,
  byRule,
  callback,
  either,
  flag,
  having,
  kernels as kernelsType,
  model as modelType,
  type OptionTypes,
  record,
  required,
  requireOptions,
  text,
} from "../../core/arguments/argumentTypes.js";
import { requireKnownOptions } from "../../core/arguments/knownOptions.js";
import { InputError, inputError, onBehalfOf, show } from "../../core/errors.js";
import { requireAbove, requireFraction, requireInteger, requireOneOf } from "../../core/require.js";
import { type Nodata, resolveNodata } from "../../core/samples/gaps.js";
import { requireSameShape, requireShape, type Shape, sizeOf } from "../../core/shape.js";
import type { SignalData } from "../../data/sampling/signalSource.js";
import {
  type BaseDictionary,
  baseCols,
  createBase,
  defaultBase,
  defaultBaseFor,
} from "../../dictionaries/base.js";
import type { Kernels } from "../../kernels/contract.js";
import type { Model } from "../../model/model.js";
import { type CodingRule, codingTypes, defaultSparsity, resolveLimits } from "../../pursuit/encoder.js";
import { type AtomCareOptions, atomCareDefaults, resolveAtomCare } from "../atoms/atomCare.js";
import { maxNonZeros } from "../atoms/initialAtoms.js";
import type { Checkpoint, CheckpointKeeper } from "../checkpoints/checkpoint.js";
import { nihtDefaults } from "../learners/atomwise/niht.js";
import {
  type LearnerKind,
  type LearnerOptions,
  ownOptionNames,
  type StartingAtoms,
  startingAtoms,
} from "../learners/learner.js";
import { osdlDefaults } from "../learners/osdl.js";
import { type LearnerName, learnerNames, learners } from "../learners/registry.js";
import { type FirstSteps, requireFirstSteps } from "../learners/shortStart.js";
import type { RunLength } from "./plan/runLength.js";
import { requireHoldout, type TestOption, testOptionOf } from "./plan/testSet.js";

/** Non-zeros per atom: a number, or a percentage of the samples of a patch such as `"10%"`. */
export type AtomSparsity = number | `${number}%`;

/** Which model of a run is kept: the best tested, or the last. */
export const keepRules = ["best", "last"] as const;
export type KeepRule = (typeof keepRules)[number];

export interface TrainOptions {
  /**
   * The shape of the windows to learn from. For signals in memory, one number is this size along every axis, with all channels of
   * colour pictures; for files, it is a square of an image and a window of anything with one axis.
   */
  readonly patch: Shape | number;
  /**
   * The base dictionary Φ: a name such as `cropped:sym8`, one name per axis such as `cropped:sym8,cropped:sym8,odct:1`
   * (the default for 8×8 patches of three channels), or a dictionary.
   */
  readonly base?: string | BaseDictionary | undefined;
  /** Atoms of the dictionary, `m`; by default as many as the base has. */
  readonly atoms?: number | undefined;
  /** Atoms as a multiple of those of the base, instead of `atoms`. */
  readonly redundancy?: number | undefined;
  /** Non-zeros of each column of A, `k`: a number, or a percentage of n; by default 2√n. */
  readonly atomSparsity?: AtomSparsity | undefined;
  /** How examples are coded: with `sparsity` atoms (`p`; by default n/40), or down to an `error`; by which `pursuit`. */
  readonly coding?: CodingRule | undefined;
  /** The algorithm: one of `learnerNames`, or a learner of your own. */
  readonly learner?: LearnerName | LearnerKind | undefined;
  /**
   * Starting atoms: `"base"`, the base dictionary (default of `osdl`); `"examples"` (default of `odl` and `ksvd`); or
   * `"both"`, the most used of the two (`osdl` and `sparse-odl` only; default of `sparse-odl` and of short runs of `osdl`).
   */
  readonly init?: StartingAtoms | undefined;
  /** A model to start from, with its base and its atoms. */
  readonly start?: Model | undefined;
  /**
   * Examples per mini-batch, `N`; `train` takes fewer for a small set. For learners of the whole set, examples coded at a
   * time.
   */
  readonly batch?: number | undefined;
  /** How often each example is seen; `train` repeats a small set more often. */
  readonly epochs?: number | undefined;
  /** Examples per epoch, drawn without repetition; all of them if there are fewer. */
  readonly examples?: number | undefined;
  /** Momentum `γ` of `osdl`, in [0, 1). */
  readonly momentum?: number | undefined;
  /**
   * The first steps of `osdl` as in the paper, or `"short"`, so that the error does not rise at first; by default `train`
   * takes short ones where a run is too short to recover from the others.
   */
  readonly firstSteps?: FirstSteps | undefined;
  /** End with the mean of the atoms over the last epoch, or the second half of a single one (`osdl`). A run that ends early keeps the last atoms. */
  readonly average?: boolean | undefined;
  /**
   * Refine the factors of a separable base while atoms are learned over it (`osdl`, `sparse-odl`): not in the paper. The
   * model holds the refined factors.
   */
  readonly refineBase?: boolean | undefined;
  /** Mini-batches until the steps of `niht` are halved: `T` of 1 + t/T. */
  readonly stepDecay?: number | undefined;
  /** The seed of everything random. */
  readonly seed?: number | undefined;
  /**
   * Examples held out for testing, never trained on: at most half of all; by default at most a tenth, or 50 of a small
   * set, but at most a quarter.
   */
  readonly holdout?: number | undefined;
  /** Signals to test on instead of held-out windows of the training data. */
  readonly test?: SignalData | undefined;
  /** Examples between two measurements of the test error; by default one epoch, or a fifth of one if the set is small. */
  readonly testEvery?: number | undefined;
  /** Which model the run ends with, where there is a test set: the one with the least test error, or the last. */
  readonly keep?: KeepRule | undefined;
  /** Stop after this many measurements of the test error without an improvement. */
  readonly patience?: number | undefined;
  /** Stop after this many minutes. */
  readonly minutes?: number | undefined;
  /** Mini-batches between two reports; by default about a hundred reports per epoch, and some early ones. */
  readonly reportEvery?: number | undefined;
  /** When unused and near-identical atoms are replaced; `false` for never. */
  readonly atomCare?: AtomCareOptions | false | undefined;
  /** Remove the mean of each example before coding. */
  readonly removeMean?: boolean | undefined;
  /**
   * The most samples of a source in memory at a time. A larger source is read again for each epoch, unless the
   * examples of an epoch fit; the order of examples then depends on this number.
   */
  readonly groupSamples?: number | undefined;
  /**
   * Values that mark missing samples; NaN is one, too. Windows with a missing sample are not used. Compared after
   * rounding to float32; of images, with the values in the file.
   */
  readonly nodata?: Nodata | undefined;
  /** Called with one line for each part of a source that is skipped because it cannot be read, or may have changed. */
  readonly onUnreadable?: ((message: string) => void) | undefined;
  /**
   * Called with the fraction done, from 0 to 1, while the examples of a source are put in order or read, and while atoms to
   * start from are found, before the first update.
   */
  readonly onReading?: ((part: number, work: "ordering" | "reading" | "starting") => void) | undefined;
  /** Where to compute; by default the best device available. Kernels passed in are not closed by the run. */
  readonly kernels?: Kernels | undefined;
  /** Abort to end the run early, with the model so far. */
  readonly signal?: AbortSignal | undefined;
  /** Keeps checkpoints: asked after each update, and at the end. They do not change the result. */
  readonly checkpoints?: CheckpointKeeper | undefined;
  /** A checkpoint of a run with the same options and data, to resume from with the same result. */
  readonly resume?: Checkpoint | undefined;
}

export const trainDefaults = {
  base: defaultBase,
  learner: "osdl",
  batch: osdlDefaults.batch,
  epochs: 1,
  keep: "best",
  examples: 200_000,
  momentum: osdlDefaults.momentum,
  firstSteps: "paper",
  stepDecay: nihtDefaults.stepDecay,
  init: "examples",
  average: false,
  refineBase: false,
  seed: 1,
  holdout: 5000,
  removeMean: true,
  groupSamples: 2 ** 26,
} as const satisfies Partial<TrainOptions>;

/** The largest fraction of all examples that is held out. */
const holdoutShares = { usual: 0.1, given: 0.5 } as const;

/** Options with every default filled in. */
export interface ResolvedTraining extends LearnerOptions {
  /** The name of the learner. */
  readonly learner: string;
  readonly kind: LearnerKind;
  readonly start: Model | undefined;
  readonly epochs: number;
  /** What the caller gave of what may follow from the number of examples. */
  readonly given: Partial<RunLength> & {
    readonly firstSteps?: FirstSteps;
    readonly init?: StartingAtoms;
  };
  readonly keep: KeepRule;
  readonly examples: number;
  readonly seed: number;
  readonly holdout: number;
  /** The largest fraction of all examples that is held out: a tenth by default, half where `holdout` is given. */
  readonly holdoutShare: number;
  readonly holdoutGiven: boolean;
  /** The option that was given and needs test examples, if any. */
  readonly testOption: TestOption | undefined;
  readonly testEvery: number | undefined;
  readonly patience: number;
  readonly minutes: number;
  readonly reportEvery: number | undefined;
  readonly atomCare: Required<AtomCareOptions> | null;
  readonly removeMean: boolean;
  readonly groupSamples: number;
  /** As f32; empty if no sample is missing. */
  readonly nodata: readonly number[];
}

/** The types of all options; the compiler checks that none is missing. */
const trainOptionTypes: OptionTypes<TrainOptions> = {
  patch: required(byRule),
  base: either("the name of a base, or a base dictionary", text, baseType),
  atoms: byRule,
  redundancy: byRule,
  atomSparsity: byRule,
  coding: byRule,
  learner: byRule,
  init: byRule,
  average: flag,
  refineBase: flag,
  start: modelType,
  batch: byRule,
  epochs: byRule,
  examples: byRule,
  momentum: byRule,
  firstSteps: byRule,
  stepDecay: byRule,
  seed: byRule,
  holdout: byRule,
  test: byRule,
  testEvery: byRule,
  keep: byRule,
  patience: byRule,
  minutes: byRule,
  reportEvery: byRule,
  atomCare: either("false, or options of atom care", record, {
    words: "",
    accepts: (value) => value === false,
  }),
  removeMean: flag,
  groupSamples: byRule,
  nodata: byRule,
  onUnreadable: callback,
  onReading: callback,
  kernels: kernelsType,
  signal: abortSignal,
  checkpoints: having("a CheckpointFolder, or an object { due, save }", ["due", "save"]),
  resume: having("a Checkpoint", ["has", "read"], ["header"]),
};

/** Refuse options that `train` does not have, at any depth. */
export function requireTrainOptions(options: Omit<TrainOptions, "test">, where = "train"): void {
  requireOptions(where, options as TrainOptions, trainOptionTypes, {
    sparsity: (value) => `coding: { sparsity: ${show(value)} }`,
    error: (value) => `coding: { error: ${show(value)} }`,
    pursuit: (value) => `coding: { pursuit: ${show(value)} }`,
    seconds: (value) => `minutes: ${Number(value) / 60}`,
    device: () => "kernels: (await chooseKernels(device)).kernels",
  });
  const { coding, atomCare } = options;
  if (coding !== undefined) requireKnownOptions(`${where}: coding`, coding, Object.keys(codingTypes));
  if (atomCare) requireKnownOptions(`${where}: atomCare`, atomCare, Object.keys(atomCareDefaults));
}

/** Check the options and fill in the defaults. */
export function resolveTraining(options: TrainOptions): ResolvedTraining {
  const patch = requireShape("train", "patch", options.patch);
  const n = sizeOf(patch);
  const { learner, kind } = resolveLearner(options.learner);
  const { start } = options;
  if (start && kind.canStartFromModel === false) throw unusedOption("start", learner);
  if (start) requireFitsStart(options, patch, start);
  const base = start?.base ?? resolveBase(options.base ?? defaultBaseFor(patch), patch);
  const L = baseCols(base);
  const atoms = start?.A.cols ?? resolveAtoms(options, L, kind.defaults?.atoms?.(base) ?? L);
  const given = options.coding ?? {};
  const unlimited = given.sparsity === undefined && given.error === undefined;
  const coding = unlimited ? { ...given, sparsity: Math.min(atoms, defaultSparsity(n)) } : given;
  resolveLimits("train", coding, n, atoms);
  const count = (name: keyof TrainOptions, fallback: number, min = 1): number =>
    requireInteger("train", name, options[name] ?? fallback, min);
  const resolved: ResolvedTraining = {
    base,
    atoms,
    coding,
    atomSparsity: resolveAtomSparsity(options, n, L),
    learner,
    kind,
    start,
    batch: count("batch", trainDefaults.batch),
    epochs: count("epochs", kind.defaults?.epochs ?? trainDefaults.epochs),
    given: givenLength(options),
    keep: requireOneOf("train", "keep", options.keep ?? trainDefaults.keep, keepRules),
    examples: count("examples", kind.defaults?.examples ?? trainDefaults.examples),
    momentum: requireFraction("train", "momentum", options.momentum ?? trainDefaults.momentum),
    firstSteps: requireFirstSteps("train", options.firstSteps ?? trainDefaults.firstSteps),
    stepDecay: requireAbove("train", "stepDecay", options.stepDecay ?? trainDefaults.stepDecay, 0),
    seed: count("seed", trainDefaults.seed, 0),
    init: resolveInit(options.init, kind),
    average: options.average ?? trainDefaults.average,
    refineBase: options.refineBase ?? trainDefaults.refineBase,
    holdout: count("holdout", trainDefaults.holdout, 0),
    holdoutShare: options.holdout === undefined ? holdoutShares.usual : holdoutShares.given,
    holdoutGiven: options.holdout !== undefined,
    testOption: testOptionOf(options),
    testEvery: options.testEvery === undefined ? undefined : count("testEvery", 1),
    patience: options.patience === undefined ? Infinity : count("patience", 1),
    minutes: options.minutes === undefined ? Infinity : requireAbove("train", "minutes", options.minutes, 0),
    reportEvery: options.reportEvery === undefined ? undefined : count("reportEvery", 1),
    atomCare: resolveCare(options.atomCare, { learner, kind }),
    removeMean: options.removeMean ?? trainDefaults.removeMean,
    groupSamples: count("groupSamples", trainDefaults.groupSamples),
    nodata: resolveNodata("train", options.nodata),
  };
  for (const name of ownOptionNames) {
    if (options[name] === undefined || kind.ownOptions.includes(name)) continue;
    throw unusedOption(name, learner);
  }
  requireHoldout(options);
  requireAllowed(resolved, options);
  return resolved;
}

function givenLength({ batch, epochs, firstSteps, init }: TrainOptions): ResolvedTraining["given"] {
  return {
    ...(batch === undefined ? {} : { batch }),
    ...(epochs === undefined ? {} : { epochs }),
    ...(firstSteps === undefined ? {} : { firstSteps }),
    ...(init === undefined ? {} : { init }),
  };
}

/** What the atoms start as; a value for a learner without the option is refused later. */
function resolveInit(given: TrainOptions["init"], { ownOptions, defaults }: LearnerKind): StartingAtoms {
  if (!ownOptions.includes("init")) return "base";
  return requireOneOf("train", "init", given ?? defaults?.init ?? trainDefaults.init, startingAtoms);
}

/** A learner by name, or one of the caller's own. */
export function resolveLearner(learner: TrainOptions["learner"] = trainDefaults.learner): {
  learner: string;
  kind: LearnerKind;
} {
  if (typeof learner === "object" && learner !== null && typeof learner.create === "function")
    return { learner: learner.name, kind: learner };
  const name = requireOneOf("train", "learner", learner, learnerNames);
  return { learner: name, kind: learners[name] };
}

/** What the learner does not allow; atoms that `redundancy` gives are refused by that name. */
function requireAllowed(resolved: ResolvedTraining, { redundancy, start }: TrainOptions): void {
  try {
    resolved.kind.check?.(resolved, start);
  } catch (error) {
    if (redundancy === undefined || !(error instanceof InputError) || error.argument !== "atoms") throw error;
    const { rule } = error;
    throw new InputError(
      (nameOf) => `${nameOf("redundancy")}: the number of atoms ${rule}, got ${resolved.atoms}`,
      { where: "train", argument: "redundancy", rule, value: redundancy },
    );
  }
}

export function unusedOption(name: string, learner: string): InputError {
  const rule = `must not be given: the learner ${learner} does not use it`;
  return new InputError((nameOf) => `${nameOf(name)} ${rule}`, { where: "train", argument: name, rule });
}

/** Non-zeros per atom by default: `k` = 2√n, a smaller share the larger the patch (decision 13). */
export function defaultAtomSparsity(n: number, L: number): number {
  requireInteger("defaultAtomSparsity", "n", n, 1);
  if (L !== Infinity) requireInteger("defaultAtomSparsity", "L", L, 1);
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
  const m = Math.max(1, Math.round(requireAbove("train", "redundancy", redundancy, 0) * L));
  if (Number.isSafeInteger(m)) return m;
  throw inputError("train", "redundancy", "must give a number of atoms that can be counted", redundancy);
}

/** k, which is at least what the starting atoms have. */
function resolveAtomSparsity({ atomSparsity, start }: TrainOptions, n: number, L: number): number {
  const least = start ? maxNonZeros(start.A) : 1;
  const fallback = start ? least : defaultAtomSparsity(n, L);
  const k = typeof atomSparsity === "string" ? shareOf(atomSparsity, n) : atomSparsity;
  return requireInteger("train", "atomSparsity", k ?? fallback, least, L);
}

/** `"10%"` of n samples, at least 1; a text that is not a percentage stays as it is, to be rejected by its rule. */
function shareOf(text: string, n: number): number | string {
  if (!text.endsWith("%")) return text;
  const percent = Number(text.slice(0, -1));
  if (percent > 0) return Math.max(1, Math.round((percent / 100) * n));
  throw inputError("train", "atomSparsity", "must be a number, or a percentage above 0", text);
}

/** A run that starts from a model takes its patch, its base and its atoms. */
function requireFitsStart(options: TrainOptions, patch: Shape, start: Model): void {
  requireSameShape("train", "start", start.shape, patch);
  for (const name of ["base", "atoms", "redundancy", "init"] as const) {
    if (options[name] === undefined) continue;
    throw new InputError(
      (nameOf) => `${nameOf(name)} must not be given with ${nameOf("start")}, which has its own`,
      { where: "train", argument: name },
    );
  }
}

function resolveCare(
  given: TrainOptions["atomCare"],
  { learner, kind }: Pick<ResolvedTraining, "learner" | "kind">,
): Required<AtomCareOptions> | null {
  if (given && kind.replacesAtoms === false) throw unusedOption("atomCare", learner);
  const every = kind.defaults?.careEvery ?? atomCareDefaults.every;
  if (given === false || (given === undefined && every === false)) return null;
  return resolveAtomCare({ ...(every === false ? {} : { every }), ...given });
}
