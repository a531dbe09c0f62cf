/**
 * Checkpoints of a run in a folder of its own: `checkpoint-000123.tlc` after update 123,
 * and only the last two. A file is written under a temporary name, flushed and renamed; an
 * old one is removed only when there are two newer ones.
 *
 * If the disk refuses a file, the problem is reported and training continues: the next
 * interval tries again, and creates the folder again if it has vanished.
 */

import { existsSync } from "node:fs";
import { mkdir, open, readdir, stat, unlink } from "node:fs/promises";
import { join } from "node:path";
import {
  byRule,
  callback,
  requireArgument,
  requireOptions,
  text,
} from "../../../core/arguments/argumentTypes.js";
import { asyncDispose, type Closable, releaseWhenCollected } from "../../../core/disposal.js";
import { InputError } from "../../../core/errors.js";
import { requireAbove, requireInteger } from "../../../core/require.js";
import {
  fileError,
  isSystemError,
  removeStaleIn,
  requireWritable,
  writePiecesAtomic,
} from "../../../data/node/files.js";
import {
  Checkpoint,
  type CheckpointDraft,
  type CheckpointKeeper,
  type CheckpointSource,
} from "../checkpoint.js";
import { RunLock } from "./runLock.js";

export interface CheckpointFolderOptions {
  /** Minutes between two checkpoints. */
  readonly minutes?: number | undefined;
  /** Updates between two checkpoints, whichever comes first. */
  readonly steps?: number | undefined;
  /** Called with one line about what is damaged, could not be written or is waited for. */
  readonly onProblem?: ((message: string) => void) | undefined;
}

export const checkpointDefaults = { minutes: 10 } as const;

export class CheckpointFolder implements CheckpointKeeper, Closable {
  readonly path: string;
  readonly #minutes: number;
  readonly #steps: number;
  readonly #onProblem: (message: string) => void;
  /** When a checkpoint was last written, or tried. */
  #time = performance.now();
  #step = 0;
  /** The newest valid file. */
  #last: string | undefined;
  readonly #lock: RunLock;
  readonly #keep: () => void;

  private constructor(lock: RunLock, options: CheckpointFolderOptions) {
    this.path = lock.folder;
    this.#lock = lock;
    this.#minutes = options.minutes ?? checkpointDefaults.minutes;
    this.#steps = options.steps ?? Infinity;
    this.#onProblem = options.onProblem ?? (() => {});
    this.#keep = releaseWhenCollected(this, () => lock.release());
  }

  /**
   * Create the folder if it is missing, lock it, and remove what killed runs left. An error if it cannot be written, or
   * if another run is using it, on this machine or on another. If that run may have ended, this takes up to a minute.
   */
  static async open(path: string, options: CheckpointFolderOptions = {}): Promise<CheckpointFolder> {
    requireArgument("CheckpointFolder", "path", path, text);
    requireOptions("CheckpointFolder", options, { minutes: byRule, steps: byRule, onProblem: callback });
    if (options.minutes !== undefined) requireAbove("CheckpointFolder", "minutes", options.minutes, 0);
    if (options.steps !== undefined) requireInteger("CheckpointFolder", "steps", options.steps, 1);
    try {
      await makeFolder(path);
      return await CheckpointFolder.openLocked(
        await RunLock.acquire(path, { onNote: options.onProblem }),
        options,
      );
    } catch (error) {
      throw isSystemError(error)
        ? fileError(error, `${path}: cannot hold checkpoints`, "no such folder")
        : error;
    }
  }

  /** @internal The folder of a lock, which is given back in the end. */
  static async openLocked(lock: RunLock, options: CheckpointFolderOptions): Promise<CheckpointFolder> {
    try {
      await removeStaleIn(lock.folder);
      await requireWritable(join(lock.folder, fileName(0)));
      return new CheckpointFolder(lock, options);
    } catch (error) {
      await lock.release();
      throw error;
    }
  }

  /** Unlock the folder. The end of this process does so as well. */
  async close(): Promise<void> {
    this.#keep();
    await this.#lock.release();
  }

  [asyncDispose](): Promise<void> {
    return this.close();
  }

  /** The path of the newest valid checkpoint, if it still exists. */
  get last(): string | undefined {
    const path = this.#last && join(this.path, this.#last);
    return path && existsSync(path) ? path : undefined;
  }

  /** The names of the checkpoints in the folder, the newest first. */
  async names(): Promise<string[]> {
    const all = await readdir(this.path).catch((error: unknown) => {
      throw fileError(error, `${this.path}: cannot be read`, "no such folder");
    });
    const names = all.filter((name) => parseStep(name) !== undefined);
    return names.sort((a, b) => parseStep(b)! - parseStep(a)!);
  }

  /** The newest valid checkpoint, undefined if the folder has no checkpoints. Damaged ones are reported. */
  async newest(): Promise<Checkpoint | undefined> {
    const problems: string[] = [];
    for (const name of await this.names()) {
      try {
        const checkpoint = await Checkpoint.open(await fileSource(join(this.path, name)));
        await checkpoint.verify();
        for (const problem of problems) this.#onProblem(`${problem}; using ${name}`);
        this.#last = name;
        this.#step = checkpoint.header.position.step;
        return checkpoint;
      } catch (error) {
        if (!(error instanceof InputError || isSystemError(error))) throw error;
        const reason =
          error instanceof InputError
            ? error
            : fileError(error, `${join(this.path, name)}: cannot be read`, "no such file");
        problems.push(reason.message);
      }
    }
    if (problems.length === 0) return undefined;
    throw new InputError(`${this.path}: no valid checkpoint: ${problems.join("; ")}`);
  }

  due(step: number): boolean {
    const minutes = (performance.now() - this.#time) / 60_000;
    return minutes >= this.#minutes || step - this.#step >= this.#steps;
  }

  async save(draft: CheckpointDraft): Promise<void> {
    const name = fileName(draft.step);
    try {
      await makeFolder(this.path);
      await this.#lock.requireOwned();
      await writePiecesAtomic(join(this.path, name), this.#whileOwned(draft.bytes()));
      await this.#lock.requireOwned();
      await this.#removeOld(name);
    } catch (error) {
      if (!isSystemError(error)) throw error;
      const { message } = fileError(error, `${join(this.path, name)}: cannot be written`, "no such folder");
      this.#onProblem(`${message}; training continues`);
    }
    this.#time = performance.now();
    this.#step = draft.step;
  }

  /** All pieces, and an error before the file gets its name if another run has taken over meanwhile. */
  async *#whileOwned(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    yield* pieces;
    await this.#lock.requireOwned();
  }

  /** Remove all but this one and the valid one before it. */
  async #removeOld(name: string): Promise<void> {
    const before = this.#last;
    this.#last = name;
    for (const other of await this.names().catch(() => [])) {
      if (other !== name && other !== before) await unlink(join(this.path, other)).catch(() => {}); // tried again next time
    }
  }
}

async function makeFolder(path: string): Promise<void> {
  await mkdir(path, { recursive: true }).catch((error: NodeJS.ErrnoException) => {
    throw error.code === "EEXIST" ? Object.assign(error, { code: "ENOTDIR" }) : error;
  });
}

/** The checkpoint in a file, with its header checked. */
export async function openCheckpointFile(path: string): Promise<Checkpoint> {
  return Checkpoint.open(await fileSource(path));
}

/** The bytes of a file, read on demand. */
async function fileSource(path: string): Promise<CheckpointSource> {
  const { size } = await stat(path);
  const read = async (offset: number, length: number) => {
    const handle = await open(path, "r");
    try {
      const bytes = new Uint8Array(length);
      for (let filled = 0; filled < length; ) {
        const wanted = Math.min(length - filled, 2 ** 30);
        const { bytesRead } = await handle.read(bytes, filled, wanted, offset + filled);
        if (bytesRead === 0) throw new InputError(`${path}: damaged (it became shorter while it was read)`);
        filled += bytesRead;
      }
      return bytes;
    } finally {
      await handle.close();
    }
  };
  return { name: path, size, read };
}

function fileName(step: number): string {
  return `checkpoint-${String(step).padStart(6, "0")}.tlc`;
}

/** Whether a file in a folder of checkpoints is one, by its name. */
export function isCheckpointName(name: string): boolean {
  return parseStep(name) !== undefined;
}

function parseStep(name: string): number | undefined {
  const digits = /^checkpoint-(\d{6,15})\.tlc$/.exec(name)?.[1];
  return digits === undefined ? undefined : Number(digits);
}
