/**
 * Learning in the worker: one run at a time, which the page pauses, steps, stops and saves. The result depends on the data,
 * the settings and the seed alone: it has the bits of the command line on the same device.
 */

import { type DeviceName, learnerNames, modelFromBytes, modelToBytes, train } from "trainlets";
import {
  Checkpoint,
  type CheckpointKeeper,
  checkpointFromBytes,
  checkpointToBytes,
  learners,
} from "trainlets/parts";
import { type DeviceFacts, forgetKernels, kernelsFor } from "../devices";
import { type Task, transferring } from "../protocol";
import { type LearnerFacts, type LearnSettings, optionsOf } from "./learnOptions";
import { type Beginning, LearnRun, type RunNews } from "./learnRun";
import { type Samples, samplesOf, sampleTasks } from "./learnSamples";
import {
  holdRun,
  removeRun,
  type StoredRun,
  storedParts,
  storedRuns,
  storedSamples,
  storeRun,
} from "./learnStore";

export interface LearnInput {
  /** What the run is called in the storage. */
  readonly key: string;
  /** The number of samples that were sent before. */
  readonly samples: number;
  readonly settings: LearnSettings;
  readonly device: DeviceName;
  /** The bytes of a dictionary to start from. */
  readonly start?: Uint8Array<ArrayBuffer> | undefined;
  /** The commands of the runs before, if it starts from what they learned. */
  readonly before: readonly string[];
  /** The file of the dictionary to start from, in its command. */
  readonly startFile: string | undefined;
  /** Whether to resume from the last checkpoint of this key. */
  readonly resumes: boolean;
  readonly begins: Beginning;
}

/** What a run is going to do. */
export interface LearnPlan {
  readonly atoms: number;
  readonly base: string;
  /** Examples of all epochs, and those done before. */
  readonly total: number;
  readonly done: number;
  readonly holdout: number;
  readonly warnings: readonly string[];
  readonly device: DeviceFacts;
}

export type LearnNews =
  | { readonly kind: "plan"; readonly plan: LearnPlan }
  | ({ readonly kind: "run" } & RunNews)
  /** A line for the person at the page. */
  | { readonly kind: "note"; readonly text: string };

export interface LearnEnd {
  /** Why it ended: all epochs, or stopped. */
  readonly ended: string;
  readonly examples: number;
  /** The bytes of the model file. */
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** Milliseconds between two checkpoints, and how many times as long as saving one they are at least. */
const saving = { first: 1000, every: 3000, share: 20 } as const;
/** Checkpoints that are larger are not kept. */
const mostCheckpoint = 2 ** 28;

let current: LearnRun | undefined;
/** The last checkpoint of this worker: for a device that is lost, and where storage is forbidden. */
let latest: { readonly key: string; readonly bytes: Uint8Array<ArrayBuffer> } | undefined;

type Note = (text: string) => void;

const learn: Task<LearnInput, LearnEnd, LearnNews> = async (input, { report, signal }) => {
  if (current) throw new Error("a run is under way already");
  const note: Note = (text) => report({ kind: "note", text });
  const samples = samplesOf(input.samples);
  if (samples.data.every((value) => value === samples.data[0]))
    throw new Error(`${samples.name}: all samples are the same, so there is nothing to learn`);
  const checkpoints = new StoredCheckpoints(input, samples, note);
  holdRun(input.key);
  signal.addEventListener("abort", () => current?.stop());
  let { device, resumes, begins } = input;
  for (;;) {
    try {
      const end = await learnOn(device, { ...input, resumes, begins }, samples, checkpoints, report, signal);
      return transferring(end, [end.bytes.buffer]);
    } catch (error) {
      if ((error as Error).name !== "DeviceLostError") throw error;
      forgetKernels();
      device = "cpu";
      resumes = latest?.key === input.key;
      begins = (current as LearnRun | undefined)?.paused ? "paused" : "going";
      note(
        `${(error as Error).message}. Learning continues on the CPU${resumes ? " from the last checkpoint" : " from the beginning"}.`,
      );
    } finally {
      current = undefined;
    }
  }
};

async function learnOn(
  device: DeviceName,
  { key, settings, start, resumes, begins }: LearnInput,
  { shape, data }: Samples,
  checkpoints: StoredCheckpoints,
  report: (news: LearnNews, transfer?: Transferable[]) => void,
  signal: AbortSignal,
): Promise<LearnEnd> {
  const { kernels, rejected } = await kernelsFor(device);
  const resume = resumes ? await checkpointOf(key) : undefined;
  const learned = await secondsOf(key, resumes);
  const follower = new LearnRun(kernels, (news, transfer) => report({ kind: "run", ...news }, transfer), {
    begins,
    seconds: learned,
  });
  current = follower;
  if (signal.aborted) follower.stop();
  const model = start && modelFromBytes(start, "the dictionary to start from");
  const options = { ...optionsOf(settings, model !== undefined), start: model, reportEvery: 1 };
  const run = train({ shape, data }, { ...options, kernels, signal: follower.signal, checkpoints, resume });
  const { atoms, base, examples, epochs, holdout, warnings, done } = await run.plan();
  const total = examples * epochs;
  follower.total = total;
  checkpoints.follow(follower);
  const facts = { description: kernels.description, rejected };
  report({
    kind: "plan",
    plan: { atoms, base: base.name, total, done: done.examples, holdout, warnings, device: facts },
  });
  const { model: learnedModel, report: last } = await follower.follow(run);
  const bytes = modelToBytes(learnedModel) as Uint8Array<ArrayBuffer>;
  ended = follower;
  return { ended: last.ended ?? "aborted", examples: last.examples, bytes };
}

/** The run that ended last: its files can still be asked for. */
let ended: LearnRun | undefined;

async function checkpointOf(key: string): Promise<Checkpoint> {
  const bytes = latest?.key === key ? latest.bytes : (await storedParts(key))?.checkpoint;
  if (!bytes) throw new Error("the run is no longer in the storage of the browser");
  return checkpointFromBytes(bytes, "the checkpoint");
}

/** How long a run has learned that is resumed. */
async function secondsOf(key: string, resumes: boolean): Promise<number> {
  if (!resumes) return 0;
  const runs = await storedRuns().catch(() => []);
  return runs.find((run) => run.key === key)?.seconds ?? current?.seconds ?? ended?.seconds ?? 0;
}

/** Checkpoints in the storage of the browser, every few seconds. Where that fails, learning continues without them. */
class StoredCheckpoints implements CheckpointKeeper {
  readonly #input: LearnInput;
  readonly #samples: Samples;
  readonly #note: Note;
  #run: LearnRun | undefined;
  #next = performance.now() + saving.first;
  #isFirst = true;
  #works = true;

  constructor(input: LearnInput, samples: Samples, note: Note) {
    this.#input = input;
    this.#samples = samples;
    this.#note = note;
  }

  /** The run whose progress is stored. */
  follow(run: LearnRun): void {
    this.#run = run;
  }

  due(): boolean {
    return performance.now() >= this.#next;
  }

  async save(draft: Parameters<CheckpointKeeper["save"]>[0]): Promise<void> {
    const start = performance.now();
    const bytes = (await checkpointToBytes(draft)) as Uint8Array<ArrayBuffer>;
    if (bytes.length <= mostCheckpoint) {
      latest = { key: this.#input.key, bytes };
      if (this.#works) await this.#store(bytes).catch((error: unknown) => this.#giveUp(error));
    } else if (this.#works) this.#giveUp(new Error("it is too large"));
    const took = performance.now() - start;
    this.#next = performance.now() + Math.max(saving.every, saving.share * took);
  }

  async #store(checkpoint: Uint8Array<ArrayBuffer>): Promise<void> {
    const { key, settings, device, before, start, startFile } = this.#input;
    const read = async (from: number, length: number) => checkpoint.slice(from, from + length);
    const { header } = await Checkpoint.open({ name: "the checkpoint", size: checkpoint.length, read });
    const progress = { examples: header.position.examples, total: this.#run?.total ?? 0 };
    const run: StoredRun = {
      ...{ key, savedAt: Date.now(), name: this.#samples.name, settings, device, before, startFile },
      ...{ ...progress, seconds: this.#run?.seconds ?? 0 },
    };
    await storeRun(run, checkpoint, { samples: this.#samples, start }, this.#isFirst);
    this.#isFirst = false;
  }

  #giveUp(error: unknown): void {
    this.#works = false;
    const why = (error as Partial<Error> | null)?.message || "it is full or forbidden";
    this.#note(`Progress cannot be kept in the storage of the browser (${why}). Learning continues.`);
  }
}

/** All learners. The page asks for these facts, so that it need not load the learners themselves. */
const learnerFacts: Task<null, readonly LearnerFacts[]> = async () =>
  learnerNames.map((name) => {
    const { summary, takes, ownOptions, canStartFromModel = true, defaults = {} } = learners[name];
    const { epochs, examples } = defaults;
    const hasAtomSparsity = ownOptions.includes("atomSparsity");
    return {
      name,
      summary,
      isOnline: takes === "mini-batches",
      hasAtomSparsity,
      canStartFromModel,
      epochs,
      examples,
    };
  });

export type LearnAction = "pause" | "go" | "step" | "drawn";

/** Steer the current run; nothing happens if it has ended. */
const steer: Task<{ readonly action: LearnAction }, void> = async ({ action }) => {
  current?.[action]();
};

/** The current model, or the last one, as a file. */
const learnedFile: Task<{ readonly kind: "npz" | "png" }, Uint8Array<ArrayBuffer>> = async ({ kind }) => {
  const run = current ?? ended;
  if (!run) throw new Error("nothing has been learned yet");
  const bytes = (await run.file(kind)) as Uint8Array<ArrayBuffer>;
  return transferring(bytes, [bytes.buffer]);
};

/** Runs of earlier visits; none where storage is forbidden. */
const earlierRuns: Task<null, readonly StoredRun[]> = () => storedRuns().catch(() => []);

/** The samples of an earlier run, and the dictionary that it started from. */
const earlierRun: Task<
  { readonly key: string },
  { readonly samples: Samples; readonly start: Uint8Array<ArrayBuffer> | undefined }
> = async ({ key }) => {
  const samples = await storedSamples(key);
  const start = (await storedParts(key))?.start;
  if (!samples) throw new Error("the run is no longer in the storage of the browser");
  return transferring({ samples, start }, [samples.data.buffer]);
};

const forgetRun: Task<{ readonly key: string }, void> = ({ key }) => removeRun(key).catch(() => {});

export const learnTasks = {
  learnerFacts,
  learn,
  steer,
  learnedFile,
  earlierRuns,
  earlierRun,
  forgetRun,
  ...sampleTasks,
};
