/**
 * Files of numbers without a header, as `float32:800x1000` describes them: the type, then the size of each axis, the last
 * varying fastest. `be` after the type is big-endian; a first size of `*` is as many as the file has; `@512` at the end is
 * the byte at which the numbers begin.
 */

import { InputError, inputError } from "../../core/errors.js";
import { byteSize } from "../../core/formatText.js";
import { sizeOf, stridesOf } from "../../core/shape.js";
import type { NumberLayout } from "./numberLayout.js";

const types = {
  bool: ["b", 1],
  int8: ["i", 1],
  int16: ["i", 2],
  int32: ["i", 4],
  int64: ["i", 8],
  uint8: ["u", 1],
  uint16: ["u", 2],
  uint32: ["u", 4],
  uint64: ["u", 8],
  float16: ["f", 2],
  float32: ["f", 4],
  float64: ["f", 8],
} as const satisfies Record<string, readonly [NumberLayout["kind"], number]>;

/** Numbers of a file; the first size is undefined if the length of the file decides it. */
export interface RawFormat {
  readonly text: string;
  readonly kind: NumberLayout["kind"];
  readonly size: number;
  readonly bigEndian: boolean;
  readonly first: number | undefined;
  readonly rest: readonly number[];
  readonly offset: number;
}

const form = /^([a-z]+\d*?)(be|le)?:(\*|\d+)((?:x\d+)*)(?:@(\d+))?$/;

/** `float32be:800x1000@512` → its parts. */
export function parseRaw(text: string): RawFormat {
  const [, type = "", order, first = "", rest = "", offset = "0"] = form.exec(text) ?? [];
  const known = Object.hasOwn(types, type) ? types[type as keyof typeof types] : undefined;
  const sizes = rest.split("x").slice(1).map(Number);
  const given = [...(first === "*" ? [] : [Number(first)]), ...sizes];
  if (!known || given.some((size) => size === 0) || !Number.isSafeInteger(sizeOf(given) * 8))
    throw inputError(
      "parseRaw",
      "raw",
      `must be a type and sizes, as in float32:800x1000 or int16be:*x256, of the types ${Object.keys(types).join(", ")}`,
      text,
    );
  const [kind, size] = known;
  const count = first === "*" ? undefined : Number(first);
  return { text, kind, size, bigEndian: order === "be", first: count, rest: sizes, offset: Number(offset) };
}

/** Where the numbers are in a file of `length` bytes, which must hold exactly these. */
export function rawLayout(raw: RawFormat, length: number, name: string): NumberLayout {
  const { kind, size, bigEndian, rest, offset, text } = raw;
  const row = sizeOf(rest) * size;
  const first = raw.first ?? Math.floor(Math.max(0, length - offset) / row);
  const shape = [first, ...rest];
  const expected = offset + first * row;
  if (length !== expected || first === 0) {
    const least = first === 0 ? offset + row : expected;
    throw new InputError(
      `${name}: ${text} takes ${least} bytes (${byteSize(least)}), the file has ${length}`,
    );
  }
  return { shape, strides: stridesOf(shape), kind, size, bigEndian, dataOffset: offset };
}
