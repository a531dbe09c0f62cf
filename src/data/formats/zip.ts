/**
 * Writing zip archives in memory: members stored as they are, without
 * compression, dated 1980-01-01, so that the same members give the same bytes
 * at any time and in any time zone.
 *
 * Reference: PKWARE APPNOTE.TXT, §4.3. No zip64: an archive stays below 4 GiB.
 */

import { InputError, inputError, show } from "../../core/errors.js";
import { crc32 } from "./crc32.js";

/** A member's bytes may come in pieces, which are copied once. */
export interface ZipInput {
  readonly name: string;
  readonly parts: readonly Uint8Array[];
}

const firstOfJanuary1980 = 0x0021; // as MS-DOS counts: year 0, month 1, day 1
const utf8Names = 0x0800;

/** One archive of all members, in their order. */
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

/** Local header and data; the offset of the header. */
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

/** The fields that a local header and a directory entry share, from the version to the length of the extra field. */
function writeCommon(writer: ByteWriter, { name, size, crc }: Measured): void {
  const flags = name.some((byte) => byte > 127) ? utf8Names : 0;
  writer.u16(20, flags, 0, 0, firstOfJanuary1980).u32(crc, size, size).u16(name.length, 0);
}

/** Little-endian numbers and bytes, one after the other, into room made before. */
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
