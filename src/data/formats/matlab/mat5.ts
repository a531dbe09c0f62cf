/**
 * Matlab files of version 5 (`save -v6`, `save -v7`, scipy, Octave): which variables they hold, and where their numbers
 * are (elements.ts). Nothing is unpacked: a compressed variable is a zlib stream of its own, which is inflated before it is read.
 *
 * Matlab's first axis varies fastest. A variable keeps Matlab's shape, except that a column or a row, n × 1 or 1 × n, has
 * one axis. Numbers may be stored in a smaller type than the class of their variable; they have the same values.
 */

import { InputError } from "../../../core/errors.js";
import { sizeOf } from "../../../core/shape.js";
import { columnMajorStrides, type NumberLayout } from "../numberLayout.js";
import type { ReadBytes } from "../readBytes.js";
import {
  type ElementTag,
  elementTypes,
  headerBytes,
  isLittleEndian,
  isNumeric,
  numberTypes,
  readTag,
  viewOf,
} from "./elements.js";

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

/** Bytes of an element that hold all of its header: flags, sizes, name. */
const startBytes = 4096;

const maxElements = 2 ** 16;

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

/** The variables of a file of `length` bytes; `name` is for messages. */
export async function listMat5(
  read: ReadBytes,
  length: number,
  name: string,
  inflateStart: InflateStart,
): Promise<MatVariable[]> {
  const start = await read(0, Math.min(headerBytes, length));
  const little = isLittleEndian(start);
  if (little === undefined) throw new InputError(`${name}: not a Matlab file of version 5 or later`);
  const variables: MatVariable[] = [];
  for (let at = headerBytes, count = 0; at + 8 <= length; count++) {
    if (count === maxElements)
      throw new InputError(`${name}: must hold at most ${maxElements} variables, got more`);
    const { type, size, at: offset, next } = placed(readTag(viewOf(await read(at, 8)), 0, little), at);
    if (size > length - offset)
      throw new InputError(
        `${name}: truncated Matlab file: a variable takes ${size} bytes, ${length - offset} left`,
      );
    if (type === elementTypes.matrix) {
      const bytes = await read(offset, Math.min(size, startBytes));
      variables.push({
        ...readVariable(bytes, size, little, name),
        offset,
        length: size,
        inflated: undefined,
      });
    }
    if (type === elementTypes.compressed) {
      const inner = await inflateStart(offset, size, startBytes);
      variables.push(
        ...readCompressed(inner, little, name).map((found) => ({ ...found, offset, length: size })),
      );
    }
    at = next;
  }
  return variables;
}

/** A tag that was read from bytes that begin at `from`. */
function placed(tag: ElementTag, from: number): ElementTag {
  return { ...tag, at: tag.at + from, next: tag.next + from };
}

type Found = Pick<MatVariable, "name" | "numbers" | "problem">;

function readCompressed(
  inner: Uint8Array,
  little: boolean,
  name: string,
): (Found & { readonly inflated: number })[] {
  if (inner.length < 8) throw damaged(name, "a compressed variable is cut off");
  const { type, size, at } = readTag(viewOf(inner), 0, little);
  if (type !== elementTypes.matrix) return [];
  const found = readVariable(inner.subarray(at), size, little, name);
  const numbers = found.numbers && { ...found.numbers, dataOffset: found.numbers.dataOffset + at };
  return [{ ...found, ...(numbers ? { numbers } : {}), inflated: size + at }];
}

/** The header of a variable, from the first bytes of its element of `size` bytes. */
function readVariable(bytes: Uint8Array, size: number, little: boolean, file: string): Found {
  const view = viewOf(bytes);
  const part = (at: number): ElementTag => {
    if (at + 8 > bytes.length) throw damaged(file, "the header of a variable is cut off");
    return readTag(view, at, little);
  };
  const inside = ({ at, size: length }: ElementTag) => {
    if (at + length > bytes.length) throw damaged(file, "the header of a variable is cut off");
  };
  const flags = part(0);
  if (flags.type !== elementTypes.uint32 || flags.size !== 8) throw damaged(file, "a variable has no flags");
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
  if (!isNumeric(kind)) return { name, problem: `is ${otherClasses[kind] ?? `of class ${kind}`}` };
  if (isComplex) return { name, problem: "holds complex numbers" };
  if (shape.length < 2 || shape.length > 64 || shape.some((axis) => axis < 0))
    throw damaged(file, `${name} has sizes ${shape.join(" x ")}`);
  if (sizeOf(shape) === 0) return { name, problem: "holds no samples" };
  if (sizeOf(shape) === 1) return { name, problem: "is a single value" };
  return { name, numbers: layoutOf(part(label.next), shape, little, size, `${file}[${name}]`) };
}

function layoutOf(
  { type, size: bytes, at }: ElementTag,
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
