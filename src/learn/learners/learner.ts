/**
 * What a learner is to the training loop: something that takes examples, reports,
 * and ends in a model. OSDL and all that it is compared with look alike from here.
 *
 * A learner is one file that exports a `LearnerKind`, and one line in learners.ts.
 * Its numerics stay plain functions or a class of their own; the kind says which
 * options are its own, what memory it takes, and how it is made.
 */

import type { DenseMatrix, SparseColumns } from "../../core/matrix.js";
import type { BaseDictionary } from "../../dictionaries/base.js";
import type { DeviceMatrix, Kernels } from "../../kernels/contract.js";
import type { Model, ModelMeta } from "../../model/model.js";
import type { BatchEncoder } from "../../pursuit/encoder.js";
import type { CodingRule } from "../../pursuit/limits.js";
import type { Kept } from "../checkpoints/checkpointParts.js";

/** A dictionary that learns. The caller owns the loop. */
export interface Learner {
  /** Updates so far. */
  readonly step: number;
  /** Codes examples over the dictionary as it stands. */
  readonly encoder: BatchEncoder;
  /** The atoms as atom care sees them; undefined where atoms are not to be replaced. */
  readonly cared: CaredAtoms | undefined;
  /** All that is carried from one update to the next. */
  readonly kept: Kept;
  /** Learn from the columns of Y: a mini-batch or the whole set, as the kind says. Y is left as it is. */
  update(Y: DeviceMatrix): Promise<void>;
  /** What the updates since the last report did. */
  report(): Promise<LearnerReport>;
  /** What makes the dictionary none, in words: an atom that is not finite, say. */
  flaw(): Promise<string | undefined>;
  /** The dictionary as it stands, when nothing more is to be learned. */
  model(meta: ModelMeta): Promise<Model>;
  /** The same in between, where `model` does work that would change what follows. */
  snapshot?(meta: ModelMeta): Promise<Model>;
  /** Give everything back, the dictionary included. */
  free(): void;
}

export interface LearnerReport {
  readonly step: number;
  /** ‖Y − DX‖_F / √(nN) of the examples since the last report, each before its own update. */
  readonly rmse: number;
  /** The step of the last update, a mean where atoms have their own; 0 where the learner takes none. */
  readonly stepSize: number;
  /** Atoms that the last update used. */
  readonly atomsUsed: number;
}

/** What atom care looks at, and how it puts examples in the place of atoms. */
export interface CaredAtoms {
  /** How many examples used each atom since atoms were last looked after, m × 1. */
  readonly uses: DeviceMatrix;
  /** Y − DX of the last update, in its first columns. */
  readonly residual: DeviceMatrix;
  /** The Gram matrix of the unit atoms, m × m. */
  readonly gram: DeviceMatrix;
  /** Put the columns of Y in place of these atoms, as nearly as the model allows. Y may be changed. */
  replace(atoms: readonly number[], Y: DeviceMatrix): Promise<void>;
}

/** Options of a run that a learner may look at, every default filled in. */
export interface LearnerOptions {
  readonly base: BaseDictionary;
  /** `m`. */
  readonly atoms: number;
  /** `k`. */
  readonly atomSparsity: number;
  readonly coding: CodingRule;
  /** Examples of a mini-batch; those coded at a time, where a learner takes the whole set. */
  readonly batch: number;
  /** `γ`. */
  readonly momentum: number;
  /** `T` of 1 + t/T, in mini-batches. */
  readonly stepDecay: number;
}

/** Options that only some learners have a use for; the others refuse them. */
export const ownOptions = ["atomSparsity", "momentum", "stepDecay"] as const;
export type OwnOption = (typeof ownOptions)[number];

/** All that a learner is made from. */
export interface LearnerSetting {
  /** With the error of `coding` in the units of computing. */
  readonly options: LearnerOptions;
  /** A⁰, L × m: the atoms to start from are ΦA⁰. */
  readonly start: SparseColumns;
  /** The atoms to start from as a matrix, n × m with unit columns, for kinds that are `explicit`. */
  readonly atoms?: () => Promise<DenseMatrix>;
  /** The most examples of an update. */
  readonly examples: number;
  readonly kernels: Kernels;
}

/** A part of the memory that a run takes where the kernels compute. */
export interface MemoryPart {
  readonly what: string;
  readonly bytes: number;
}

/** A learner by name. */
export interface LearnerKind {
  /** One line: what it learns, and how. */
  readonly summary: string;
  /** What an update takes: other examples each time, or all of them, the same each time. */
  readonly takes: "mini-batches" | "whole set";
  /** Which of the options that not all have a use for are its own. */
  readonly own: readonly OwnOption[];
  /** It learns D itself, without a base: it starts from examples, and takes `setting.atoms`. */
  readonly explicit?: true;
  /** Whether a run can start from a model; it can unless told. */
  readonly goesOn?: boolean;
  /** Where it assumes something else than others. */
  readonly defaults?: {
    readonly epochs?: number;
    readonly examples?: number;
    /** Atoms; as many as the base has unless told. */
    atoms?(base: BaseDictionary): number;
    /** Updates between two looks of atom care; `false` for none unless asked for. */
    readonly careEvery?: number | false;
  };
  /** Refuse options that the model does not allow. */
  check?(options: LearnerOptions): void;
  /** What it takes for updates of so many examples, signals aside. */
  memory(options: LearnerOptions & { readonly cares: boolean }, examples: number): readonly MemoryPart[];
  create(setting: LearnerSetting): Promise<Learner>;
}
