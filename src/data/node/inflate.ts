/**
 * Compressed members of archives, inflated so that they can be read in pieces: into a
 * temporary file without a name, which disappears when it is closed.
 *
 * Inflating stops at the first byte beyond the declared size.
 */

import { randomBytes } from "node:crypto";
import { createReadStream } from "node:fs";
import { open, unlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInflateRaw } from "node:zlib";
import { InputError } from "../../core/errors.js";
import { crc32 } from "../formats/checksums.js";
import type { ByteRange, OpenFile } from "./openFiles.js";

/** What deflated bytes should inflate to. */
export interface Deflated {
  readonly size: number;
  readonly crc: number;
}

/** Inflate a range of a file into a temporary file; returns its handle. */
export async function inflateToFile(range: ByteRange, declared: Deflated, name: string): Promise<OpenFile> {
  const path = join(tmpdir(), `trainlets-${process.pid}-${randomBytes(6).toString("hex")}.tmp`);
  const handle = await open(path, "wx+", 0o600);
  try {
    await unlink(path).catch(() => {}); // Windows may not remove an open file
    let size = 0;
    let crc = 0;
    for await (const part of inflated(range)) {
      size += part.length;
      if (size > declared.size) break;
      crc = crc32(part, crc);
      await handle.write(part);
    }
    if (size !== declared.size || crc !== declared.crc)
      throw new InputError(`${name}: damaged zip file: its size or CRC-32 differs after inflating`);
    return handle;
  } catch (error) {
    await handle.close();
    throw inflateError(error, name);
  }
}

/** The first inflated bytes, at most `length`. */
export async function inflateStart(range: ByteRange, length: number, name: string): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const part of inflated(range)) {
      parts.push(part);
      size += part.length;
      if (size >= length) break;
    }
  } catch (error) {
    throw inflateError(error, name);
  }
  return Buffer.concat(parts).subarray(0, length);
}

function inflateError(error: unknown, name: string): InputError {
  if (error instanceof InputError) return error;
  return new InputError(`${name}: cannot be inflated (${(error as Error).message.split("\n")[0]})`);
}

async function* inflated({ file, offset, length }: ByteRange): AsyncGenerator<Uint8Array> {
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
