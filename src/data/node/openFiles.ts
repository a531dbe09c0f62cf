/**
 * Bytes in files, read where they are needed: whole files and members of archives,
 * by their place. Files stay open from the first read to `close`.
 */

import { open } from "node:fs/promises";
import { InputError } from "../../core/errors.js";
import { fileError } from "./files.js";

/** Where bytes are: so many of a file, from an offset on. */
export interface Content {
  readonly file: string;
  readonly offset: number;
  readonly length: number;
}

/** What is wanted of a file that is open. The declarations of the package get by without Node's types. */
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

  /** Fill `into` from an offset within the content; `name` is what messages call it. */
  async read(content: Content, offset: number, into: Uint8Array, name: string): Promise<void> {
    try {
      const handle = await this.#handle(content.file);
      let filled = 0;
      while (filled < into.length) {
        const length = Math.min(into.length - filled, 2 ** 30);
        const { bytesRead } = await handle.read(into, filled, length, content.offset + offset + filled);
        if (bytesRead === 0) throw new InputError(`${name}: truncated: it became shorter`);
        filled += bytesRead;
      }
    } catch (error) {
      throw readError(error, name);
    }
  }

  /** A file as content. */
  async whole(file: string): Promise<Content> {
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

  /** Use a handle that is already open under this name. */
  adopt(file: string, handle: OpenFile): void {
    this.#handles.set(file, Promise.resolve(handle));
  }

  #handle(file: string): Promise<OpenFile> {
    const known = this.#handles.get(file);
    if (known) return known;
    const handle = open(file, "r");
    handle.catch(() => this.#handles.delete(file)); // it may be there the next time
    this.#handles.set(file, handle);
    return handle;
  }
}

/** Whatever keeps a file from being read is one line; while a run reads it, it is no reason to end. */
export function readError(error: unknown, name: string): InputError {
  if (error instanceof InputError) return error;
  return new InputError(fileError(error, `${name}: cannot be read`, "no such file").message);
}
