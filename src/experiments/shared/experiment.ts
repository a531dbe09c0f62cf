/**
 * The interface of all experiments: options are checked before any data is read, then
 * a run returns its table, its claims and its files.
 *
 * An experiment reads and writes no files and prints nothing. Its caller (the command
 * line, a page, a test) passes signals and kernels, and decides what to do with the
 * outcome.
 */

import type { Shape } from "../../core/shape.js";
import type { Signal } from "../../core/signal.js";
import type { Kernels } from "../../kernels/contract.js";
import type { TrainPlan } from "../../learn/run/setup.js";
import type { TrainReport } from "../../learn/run/trainingLoop.js";

export interface Experiment {
  readonly name: string;
  /** One line: what it does, and which figures of the paper it draws. */
  readonly summary: string;
  /** Images must be at least this large. */
  readonly patch: Shape;
  /** Its patch sizes, if `ExperimentOptions.patch` may select one of them. */
  readonly sizes?: readonly Shape[];
  /**
   * What it uses images for:
   *   learn            to learn from, with other images to test on
   *   learn and test   to learn from and to test on, with different patches of the same images
   *   test             to take patches from; it learns from nothing else
   *   none             it uses no images
   */
  readonly images: "learn" | "learn and test" | "test" | "none";
  /** All settings with these options, as plain JSON: two runs with the same are the same experiment. */
  settings(options: ExperimentOptions): Readonly<Record<string, unknown>>;
  /** Check the options, and return the experiment ready to run. */
  prepare(options: ExperimentOptions): Promise<ExperimentRun>;
}

export type ExperimentRun = (data: ExperimentData, tools: ExperimentTools) => Promise<Outcome>;

/** What may be changed in an experiment; by default, everything is as in the paper. */
export interface ExperimentOptions {
  /** A small version: the same kind of patches, fewer atoms and examples. */
  readonly quick?: boolean | undefined;
  /** Patches per epoch; in an experiment that learns nothing, the number of patches or functions. */
  readonly examples?: number | undefined;
  readonly epochs?: number | undefined;
  readonly batch?: number | undefined;
  readonly seed?: number | undefined;
  /** One of the experiment's `sizes`. */
  readonly patch?: Shape | undefined;
}

export interface ExperimentData {
  /** Pictures to learn from; by default, synthetic ones. */
  readonly images?: readonly Signal[] | undefined;
  /** Pictures to test on; by default, some of `images` are set aside for it. */
  readonly test?: readonly Signal[] | undefined;
}

export interface ExperimentTools {
  readonly kernels: Kernels;
  /** Abort to end training early; the outcome then shows the dictionary so far. */
  readonly signal?: AbortSignal | undefined;
  /** Show a training run: must iterate its reports to the end. */
  readonly showTraining?:
    | ((plan: TrainPlan, reports: AsyncIterable<TrainReport>) => Promise<void>)
    | undefined;
  /** Called when a new stage of the work begins. */
  readonly onStage?: ((stage: string) => void) | undefined;
  /** Called more often, with the progress of the stage. */
  readonly onProgress?: ((state: string) => void) | undefined;
  /** Where finished parts of the run are kept; without it, an interrupted run starts from the beginning. */
  readonly parts?: PartStore | undefined;
}

/** Keeps finished parts of a run, so that an interrupted run resumes. */
export interface PartStore {
  read(name: string): Promise<Uint8Array | undefined>;
  write(name: string, bytes: Uint8Array): Promise<void>;
}

/** What an experiment found: a table, with the same values as data, claims and files. */
export interface Outcome extends OutcomeTable {
  readonly claims: readonly Claim[];
  /** Every number behind the table and the figures, as plain JSON. */
  readonly values: Readonly<Record<string, unknown>>;
  /** The settings of the run, options included, as plain JSON. */
  readonly settings: Readonly<Record<string, unknown>>;
  /** Where the run departs from the paper, one sentence each. */
  readonly departures: readonly string[];
  /** The seconds that each stage of the work took. */
  readonly stageSeconds: Readonly<Record<string, number>>;
  readonly files: readonly OutcomeFile[];
}

export interface OutcomeTable {
  readonly header: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** A statement of the paper, and what was measured. */
export interface Claim {
  /** Unique within the experiment and the same in every run: `osdl-over-wavelets`. */
  readonly id: string;
  /** Where the paper says so: `§V-C, figure 8`; `ours` for a statement that is not the paper's. */
  readonly source: string;
  /** The statement in plain words, without measured numbers. */
  readonly text: string;
  /** The paper's value or words: `about 8 dB`. */
  readonly paper: string;
  /** What was measured, in the same terms: `4.41 dB (M = 82)`. */
  readonly measured: string;
  /** Judged at the paper's threshold or, where it has none, at one of ours (docs/decisions/0022-protocols.md). */
  readonly holds: boolean;
  /** The measurement is too coarse for an answer; `holds` is false. */
  readonly undecided?: boolean;
}

export interface OutcomeFile {
  readonly name: string;
  /** For a figure that belongs on the page of all experiments: its caption there. */
  readonly caption?: string;
  readonly bytes: Uint8Array;
}
