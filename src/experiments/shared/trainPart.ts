/**
 * A training as a part of a run. It is kept once it has ended by itself; a long one is kept as a checkpoint every
 * few minutes, and when it is aborted, so that the run resumes in the middle of it with the same result.
 *
 * Seconds are those of all its pieces together. `seconds` has everything: reading, learning, tests. The seconds of a
 * point are those of learning alone.
 */

import type { Signal } from "../../core/signal.js";
import { Checkpoint, type CheckpointDraft, checkpointToBytes } from "../../learn/checkpoints/checkpoint.js";
import { train } from "../../learn/run/train.js";
import type { TrainReport } from "../../learn/run/trainingLoop.js";
import type { TrainOptions } from "../../learn/run/trainOptions.js";
import type { Model } from "../../model/model.js";
import type { ExperimentTools, PartStore } from "./experiment.js";
import { withPaperSteps } from "./paperSteps.js";
import { modelPart } from "./parts.js";

/** A moment of a training at which its test error, or its cost, was measured. */
export interface LearningPoint {
  /** Updates and examples until then; 0 before learning. */
  readonly updates: number;
  readonly examples: number;
  /** Seconds of learning until then, without tests. */
  readonly seconds: number;
  readonly testRmse?: number;
  readonly cost?: number;
}

/** How a model was learned. */
export interface LearningRecord {
  readonly points: readonly LearningPoint[];
  /** Examples per epoch, and those that the test error was measured on. */
  readonly examples: number;
  readonly tested: number;
  readonly updates: number;
  /** Seconds of learning alone, and of everything. */
  readonly learningSeconds: number;
  readonly seconds: number;
}

export interface TrainedModel {
  readonly model: Model;
  readonly record: LearningRecord;
}

export interface TrainPartOptions {
  /** Called with each new point and those before it; `true` ends the training. */
  readonly isDone?: (points: readonly LearningPoint[]) => boolean;
}

/** Minutes between two checkpoints of a training. */
const checkpointMinutes = 2;

/** The model of the part `name`, or learned now from `images`. */
export async function trainPart(
  tools: ExperimentTools,
  name: string,
  images: readonly Signal[],
  options: TrainOptions,
  { isDone }: TrainPartOptions = {},
): Promise<TrainedModel> {
  const { value } = await modelPart(tools, name, async () => {
    const keeper = await TrainingKeeper.open(name, tools);
    const { kernels, signal } = tools;
    const paper = { ...withPaperSteps(options), keep: "last" } as const;
    const run = train(images, { ...paper, kernels, signal, ...keeper.options });
    keeper.watch.follow(run);
    const plan = await run.plan();
    keeper.watch.begin();
    const reports = watched(run, keeper.watch, isDone);
    if (tools.showTraining) await tools.showTraining(plan, reports);
    else for await (const _ of reports);
    const model = await run.model();
    await keeper.finish();
    return { model, record: keeper.watch.record(plan.examples, plan.holdout) };
  });
  return value;
}

async function* watched(
  run: AsyncIterable<TrainReport>,
  watch: TrainingWatch,
  isDone: TrainPartOptions["isDone"],
): AsyncGenerator<TrainReport> {
  for await (const report of run) {
    const noted = watch.note(report);
    yield report;
    if (noted && isDone?.(watch.points)) return;
    watch.begin();
  }
}

/** What a watch carries from one piece of a training to the next. */
interface WatchState {
  readonly points: LearningPoint[];
  updates: number;
  learning: number;
  /** Seconds of the pieces before this one. */
  before: number;
  /** Seconds between the last report and the checkpoint. */
  pending: number;
}

/** Notes points, and times. The time of showing, of saving and of tests does not count. */
class TrainingWatch {
  readonly #state: WatchState;
  readonly #opened = performance.now();
  #start = performance.now();
  #run: { readonly testSeconds: number } = { testSeconds: 0 };
  /** Seconds since the last report that do not count. */
  #other = 0;

  constructor(state?: WatchState) {
    this.#state = state ?? { points: [], updates: 0, learning: 0, before: 0, pending: 0 };
  }

  get points(): readonly LearningPoint[] {
    return this.#state.points;
  }

  follow(run: { readonly testSeconds: number }): void {
    this.#run = run;
  }

  /** The work until the next report begins. */
  begin(): void {
    this.#start = performance.now();
    this.#other = -this.#run.testSeconds;
  }

  /** Time that was spent on saving since the last report. */
  addSaving(seconds: number): void {
    this.#other += seconds;
  }

  /** Whether the report made a point. */
  note(report: TrainReport): boolean {
    return this.#add(report, this.#sinceReport);
  }

  /** A checkpoint is saved before the report of its update is passed on: that report is noted now. */
  resumeAt(report: Omit<TrainReport, "ended">): void {
    const state = this.#state;
    if (report.step > state.updates) this.#add(report, state.pending);
    else state.learning += state.pending;
    state.pending = 0;
  }

  get #sinceReport(): number {
    return (performance.now() - this.#start) / 1000 - this.#other - this.#run.testSeconds;
  }

  #add(report: Omit<TrainReport, "ended">, seconds: number): boolean {
    const { step, examples, testRmse, cost } = report;
    const state = this.#state;
    if (step > 0) state.learning += seconds;
    state.updates = step;
    if (testRmse === undefined && cost === undefined) return false;
    state.points.push({
      ...{ updates: step, examples, seconds: state.learning },
      ...(testRmse === undefined ? {} : { testRmse }),
      ...(cost === undefined ? {} : { cost }),
    });
    return true;
  }

  get #seconds(): number {
    return this.#state.before + (performance.now() - this.#opened) / 1000;
  }

  /** The state to continue from in another piece. */
  get state(): WatchState {
    return { ...this.#state, before: this.#seconds, pending: this.#sinceReport };
  }

  record(examples: number, tested: number): LearningRecord {
    const { points, updates, learning } = this.#state;
    return { points, examples, tested, updates, learningSeconds: learning, seconds: this.#seconds };
  }
}

/** Keeps the checkpoints of a training among the parts of its run. */
class TrainingKeeper {
  readonly watch: TrainingWatch;
  readonly options: Pick<TrainOptions, "checkpoints" | "resume">;
  readonly #name: string;
  readonly #parts: PartStore | undefined;
  readonly #signal: AbortSignal | undefined;
  #saved = performance.now();
  #written = false;

  private constructor(
    name: string,
    { parts, signal }: ExperimentTools,
    resume?: Checkpoint,
    state?: WatchState,
  ) {
    this.#name = name;
    this.#parts = parts;
    this.#signal = signal;
    this.#written = resume !== undefined;
    this.watch = new TrainingWatch(state);
    const checkpoints = { due: () => this.#isDue, save: (draft: CheckpointDraft) => this.#save(draft) };
    this.options = parts ? { checkpoints, ...(resume ? { resume } : {}) } : {};
  }

  /** From the last checkpoint, if there is one. */
  static async open(name: string, tools: ExperimentTools): Promise<TrainingKeeper> {
    const bytes = await tools.parts?.read(checkpointFile(name));
    const state = await tools.parts?.read(stateFile(name));
    if (!bytes?.length || !state?.length) return new TrainingKeeper(name, tools);
    const source = {
      name: checkpointFile(name),
      size: bytes.length,
      read: async (from: number, length: number) => bytes.slice(from, from + length),
    };
    const keeper = new TrainingKeeper(
      name,
      tools,
      await Checkpoint.open(source),
      JSON.parse(new TextDecoder().decode(state)),
    );
    keeper.watch.resumeAt(keeper.options.resume!.header.report);
    return keeper;
  }

  get #isDue(): boolean {
    return performance.now() - this.#saved > 60_000 * checkpointMinutes;
  }

  /** A run also saves at its end; that is of use only if it was aborted. */
  async #save(draft: CheckpointDraft): Promise<void> {
    if (!this.#parts || !(this.#isDue || this.#signal?.aborted)) return;
    const start = performance.now();
    this.#written = true;
    await this.#parts.write(stateFile(this.#name), new Uint8Array()); // until the checkpoint is there
    await this.#parts.write(checkpointFile(this.#name), await checkpointToBytes(draft));
    const state = new TextEncoder().encode(JSON.stringify(this.watch.state));
    await this.#parts.write(stateFile(this.#name), state);
    this.#saved = performance.now();
    this.watch.addSaving((this.#saved - start) / 1000);
  }

  /** The training has ended: unless it was aborted, its checkpoint is no longer of use. */
  async finish(): Promise<void> {
    if (!this.#written || this.#signal?.aborted) return;
    for (const file of [stateFile(this.#name), checkpointFile(this.#name)])
      await this.#parts?.write(file, new Uint8Array());
  }
}

function checkpointFile(name: string): string {
  return `${name}.checkpoint`;
}

function stateFile(name: string): string {
  return `${name}.checkpoint.json`;
}
