/**
 * Tar archives: which files they hold, and where. Nothing is unpacked.
 *
 * Reads the formats that tar programs write today: ustar, GNU (long names, sizes beyond 8 GiB)
 * and pax (`path`, `size`). Links, devices and folders are skipped.
 *
 * Reference: POSIX.1-2017, pax, "ustar Interchange Format" and "pax Header Block".
 */

import { InputError, show } from "../../core/errors.js";
import type { ReadBytes } from "./readBytes.js";

export interface TarMember {
  readonly name: string;
  readonly offset: number;
  readonly size: number;
}

const block = 512;

/** Largest long name or pax header, in bytes. */
const maxExtraBytes = 2 ** 20;

/** Largest number of files: a small archive of empty files should not cost gigabytes. */
const maxMembers = 2 ** 24;

/** What extra headers say about the next file. */
interface ExtraFields {
  name?: string;
  size?: number;
}

/** The files in a tar archive of `length` bytes, in its order; `archive` is for messages. */
export async function listTar(read: ReadBytes, length: number, archive: string): Promise<TarMember[]> {
  const members: TarMember[] = [];
  let fields: ExtraFields = {};
  for (let at = 0; at + block <= length; ) {
    const header = await read(at, block);
    if (header.every((byte) => byte === 0)) return members; // the end of the archive
    if (!hasChecksum(header)) {
      if (at === 0) throw new InputError(`${archive}: not a tar archive`);
      throw new InputError(`${archive}: damaged tar archive: the header at byte ${at}`);
    }
    const type = String.fromCharCode(header[156]);
    const extra = "xgLK".includes(type); // a header about the files after it
    const size = (extra ? undefined : fields.size) ?? readNumber(header.subarray(124, 136));
    const name = fields.name ?? readName(header);
    at += block;
    if (!Number.isSafeInteger(size) || size > length - at)
      throw new InputError(`${archive}: truncated: ${show(name)} takes ${size} bytes, ${length - at} left`);
    if (extra) {
      if (size > maxExtraBytes)
        throw new InputError(`${archive}: damaged tar archive: a header of ${size} bytes`);
      if (type !== "g") fields = { ...fields, ...readExtra(type, await read(at, size)) };
    } else {
      if (type === "0" || type === "\0" || type === "7") members.push({ name, offset: at, size });
      fields = {};
    }
    if (members.length > maxMembers)
      throw new InputError(`${archive}: must hold at most ${maxMembers} files, got more`);
    at += Math.ceil(size / block) * block;
  }
  throw new InputError(
    `${archive}: ${length < block ? "not a tar archive" : "truncated: its end is missing"}`,
  );
}

/** Whether the checksum is right: the sum of all bytes of the header, its own field counted as spaces. */
function hasChecksum(header: Uint8Array): boolean {
  const sum = header.reduce((total, byte, i) => total + (i >= 148 && i < 156 ? 32 : byte), 0);
  return readNumber(header.subarray(148, 156)) === sum;
}

/** Octal digits; or, if the first bit is set, a number in base 256. NaN for anything else. */
function readNumber(field: Uint8Array): number {
  if (field[0] & 0x80) return field.subarray(1).reduce((value, byte) => value * 256 + byte, field[0] & 0x7f);
  const digits = /^ *([0-7]+)[ \0]*$/.exec(decode(field));
  return digits ? Number.parseInt(digits[1], 8) : Number.NaN;
}

function readName(header: Uint8Array): string {
  const name = untilZero(header.subarray(0, 100));
  const prefix = decode(header.subarray(257, 262)) === "ustar" ? untilZero(header.subarray(345, 500)) : "";
  return prefix && header[263] === 0x30 ? `${prefix}/${name}` : name; // GNU keeps other fields there
}

/** GNU's long name, or `path` and `size` of a pax header: records of `length key=value\n`. */
function readExtra(type: string, bytes: Uint8Array): ExtraFields {
  if (type === "L") return { name: untilZero(bytes) };
  if (type === "K") return {}; // the long name of a link
  const fields: ExtraFields = {};
  for (let at = 0; at < bytes.length; ) {
    const [prefix = "", digits = "0"] = /^(\d{1,7}) /.exec(decode(bytes.subarray(at, at + 8))) ?? [];
    const length = Number(digits);
    if (length < 5 || at + length > bytes.length) break;
    const record = decode(bytes.subarray(at + prefix.length, at + length - 1));
    if (record.startsWith("path=")) fields.name = record.slice(5);
    if (/^size=\d{1,15}$/.test(record)) fields.size = Number(record.slice(5));
    at += length;
  }
  return fields;
}

function untilZero(bytes: Uint8Array): string {
  const end = bytes.indexOf(0);
  return decode(end < 0 ? bytes : bytes.subarray(0, end));
}

function decode(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}
