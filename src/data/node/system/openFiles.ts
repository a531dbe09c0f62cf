/**
 * Positioned reads from files: whole files, and members of archives by their place in the
 * archive. Files stay open after a read, up to a fixed number of them; beyond that, the one
 * that was not used for longest is closed. It is opened again for the next read, if it is
 * still the file that it was.
 */

import type { Stats } from "node:fs";
import { InputError } from "../../../core/errors.js";
import { readError } from "../files.js";
import { shownPath } from "./fileNames.js";
import { onShortage, openRegular } from "./handles.js";

/** A range of bytes in a file. */
export interface ByteRange {
  readonly file: string;
  readonly offset: number;
  readonly length: number;
}

/** What is used of a file handle, so that the declarations of the package do not need Node's types. */
export interface OpenFile {
  read(
    into: Uint8Array,
    offset: number,
    length: number,
    position: number,
  ): Promise<{ readonly bytesRead: number }>;
  stat(): Promise<{ readonly size: number }>;
  close(): Promise<void>;
}

/** A file that is open, or being opened. */
interface Kept {
  readonly handle: Promise<OpenFile>;
  /** Reads at work. */
  users: number;
  /** Whether it cannot be opened again. */
  readonly adopted: boolean;
}

/** Files that stay open; the least limits of systems are 256. */
const maxKept = 64;

export class OpenFiles {
  /** The one that was used last comes last. */
  readonly #kept = new Map<string, Kept>();
  /** What each file was when it was first opened. */
  readonly #known = new Map<string, string>();
  readonly #forget = onShortage(() => void this.#closeIdle(0));

  /** Fill `into` from an offset within the range; `name` is for messages. */
  async read(range: ByteRange, offset: number, into: Uint8Array, name: string): Promise<void> {
    await this.#use(range.file, name, async (handle) => {
      let filled = 0;
      while (filled < into.length) {
        const length = Math.min(into.length - filled, 2 ** 30);
        const { bytesRead } = await handle.read(into, filled, length, range.offset + offset + filled);
        if (bytesRead === 0) throw new InputError(`${name}: truncated: it became shorter`);
        filled += bytesRead;
      }
    });
  }

  /** The range of all bytes of a file. */
  async whole(file: string): Promise<ByteRange> {
    const { size } = await this.#use(file, shownPath(file), (handle) => handle.stat());
    return { file, offset: 0, length: size };
  }

  async close(): Promise<void> {
    this.#forget();
    const kept = [...this.#kept.values()];
    this.#kept.clear();
    for (const { handle } of kept) await handle.then((opened) => opened.close()).catch(() => {});
  }

  /** Take over an open file under this name. */
  adopt(file: string, handle: OpenFile): void {
    this.#kept.set(file, { handle: Promise.resolve(handle), users: 0, adopted: true });
  }

  async #use<T>(file: string, name: string, work: (handle: OpenFile) => Promise<T>): Promise<T> {
    const kept = this.#kept.get(file) ?? { handle: this.#open(file, name), users: 0, adopted: false };
    this.#kept.delete(file);
    this.#kept.set(file, kept);
    kept.users++;
    try {
      return await work(await kept.handle);
    } catch (error) {
      throw readError(error, name);
    } finally {
      kept.users--;
      await this.#closeIdle(maxKept);
    }
  }

  async #open(file: string, name: string): Promise<OpenFile> {
    try {
      const { handle, stats } = await openRegular(file);
      const before = this.#known.get(file);
      if (before !== undefined && before !== identity(stats)) {
        await handle.close();
        throw new InputError(`${name}: changed while it was in use`);
      }
      this.#known.set(file, identity(stats));
      return handle;
    } catch (error) {
      this.#kept.delete(file); // so that the next read tries again
      throw error;
    }
  }

  /** Close files that are not in use, until at most `most` are open. */
  async #closeIdle(most: number): Promise<void> {
    for (const [file, { handle, users, adopted }] of this.#kept) {
      if (this.#kept.size <= most) return;
      if (users > 0 || adopted) continue;
      this.#kept.delete(file);
      await handle.then((opened) => opened.close()).catch(() => {});
    }
  }
}

/** Not by the inode, which some network file systems make anew each time. */
function identity({ size, mtimeMs }: Stats): string {
  return `${size} ${mtimeMs}`;
}
