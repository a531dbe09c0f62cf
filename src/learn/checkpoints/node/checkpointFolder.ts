/**
 * Checkpoints of a run in a folder: `checkpoint-000123.tlc` after update 123, the
 * last two. The folder is the run's own. A file is written under a temporary name,
 * flushed and renamed; the one before goes only when there are two newer.
 *
 * What the disk refuses is told, and training goes on: the next interval tries again,
 * and makes the folder anew where it vanished.
 */

import { existsSync } from "node:fs";
import { mkdir, open, readdir, stat, unlink } from "node:fs/promises";
import { join } from "node:path";
import { InputError } from "../../../core/errors.js";
import { requireAbove, requireInteger } from "../../../core/require.js";
import { fileError, isSystemError, requireWritable, writePiecesAtomic } from "../../../data/node/files.js";
import { removeStaleIn } from "../../../data/node/temporaryNames.js";
import {
  Checkpoint,
  type CheckpointDraft,
  type CheckpointKeeper,
  type CheckpointSource,
} from "../checkpoint.js";
import { markRun } from "./runLock.js";

export interface CheckpointFolderOptions {
  /** Minutes between two checkpoints. */
  readonly minutes?: number | undefined;
  /** Updates between two checkpoints, whichever comes first. */
  readonly steps?: number | undefined;
  /** Told, in one line, what is damaged or could not be written. */
  readonly onProblem?: ((message: string) => void) | undefined;
}

export const checkpointDefaults = { minutes: 10 } as const;

export class CheckpointFolder implements CheckpointKeeper {
  readonly path: string;
  readonly #minutes: number;
  readonly #steps: number;
  readonly #onProblem: (message: string) => void;
  /** When the last was written, or tried. */
  #time = performance.now();
  #step = 0;
  /** The newest file that is good. */
  #last: string | undefined;
  readonly #mark: string;

  private constructor(path: string, mark: string, options: CheckpointFolderOptions) {
    this.path = path;
    this.#mark = mark;
    this.#minutes = options.minutes ?? checkpointDefaults.minutes;
    this.#steps = options.steps ?? Infinity;
    this.#onProblem = options.onProblem ?? (() => {});
  }

  /** Make the folder where it is missing, and refuse one that cannot be written or that a run of this machine has; leftovers of killed runs go. */
  static async open(path: string, options: CheckpointFolderOptions = {}): Promise<CheckpointFolder> {
    if (options.minutes !== undefined) requireAbove("CheckpointFolder", "minutes", options.minutes, 0);
    if (options.steps !== undefined) requireInteger("CheckpointFolder", "steps", options.steps, 1);
    await makeFolder(path).catch((error) => {
      throw fileError(error, `${path}: cannot hold checkpoints`, "no such folder");
    });
    await removeStaleIn(path);
    await requireWritable(join(path, nameOf(0)));
    return new CheckpointFolder(path, await markRun(path), options);
  }

  /** The run is over: another may have the folder. So it may when this process has ended. */
  async close(): Promise<void> {
    await unlink(this.#mark).catch(() => {});
  }

  /** The path of the newest checkpoint that is good, if it is still there. */
  get last(): string | undefined {
    const path = this.#last && join(this.path, this.#last);
    return path && existsSync(path) ? path : undefined;
  }

  /** The checkpoints that are there, the newest first. */
  async names(): Promise<string[]> {
    const names = (await readdir(this.path)).filter((name) => stepOf(name) !== undefined);
    return names.sort((a, b) => stepOf(b)! - stepOf(a)!);
  }

  /** The newest checkpoint that is good, none where there are no checkpoints. What is damaged is told. */
  async newest(): Promise<Checkpoint | undefined> {
    const problems: string[] = [];
    for (const name of await this.names()) {
      try {
        const checkpoint = await Checkpoint.open(await fileSource(join(this.path, name)));
        await checkpoint.verify();
        for (const problem of problems) this.#onProblem(`${problem}; using ${name}`);
        [this.#last, this.#step] = [name, checkpoint.header.position.step];
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
    throw new InputError(`${this.path}: no checkpoint is good: ${problems.join("; ")}`);
  }

  due(step: number): boolean {
    const minutes = (performance.now() - this.#time) / 60_000;
    return minutes >= this.#minutes || step - this.#step >= this.#steps;
  }

  async save(draft: CheckpointDraft): Promise<void> {
    const name = nameOf(draft.step);
    try {
      await makeFolder(this.path);
      await writePiecesAtomic(join(this.path, name), draft.bytes());
      await this.#keep(name);
    } catch (error) {
      if (!isSystemError(error)) throw error;
      const { message } = fileError(error, `${join(this.path, name)}: cannot be written`, "no such folder");
      this.#onProblem(`${message}; training goes on`);
    }
    [this.#time, this.#step] = [performance.now(), draft.step];
  }

  /** Remove all but this one and the good one before it. */
  async #keep(name: string): Promise<void> {
    const before = this.#last;
    this.#last = name;
    for (const other of await this.names()) {
      if (other !== name && other !== before) await unlink(join(this.path, other)).catch(() => {}); // next time
    }
  }
}

async function makeFolder(path: string): Promise<void> {
  await mkdir(path, { recursive: true }).catch((error: NodeJS.ErrnoException) => {
    throw error.code === "EEXIST" ? Object.assign(error, { code: "ENOTDIR" }) : error;
  });
}

/** The bytes of a file, read where they are asked for. */
async function fileSource(path: string): Promise<CheckpointSource> {
  const { size } = await stat(path);
  const read = async (offset: number, length: number) => {
    const handle = await open(path, "r");
    try {
      const bytes = new Uint8Array(length);
      for (let filled = 0; filled < length; ) {
        const most = Math.min(length - filled, 2 ** 30);
        const { bytesRead } = await handle.read(bytes, filled, most, offset + filled);
        if (bytesRead === 0) throw new InputError(`${path}: damaged (it has become shorter)`);
        filled += bytesRead;
      }
      return bytes;
    } finally {
      await handle.close();
    }
  };
  return { name: path, size, read };
}

function nameOf(step: number): string {
  return `checkpoint-${String(step).padStart(6, "0")}.tlc`;
}

function stepOf(name: string): number | undefined {
  const digits = /^checkpoint-(\d{6,15})\.tlc$/.exec(name)?.[1];
  return digits === undefined ? undefined : Number(digits);
}
