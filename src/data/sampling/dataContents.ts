/**
 * What data contain, in checksums: to compare the data of a run with those of a checkpoint.
 *
 * Small files and signals are compared as a whole. Of large ones a sample is compared:
 * blocks at the start, at the end, and evenly spread between them. How much is a function
 * of the sizes alone, so the same data are always compared in the same places.
 *
 * Cost   at most 1 GiB of all data is read, or 4 KiB of each file if that is more
 */

import type { Signal } from "../../core/signal.js";
import { crc32, crcToHex, sha256 } from "../formats/checksums.js";

export interface DataContents {
  /** The files or signals, in their order. */
  readonly names: readonly string[];
  /** A checksum of each, in hexadecimal digits: of its name without folders, its size and its samples or bytes. */
  readonly digests: readonly string[];
  /** Larger items were compared by a sample of this many bytes. */
  readonly limit: number;
  /** Seconds since 1970 at which a file of which only a sample was compared was last changed. */
  readonly times: readonly (number | undefined)[];
  /** Files that were left out because they cannot be used. */
  readonly skipped: readonly string[];
}

/** One checksum of all contents, in 16 hexadecimal digits. */
export function digestOf({ digests, limit }: DataContents): string {
  const text = new TextEncoder().encode(`${limit}\n${digests.join("\n")}`);
  return Array.from(sha256(text).subarray(0, 8), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** The most bytes that are compared of all items together, and the least and the most of one of them. */
const maxCompared = 2 ** 30;
const smallest = 2 ** 12;

/** How many bytes are compared of each item at most: the largest power of two that keeps the total in bounds. */
export function compareLimit(sizes: readonly number[]): number {
  let limit = maxCompared;
  const total = () => sizes.reduce((sum, size) => sum + Math.min(size, limit), 0);
  while (limit > smallest && total() > maxCompared) limit /= 2;
  return limit;
}

/** Whether a number can be a limit of `compareLimit`. */
export function isCompareLimit(limit: unknown): limit is number {
  return (
    typeof limit === "number" &&
    Number.isInteger(Math.log2(limit)) &&
    limit >= smallest &&
    limit <= maxCompared
  );
}

/** Blocks of a sample, in bytes: neither so small that reading them takes long, nor so large that they are few. */
const block = { least: 2 ** 10, most: 2 ** 18, perSample: 16 } as const;

/** The ranges of bytes of an item that are compared, in order. */
export function comparedRanges(size: number, limit: number): { offset: number; length: number }[] {
  if (size <= limit) return [{ offset: 0, length: size }];
  const length = Math.min(block.most, Math.max(block.least, limit / block.perSample));
  const count = limit / length;
  return Array.from({ length: count }, (_, i) => ({
    offset: Math.floor((i * (size - length)) / (count - 1)),
    length,
  }));
}

/** The contents of signals in memory. */
export function contentsOf(signals: readonly Signal[], given?: number): DataContents {
  const limit = given ?? compareLimit(signals.map(({ data }) => data.byteLength));
  return {
    names: signals.map(({ name }) => name),
    digests: signals.map((signal) => digestSignal(signal, limit)),
    limit,
    times: signals.map(() => undefined),
    skipped: [],
  };
}

function digestSignal({ name, shape, data }: Signal, limit: number): string {
  const start = crc32(new TextEncoder().encode(`${nameWithoutFolders(name)} ${shape}\n`));
  return crcToHex(
    comparedRanges(data.byteLength, limit).reduce(
      (crc, { offset, length }) => crc32(new Uint8Array(data.buffer, data.byteOffset + offset, length), crc),
      start,
    ),
  );
}

/** A name without the folders it is in, which may change. */
export function nameWithoutFolders(name: string): string {
  return name.slice(Math.max(name.lastIndexOf("/"), name.lastIndexOf("\\")) + 1);
}
