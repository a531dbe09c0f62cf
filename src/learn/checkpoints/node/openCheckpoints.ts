/**
 * The checkpoints of one run: opens its folder, finds the checkpoint to resume from, and
 * rejects one of another run before any data is read. Where a run fails, the error names
 * the last good checkpoint.
 */

import { InputError, ReadFailure } from "../../../core/errors.js";
import { DeviceLostError } from "../../../kernels/contract.js";
import { optionSettings, requireEpochs, requireSameSettings } from "../../run/runSettings.js";
import type { ResolvedTraining } from "../../run/trainOptions.js";
import type { Checkpoint } from "../checkpoint.js";
import { CheckpointFolder, type CheckpointFolderOptions } from "./checkpointFolder.js";

/** Where a run keeps its checkpoints, and the one it resumes from. */
export interface Checkpoints {
  readonly folder: CheckpointFolder;
  readonly resume: Checkpoint | undefined;
}

export interface OpenCheckpointsOptions extends CheckpointFolderOptions {
  /** Resume from the newest checkpoint; without it the folder must hold none. */
  readonly resume?: boolean | undefined;
  /** Called with one line that says where the run starts. */
  readonly onStart?: ((line: string) => void) | undefined;
}

/** Open the folder of a run with these options; the caller closes it. */
export async function openCheckpoints(
  path: string,
  training: ResolvedTraining,
  options: OpenCheckpointsOptions = {},
): Promise<Checkpoints> {
  const { minutes, steps, onProblem } = options;
  const folder = await CheckpointFolder.open(path, { minutes, steps, onProblem });
  try {
    const resume = options.resume ? await resumeFrom(folder, training, options) : await requireNone(folder);
    return { folder, resume };
  } catch (error) {
    await folder.close();
    throw error;
  }
}

async function requireNone(folder: CheckpointFolder): Promise<undefined> {
  const [found] = await folder.names();
  if (found === undefined) return undefined;
  throw new InputError(
    (nameOf) =>
      `${nameOf("checkpoint")} ${folder.path} must be empty without ${nameOf("resume")}, got ${found}`,
    { where: "train", argument: "checkpoint", value: folder.path },
  );
}

/** The newest good checkpoint, if there is one; it must have the same settings. */
async function resumeFrom(
  folder: CheckpointFolder,
  training: ResolvedTraining,
  { onStart }: OpenCheckpointsOptions,
): Promise<Checkpoint | undefined> {
  const newest = await folder.newest();
  if (!newest) {
    onStart?.(`no checkpoint in ${folder.path} yet: starting from the beginning`);
    return undefined;
  }
  const { settings, position } = newest.header;
  requireSameSettings(settings, optionSettings(training));
  if (training.given.epochs !== undefined) requireEpochs(position.epoch, training.given.epochs);
  onStart?.(`resuming from ${newest.name}: step ${position.step}, epoch ${position.epoch}`);
  return newest;
}

/** The error of a run that failed on the way, with its last good checkpoint; a run may outlive the loss of its device. */
export function withLastCheckpoint(error: unknown, folder: CheckpointFolder | undefined): unknown {
  if (!folder || error instanceof DeviceLostError) return error;
  const last = folder.last ? `the last good checkpoint is ${folder.last}` : "there is no checkpoint";
  return withMore(error, last);
}

/** The same error, or an `InputError` like it, that says more on the same line. */
export function withMore(error: unknown, more: string): unknown {
  if (error instanceof InputError) {
    const Kind = error instanceof ReadFailure ? ReadFailure : InputError;
    return new Kind((nameOf) => `${error.describe(nameOf)}; ${more}`, { where: error.where });
  }
  if (error instanceof Error) error.message = `${error.message}; ${more}`;
  return error;
}

/** The error of a run whose model cannot be written: never the caller's mistake; a checkpoint still holds the run. */
export function notSaved(error: unknown, folder: CheckpointFolder | undefined): Error {
  const { message } = error as Error;
  return new Error(folder?.last ? `${message}; the run is in ${folder.last}` : message, { cause: error });
}
