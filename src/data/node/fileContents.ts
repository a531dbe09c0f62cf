/**
 * What files contain, in checksums (see dataContents.ts): SHA-256 of the name, the size and
 * the compared bytes of each. A file that cannot be read has a checksum of its own, so that
 * it differs from the same file once it can be read.
 */

import { createHash, type Hash } from "node:crypto";
import { InputError, ReadFailure } from "../../core/errors.js";
import {
  comparedRanges,
  compareLimit,
  type DataContents,
  nameWithoutFolders,
} from "../sampling/dataContents.js";
import { readError } from "./files.js";
import { shownPath } from "./system/fileNames.js";
import { openRegular } from "./system/handles.js";
import type { ByteRange } from "./system/openFiles.js";

/** A file, or a member of an archive, to compare; `bytes` of one that cannot be read again. */
export interface ComparedFile {
  readonly path: string;
  readonly within?: ByteRange | undefined;
  readonly length: number;
  readonly bytes?: Uint8Array | undefined;
}

/** Files read at a time, and bytes of a file. */
const together = 8;
const pieceBytes = 2 ** 20;

/** Hexadecimal digits of a checksum that are kept. */
const digits = 16;

/** The contents of files, compared in the places that `given` or their sizes lead to. */
export async function fileContents(
  files: readonly ComparedFile[],
  skipped: readonly string[],
  given?: number,
): Promise<DataContents> {
  const limit = given ?? compareLimit(files.map(({ length }) => length));
  const digests = new Array<string>(files.length);
  const times = new Array<number | undefined>(files.length);
  let next = 0;
  const work = async () => {
    const room = new Uint8Array(pieceBytes);
    for (let i = next++; i < files.length; i = next++) {
      const { digest, time } = await digestFile(files[i], limit, room);
      digests[i] = digest;
      times[i] = files[i].length > limit ? time : undefined;
    }
  };
  await Promise.all(Array.from({ length: together }, work));
  return { names: files.map(({ path }) => shownPath(path)), digests, limit, times, skipped };
}

async function digestFile(
  file: ComparedFile,
  limit: number,
  room: Uint8Array,
): Promise<{ digest: string; time?: number }> {
  const name = identifyingName(file);
  const digestOf = (hash: Hash) => hash.digest("hex").slice(0, digits);
  const hash = createHash("sha256").update(`${name}\n${file.length}\n`);
  try {
    const time = await addCompared(file, limit, room, hash);
    return { digest: digestOf(hash), ...(time === undefined ? {} : { time }) };
  } catch (error) {
    const problem = readError(error, file.path);
    if (problem instanceof ReadFailure) throw problem; // at another time it would be read, and differ
    return { digest: digestOf(createHash("sha256").update(`${name}\nunreadable`)) };
  }
}

/** Add the compared bytes of a file to a hash; returns when the file was last changed, in seconds since 1970. */
async function addCompared(
  { path, within, length, bytes }: ComparedFile,
  limit: number,
  room: Uint8Array,
  hash: Hash,
): Promise<number | undefined> {
  const ranges = comparedRanges(length, limit);
  if (bytes) {
    for (const part of ranges) hash.update(bytes.subarray(part.offset, part.offset + part.length));
    return undefined;
  }
  const { handle, stats } = await openRegular(within?.file ?? path);
  try {
    for (const { offset, length } of ranges) {
      for (let at = 0; at < length; ) {
        const place = (within?.offset ?? 0) + offset + at;
        const { bytesRead } = await handle.read(room, 0, Math.min(pieceBytes, length - at), place);
        if (bytesRead === 0) throw new InputError(`${shownPath(path)}: truncated: it became shorter`);
        hash.update(room.subarray(0, bytesRead));
        at += bytesRead;
      }
    }
  } finally {
    await handle.close();
  }
  return Math.floor(stats.mtimeMs / 1000);
}

/** The name without the folders that it or its archive is in. */
function identifyingName({ path, within }: ComparedFile): string {
  if (!within) return nameWithoutFolders(shownPath(path));
  return nameWithoutFolders(shownPath(within.file)) + shownPath(path.slice(within.file.length));
}
