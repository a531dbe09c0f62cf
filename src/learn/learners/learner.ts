/**
 * What a learner is to the training loop: something that takes examples, reports, and
 * ends in a model. OSDL and the algorithms it is compared with all look alike from here.
 *
 * Each learner is one file of the same form: a state, a function that creates it, one
 * `…Update` function that reads like the algorithm, and at the end its `LearnerKind`,
 * which is listed in registry.ts. tally.ts counts what goes into reports and holds what
 * learners of D = ΦA share; explicitLearner.ts holds what those of explicit dictionaries share.
 */

import type { DenseMatrix, SparseColumns } from "../../core/matrix.js";
import type { BaseDictionary } from "../../dictionaries/base.js";
import type { DeviceMatrix, Kernels } from "../../kernels/contract.js";
import type { Model, ModelMeta } from "../../model/model.js";
import type { BatchEncoder, CodingRule } from "../../pursuit/encoder.js";
import type { Savable } from "../checkpoints/checkpointParts.js";
import type { FirstSteps } from "./shortStart.js";

/** A dictionary that learns. The caller owns the loop. */
export interface Learner {
  /** Updates so far. */
  readonly step: number;
  /** Codes examples over the current dictionary. */
  readonly encoder: BatchEncoder;
  /** What atom care works on; undefined if atoms must not be replaced. */
  readonly replaceable: ReplaceableAtoms | undefined;
  /** Everything that is carried from one update to the next. */
  readonly savable: Savable;
  /** Learn from the columns of Y: a mini-batch or the whole set, as the kind says. Y is not changed. */
  update(Y: DeviceMatrix): Promise<void>;
  /** What the updates since the last report did. */
  report(): Promise<LearnerReport>;
  /** Names the first part of the dictionary that is not finite; undefined if all of it is. */
  findNonFinite(): Promise<string | undefined>;
  /**
   * Put what is still waiting into the dictionary, once nothing more is to be learned: before a last test. `complete`:
   * the run has come to the end of all its epochs.
   */
  finish?(complete: boolean): Promise<void>;
  /** The final dictionary, once nothing more is to be learned. */
  model(meta: ModelMeta): Promise<Model>;
  /** The current dictionary during training, where `model` would change what follows. */
  snapshot?(meta: ModelMeta): Promise<Model>;
  /** Free everything, the dictionary included. */
  free(): void;
}

/** What a learner adds to, or does differently from, what learners of its kind of dictionary share. */
export interface OwnWork
  extends Pick<Learner, "update" | "free">,
    Partial<Pick<Learner, "encoder" | "replaceable" | "report" | "finish" | "model" | "snapshot">> {
  /** Its own state for checkpoints, besides the dictionary and the tally. */
  readonly savable?: readonly Savable[];
}

export interface LearnerReport {
  readonly step: number;
  /** ‖Y − DX‖_F / √(nN) of the examples since the last report, each before its own update. */
  readonly rmse: number;
  /** The step of the last update; the mean where each atom has its own; 0 for learners without steps. */
  readonly stepSize: number;
  /** Atoms that the last update used. */
  readonly atomsUsed: number;
  /** The cost after the last update, for learners that lower one on the same examples (`sedil`). */
  readonly cost?: number;
}

/** What atom care looks at, and how it replaces atoms by examples. */
export interface ReplaceableAtoms {
  /** How many examples used each atom since the last round of atom care, m × 1. */
  readonly uses: DeviceMatrix;
  /** Y − DX of the last update, in its first columns. */
  readonly residual: DeviceMatrix;
  /** How close each atom is to an earlier one: `Dictionary.coherence`. */
  coherence(coherence: DeviceMatrix): Promise<void>;
  /** Replace these atoms by the columns of Y, as closely as the model allows. Y may be changed. */
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
  /** Examples per mini-batch; for learners of the whole set, examples coded at a time. */
  readonly batch: number;
  /** `γ`. */
  readonly momentum: number;
  /** Whether the first steps of `osdl` are as printed or shortened. */
  readonly firstSteps: FirstSteps;
  /** `T` of 1 + t/T, in mini-batches. */
  readonly stepDecay: number;
  /** What the atoms start as; `"base"` for learners without the option. */
  readonly init: StartingAtoms;
  /** Whether the result is the mean of the atoms over the last epoch, or the second half of a single one. */
  readonly average: boolean;
  /** Whether the factors of the base are refined while atoms are learned; false by default. */
  readonly refineBase?: boolean;
}

/** What atoms start as: the base dictionary, examples, or the most used of both. */
export const startingAtoms = ["base", "examples", "both"] as const;
export type StartingAtoms = (typeof startingAtoms)[number];

/** Options that only some learners use; the others reject them. */
export const ownOptionNames = [
  ...(["atomSparsity", "momentum", "firstSteps"] as const),
  ...(["stepDecay", "init", "average", "refineBase"] as const),
] as const;
export type OwnOption = (typeof ownOptionNames)[number];

/** Everything a learner is made from. */
export interface LearnerSetting {
  /** With the error of `coding` in the units of computing. */
  readonly options: LearnerOptions;
  /**
   * A⁰, L × m: the starting atoms are ΦA⁰. In a run that resumes they may be any unit vectors, here and in `atoms`: the
   * learner is restored before its first update.
   */
  readonly start: SparseColumns;
  /** The starting atoms as a matrix, n × m with unit columns, for kinds that are `explicit`. */
  readonly atoms?: () => Promise<DenseMatrix>;
  /** The most examples of one update. */
  readonly examples: number;
  /** Updates of an epoch, and of the run, where they are known. */
  readonly updates?: { readonly perEpoch: number; readonly total: number };
  readonly kernels: Kernels;
}

/** What the memory of a learner depends on. */
export interface MemoryOptions extends LearnerOptions {
  /** Whether atoms are replaced during the run. */
  readonly hasAtomCare: boolean;
  /** The most atoms that the kernels keep a Gram matrix for. */
  readonly mostGramAtoms: number;
}

/** The Gram matrix of the atoms, if the kernels keep one. */
export function gramMemory({ atoms: m, mostGramAtoms }: MemoryOptions): MemoryPart[] {
  return m > mostGramAtoms ? [] : [{ what: "Gram matrix", bytes: 4 * m * m }];
}

/** The correlations with atoms that an example takes, which go with a Gram matrix. */
export function correlationsOf({ atoms: m, mostGramAtoms }: MemoryOptions): number {
  return m > mostGramAtoms ? 0 : m;
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
  /** What options and files call it. */
  readonly name: string;
  /** What an update takes: new examples each time, or all of them, the same each time. */
  readonly takes: "mini-batches" | "whole set";
  /** The options it uses among those that not all learners do. */
  readonly ownOptions: readonly OwnOption[];
  /** It learns D itself, which does not stay a combination of base atoms: it takes `setting.atoms`. */
  readonly explicit?: true;
  /** Whether a run can start from a model; true by default. */
  readonly canStartFromModel?: boolean;
  /** Whether its atoms may be replaced one by one, as atom care does; true by default. */
  readonly replacesAtoms?: boolean;
  /** The most non-zeros of a pursuit over the base; by default those that new atoms start with. */
  baseSparsity?(options: LearnerOptions): number;
  /** Defaults that differ from those of `train`. */
  readonly defaults?: {
    readonly epochs?: number;
    readonly examples?: number;
    readonly init?: StartingAtoms;
    /** Number of atoms; by default as many as the base has. */
    atoms?(base: BaseDictionary): number;
    /** Updates between two rounds of atom care; `false` for no atom care by default. */
    readonly careEvery?: number | false;
  };
  /** Reject options that the model does not allow, and a dictionary to start from that cannot be continued. */
  check?(options: LearnerOptions, start?: Model): void;
  /** The memory it takes for updates of this many examples, signals not included. */
  memory(options: MemoryOptions, examples: number): readonly MemoryPart[];
  create(setting: LearnerSetting): Promise<Learner>;
}

/** Training produced NaN or infinity. The message names the step. */
export class DivergedError extends Error {
  override readonly name = "DivergedError";
}

export function allFinite(values: ArrayLike<number>): boolean {
  for (let i = 0; i < values.length; i++) if (!Number.isFinite(values[i])) return false;
  return true;
}
