/**
 * A run that outlives its device. A GPU can be lost in mid-run: its driver resets it, or the system takes it away. Nothing
 * can be read from it then, but a run with checkpoints continues on a new device of the same kind from the last
 * one, and ends with the same bytes as a run that was never interrupted. If there is no such device, or if it is lost
 * again and again, the error says how to resume.
 */

import { setTimeout } from "node:timers/promises";
import { InputError } from "../../core/errors.js";
import { DeviceLostError, type Kernels } from "../../kernels/contract.js";
import type { Checkpoints } from "../../learn/checkpoints/node/openCheckpoints.js";

/** Losses without a new checkpoint in between, after which the run gives up. */
const mostLosses = 3;
/** Milliseconds before a device that was lost again is opened: a driver that resets needs a moment. */
const pauseAfterLoss = 1000;

export interface LossOptions {
  /** Where the run starts; without checkpoints, a lost device ends it. */
  readonly checkpoints: Checkpoints | undefined;
  /** Called with one line when the run continues on a new device. */
  note(line: string): void;
}

/**
 * Do the work of a run, again from its last checkpoint whenever its device is lost. `work` opens a device each
 * time, and passes its kernels to `opened` before it uses them.
 */
export async function continueOnNewDevice<T>(
  { checkpoints, note }: LossOptions,
  work: (checkpoints: Checkpoints | undefined, opened: (kernels: Kernels) => void) => Promise<T>,
): Promise<T> {
  let device: string | undefined;
  let loss: DeviceLostError | undefined; // undefined while a device is open
  const opened = ({ description }: Kernels): void => {
    device ??= description;
    if (description !== device) throw new Error(`there is only ${description}`); // it would round differently
    loss = undefined;
  };
  let start = checkpoints;
  for (let losses = 0; ; ) {
    try {
      return await work(start, opened);
    } catch (error) {
      if (error instanceof DeviceLostError) loss = error;
      if (!loss || !start) throw error;
      const resume = await start.folder.newest();
      losses = resume?.name === start.resume?.name ? losses + 1 : 1;
      if (losses >= mostLosses || error !== loss) throw endedBy(loss, error, resume?.name);
      note(`${loss.message}; continuing on a new device from ${resume?.name ?? "the beginning"}`);
      if (losses > 1) await setTimeout(pauseAfterLoss);
      start = { folder: start.folder, resume };
    }
  }
}

/** The end of a run that found no device to continue on. */
function endedBy(loss: DeviceLostError, error: unknown, checkpoint: string | undefined): Error {
  const reason = error instanceof InputError ? error.describe((name) => name) : (error as Error).message;
  const why = error === loss ? "" : `, and no new one could be opened (${reason})`;
  const again = checkpoint
    ? `the run is in ${checkpoint}: add --resume to continue it`
    : "there is no checkpoint yet";
  return new Error(`${loss.message}${why}; ${again}`, { cause: error });
}
