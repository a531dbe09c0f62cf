/**
 * What is compressed, or text, unpacked so that it can be read at any place: one input
 * after the other in a temporary file without a name, which disappears when it is closed.
 *
 * How much room that takes is known from directories and headers, and checked
 * against the free space before the first byte is written. Unpacking stops at the first
 * byte beyond the declared size.
 */

import type { FileHandle } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { InputError } from "../../../core/errors.js";
import { byteSize } from "../../../core/formatText.js";
import { fileError, removeStaleOf, TemporaryFile } from "../files.js";
import type { Input } from "../inputKinds.js";
import { freeSpace } from "../outputs.js";
import { openHandle } from "../system/handles.js";
import type { ByteRange, OpenFiles } from "../system/openFiles.js";
import { type Packed, unpacked } from "./unpack.js";

/** Bytes that inputs take in the temporary folder. */
export function temporaryBytes(inputs: readonly Input[]): number {
  const archives = new Map(inputs.map(({ within, gunzipped = 0 }) => [within?.file, gunzipped]));
  const whole = [...archives.values()].reduce((sum, size) => sum + size, 0);
  return inputs.reduce((sum, { packed }) => sum + (packed?.size ?? 0), whole);
}

export class TemporaryStore {
  readonly #path: string;
  readonly #handle: FileHandle;
  readonly #files: OpenFiles;
  /** Gzipped archives, each inflated once. */
  readonly #archives = new Map<string, Promise<ByteRange>>();
  #end = 0;

  private constructor(path: string, handle: FileHandle, files: OpenFiles) {
    this.#path = path;
    this.#handle = handle;
    this.#files = files;
  }

  /** A store with room for this many bytes; `files` closes it. */
  static async open(files: OpenFiles, bytes: number): Promise<TemporaryStore> {
    await requireRoom(bytes);
    const target = join(tmpdir(), "inflated");
    await removeStaleOf(target);
    const file = new TemporaryFile(target);
    try {
      const handle = await openHandle(file.path, "wx+", 0o600);
      files.adopt(file.path, handle);
      return new TemporaryStore(file.path, handle, files);
    } catch (error) {
      throw fileError(error, `TMPDIR: temporary files in ${tmpdir()} cannot be written`, "no such folder");
    } finally {
      await file.remove(); // open files of Windows stay until the next start
    }
  }

  /** Unpack a range of a file; `name` is for messages. Returns where its bytes are. */
  async unpack(range: ByteRange, packed: Packed, name: string): Promise<ByteRange> {
    const room = { file: this.#path, offset: this.#end, length: packed.size };
    this.#end += packed.size;
    let size = 0;
    for await (const part of unpacked(this.#files, range, packed, name)) {
      await writeAt(this.#handle, part, room.offset + size);
      size += part.length;
    }
    return room;
  }

  /** Where a member of a gzipped archive of `size` bytes is, once that is inflated; `name` is for messages. */
  async unpackMember({ file, offset, length }: ByteRange, size: number, name: string): Promise<ByteRange> {
    const inflate = async () => this.unpack(await this.#files.whole(file), { size, wrapping: "gzip" }, name);
    const archive = this.#archives.get(file) ?? inflate();
    this.#archives.set(file, archive);
    const whole = await archive;
    return { file: whole.file, offset: whole.offset + offset, length };
  }
}

async function writeAt(handle: FileHandle, bytes: Uint8Array, place: number): Promise<void> {
  try {
    for (let at = 0; at < bytes.length; )
      at += (await handle.write(bytes, at, bytes.length - at, place + at)).bytesWritten;
  } catch (error) {
    throw fileError(error, `TMPDIR: temporary files in ${tmpdir()} cannot be written`, "no such folder");
  }
}

/** Refuse to unpack more than there is room for. */
async function requireRoom(needed: number): Promise<void> {
  const free = await freeSpace(tmpdir());
  if (free === undefined || needed <= free) return;
  throw new InputError(
    `TMPDIR: compressed arrays and tables take ${byteSize(needed)} in ${tmpdir()} when unpacked, but only ${byteSize(free)} is free`,
  );
}
