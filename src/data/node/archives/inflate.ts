/** Compressed bytes, inflated in pieces: members of zip archives, gzip files, zlib streams. */

import { Readable } from "node:stream";
import { createGunzip, createInflate, createInflateRaw } from "node:zlib";
import { InputError } from "../../../core/errors.js";
import type { ByteRange, OpenFiles } from "../system/openFiles.js";

/** What is around deflated bytes: nothing, as in a zip file, or the headers of zlib or gzip. */
export type Wrapping = keyof typeof openers;

const openers = { none: createInflateRaw, zlib: createInflate, gzip: createGunzip } as const;

/** The first inflated bytes, at most `length`; `name` is for messages. */
export async function inflateStart(
  files: OpenFiles,
  range: ByteRange,
  length: number,
  name: string,
  wrapping: Wrapping = "none",
): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of inflated(files, range, name, wrapping)) {
    parts.push(part);
    size += part.length;
    if (size >= length) break;
  }
  return Buffer.concat(parts).subarray(0, length);
}

/** The inflated bytes of a range, a piece at a time. */
export async function* inflated(
  files: OpenFiles,
  range: ByteRange,
  name: string,
  wrapping: Wrapping = "none",
): AsyncGenerator<Uint8Array> {
  if (range.length === 0) return;
  const packed = Readable.from(readPieces(files, range, name));
  const inflate = openers[wrapping]({ chunkSize: pieceBytes });
  packed.on("error", (error) => inflate.destroy(error));
  try {
    for await (const part of packed.pipe(inflate)) yield part as Uint8Array;
  } catch (error) {
    if (error instanceof InputError) throw error;
    throw new InputError(`${name}: cannot be inflated (${(error as Error).message.split("\n")[0]})`);
  } finally {
    packed.destroy();
  }
}

/** Bytes that are read, and bytes that are inflated, at a time. */
const pieceBytes = 2 ** 18;

/** The bytes of a range, a piece at a time. */
export async function* readPieces(
  files: OpenFiles,
  range: ByteRange,
  name: string,
): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < range.length; at += pieceBytes) {
    const piece = new Uint8Array(Math.min(pieceBytes, range.length - at));
    await files.read(range, at, piece, name);
    yield piece;
  }
}
