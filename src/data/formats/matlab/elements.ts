/**
 * What Matlab files of version 5 are made of: a header of 128 bytes, then elements, each with a tag of its type and size,
 * padded to 8 bytes. An element of at most 4 bytes may have its tag in one word, and be 8 bytes in all.
 *
 * Reference: MathWorks, "MAT-File Format", 2019, chapter 1.
 */

import type { NumberLayout } from "../numberLayout.js";

export const headerBytes = 128;

export const elementTypes = {
  ...{ int8: 1, uint8: 2, int16: 3, uint16: 4, int32: 5, uint32: 6, single: 7, double: 9 },
  ...{ int64: 12, uint64: 13, matrix: 14, compressed: 15, utf8: 16 },
} as const;

/** Kind and bytes of the numbers of an element, by its type. */
export const numberTypes: Readonly<Record<number, readonly [NumberLayout["kind"], number]>> = {
  [elementTypes.int8]: ["i", 1],
  [elementTypes.uint8]: ["u", 1],
  [elementTypes.int16]: ["i", 2],
  [elementTypes.uint16]: ["u", 2],
  [elementTypes.int32]: ["i", 4],
  [elementTypes.uint32]: ["u", 4],
  [elementTypes.single]: ["f", 4],
  [elementTypes.double]: ["f", 8],
  [elementTypes.int64]: ["i", 8],
  [elementTypes.uint64]: ["u", 8],
};

/** Classes of arrays; from `double` to `uint64` they are full matrices of numbers. */
export const arrayClasses = {
  ...{ char: 4, sparse: 5, double: 6, single: 7, uint8: 9, int32: 12, uint32: 13, uint64: 15 },
} as const;

/** Whether a class is that of a full matrix of numbers. */
export function isNumeric(arrayClass: number): boolean {
  return arrayClass >= arrayClasses.double && arrayClass <= arrayClasses.uint64;
}

/** Whether a file is little-endian, by its first bytes; undefined if it is not a Matlab file of version 5 or later. */
export function isLittleEndian(start: Uint8Array): boolean | undefined {
  const order = String.fromCharCode(...start.subarray(126, headerBytes)); // the bytes of "MI", exchanged or not
  return order === "IM" ? true : order === "MI" ? false : undefined;
}

/** The tag of an element: its type and bytes, where these are, and where the next element begins. */
export interface ElementTag {
  readonly type: number;
  readonly size: number;
  readonly at: number;
  readonly next: number;
}

/** The tag of the element at `at`, of which 8 bytes must be there. */
export function readTag(view: DataView, at: number, little: boolean): ElementTag {
  const first = view.getUint32(at, little);
  const small = first >>> 16;
  if (small > 0) return { type: first & 0xffff, size: small, at: at + 4, next: at + 8 };
  const size = view.getUint32(at + 4, little);
  const room = first === elementTypes.compressed ? size : Math.ceil(size / 8) * 8;
  return { type: first, size, at: at + 8, next: at + 8 + room };
}

export function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
