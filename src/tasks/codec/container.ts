/**
 * Compressed files (`.tlt`), from the outside in:
 *
 *     3 bytes   "TLT"                      varint    the step, as a number of its own
 *     1         version of the format     1 byte    grade: how large coefficients are, at first
 *     6         the dictionary's name     varint    length of what follows
 *     1         type of samples (2 bits),            the bits of the blocks
 *               colour (1), axes (4)      4 bytes   CRC-32 of all before it
 *     varints   the size of each axis
 *
 * A varint has 7 bits a byte, the lowest first, and a 1 above all but the last. The
 * step s stands for (32 + s mod 32) · 2^(⌊s/32⌋ − 40): 32 steps an octave.
 */

import { InputError } from "../../core/errors.js";
import { formatShape, type Shape, sizeOf } from "../../core/shape.js";
import { crc32 } from "../../data/formats/checksums.js";
import { grades } from "./blockSyntax.js";

export interface Container {
  /** The name of the dictionary: see dictionaryName.ts. */
  readonly dictionary: Uint8Array;
  readonly shape: Shape;
  readonly colour: boolean;
  /** The number of the type of samples. */
  readonly type: number;
  readonly step: number;
  readonly grade: number;
  readonly payload: Uint8Array;
}

const magic = Uint8Array.of(0x54, 0x4c, 0x54);
const formatVersion = 1;
export const nameLength = 6;
/** What a file may ask for: 2^28 samples. */
const mostSamples = 2 ** 28;
/** The most of a step: 2^32 and more. */
export const mostStep = 32 * 68 - 1;

/** The number that a step stands for; exact. */
export function stepOf(step: number): number {
  return (32 + (step % 32)) * 2 ** (Math.floor(step / 32) - 40);
}

/** The bytes of a file. */
export function packContainer(container: Container): Uint8Array {
  const { dictionary, shape, colour, type, step, grade, payload } = container;
  const head = [...magic, formatVersion, ...dictionary, type | (colour ? 4 : 0) | (shape.length << 4)];
  const numbers = [...shape, step].flatMap(varint);
  const front = [...head, ...numbers, grade, ...varint(payload.length)];
  const bytes = new Uint8Array(front.length + payload.length + 4);
  bytes.set(front);
  bytes.set(payload, front.length);
  const end = bytes.length - 4;
  new DataView(bytes.buffer).setUint32(end, crc32(bytes.subarray(0, end)));
  return bytes;
}

/** The parts of a file, each checked; `name` is for messages. */
export function unpackContainer(bytes: Uint8Array, name: string): Container {
  const cursor = new Cursor(bytes, name);
  if (bytes.length < 4 || !magic.every((byte, i) => bytes[i] === byte))
    throw new InputError(`${name}: is not a file that trainlets compressed`);
  const version = cursor.bytes(4)[3];
  if (version > formatVersion)
    throw new InputError(
      `${name}: was written by a newer trainlets (format ${version}); this one reads ${formatVersion}`,
    );
  const dictionary = cursor.bytes(nameLength);
  const kind = cursor.bytes(1)[0];
  const shape = Array.from({ length: kind >> 4 }, () => cursor.varint());
  const step = cursor.varint();
  const grade = cursor.bytes(1)[0];
  const payload = cursor.bytes(cursor.varint());
  const read = cursor.position;
  const sum = cursor.bytes(4).reduce((word, byte) => word * 256 + byte, 0);
  if (cursor.position < bytes.length)
    throw new InputError(`${name}: damaged: ${bytes.length - cursor.position} bytes too many`);
  if (crc32(bytes.subarray(0, read)) !== sum)
    throw new InputError(`${name}: damaged: its checksum does not fit`);
  const container = { dictionary, shape, colour: (kind & 4) !== 0, type: kind & 3, step, grade, payload };
  requireSane(container, kind, name);
  return container;
}

/** Refuse what no writer writes, before any memory is asked for. */
function requireSane({ shape, colour, step, grade }: Container, kind: number, name: string): void {
  const usable = shape.length > 0 && shape.every((size) => size >= 1) && sizeOf(shape) <= mostSamples;
  if (!usable) throw new InputError(`${name}: damaged: a shape of ${formatShape(shape) || "no axes"}`);
  if (colour && (shape.length !== 3 || shape[2] !== 3))
    throw new InputError(`${name}: damaged: colour in a shape of ${formatShape(shape)}`);
  if ((kind & 8) !== 0 || step > mostStep || grade >= grades)
    throw new InputError(`${name}: damaged: settings that this format does not have`);
}

export function requireFitsFormat(where: string, shape: Shape): void {
  if (shape.length <= 15 && sizeOf(shape) <= mostSamples) return;
  throw new InputError(
    `an array must have at most 15 axes and ${mostSamples} samples, got ${formatShape(shape)}`,
    { where },
  );
}

function varint(value: number): number[] {
  return value < 128 ? [value] : [(value % 128) + 128, ...varint(Math.floor(value / 128))];
}

/** Reads from the front, never past the end. */
class Cursor {
  position = 0;
  readonly #all: Uint8Array;
  readonly #name: string;

  constructor(all: Uint8Array, name: string) {
    this.#all = all;
    this.#name = name;
  }

  bytes(count: number): Uint8Array {
    const end = this.position + count;
    if (end > this.#all.length)
      throw new InputError(`${this.#name}: truncated: ${this.#all.length} bytes, at least ${end} are needed`);
    return this.#all.subarray(this.position, (this.position = end));
  }

  varint(): number {
    let [value, unit] = [0, 1];
    for (;;) {
      const byte = this.bytes(1)[0];
      value += (byte % 128) * unit;
      if (byte < 128) return value;
      unit *= 128;
      if (unit > 2 ** 28) throw new InputError(`${this.#name}: damaged: a number of more than 35 bits`);
    }
  }
}
