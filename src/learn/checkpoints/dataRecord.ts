/**
 * What a checkpoint records of the data, so that a run that resumes with other data can name
 * the file that differs: eight hexadecimal digits of the checksum of each file or signal, and
 * of the time of a file of which only a sample was compared. Of more than 65,536, one for
 * each group of consecutive ones.
 */

import { crc32, crcToHex } from "../../data/formats/checksums.js";
import { type DataContents, isCompareLimit } from "../../data/sampling/dataContents.js";

export interface DataRecord {
  /** Larger items were compared by a sample of this many bytes. */
  readonly limit: number;
  /** Eight digits for each group of items, in their order. */
  readonly digests: string;
  /** The same of the times of items of which a sample was compared; zeros for groups without any. */
  readonly times: string;
}

/** Records by the setting they belong to: `the data`, `the test data`. */
export type DataRecords = Readonly<Record<string, DataRecord>>;

const maxGroups = 2 ** 16;
const digits = 8;

/** The record of contents. */
export function recordContents({ limit, digests, times }: DataContents): DataRecord {
  const size = groupSize(digests.length);
  const groups = Array.from({ length: Math.ceil(digests.length / size) }, (_, g) => g * size);
  return {
    limit,
    digests: groups.map((from) => summary(digests.slice(from, from + size))).join(""),
    times: groups
      .map((from) => summary(times.slice(from, from + size).filter((time) => time !== undefined)))
      .join(""),
  };
}

/** A record from JSON; undefined if it is not one. */
export function readDataRecord(value: unknown): DataRecord | undefined {
  const { limit, digests, times } = (value ?? {}) as Partial<Record<keyof DataRecord, unknown>>;
  if (!isCompareLimit(limit) || !isDigits(digests) || !isDigits(times)) return undefined;
  return digests.length === times.length ? { limit, digests, times } : undefined;
}

function isDigits(text: unknown): text is string {
  return typeof text === "string" && text.length % digits === 0 && /^[0-9a-f]*$/.test(text);
}

/** Items per group. */
function groupSize(items: number): number {
  return Math.max(1, Math.ceil(items / maxGroups));
}

function summary(values: readonly (string | number)[]): string {
  if (values.length === 0) return "0".repeat(digits);
  return crcToHex(crc32(new TextEncoder().encode(values.join(" "))));
}

/** `a.png differs`, `a.png and 3 more differ`, `new.png is new, or changed`, `bad.png was skipped`: how contents differ from a record. */
export function describeDifference(saved: DataRecord, contents: DataContents): string {
  const { names, skipped } = contents;
  const now = split(recordContents(contents).digests);
  const before = split(saved.digests);
  const known = new Set(before);
  const other = now.flatMap((digest, g) => (known.has(digest) ? [] : [g]));
  const sameCount = now.length === before.length;
  if (other.length > 0) {
    const [one, several] = sameCount ? ["differs", "differ"] : ["is new, or changed", "are new, or changed"];
    return `${listGroups(other, names)} ${other.length === 1 ? one : several}`;
  }
  if (sameCount) return now.some((digest, g) => digest !== before[g]) ? "the same in another order" : "";
  if (skipped.length === 0) return "";
  return `${listNames(skipped)} ${skipped.length === 1 ? "was" : "were"} skipped`;
}

/** Files whose times differ from those of a record of the same data: `a.npy`, `a.npy and 3 more`; undefined if none do. */
export function listOtherTimes(saved: DataRecord, contents: DataContents): string | undefined {
  const before = split(saved.times);
  const now = split(recordContents(contents).times);
  const other = now.flatMap((time, g) => (time === before[g] ? [] : [g]));
  return other.length === 0 ? undefined : listGroups(other, contents.names);
}

function split(text: string): string[] {
  return text.match(/.{8}/g) ?? [];
}

function listGroups(groups: readonly number[], names: readonly string[]): string {
  const size = groupSize(names.length);
  const last = (group: number) => Math.min((group + 1) * size, names.length) - 1;
  return listNames(
    groups.map((g) => (size === 1 ? names[g] : `one of ${names[g * size]} to ${names[last(g)]}`)),
  );
}

function listNames(names: readonly string[]): string {
  return names.length === 1 ? names[0] : `${names[0]} and ${names.length - 1} more`;
}
