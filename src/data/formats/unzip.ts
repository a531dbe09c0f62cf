/**
 * Reading zip archives in memory: the list of members, and the bytes of one.
 *
 * Everything an archive says about itself is checked before it is believed: a
 * member lies inside the file, its size is one that deflate could make, what
 * comes out has that size and the recorded CRC-32. Inflating is fflate's;
 * finding the members is done here, because fflate keeps them as properties of
 * an object (`__proto__`) and checks neither sizes nor CRCs.
 *
 * Reference: PKWARE APPNOTE.TXT, §4.3; zip64 is read.
 */

import { inflateSync } from "fflate";
import { InputError, show } from "../../core/errors.js";
import { crc32 } from "./crc32.js";

export interface ZipMember {
  readonly name: string;
  readonly method: number;
  readonly crc: number;
  /** Bytes in the archive, and bytes when inflated. */
  readonly packed: number;
  readonly size: number;
  /** Where its local header starts. */
  readonly offset: number;
}

/** Deflate cannot pack 1032 bytes into less than one. */
const maxRatio = 1032;

/**
 * The members, as the central directory lists them; `archive` is for messages. The bytes may be
 * the last of a file alone, from `base` on, as long as the directory is among them.
 */
export function listZip(bytes: Uint8Array, archive: string, base = 0): ZipMember[] {
  const view = viewOf(bytes);
  const { count, start, end } = findDirectory(view, archive, base);
  if (start < 0) throw damaged(archive, "its directory");
  const members: ZipMember[] = [];
  let at = start;
  for (let i = 0; i < count; i++) {
    if (at + 46 > end || view.getUint32(at, true) !== 0x02014b50) throw damaged(archive, "its directory");
    const next = at + 46 + view.getUint16(at + 28, true) + view.getUint16(at + 30, true);
    const behind = next + view.getUint16(at + 32, true);
    if (behind > end) throw damaged(archive, "its directory");
    members.push(readMember(bytes, view, at, next, archive));
    at = behind;
  }
  requireApart(members, archive);
  return members;
}

/** The most bytes at the end of a file that tell where its directory starts. */
export const zipTailLength = 22 + 0xffff + 20 + 56;

/** Where the directory of a zip file starts, from its last bytes. */
export function zipDirectoryStart(tail: Uint8Array, archive: string, base: number): number {
  return base + findDirectory(viewOf(tail), archive, base).start;
}

/** Members lie one behind the other: a few bytes that many claim as theirs could inflate to anything. */
function requireApart(members: readonly ZipMember[], archive: string): void {
  const byOffset = members.toSorted((a, b) => a.offset - b.offset);
  byOffset.slice(1).forEach((member, i) => {
    const { name, offset, packed } = byOffset[i];
    if (offset + zipLocalLength + packed <= member.offset) return;
    throw damaged(archive, `${show(name)} lies over ${show(member.name)}`);
  });
}

/** Bytes of a local header that tell how long it is. */
export const zipLocalLength = 30;

/** How far behind its offset the bytes of a member start, from its local header. */
export function zipDataOffset(header: Uint8Array, member: ZipMember, archive: string): number {
  const view = viewOf(header);
  if (header.length < zipLocalLength || view.getUint32(0, true) !== 0x04034b50)
    throw damaged(archive, show(member.name));
  return zipLocalLength + view.getUint16(26, true) + view.getUint16(28, true);
}

/** The bytes of one member, checked; those of a stored one are a view. */
export function extractZip(bytes: Uint8Array, member: ZipMember, archive: string): Uint8Array {
  const { offset } = member;
  const name = show(member.name);
  const start = offset + zipDataOffset(bytes.subarray(offset, offset + zipLocalLength), member, archive);
  if (start + member.packed > bytes.length) {
    throw new InputError(
      `${archive}: truncated: ${name} takes ${member.packed} bytes, ${bytes.length - start} left`,
    );
  }
  const packed = bytes.subarray(start, start + member.packed);
  const data = member.method === 0 ? packed : inflate(packed, member.size);
  if (data?.length !== member.size) throw damaged(archive, `${name} (its size is not what it says)`);
  if (crc32(data) !== member.crc) throw damaged(archive, `${name} (CRC-32 differs)`);
  return data;
}

/** One byte of room more than declared, so that a stream that is too long shows. */
function inflate(packed: Uint8Array, size: number): Uint8Array | undefined {
  try {
    return inflateSync(packed, { out: new Uint8Array(size + 1) });
  } catch {
    return undefined;
  }
}

/** The end record is the last of the file but for a comment of up to 65,535 bytes. */
function findDirectory(
  view: DataView,
  archive: string,
  base: number,
): { count: number; start: number; end: number } {
  const size = view.byteLength;
  for (let at = size - 22; at >= Math.max(0, size - 22 - 0xffff); at--) {
    if (view.getUint32(at, true) !== 0x06054b50) continue;
    if (at + 22 + view.getUint16(at + 20, true) !== size) continue;
    const wide = findWideEnd(view, at, base);
    const count = wide !== undefined ? readUint64(view, wide + 32) : view.getUint16(at + 10, true);
    const length = wide !== undefined ? readUint64(view, wide + 40) : view.getUint32(at + 12, true);
    const first = wide !== undefined ? readUint64(view, wide + 48) : view.getUint32(at + 16, true);
    const start = first - base;
    if (start + length > at || count * 46 > length) throw damaged(archive, "its directory");
    return { count, start, end: start + length };
  }
  const zip = size >= 4 && view.getUint32(0, true) === 0x04034b50;
  throw new InputError(
    zip ? `${archive}: truncated: its directory is missing` : `${archive}: not a zip file`,
  );
}

/** Where the zip64 end record starts, if there is one: a locator sits right before the end record. */
function findWideEnd(view: DataView, end: number, base: number): number | undefined {
  if (end < 20 || view.getUint32(end - 20, true) !== 0x07064b50) return undefined;
  const at = readUint64(view, end - 12) - base;
  return at >= 0 && at + 56 <= end - 20 && view.getUint32(at, true) === 0x06064b50 ? at : undefined;
}

/** The member whose directory entry starts at `at`; its fixed part, name and extra fields end at `next`. */
function readMember(bytes: Uint8Array, view: DataView, at: number, next: number, archive: string): ZipMember {
  const extra = at + 46 + view.getUint16(at + 28, true);
  const name = new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes.subarray(at + 46, extra));
  const method = view.getUint16(at + 10, true);
  const wide = wideFields(view, extra, next);
  const field = (place: number) => {
    const value = view.getUint32(place, true);
    return value === 0xffffffff ? (wide.shift() ?? value) : value;
  };
  const size = field(at + 24); // in this order: that of the zip64 field
  const packed = field(at + 20);
  const offset = field(at + 42);
  if (view.getUint16(at + 8, true) & 1) throw new InputError(`${archive}: ${show(name)} is encrypted`);
  if (method !== 0 && method !== 8) {
    throw new InputError(
      `${archive}: ${show(name)} is compressed by method ${method}; known: 0 (stored), 8 (deflated)`,
    );
  }
  if (method === 0 ? size !== packed : size > maxRatio * packed) {
    throw damaged(archive, `${show(name)} (${size} bytes from ${packed})`);
  }
  return { name, method, crc: view.getUint32(at + 16, true), packed, size, offset };
}

/** The 64-bit numbers of the extra field 0x0001. */
function wideFields(view: DataView, from: number, to: number): number[] {
  for (let at = from; at + 4 <= to; at += 4 + view.getUint16(at + 2, true)) {
    if (view.getUint16(at, true) !== 1) continue;
    const length = Math.min(view.getUint16(at + 2, true), to - at - 4);
    return Array.from({ length: length >> 3 }, (_, i) => readUint64(view, at + 4 + 8 * i));
  }
  return [];
}

function readUint64(view: DataView, at: number): number {
  return Number(view.getBigUint64(at, true));
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function damaged(archive: string, part: string): InputError {
  return new InputError(`${archive}: damaged zip file: ${part}`);
}
