/**
 * Checkpoints: everything that is needed to resume a run, as bytes. They are written and
 * read in pieces, because at 64×64 pixels they take most of a gigabyte. The caller decides
 * where the bytes go; src/learn/checkpoints/node puts them into files.
 *
 *     "TLCKPT\r\n"  version u32  length of the header u32  CRC-32 of the header u32
 *     header        JSON: the settings, the data, the position, the list of parts
 *     parts         for each, its numbers, then their CRC-32 u32
 *
 * All little-endian. The header gives every length, so a file of another size is damaged,
 * and nothing larger than the file is ever allocated.
 */

import {
  bytes as bytesType,
  having,
  requireArgument,
  requireArguments,
  text,
} from "../../core/arguments/argumentTypes.js";
import { InputError, show } from "../../core/errors.js";
import { crc32 } from "../../data/formats/checksums.js";
import { allFinite, DivergedError } from "../learners/learner.js";
import { type CheckpointHeader, headerFromText, headerToText, type PartEntry } from "./checkpointHeader.js";
import {
  type CheckpointPart,
  type PartArray,
  partBytes,
  partTypes,
  type SavedParts,
} from "./checkpointParts.js";

const magic = Uint8Array.from("TLCKPT\r\n", (letter) => letter.charCodeAt(0));
const version = 2;
const preambleBytes = magic.length + 12;

/** A checkpoint to be written. */
export interface CheckpointDraft {
  /** Updates done. */
  readonly step: number;
  /**
   * Its bytes, a piece at a time; a piece is valid until the next one. Throws a `DivergedError` if something is
   * not finite: what was written until then must be discarded.
   */
  bytes(): AsyncIterable<Uint8Array>;
}

/** Keeps the checkpoints of a run. */
export interface CheckpointKeeper {
  /** Whether to save one now, after this many updates. */
  due(step: number): boolean;
  /** Save one. An error thrown here ends the run, so do not throw if the next checkpoint can make up for it. */
  save(draft: CheckpointDraft): Promise<void>;
}

/** Put a checkpoint together. */
export function draftCheckpoint(
  header: Omit<CheckpointHeader, "parts">,
  parts: readonly CheckpointPart[],
): CheckpointDraft {
  const { step } = header.position;
  const entries = parts.map(({ name, type, length }) => ({ name, type, length }));
  return {
    step,
    async *bytes() {
      yield preamble(headerToText({ ...header, parts: entries }));
      for (const part of parts) {
        let crc = 0;
        for await (const values of part.pieces()) {
          if (part.type !== "u32" && !allFinite(values))
            throw new DivergedError(`train: ${part.name} is not finite at step ${step}`);
          const bytes = new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
          crc = crc32(bytes, crc);
          yield bytes;
        }
        yield words(crc);
      }
    },
  };
}

/** A whole checkpoint in memory. */
export async function checkpointToBytes(draft: CheckpointDraft): Promise<Uint8Array> {
  requireArgument(
    "checkpointToBytes",
    "draft",
    draft,
    having("a draft, as a run gives to `save`", ["bytes"]),
  );
  const pieces: Uint8Array[] = [];
  for await (const piece of draft.bytes()) pieces.push(piece.slice());
  const all = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const piece of pieces) {
    all.set(piece, at);
    at += piece.length;
  }
  return all;
}

/** Where the bytes of a checkpoint come from. */
export interface CheckpointSource {
  /** For messages: the path of a file, for example. */
  readonly name: string;
  readonly size: number;
  /** Bytes within the size, in a new array. */
  read(offset: number, length: number): Promise<Uint8Array>;
}

const checkpointSource = having("a source { name, size, read }", ["read"], ["name", "size"]);

/** A checkpoint to resume from: pass it to `train` as `resume`. */
export class Checkpoint implements SavedParts {
  readonly name: string;
  readonly header: CheckpointHeader;
  readonly #source: CheckpointSource;
  /** Each part and the offset of its first byte. */
  readonly #places: ReadonlyMap<string, PartEntry & { readonly offset: number }>;

  private constructor(source: CheckpointSource, header: CheckpointHeader, headerEnd: number) {
    this.name = source.name;
    this.header = header;
    this.#source = source;
    const places = new Map<string, PartEntry & { readonly offset: number }>();
    let offset = headerEnd;
    for (const entry of header.parts) {
      places.set(entry.name, { ...entry, offset });
      offset += partBytes(entry) + 4;
    }
    if (offset !== source.size) throw damaged(source, `${source.size} bytes instead of ${offset}`);
    this.#places = places;
  }

  /** Read and check the header, and check the total length. */
  static async open(source: CheckpointSource): Promise<Checkpoint> {
    requireArgument("Checkpoint.open", "source", source, checkpointSource);
    if (source.size < preambleBytes) throw damaged(source, `only ${source.size} bytes`);
    const start = await source.read(0, preambleBytes);
    if (!magic.every((byte, i) => start[i] === byte))
      throw new InputError(`${source.name}: not a trainlets checkpoint`);
    const view = new DataView(start.buffer, start.byteOffset + magic.length);
    const found = view.getUint32(0, true);
    const length = view.getUint32(4, true);
    const crc = view.getUint32(8, true);
    if (found !== version)
      throw new InputError(
        `${source.name}: format version must be ${version}, got ${found}: written by another version of trainlets`,
      );
    if (preambleBytes + length > source.size) throw damaged(source, "the header is cut off");
    const bytes = await source.read(preambleBytes, length);
    if (crc32(bytes) !== crc) throw damaged(source, "wrong checksum of the header");
    return new Checkpoint(source, headerFromText(bytes, source.name), preambleBytes + length);
  }

  /** Check the checksum of every part. */
  async verify(): Promise<void> {
    for (const { name, offset, ...entry } of this.#places.values()) {
      const bytes = partBytes(entry);
      let crc = 0;
      for (let at = 0; at < bytes; at += verifyBytes)
        crc = crc32(await this.#source.read(offset + at, Math.min(verifyBytes, bytes - at)), crc);
      await this.#requireCrc(name, crc, offset + bytes);
    }
  }

  has(name: string): boolean {
    return this.#places.has(name);
  }

  async read(name: string): Promise<PartArray> {
    const place = this.#places.get(name);
    if (!place) throw new InputError(`${this.name}: has no part ${show(name)}`);
    const bytes = await this.#source.read(place.offset, partBytes(place));
    await this.#requireCrc(name, crc32(bytes), place.offset + bytes.length);
    const aligned = bytes.byteOffset % 8 === 0 ? bytes : bytes.slice();
    return new partTypes[place.type](aligned.buffer as ArrayBuffer, aligned.byteOffset, place.length);
  }

  async #requireCrc(name: string, crc: number, at: number): Promise<void> {
    const stored = await this.#source.read(at, 4);
    if (new DataView(stored.buffer, stored.byteOffset).getUint32(0, true) === crc) return;
    throw damaged(this.#source, `wrong checksum of ${name}`);
  }
}

/** A checkpoint from bytes; every part is checked. */
export async function checkpointFromBytes(bytes: Uint8Array, name: string): Promise<Checkpoint> {
  requireArguments("checkpointFromBytes", { bytes: [bytes, bytesType], name: [name, text] });
  const read = async (offset: number, length: number) => bytes.slice(offset, offset + length);
  const checkpoint = await Checkpoint.open({ name, size: bytes.length, read });
  await checkpoint.verify();
  return checkpoint;
}

/** Bytes in memory at a time while parts are checked. */
const verifyBytes = 2 ** 22;

/** Everything before the parts. */
function preamble(header: string): Uint8Array {
  const text = new TextEncoder().encode(header);
  const all = new Uint8Array(preambleBytes + text.length);
  all.set(magic);
  all.set(words(version, text.length, crc32(text)), magic.length);
  all.set(text, preambleBytes);
  return all;
}

/** Unsigned integers of 32 bits, little-endian. */
function words(...values: readonly number[]): Uint8Array {
  const view = new DataView(new ArrayBuffer(4 * values.length));
  values.forEach((value, i) => view.setUint32(4 * i, value, true));
  return new Uint8Array(view.buffer);
}

function damaged({ name }: CheckpointSource, what: string): InputError {
  return new InputError(`${name}: damaged (${what})`);
}
