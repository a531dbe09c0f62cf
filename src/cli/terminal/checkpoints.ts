/** Checkpoints of `trainlets train`: their options, the folder, and what is said of them. */

import type { Command } from "commander";
import { InputError } from "../../core/errors.js";
import { requireAbove, requireInteger } from "../../core/require.js";
import type { Checkpoint } from "../../learn/checkpoints/checkpoint.js";
import { CheckpointFolder, checkpointDefaults } from "../../learn/checkpoints/node/checkpointFolder.js";
import { DivergedError } from "../../learn/learners/learner.js";
import { optionSettings, requireEpochs, requireSameSettings } from "../../learn/run/runSettings.js";
import type { ResolvedTraining } from "../../learn/run/trainOptions.js";
import { pageDefaults } from "../../report/node/liveReport.js";
import { count, flagOf, number, option } from "./flags.js";

export interface CheckpointFlags {
  readonly dryRun?: boolean;
  readonly checkpoint?: string;
  readonly checkpointEvery?: number;
  readonly checkpointSteps?: number;
  readonly resume?: boolean;
}

/** What a run keeps, and goes on from. */
export interface Checkpoints {
  readonly folder: CheckpointFolder | undefined;
  readonly resume: Checkpoint | undefined;
}

export function withCheckpointOptions(command: Command): Command {
  return command
    .optionsGroup("Long runs:")
    .option("--checkpoint <folder>", "keep the last two checkpoints of the run there")
    .addOption(option("--checkpoint-every <t>", "minutes between two", number, checkpointDefaults.minutes))
    .addOption(option("--checkpoint-steps <n>", "steps between two, whichever comes first", count))
    .option("--resume", "go on from the newest checkpoint, to the result of a run without a break")
    .option("--report <folder>", "keep metrics.jsonl and report.html there (default: with --checkpoint)")
    .addOption(option("--report-every <s>", "seconds between two pages", number, pageDefaults.every))
    .option("--dry-run", "say what it would need (memory, disk, time), and stop");
}

/** Open the folder, find where to go on, and refuse what does not fit, before any data is read. */
export async function openCheckpoints(
  flags: CheckpointFlags,
  options: ResolvedTraining,
  note: (line: string) => void,
): Promise<Checkpoints> {
  const { checkpoint: path, checkpointEvery: minutes, checkpointSteps: steps, resume = false } = flags;
  if (path === undefined) {
    for (const name of ["checkpointEvery", "checkpointSteps", "resume"] as const) {
      if (flags[name] !== undefined)
        throw new InputError(`train: ${flagOf(name)} must come with --checkpoint, got none`);
    }
    return { folder: undefined, resume: undefined };
  }
  if (path === "") throw new InputError('train: --checkpoint must be a folder, got ""');
  if (minutes !== undefined) requireAbove("train", "--checkpoint-every", minutes, 0);
  if (steps !== undefined) requireInteger("train", "--checkpoint-steps", steps, 1);
  if (flags.dryRun) return { folder: undefined, resume: undefined }; // nothing is written, nor gone on from
  const onProblem = (problem: string) => note(`train: ${problem}`);
  const folder = await CheckpointFolder.open(path, { minutes, steps, onProblem });
  try {
    return { folder, resume: await resumeFrom(folder, resume, options, note) };
  } catch (error) {
    await folder.close();
    throw error;
  }
}

/** The checkpoint to go on from, where that is asked for. */
async function resumeFrom(
  folder: CheckpointFolder,
  asked: boolean,
  options: ResolvedTraining,
  note: (line: string) => void,
): Promise<Checkpoint | undefined> {
  const { path } = folder;
  if (!asked) {
    const [found] = await folder.names();
    if (found === undefined) return undefined;
    throw new InputError(`train: --checkpoint ${path} must be empty without --resume, got ${found}`);
  }
  const newest = await folder.newest();
  if (!newest) {
    note(`train: --resume: no checkpoint in ${path} yet, starting from the beginning`);
    return undefined;
  }
  const { settings, position } = newest.header;
  requireSameSettings(settings, optionSettings(options));
  requireEpochs(position.epoch, options.epochs);
  note(`going on from ${newest.name}: step ${position.step}, epoch ${position.epoch}`);
  return newest;
}

/** Work with a folder of checkpoints, which is given up in the end. */
export async function withFolder({ folder }: Checkpoints, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } finally {
    await folder?.close();
  }
}

/** An error with what is left of the run, where something is. */
export function withLastCheckpoint(error: unknown, folder: CheckpointFolder | undefined): unknown {
  if (!(error instanceof DivergedError) || !folder) return error;
  const last = folder.last ? `the last good checkpoint is ${folder.last}` : "there is no checkpoint";
  return new Error(`${error.message}; ${last}`, { cause: error });
}

/** A model that cannot be written in the end is a failure, however it came; a checkpoint still holds the run. */
export function notSaved(error: unknown, folder: CheckpointFolder | undefined): Error {
  const { message } = error as Error;
  return new Error(folder?.last ? `${message}; the run is in ${folder.last}` : message, { cause: error });
}
