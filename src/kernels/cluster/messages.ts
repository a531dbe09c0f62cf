/**
 * What rank 0 sends to the others: objects such as operations with their arguments. An argument may be a handle, which travels as its number,
 * a matrix, an array of numbers, or a plain object of these. The text of a message is JSON, in which numbers that were
 * packed behind it stand as a type, a place and a length.
 */

import { DenseMatrix, SparseColumns } from "../../core/matrix.js";
import { Matrix64 } from "../../linalg/matrix64.js";

/** The number of a handle, and for a head its columns. */
export interface HandleNumber {
  readonly handle: number;
  readonly cols?: number;
}

const arrays = { Uint8Array, Uint32Array, Float32Array, Float64Array, Int32Array, Uint16Array } as const;
type ArrayName = keyof typeof arrays;

type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** Bytes before the text: its length. */
const lengthBytes = 8;
/** Arrays start at multiples of this. */
const alignment = 8;

export function packMessage(
  value: unknown,
  numberOf: (handle: object) => HandleNumber | undefined,
): Uint8Array {
  const parts: Uint8Array[] = [];
  let length = 0;
  const pack = (array: ArrayBufferView): Json => {
    const at = length;
    parts.push(new Uint8Array(array.buffer, array.byteOffset, array.byteLength));
    length += Math.ceil(array.byteLength / alignment) * alignment;
    return { $: array.constructor.name, at, bytes: array.byteLength };
  };
  const describe = (item: unknown): Json => {
    if (item === null || typeof item === "boolean" || typeof item === "string") return item;
    if (typeof item === "number") return Number.isFinite(item) ? item : { $: "number", text: String(item) };
    if (item === undefined) return { $: "undefined" };
    if (ArrayBuffer.isView(item)) return pack(item);
    if (Array.isArray(item)) return item.map(describe);
    if (typeof item !== "object") throw new TypeError(`a ${typeof item} cannot be sent to other ranks`);
    const number = numberOf(item);
    if (number) return { $: "handle", ...number };
    if (item instanceof DenseMatrix)
      return { $: "dense", rows: item.rows, cols: item.cols, data: pack(item.data) };
    if (item instanceof Matrix64)
      return { $: "wide", rows: item.rows, cols: item.cols, data: pack(item.data) };
    if (item instanceof SparseColumns) {
      const { rows, cols, width, indices, values, counts } = item;
      return {
        $: "sparse",
        rows,
        cols,
        width,
        indices: pack(indices),
        values: pack(values),
        counts: pack(counts),
      };
    }
    return Object.fromEntries(Object.entries(item).map(([key, entry]) => [key, describe(entry)]));
  };
  const text = new TextEncoder().encode(JSON.stringify(describe(value)));
  const start = bodyStart(text.length);
  const message = new Uint8Array(start + length);
  new DataView(message.buffer).setFloat64(0, text.length);
  message.set(text, lengthBytes);
  let at = start;
  for (const part of parts) {
    message.set(part, at);
    at += Math.ceil(part.length / alignment) * alignment;
  }
  return message;
}

/** A field of a packed object. Handles that one field makes may be named in another, which is then unpacked after it. */
export function unpackField(
  message: Uint8Array,
  field: string,
  handleOf: (number: HandleNumber) => object,
): unknown {
  const textLength = new DataView(message.buffer, message.byteOffset).getFloat64(0);
  const start = bodyStart(textLength);
  const restore = (item: Json): unknown => {
    if (item === null || typeof item !== "object") return item;
    if (Array.isArray(item)) return item.map(restore);
    const { $: kind, ...fields } = item as { readonly [key: string]: Json };
    if (kind === undefined)
      return Object.fromEntries(Object.entries(item).map(([key, entry]) => [key, restore(entry)]));
    if (kind === "undefined") return undefined;
    if (kind === "number") return Number(fields.text);
    if (kind === "handle") return handleOf(fields as unknown as HandleNumber);
    if (Object.hasOwn(arrays, kind as string)) {
      const from = start + (fields.at as number);
      const bytes = message.slice(from, from + (fields.bytes as number));
      return new arrays[kind as ArrayName](bytes.buffer);
    }
    const [rows, cols] = [fields.rows as number, fields.cols as number];
    if (kind === "dense") return new DenseMatrix(rows, cols, restore(fields.data) as Float32Array);
    if (kind === "wide") return new Matrix64(rows, cols, restore(fields.data) as Float64Array);
    return new SparseColumns(
      rows,
      cols,
      fields.width as number,
      restore(fields.indices) as Uint32Array,
      restore(fields.values) as Float32Array,
      restore(fields.counts) as Uint32Array,
    );
  };
  const text = new TextDecoder().decode(message.subarray(lengthBytes, lengthBytes + textLength));
  return restore(JSON.parse(text)[field]);
}

function bodyStart(textLength: number): number {
  return Math.ceil((lengthBytes + textLength) / alignment) * alignment;
}
