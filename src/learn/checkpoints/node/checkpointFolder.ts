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
import { lockFolder } from "./runLock.js";

export interface CheckpointFolderOptions {
  /** Minutes between two checkpoints. */
  readonly minutes?: number | undefined;
  /** Updates between two checkpoints, whichever comes first. */
  readonly steps?: number | undefined;
  /** Called with one line about what is damaged or could not be written. */
  readonly onProblem?: ((message: string) => void) | undefined;
}

export const checkpointDefaults = { minutes: 10 } as const;

export class CheckpointFolder implements CheckpointKeeper {
  readonly path: string;
  readonly #minutes: number;
  readonly #steps: number;
  readonly #onProblem: (message: string) => void;
  /** When a checkpoint was last written, or tried. */
  #time = performance.now();
  #step = 0;
  /** The newest valid file. */
  #last: string | undefined;
  readonly #lock: string;

  private constructor(path: string, lock: string, options: CheckpointFolderOptions) {
    this.path = path;
    this.#lock = lock;
    this.#minutes = options.minutes ?? checkpointDefaults.minutes;
    this.#steps = options.steps ?? Infinity;
    this.#onProblem = options.onProblem ?? (() => {});
  }

  /**
   * Create the folder if it is missing, lock it, and remove what killed runs left. An error if it cannot be written, or
   * if another run on this machine is using it.
   */
  static async open(path: string, options: CheckpointFolderOptions = {}): Promise<CheckpointFolder> {
    if (options.minutes !== undefined) requireAbove("CheckpointFolder", "minutes", options.minutes, 0);
    if (options.steps !== undefined) requireInteger("CheckpointFolder", "steps", options.steps, 1);
    await makeFolder(path).catch((error) => {
      throw fileError(error, `${path}: cannot hold checkpoints`, "no such folder");
    });
    await removeStaleIn(path);
    await requireWritable(join(path, fileName(0)));
    return new CheckpointFolder(path, await lockFolder(path), options);
  }

  /** Unlock the folder. The end of this process does so as well. */
  async close(): Promise<void> {
    await unlink(this.#lock).catch(() => {});
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
      await writePiecesAtomic(join(this.path, name), draft.bytes());
      await this.#removeOld(name);
    } catch (error) {
      if (!isSystemError(error)) throw error;
      const { message } = fileError(error, `${join(this.path, name)}: cannot be written`, "no such folder");
      this.#onProblem(`${message}; training continues`);
    }
    this.#time = performance.now();
    this.#step = draft.step;
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

function parseStep(name: string): number | undefined {
  const digits = /^checkpoint-(\d{6,15})\.tlc$/.exec(name)?.[1];
  return digits === undefined ? undefined : Number(digits);
}
