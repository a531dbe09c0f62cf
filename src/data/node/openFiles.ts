/**
 * Positioned reads from files that stay open, from the first read to `close`: whole
 * files, and members of archives by their place in the archive.
 */

import { open } from "node:fs/promises";
import { InputError } from "../../core/errors.js";
import { fileError } from "./files.js";

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

export class OpenFiles {
  readonly #handles = new Map<string, Promise<OpenFile>>();

  /** Fill `into` from an offset within the range; `name` is for messages. */
  async read(range: ByteRange, offset: number, into: Uint8Array, name: string): Promise<void> {
    try {
      const handle = await this.#handle(range.file);
      let filled = 0;
      while (filled < into.length) {
        const length = Math.min(into.length - filled, 2 ** 30);
        const { bytesRead } = await handle.read(into, filled, length, range.offset + offset + filled);
        if (bytesRead === 0) throw new InputError(`${name}: truncated: it became shorter`);
        filled += bytesRead;
      }
    } catch (error) {
      throw readError(error, name);
    }
  }

  /** The range of all bytes of a file. */
  async whole(file: string): Promise<ByteRange> {
    try {
      return { file, offset: 0, length: (await (await this.#handle(file)).stat()).size };
    } catch (error) {
      throw readError(error, file);
    }
  }

  async close(): Promise<void> {
    const handles = [...this.#handles.values()];
    this.#handles.clear();
    for (const handle of handles) await handle.then((opened) => opened.close()).catch(() => {});
  }

  /** Take over an open file under this name. */
  adopt(file: string, handle: OpenFile): void {
    this.#handles.set(file, Promise.resolve(handle));
  }

  #handle(file: string): Promise<OpenFile> {
    const known = this.#handles.get(file);
    if (known) return known;
    const handle = open(file, "r");
    handle.catch(() => this.#handles.delete(file)); // so that the next read tries again
    this.#handles.set(file, handle);
    return handle;
  }
}

/** Any failure to read a file as an `InputError` of one line: a run skips such a file and continues. */
export function readError(error: unknown, name: string): InputError {
  if (error instanceof InputError) return error;
  return new InputError(fileError(error, `${name}: cannot be read`, "no such file").message);
}
