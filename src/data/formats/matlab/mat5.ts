/**
 * Matlab files of version 5 (`save -v6`, `save -v7`, scipy, Octave): which variables they hold, and where their numbers
 * are. Nothing is unpacked: a compressed variable is a zlib stream of its own, which is inflated before it is read.
 *
 * Matlab's first axis varies fastest. A variable keeps Matlab's shape, except that a column or a row, n × 1 or 1 × n, has
 * one axis. Numbers may be stored in a smaller type than the class of their variable; they have the same values.
 *
 * Reference: MathWorks, "MAT-File Format", 2019, chapter 1.
 */

import { InputError } from "../../../core/errors.js";
import { sizeOf } from "../../../core/shape.js";
import { columnMajorStrides, type NumberLayout } from "../numberLayout.js";
import type { ReadBytes } from "../tar.js";

/** A variable of a file; `numbers` or why it has none that can be used. */
export interface MatVariable {
  readonly name: string;
  /** Where its element is, without its tag. */
  readonly offset: number;
  readonly length: number;
  /** The bytes that the element has when it is inflated; undefined if it is not compressed. */
  readonly inflated: number | undefined;
  /** Where its numbers are, from the start of the (inflated) element. */
  readonly numbers?: NumberLayout;
  /** Why it cannot be used: "is a struct". */
  readonly problem?: string;
}

/** The first bytes of a compressed element, inflated: at most `most` of them. */
export type InflateStart = (offset: number, length: number, most: number) => Promise<Uint8Array>;

const headerBytes = 128;

/** Bytes of an element that hold all of its header: flags, sizes, name. */
const startBytes = 4096;

const maxElements = 2 ** 16;

const [compressed, matrix] = [15, 14];

/** Types of stored numbers. */
const numberTypes: Readonly<Record<number, readonly [NumberLayout["kind"], number]>> = {
  1: ["i", 1],
  2: ["u", 1],
  3: ["i", 2],
  4: ["u", 2],
  5: ["i", 4],
  6: ["u", 4],
  7: ["f", 4],
  9: ["f", 8],
  12: ["i", 8],
  13: ["u", 8],
};

/** Classes that are not numeric arrays; those from 6 to 15 are. */
const otherClasses: Readonly<Record<number, string>> = {
  1: "a cell array",
  2: "a struct",
  3: "an object",
  4: "text",
  5: "a sparse matrix",
  16: "a function",
  17: "an object",
};

/** Whether a file begins as Matlab files of version 5 and later do; those of 7.3 are HDF5. */
function isMat5(start: Uint8Array): boolean {
  const order = String.fromCharCode(...start.subarray(126, 128));
  return start.length >= headerBytes && (order === "IM" || order === "MI");
}

/** The variables of a file of `length` bytes; `name` is for messages. */
export async function listMat5(
  read: ReadBytes,
  length: number,
  name: string,
  inflateStart: InflateStart,
): Promise<MatVariable[]> {
  const start = await read(0, Math.min(headerBytes, length));
  if (!isMat5(start)) throw new InputError(`${name}: not a Matlab file of version 5 or later`);
  const little = start[126] === 0x49; // "IM": the bytes of "MI", exchanged
  const variables: MatVariable[] = [];
  for (let at = headerBytes, count = 0; at + 8 <= length; count++) {
    if (count === maxElements)
      throw new InputError(`${name}: must hold at most ${maxElements} variables, got more`);
    const tag = viewOf(await read(at, 8));
    const [type, size] = [tag.getUint32(0, little), tag.getUint32(4, little)];
    const offset = at + 8;
    if (size > length - offset)
      throw new InputError(
        `${name}: truncated Matlab file: a variable takes ${size} bytes, ${length - offset} left`,
      );
    if (type === matrix) {
      const bytes = await read(offset, Math.min(size, startBytes));
      variables.push({
        ...readVariable(bytes, size, little, name),
        offset,
        length: size,
        inflated: undefined,
      });
    }
    if (type === compressed) {
      const inner = await inflateStart(offset, size, startBytes);
      variables.push(
        ...readCompressed(inner, little, name).map((found) => ({ ...found, offset, length: size })),
      );
    }
    at = offset + (type === compressed ? size : Math.ceil(size / 8) * 8);
  }
  return variables;
}

type Found = Pick<MatVariable, "name" | "numbers" | "problem">;

function readCompressed(
  inner: Uint8Array,
  little: boolean,
  name: string,
): (Found & { readonly inflated: number })[] {
  if (inner.length < 8) throw damaged(name, "a compressed variable is cut off");
  const tag = viewOf(inner);
  if (tag.getUint32(0, little) !== matrix) return [];
  const size = tag.getUint32(4, little);
  const found = readVariable(inner.subarray(8), size, little, name);
  const numbers = found.numbers && { ...found.numbers, dataOffset: found.numbers.dataOffset + 8 };
  return [{ ...found, ...(numbers ? { numbers } : {}), inflated: size + 8 }];
}

/** Part of an element: its type, and where its bytes are and end. */
interface Part {
  readonly type: number;
  readonly size: number;
  readonly at: number;
  readonly next: number;
}

/** The header of a variable, from the first bytes of its element of `size` bytes. */
function readVariable(bytes: Uint8Array, size: number, little: boolean, file: string): Found {
  const view = viewOf(bytes);
  const part = (at: number): Part => {
    if (at + 8 > bytes.length) throw damaged(file, "the header of a variable is cut off");
    const first = view.getUint32(at, little);
    const small = first >>> 16; // of a part in 8 bytes, its tag included
    if (small > 0) return { type: first & 0xffff, size: small, at: at + 4, next: at + 8 };
    const length = view.getUint32(at + 4, little);
    return { type: first, size: length, at: at + 8, next: at + 8 + Math.ceil(length / 8) * 8 };
  };
  const inside = ({ at, size: length }: Part) => {
    if (at + length > bytes.length) throw damaged(file, "the header of a variable is cut off");
  };
  const flags = part(0);
  if (flags.type !== 6 || flags.size !== 8) throw damaged(file, "a variable has no flags");
  const word = view.getUint32(flags.at, little);
  const [kind, isComplex] = [word & 0xff, (word & 0x800) !== 0];
  if (kind === 17) return { name: "?", problem: `is ${otherClasses[17]}` };
  const sizes = part(flags.next);
  inside(sizes);
  const shape = Array.from({ length: Math.floor(sizes.size / 4) }, (_, i) =>
    view.getInt32(sizes.at + 4 * i, little),
  );
  const label = part(sizes.next);
  inside(label);
  const name = new TextDecoder().decode(bytes.subarray(label.at, label.at + label.size));
  if (kind < 6 || kind > 15) return { name, problem: `is ${otherClasses[kind] ?? `of class ${kind}`}` };
  if (isComplex) return { name, problem: "holds complex numbers" };
  if (shape.length < 2 || shape.length > 64 || shape.some((axis) => axis < 0))
    throw damaged(file, `${name} has sizes ${shape.join(" x ")}`);
  if (sizeOf(shape) === 0) return { name, problem: "holds no samples" };
  if (sizeOf(shape) === 1) return { name, problem: "is a single value" };
  return { name, numbers: layoutOf(part(label.next), shape, little, size, `${file}[${name}]`) };
}

function layoutOf(
  { type, size: bytes, at }: Part,
  sizes: readonly number[],
  little: boolean,
  length: number,
  name: string,
): NumberLayout {
  const known = numberTypes[type];
  if (!known) throw damaged(name, `numbers of type ${type}`);
  const [kind, size] = known;
  if (bytes !== sizeOf(sizes) * size || at + bytes > length)
    throw damaged(name, `${sizes.join(" x ")} numbers of ${size} bytes in ${bytes} bytes`);
  const vector = sizes.length === 2 && sizes.includes(1);
  const shape = vector ? [sizeOf(sizes)] : sizes;
  return { shape, strides: columnMajorStrides(shape), kind, size, bigEndian: !little, dataOffset: at };
}

function damaged(name: string, what: string): InputError {
  return new InputError(`${name}: damaged Matlab file: ${what}`);
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
