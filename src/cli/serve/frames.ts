/**
 * Messages between two programs over a pipe: a JSON text and arrays of numbers, as bytes.
 *
 *     4 bytes    the length of the text, little-endian
 *     text       JSON in UTF-8; `arrays` lists the name, type and shape of each array
 *     bytes      the samples of the arrays, one array after the other, little-endian, row by row
 *
 * Arrays are copied once, from the chunks of the pipe into memory of their own.
 */

import { InputError } from "../../core/errors.js";
import type { Shape } from "../../core/shape.js";

/** The types of arrays, by the names that numpy gives them. */
const arrayTypes = { "<f4": Float32Array, "<u4": Uint32Array, "|u1": Uint8Array } as const;

type TypeName = keyof typeof arrayTypes;

export type FrameArray = Float32Array | Uint32Array | Uint8Array;

interface ArrayHeader {
  readonly name: string;
  readonly type: TypeName;
  readonly shape: Shape;
}

/** An array with its shape. */
export interface ShapedArray {
  readonly shape: Shape;
  readonly data: FrameArray;
}

export interface Frame {
  /** The JSON text, without its list of arrays. */
  readonly head: Readonly<Record<string, unknown>>;
  readonly arrays: ReadonlyMap<string, ShapedArray>;
}

/** The longest text of a message; a longer one is not from a program that speaks this protocol. */
const mostText = 2 ** 24;

/** The bytes of a message, in parts to be written one after the other. */
export function frameParts(
  head: Readonly<Record<string, unknown>>,
  arrays: Readonly<Record<string, ShapedArray>> = {},
): Uint8Array[] {
  const list = Object.entries(arrays).map(([name, { shape, data }]) => ({ name, type: typeOf(data), shape }));
  const text = Buffer.from(JSON.stringify({ ...head, arrays: list }));
  const length = Buffer.alloc(4);
  length.writeUInt32LE(text.length);
  const samples = Object.values(arrays).map(({ data }) => bytesOf(data));
  return [length, text, ...samples];
}

function typeOf(data: FrameArray): TypeName {
  if (data instanceof Float32Array) return "<f4";
  return data instanceof Uint32Array ? "<u4" : "|u1";
}

const bytesOf = (data: FrameArray): Uint8Array =>
  new Uint8Array(data.buffer, data.byteOffset, data.byteLength);

/** Messages out of the chunks of a pipe, in whatever pieces these come. */
export class FrameReader {
  readonly #onFrame: (frame: Frame) => void;
  #state: "length" | "text" | "arrays" = "length";
  /** What is being filled, and how far. */
  #target: Uint8Array = new Uint8Array(4);
  #filled = 0;
  #head: Readonly<Record<string, unknown>> = {};
  #expected: ArrayHeader[] = [];
  #arrays = new Map<string, ShapedArray>();

  constructor(onFrame: (frame: Frame) => void) {
    this.#onFrame = onFrame;
  }

  /** Whether a message has begun that has not ended. */
  get isInside(): boolean {
    return this.#state !== "length" || this.#filled > 0;
  }

  push(chunk: Uint8Array): void {
    for (let at = 0; at < chunk.length; ) {
      const count = Math.min(chunk.length - at, this.#target.length - this.#filled);
      this.#target.set(chunk.subarray(at, at + count), this.#filled);
      this.#filled += count;
      at += count;
      if (this.#filled === this.#target.length) this.#next();
    }
  }

  /** What was filled is complete. */
  #next(): void {
    if (this.#state === "length") this.#expectText(Buffer.from(this.#target).readUInt32LE());
    else {
      if (this.#state === "text") this.#readHead(this.#target);
      if (!this.#expectArray()) this.#finish();
    }
  }

  /** The next array that has samples; whether there is one. */
  #expectArray(): boolean {
    this.#state = "arrays";
    for (let header = this.#expected.shift(); header; header = this.#expected.shift()) {
      const data = new arrayTypes[header.type](header.shape.reduce((product, size) => product * size, 1));
      this.#arrays.set(header.name, { shape: header.shape, data });
      if (data.length === 0) continue;
      this.#fill(bytesOf(data));
      return true;
    }
    return false;
  }

  #finish(): void {
    const frame = { head: this.#head, arrays: this.#arrays };
    this.#state = "length";
    this.#arrays = new Map();
    this.#fill(new Uint8Array(4));
    this.#onFrame(frame);
  }

  #expectText(length: number): void {
    if (length === 0 || length > mostText) throw new InputError(`not a message: a text of ${length} bytes`);
    this.#state = "text";
    this.#fill(new Uint8Array(length));
  }

  #readHead(bytes: Uint8Array): void {
    const { arrays, ...head } = parseHead(bytes);
    this.#head = head;
    this.#expected = requireHeaders(arrays);
  }

  #fill(target: Uint8Array): void {
    this.#target = target;
    this.#filled = 0;
  }
}

function parseHead(bytes: Uint8Array): Record<string, unknown> {
  try {
    const head: unknown = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
    if (typeof head === "object" && head !== null && !Array.isArray(head)) return { ...head };
  } catch {
    // the same error as for a text that is JSON, but not an object
  }
  throw new InputError("not a message: its text is not a JSON object");
}

function requireHeaders(list: unknown): ArrayHeader[] {
  if (!Array.isArray(list)) throw new InputError("not a message: it does not list its arrays");
  for (const item of list)
    if (!isHeader(item)) throw new InputError("not a message: an array is not described");
  return list;
}

function isHeader(item: unknown): item is ArrayHeader {
  const { name, type, shape } = (item ?? {}) as Partial<Record<keyof ArrayHeader, unknown>>;
  return (
    typeof name === "string" &&
    typeof type === "string" &&
    Object.hasOwn(arrayTypes, type) &&
    Array.isArray(shape) &&
    shape.every((size) => Number.isSafeInteger(size) && size >= 0)
  );
}
