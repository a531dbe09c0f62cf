/**
 * What every experiment of the paper offers: options that are checked before any
 * data is read, then a run that returns its files, its table and its claims.
 *
 * Experiments neither read nor write files and never print: a command line, a page
 * or a test gives them signals and kernels, and decides what to do with the outcome.
 */

import type { Shape } from "../../core/shape.js";
import type { Signal } from "../../core/signal.js";
import type { Kernels } from "../../kernels/contract.js";
import type { TrainPlan } from "../../learn/run/setup.js";
import type { TrainReport } from "../../learn/run/trainingLoop.js";

export interface Experiment {
  readonly name: string;
  /** One line: what it does, and the figures of the paper that it draws. */
  readonly summary: string;
  /** Images must be at least this large. */
  readonly patch: Shape;
  /** Sizes of patches it is about, where one of them may be chosen. */
  readonly sizes?: readonly Shape[];
  /** What images are for: to learn from (others to test on, or patches of the same), to take patches from, or nothing. */
  readonly images: "learn" | "learn and test" | "test" | "none";
  /** Check options, and fill in the experiment's own. */
  prepare(options: ExperimentOptions): Promise<ExperimentRun>;
}

export type ExperimentRun = (data: ExperimentData, tools: ExperimentTools) => Promise<Outcome>;

/** What may be changed of an experiment; what is not said is as in the paper. */
export interface ExperimentOptions {
  /** A small version: the same patches, fewer atoms and examples. */
  readonly quick?: boolean | undefined;
  /** Patches an epoch; of an experiment that learns nothing, the patches or functions it is about. */
  readonly examples?: number | undefined;
  readonly epochs?: number | undefined;
  readonly batch?: number | undefined;
  readonly seed?: number | undefined;
  /** One of its sizes of patches, where it has several. */
  readonly patch?: Shape | undefined;
}

export interface ExperimentData {
  /** Pictures to learn from; made up where there are none. */
  readonly images?: readonly Signal[] | undefined;
  /** Pictures to test on; some of `images`, which then are not learned from, where there are none. */
  readonly test?: readonly Signal[] | undefined;
}

export interface ExperimentTools {
  readonly kernels: Kernels;
  /** Abort to end its training early; the outcome is of the dictionary so far. */
  readonly signal?: AbortSignal | undefined;
  /** Iterate a training run to its end, and show it. */
  readonly follow?: ((run: FollowedRun) => Promise<void>) | undefined;
  /** Told what is being done. */
  readonly onStage?: ((stage: string) => void) | undefined;
  /** Told how far it is, more often. */
  readonly onProgress?: ((state: string) => void) | undefined;
}

/** A training run to look at; it must be iterated to its end. */
export interface FollowedRun extends AsyncIterable<TrainReport> {
  plan(): Promise<TrainPlan>;
}

/** What came out. */
export interface Outcome {
  readonly header: readonly string[];
  readonly rows: readonly (readonly string[])[];
  readonly claims: readonly Claim[];
  /** The same as data, for programs. */
  readonly values: Readonly<Record<string, unknown>>;
  readonly files: readonly OutcomeFile[];
}

/** Something that the paper says, and whether it was so. */
export interface Claim {
  readonly text: string;
  readonly holds: boolean;
}

export interface OutcomeFile {
  readonly name: string;
  readonly bytes: Uint8Array;
}
