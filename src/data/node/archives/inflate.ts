/** Compressed members of archives, inflated in pieces. */

import { Readable } from "node:stream";
import { createInflateRaw } from "node:zlib";
import { InputError } from "../../../core/errors.js";
import type { ByteRange, OpenFiles } from "../system/openFiles.js";

/** What deflated bytes should inflate to. */
export interface Deflated {
  readonly size: number;
  readonly crc: number;
}

/** The first inflated bytes, at most `length`; `name` is for messages. */
export async function inflateStart(
  files: OpenFiles,
  range: ByteRange,
  length: number,
  name: string,
): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of inflated(files, range, name)) {
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
): AsyncGenerator<Uint8Array> {
  if (range.length === 0) return;
  const packed = Readable.from(readPieces(files, range, name));
  const inflate = createInflateRaw({ chunkSize: pieceBytes });
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

async function* readPieces(files: OpenFiles, range: ByteRange, name: string): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < range.length; at += pieceBytes) {
    const piece = new Uint8Array(Math.min(pieceBytes, range.length - at));
    await files.read(range, at, piece, name);
    yield piece;
  }
}
