/**
 * The container format of compressed files (`.tlt`):
 *
 *     3 bytes   "TLT"
 *     1         version of the format
 *     6         fingerprint of the dictionary
 *     1         type of samples (2 bits), colour (1), number of axes (4)
 *     varints   the size of each axis
 *     varint    the number of the step
 *     varint    version 2 only: exponent e of the units, as 2e, or −2e − 1 if e is negative
 *     1 byte    grade: the initial probability of large coefficients
 *     varint    length of the payload
 *               payload: the bits of the blocks
 *     4 bytes   CRC-32 of everything before it
 *
 * A varint has 7 bits per byte, lowest first; the top bit is set in all bytes but the
 * last. Step s has the size (32 + s mod 32) · 2^(⌊s/32⌋ − 40): 32 steps per octave.
 *
 * Samples are in units of 2^e. Integers, and f32 samples of ordinary magnitude, have e = 0
 * and are written as version 1; only other f32 samples need version 2.
 */

import { InputError } from "../../core/errors.js";
import { formatShape, type Shape, sizeOf } from "../../core/shape.js";
import { crc32 } from "../../data/formats/checksums.js";
import { grades } from "./blockSyntax.js";
import { floatType } from "./sampleArray.js";

export interface Container {
  /** See dictionaryFingerprint.ts. */
  readonly dictionary: Uint8Array;
  readonly shape: Shape;
  readonly colour: boolean;
  /** The number of the sample type: see sampleArray.ts. */
  readonly type: number;
  readonly step: number;
  /** Samples are in units of 2^exponent. */
  readonly exponent: number;
  readonly grade: number;
  readonly payload: Uint8Array;
}

const magic = Uint8Array.of(0x54, 0x4c, 0x54);
/** The newest version that is read. */
const formatVersion = 2;
/** The exponents of f32, and some room. */
const maxExponent = 160;
export const fingerprintLength = 6;
/** Largest array in a file. */
const maxSamples = 2 ** 28;
/** Number of the largest step: above 2^32. */
export const maxStep = 32 * 68 - 1;

/** The size of a step, exact. */
export function stepSize(step: number): number {
  return (32 + (step % 32)) * 2 ** (Math.floor(step / 32) - 40);
}

/** The bytes of a file. */
export function packContainer(container: Container): Uint8Array {
  const { dictionary, shape, colour, type, step, exponent, grade, payload } = container;
  const version = exponent === 0 ? 1 : 2;
  const head = [...magic, version, ...dictionary, type | (colour ? 4 : 0) | (shape.length << 4)];
  const units = exponent === 0 ? [] : [exponent > 0 ? 2 * exponent : -2 * exponent - 1];
  const numbers = [...shape, step, ...units].flatMap(varint);
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
    throw new InputError(`${name}: not a trainlets compressed file`);
  const version = cursor.bytes(4)[3];
  if (version > formatVersion)
    throw new InputError(
      `${name}: written by a newer trainlets (format ${version}); this version reads up to format ${formatVersion}`,
    );
  const dictionary = cursor.bytes(fingerprintLength);
  const kind = cursor.bytes(1)[0];
  const shape = Array.from({ length: kind >> 4 }, () => cursor.varint());
  const step = cursor.varint();
  const exponent = version < 2 ? 0 : fromZigzag(cursor.varint());
  const grade = cursor.bytes(1)[0];
  const payload = cursor.bytes(cursor.varint());
  const read = cursor.position;
  const sum = cursor.bytes(4).reduce((word, byte) => word * 256 + byte, 0);
  if (cursor.position < bytes.length)
    throw new InputError(`${name}: damaged: ${bytes.length - cursor.position} extra bytes at its end`);
  if (crc32(bytes.subarray(0, read)) !== sum) throw new InputError(`${name}: damaged: its CRC-32 differs`);
  const [type, colour] = [kind & 3, (kind & 4) !== 0];
  const container = { dictionary, shape, colour, type, step, exponent, grade, payload };
  requireValid(container, kind, name);
  return container;
}

/** Reject what no writer produces, before any memory is allocated. */
function requireValid(
  { shape, colour, type, step, exponent, grade }: Container,
  kind: number,
  name: string,
): void {
  const usable = shape.length > 0 && shape.every((size) => size >= 1) && sizeOf(shape) <= maxSamples;
  if (!usable) throw new InputError(`${name}: damaged: a shape of ${formatShape(shape) || "no axes"}`);
  if (colour && (shape.length !== 3 || shape[2] !== 3))
    throw new InputError(`${name}: damaged: colour in a shape of ${formatShape(shape)}`);
  const scaled = exponent === 0 || (type === floatType && Math.abs(exponent) <= maxExponent);
  if ((kind & 8) !== 0 || step > maxStep || grade >= grades || !scaled)
    throw new InputError(`${name}: damaged: settings out of range`);
}

/** Reject arrays too large for the format. */
export function requireFitsFormat(where: string, shape: Shape): void {
  if (shape.length <= 15 && sizeOf(shape) <= maxSamples) return;
  throw new InputError(
    `the array must have at most 15 axes and ${maxSamples} samples, got ${formatShape(shape)}`,
    { where },
  );
}

function varint(value: number): number[] {
  return value < 128 ? [value] : [(value % 128) + 128, ...varint(Math.floor(value / 128))];
}

/** 0, 1, 2, 3, 4, … → 0, −1, 1, −2, 2, … */
function fromZigzag(value: number): number {
  return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
}

/** Reads from the start, never past the end. */
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
    let value = 0;
    let unit = 1;
    for (;;) {
      const byte = this.bytes(1)[0];
      value += (byte % 128) * unit;
      if (byte < 128) return value;
      unit *= 128;
      if (unit > 2 ** 28) throw new InputError(`${this.#name}: damaged: a number of more than 35 bits`);
    }
  }
}
