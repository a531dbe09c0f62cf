/**
 * numpy's `.npz`: a zip archive with one `.npy` file per array, named after the array.
 *
 * Written archives are not compressed and depend on the arrays only: the same
 * arrays give the same bytes. Read archives may be stored or deflated
 * (`numpy.savez`, `numpy.savez_compressed`, `scipy.sparse.save_npz`). The zip format itself
 * is in the second half of the file.
 */

import { inflateSync } from "fflate";
import { InputError, inputError, show } from "../../core/errors.js";
import { crc32 } from "./checksums.js";
import { type NpyArray, npyParts, readNpy } from "./npy.js";

/** How many bytes an archive of `packed` bytes may inflate to: enough for arrays, too little for zip bombs. */
function maxInflated(packed: number): number {
  return Math.min(2 ** 33, Math.max(2 ** 28, 64 * packed));
}

/**
 * The arrays of an archive by name, in its order; `name` is for messages.
 * Members that are not `.npy` files are skipped. An archive that declares more
 * than `limit` bytes is rejected before anything is inflated, and so is one with
 * bytes that belong to nothing.
 */
export function readNpz(
  bytes: Uint8Array,
  name: string,
  limit = maxInflated(bytes.length),
): Map<string, NpyArray> {
  const all = listZip(bytes, name);
  requireNoGaps(bytes, all, name);
  const members = all.filter((member) => member.name.endsWith(".npy"));
  const total = members.reduce((sum, member) => sum + member.size, 0);
  if (!(total <= limit)) {
    throw new InputError(`${name}: holds ${total} bytes when inflated, more than the limit of ${limit}`);
  }
  const arrays = new Map<string, NpyArray>();
  for (const member of members) {
    const key = member.name.slice(0, -".npy".length);
    if (arrays.has(key)) throw new InputError(`${name}: array ${show(key)} appears twice`);
    const label = /^[\w./-]{1,60}$/.test(key) ? key : show(key);
    arrays.set(key, readNpy(extractZip(bytes, member, name), `${name}[${label}]`));
  }
  return arrays;
}

/** The bytes of a `.npz` file of these arrays, in this order. */
export function writeNpz(entries: Iterable<readonly [string, NpyArray]>): Uint8Array {
  return writeZip(Array.from(entries, ([name, array]) => ({ name: `${name}.npy`, parts: npyParts(array) })));
}

// Zip archives in memory.
//
// Written archives are not compressed, and their members are dated 1980-01-01, so
// that the same members give the same bytes at any time and in any time zone. They
// stay below 4 GiB: zip64 is not written.
//
// Read archives may be stored or deflated, and may use zip64. Whatever an archive
// says about itself is checked before it is used: a member lies inside the file, its
// header and the directory agree on its name, method, size and CRC-32, its size is one
// that deflate can produce, and what comes out has that size and CRC-32. fflate inflates; the members are found here, because fflate keeps
// them as properties of an object (`__proto__`) and checks neither sizes nor CRCs.
//
// Reference: PKWARE APPNOTE.TXT, §4.3.

/** A member to write. Its bytes may come in pieces, which are copied once. */
export interface ZipInput {
  readonly name: string;
  readonly parts: readonly Uint8Array[];
}

const firstOfJanuary1980 = 0x0021; // as MS-DOS counts: year 0, month 1, day 1
const utf8Names = 0x0800;

/** The bytes of an archive of these members, in this order. */
export function writeZip(inputs: readonly ZipInput[]): Uint8Array {
  const members = inputs.map(measure);
  const dataBytes = members.reduce((sum, member) => sum + 30 + member.name.length + member.size, 0);
  const directoryBytes = members.reduce((sum, member) => sum + 46 + member.name.length, 0);
  if (dataBytes + directoryBytes >= 0xffffffff) {
    throw inputError("writeZip", "archive", "must be smaller than 4 GiB", dataBytes + directoryBytes);
  }
  if (members.length >= 0xffff)
    throw inputError("writeZip", "members", "must be fewer than 65535", members.length);
  const writer = new ByteWriter(dataBytes + directoryBytes + 22);
  const offsets = members.map((member) => writeMember(writer, member));
  members.forEach((member, i) => {
    writeDirectoryEntry(writer, member, offsets[i]);
  });
  writer.u32(0x06054b50).u16(0, 0, members.length, members.length).u32(directoryBytes, dataBytes).u16(0);
  return writer.bytes;
}

interface Measured {
  readonly name: Uint8Array;
  readonly parts: readonly Uint8Array[];
  readonly size: number;
  readonly crc: number;
}

function measure({ name, parts }: ZipInput, index: number, inputs: readonly ZipInput[]): Measured {
  const encoded = new TextEncoder().encode(name);
  const readable = new TextDecoder("utf-8", { ignoreBOM: true }).decode(encoded) === name;
  if (!readable || name.includes("\0") || encoded.length > 0xffff) {
    throw inputError("writeZip", "member name", "must be up to 65535 bytes of Unicode without zeros", name);
  }
  if (inputs.findIndex((other) => other.name === name) !== index) {
    throw new InputError(`writeZip: member names must differ, got ${show(name)} twice`);
  }
  return {
    name: encoded,
    parts,
    size: parts.reduce((sum, part) => sum + part.length, 0),
    crc: parts.reduce((crc, part) => crc32(part, crc), 0),
  };
}

/** Write the local header and the data; returns the offset of the header. */
function writeMember(writer: ByteWriter, member: Measured): number {
  const offset = writer.position;
  writer.u32(0x04034b50);
  writeCommon(writer, member);
  writer.raw(member.name);
  for (const part of member.parts) writer.raw(part);
  return offset;
}

function writeDirectoryEntry(writer: ByteWriter, member: Measured, offset: number): void {
  writer.u32(0x02014b50).u16(20);
  writeCommon(writer, member);
  writer.u16(0, 0, 0).u32(0, offset).raw(member.name); // no comment, disk 0, no attributes
}

/** The fields that local headers and directory entries share, from the version to the length of the extra field. */
function writeCommon(writer: ByteWriter, { name, size, crc }: Measured): void {
  const flags = name.some((byte) => byte > 127) ? utf8Names : 0;
  writer.u16(20, flags, 0, 0, firstOfJanuary1980).u32(crc, size, size).u16(name.length, 0);
}

/** Writes little-endian numbers and bytes, one after the other, into memory of a fixed length. */
class ByteWriter {
  readonly bytes: Uint8Array;
  readonly #view: DataView;
  position = 0;

  constructor(length: number) {
    this.bytes = new Uint8Array(length);
    this.#view = new DataView(this.bytes.buffer);
  }

  u16(...values: number[]): this {
    for (const value of values) this.#view.setUint16((this.position += 2) - 2, value, true);
    return this;
  }

  u32(...values: number[]): this {
    for (const value of values) this.#view.setUint32((this.position += 4) - 4, value, true);
    return this;
  }

  raw(bytes: Uint8Array): this {
    this.bytes.set(bytes, this.position);
    this.position += bytes.length;
    return this;
  }
}

export interface ZipMember {
  readonly name: string;
  /** The same as bytes, which need not be UTF-8. */
  readonly nameBytes: Uint8Array;
  readonly method: number;
  readonly crc: number;
  /** Bytes in the archive, and bytes when inflated. */
  readonly packed: number;
  readonly size: number;
  /** Where its local header starts. */
  readonly offset: number;
}

/** Deflate packs at most 1032 bytes into one. */
const maxRatio = 1032;

/**
 * The members in the central directory; `archive` is for messages. The bytes may be only the end of a file,
 * from offset `base` on, as long as the directory is among them.
 */
export function listZip(bytes: Uint8Array, archive: string, base = 0): ZipMember[] {
  const view = dataView(bytes);
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
  if (at !== end) throw damaged(archive, "its directory");
  requireApart(members, archive);
  return members;
}

/** How many bytes at the end of a file are enough to find its directory. */
export const zipTailLength = 22 + 0xffff + 20 + 56;

/** Where the directory of a zip file starts, from its last bytes. */
export function zipDirectoryStart(tail: Uint8Array, archive: string, base: number): number {
  return base + findDirectory(dataView(tail), archive, base).start;
}

/** Members must not overlap: a few bytes shared by many members could inflate to any size. */
function requireApart(members: readonly ZipMember[], archive: string): void {
  const byOffset = members.toSorted((a, b) => a.offset - b.offset);
  byOffset.slice(1).forEach((member, i) => {
    const { name, offset, packed } = byOffset[i];
    if (offset + zipLocalLength + packed <= member.offset) return;
    throw damaged(archive, `${show(name)} overlaps ${show(member.name)}`);
  });
}

/** Bytes of a local header before the name. */
const zipLocalLength = 30;

/** How many bytes of a local header `zipDataOffset` needs. */
export function zipLocalBytes({ nameBytes }: ZipMember): number {
  return zipLocalLength + nameBytes.length;
}

/** A flag of a member: its sizes and CRC-32 follow the data, and its header may have zeros instead. */
const sizesFollow = 8;

/** Where the data of a member starts, counted from its local header, which must agree with the directory. */
export function zipDataOffset(header: Uint8Array, member: ZipMember, archive: string): number {
  const { nameBytes, method, crc, packed, size } = member;
  const view = dataView(header);
  if (header.length < zipLocalBytes(member) || view.getUint32(0, true) !== 0x04034b50)
    throw damaged(archive, show(member.name));
  const later = (view.getUint16(6, true) & sizesFollow) !== 0;
  const agrees = (at: number, value: number, wide = false) => {
    const found = view.getUint32(at, true);
    return found === value || (later && found === 0) || (wide && found === 0xffffffff); // zip64
  };
  const sameName =
    view.getUint16(26, true) === nameBytes.length &&
    nameBytes.every((byte, i) => header[zipLocalLength + i] === byte);
  const same =
    sameName &&
    view.getUint16(8, true) === method &&
    agrees(14, crc) &&
    agrees(18, packed, true) &&
    agrees(22, size, true);
  if (!same) throw damaged(archive, `${show(member.name)} (its header and the directory differ)`);
  return zipLocalBytes(member) + view.getUint16(28, true);
}

/**
 * Reject bytes that belong to nothing. From the first byte on there are the members, each with its header, its data
 * and perhaps its sizes once more, then the directory, then the end records and a comment.
 */
function requireNoGaps(bytes: Uint8Array, members: readonly ZipMember[], archive: string): void {
  const view = dataView(bytes);
  const { start, end, records } = findDirectory(view, archive, 0);
  let at = 0;
  for (const member of members.toSorted((a, b) => a.offset - b.offset)) {
    if (member.offset !== at) throw gap(archive, at);
    const header = bytes.subarray(at, at + zipLocalBytes(member));
    const dataEnd = at + zipDataOffset(header, member, archive) + member.packed;
    if (dataEnd > start) throw damaged(archive, `${show(member.name)} overlaps the directory`);
    at = dataEnd + sizesAfter(view, dataEnd, member);
  }
  if (at !== start) throw gap(archive, at);
  if (end !== records) throw gap(archive, end);
}

function gap(archive: string, at: number): InputError {
  return damaged(archive, `byte ${at} belongs to nothing`);
}

/** Bytes of the sizes and the CRC-32 after the data of a member: with or without a signature, of 32 or 64 bits; 0 without them. */
function sizesAfter(view: DataView, at: number, { crc, packed, size }: ZipMember): number {
  const signed = at + 4 <= view.byteLength && view.getUint32(at, true) === 0x08074b50 ? 4 : 0;
  const from = at + signed;
  if (from + 12 > view.byteLength || view.getUint32(from, true) !== crc) return 0;
  if (view.getUint32(from + 4, true) === packed && view.getUint32(from + 8, true) === size)
    return signed + 12;
  if (from + 20 > view.byteLength) return 0;
  return readUint64(view, from + 4) === packed && readUint64(view, from + 12) === size ? signed + 20 : 0;
}

/** The bytes of one member, checked. Those of a stored member are a view of the archive. */
export function extractZip(bytes: Uint8Array, member: ZipMember, archive: string): Uint8Array {
  const { offset } = member;
  const name = show(member.name);
  const header = bytes.subarray(offset, offset + zipLocalBytes(member));
  const start = offset + zipDataOffset(header, member, archive);
  if (start + member.packed > bytes.length) {
    throw new InputError(
      `${archive}: truncated: ${name} takes ${member.packed} bytes, ${bytes.length - start} left`,
    );
  }
  const packed = bytes.subarray(start, start + member.packed);
  const data = member.method === 0 ? packed : inflate(packed, member.size);
  if (data?.length !== member.size) throw damaged(archive, `${name} (wrong size)`);
  if (crc32(data) !== member.crc) throw damaged(archive, `${name} (CRC-32 differs)`);
  return data;
}

/** With room for one byte more than declared, so that a stream that is too long is noticed. */
function inflate(packed: Uint8Array, size: number): Uint8Array | undefined {
  try {
    return inflateSync(packed, { out: new Uint8Array(size + 1) });
  } catch {
    return undefined;
  }
}

/**
 * Find the end record: the last thing in the file, except for a comment of up to 65,535 bytes; and where the directory
 * is, and the end records start.
 */
function findDirectory(
  view: DataView,
  archive: string,
  base: number,
): { count: number; start: number; end: number; records: number } {
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
    const records = wide === undefined || wide + 12 + readUint64(view, wide + 4) !== at - 20 ? at : wide;
    return { count, start, end: start + length, records };
  }
  const isZip = size >= 4 && view.getUint32(0, true) === 0x04034b50;
  throw new InputError(
    isZip ? `${archive}: truncated: its directory is missing` : `${archive}: not a zip file`,
  );
}

/** Where the zip64 end record starts, if there is one: its locator is right before the end record. */
function findWideEnd(view: DataView, end: number, base: number): number | undefined {
  if (end < 20 || view.getUint32(end - 20, true) !== 0x07064b50) return undefined;
  const at = readUint64(view, end - 12) - base;
  return at >= 0 && at + 56 <= end - 20 && view.getUint32(at, true) === 0x06064b50 ? at : undefined;
}

/** The member whose directory entry starts at `at`; its fixed fields, name and extra fields end at `next`. */
function readMember(bytes: Uint8Array, view: DataView, at: number, next: number, archive: string): ZipMember {
  const extra = at + 46 + view.getUint16(at + 28, true);
  const nameBytes = bytes.slice(at + 46, extra);
  const name = new TextDecoder("utf-8", { ignoreBOM: true }).decode(nameBytes);
  const method = view.getUint16(at + 10, true);
  const wide = wideFields(view, extra, next);
  const field = (place: number) => {
    const value = view.getUint32(place, true);
    return value === 0xffffffff ? (wide.shift() ?? value) : value;
  };
  const size = field(at + 24); // in the order of the zip64 field
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
  return { name, nameBytes, method, crc: view.getUint32(at + 16, true), packed, size, offset };
}

/** The 64-bit numbers in the extra field 0x0001. */
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

function dataView(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function damaged(archive: string, part: string): InputError {
  return new InputError(`${archive}: damaged zip file: ${part}`);
}
