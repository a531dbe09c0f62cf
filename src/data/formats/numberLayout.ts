/**
 * Where the numbers of an array are in a file, whatever its format: their type, and how many items lie between neighbours
 * along each axis. Row-major, column-major and any other order of the axes are the same to its readers.
 */

import { InputError } from "../../core/errors.js";
import { type Shape, sizeOf, stridesOf } from "../../core/shape.js";
import type { NpyHeader } from "./npy.js";

export interface NumberLayout {
  readonly shape: Shape;
  /** Items between neighbours along each axis. All items together have no gaps between them. */
  readonly strides: readonly number[];
  /** numpy's letter: bool, integer, unsigned, float. */
  readonly kind: "b" | "i" | "u" | "f";
  /** Bytes of an item. */
  readonly size: number;
  readonly bigEndian: boolean;
  /** Where the first item is. */
  readonly dataOffset: number;
  /** What stored numbers are multiplied by, and what is added then. */
  readonly scale?: { readonly slope: number; readonly intercept: number };
}

/** Bytes of all items. */
export function byteLengthOf({ shape, size }: NumberLayout): number {
  return sizeOf(shape) * size;
}

/** The layout of a `.npy`, which must hold numbers, all of them in the `length` bytes of its file. */
export function npyLayout(header: NpyHeader, length: number, name: string): NumberLayout {
  const { shape, kind, size, bigEndian, fortranOrder, dataOffset, byteLength } = header;
  if (kind === "S" || kind === "U") throw new InputError(`${name}: must hold numbers, got text`);
  const left = length - dataOffset;
  if (left < byteLength)
    throw new InputError(`${name}: truncated .npy: header says ${byteLength} bytes, ${left} left`);
  const strides = fortranOrder ? columnMajorStrides(shape) : stridesOf(shape);
  return { shape, strides, kind, size, bigEndian, dataOffset };
}

/** Items between neighbours if the first axis varies fastest. */
export function columnMajorStrides(shape: Shape): number[] {
  return shape.map((_, axis) => sizeOf(shape.slice(0, axis)));
}

/** The same numbers with the last axis first: signals in columns become signals in rows. */
export function lastAxisFirst(layout: NumberLayout): NumberLayout {
  const turned = <T>(list: readonly T[]) => [...list.slice(-1), ...list.slice(0, -1)];
  return { ...layout, shape: turned(layout.shape), strides: turned(layout.strides) };
}
