/**
 * A compressed member of an archive as a file that can be read in pieces: it is
 * inflated once, into a temporary file without a name, which is gone when it is closed.
 *
 * What it says about itself is held to: inflating stops at the first byte too many.
 */

import { randomBytes } from "node:crypto";
import { createReadStream } from "node:fs";
import { open, unlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInflateRaw } from "node:zlib";
import { InputError } from "../../core/errors.js";
import { crc32 } from "../formats/crc32.js";
import type { Content, OpenFile } from "./openFiles.js";

/** Deflated bytes, and what they should inflate to. */
export interface Packed {
  readonly size: number;
  readonly crc: number;
}

/** Inflate into a temporary file; its handle. */
export async function spool(content: Content, packed: Packed, name: string): Promise<OpenFile> {
  const path = join(tmpdir(), `trainlets-${process.pid}-${randomBytes(6).toString("hex")}.tmp`);
  const handle = await open(path, "wx+", 0o600);
  try {
    await unlink(path).catch(() => {}); // open files may stay where they are on Windows
    let [size, crc] = [0, 0];
    for await (const part of inflated(content)) {
      size += part.length;
      if (size > packed.size) break;
      crc = crc32(part, crc);
      await handle.write(part);
    }
    if (size !== packed.size || crc !== packed.crc)
      throw new InputError(`${name}: damaged zip file: it does not inflate to what it says`);
    return handle;
  } catch (error) {
    await handle.close();
    if (error instanceof InputError) throw error;
    const reason = (error as Error).message.split("\n")[0];
    throw new InputError(`${name}: cannot be inflated (${reason})`);
  }
}

/** The first inflated bytes, up to `length`. */
export async function inflateStart(content: Content, length: number, name: string): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const part of inflated(content)) {
      parts.push(part);
      size += part.length;
      if (size >= length) break;
    }
  } catch (error) {
    throw new InputError(`${name}: cannot be inflated (${(error as Error).message.split("\n")[0]})`);
  }
  return Buffer.concat(parts).subarray(0, length);
}

async function* inflated({ file, offset, length }: Content): AsyncGenerator<Uint8Array> {
  if (length === 0) return;
  const packed = createReadStream(file, { start: offset, end: offset + length - 1 });
  const inflate = createInflateRaw();
  packed.on("error", (error) => inflate.destroy(error));
  try {
    for await (const part of packed.pipe(inflate)) yield part as Uint8Array;
  } finally {
    packed.destroy();
  }
}
