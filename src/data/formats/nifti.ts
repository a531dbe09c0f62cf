/**
 * Volumes of NIfTI-1 and NIfTI-2 files (`.nii`): where their numbers are, and how they are scaled.
 *
 * The first axis of the file, x, varies fastest. A volume has the axes z, y, x, so that it can be read slice by slice: the
 * transpose of nibabel's array, and SimpleITK's. Axes of size 1 at the end of the file's list are left out. In a series the
 * axes after z (time, directions) come before it, so that the first axis counts volumes.
 * Stored numbers are multiplied by `scl_slope`, and `scl_inter` is added, where the header has a slope.
 *
 * References: NIfTI-1 and NIfTI-2 data format, nifti1.h and nifti2.h, https://nifti.nimh.nih.gov.
 */

import { InputError } from "../../core/errors.js";
import { formatShape, type Shape, sizeOf, stridesOf } from "../../core/shape.js";
import type { NumberLayout } from "./numberLayout.js";

/** Bytes that hold the header of either version. */
export const niftiHeaderBytes = 540;

const types: Readonly<Record<number, readonly [NumberLayout["kind"], number]>> = {
  2: ["u", 1],
  4: ["i", 2],
  8: ["i", 4],
  16: ["f", 4],
  64: ["f", 8],
  256: ["i", 1],
  512: ["u", 2],
  768: ["u", 4],
  1024: ["i", 8],
  1280: ["u", 8],
};

/** Names of types that are not read. */
const otherTypes: Readonly<Record<number, string>> = {
  1: "bits",
  32: "complex numbers",
  128: "colours",
  1536: "numbers of 128 bits",
  1792: "complex numbers",
  2048: "complex numbers",
  2304: "colours",
};

/** What both versions say of their numbers. */
interface Fields {
  readonly sizes: readonly number[];
  readonly type: number;
  readonly offset: number;
  readonly slope: number;
  readonly intercept: number;
}

/** The layout of the volumes in a file, from its first bytes; `name` is for messages. */
export function readNiftiLayout(start: Uint8Array, name: string): NumberLayout {
  const view = new DataView(start.buffer, start.byteOffset, start.byteLength);
  const sizeIn = (little: boolean) => (start.length >= 4 ? view.getInt32(0, little) : 0);
  const little = sizeIn(true) === 348 || sizeIn(true) === 540;
  const version = sizeIn(little) === 348 ? 1 : sizeIn(little) === 540 ? 2 : 0;
  if (version === 0 || start.length < sizeIn(little)) throw new InputError(`${name}: not a NIfTI file`);
  const magic = String.fromCharCode(...start.subarray(version === 1 ? 344 : 4).subarray(0, 3));
  if (magic === "ni1" || magic === "ni2")
    throw new InputError(`${name}: its numbers are in another file (.img); convert it to one .nii file`);
  if (magic !== `n+${version}`) throw new InputError(`${name}: not a NIfTI file`);
  const fields = version === 1 ? fieldsOf1(view, little) : fieldsOf2(view, little);
  const known = types[fields.type];
  if (!known)
    throw new InputError(
      `${name}: must hold real numbers, got ${otherTypes[fields.type] ?? `type ${fields.type}`}`,
    );
  const shape = shapeOf(fields.sizes);
  const [kind, size] = known;
  const least = version === 1 ? 348 : 540;
  const valid = shape && Number.isSafeInteger(sizeOf(shape) * size);
  if (!valid || !(Number.isSafeInteger(fields.offset) && fields.offset >= least))
    throw new InputError(
      `${name}: damaged NIfTI file: sizes ${fields.sizes.join(", ")} from byte ${fields.offset} on`,
    );
  const { slope, intercept, offset } = fields;
  const scaled = slope !== 0 && Number.isFinite(slope) && Number.isFinite(intercept);
  const scale = scaled && (slope !== 1 || intercept !== 0) ? { scale: { slope, intercept } } : {};
  const slowestFirst = shape.toReversed();
  const strides = stridesOf(slowestFirst);
  return { shape: slowestFirst, strides, kind, size, bigEndian: !little, dataOffset: offset, ...scale };
}

function fieldsOf1(view: DataView, little: boolean): Fields {
  return {
    sizes: Array.from({ length: 8 }, (_, i) => view.getInt16(40 + 2 * i, little)),
    type: view.getInt16(70, little),
    offset: view.getFloat32(108, little),
    slope: view.getFloat32(112, little),
    intercept: view.getFloat32(116, little),
  };
}

function fieldsOf2(view: DataView, little: boolean): Fields {
  return {
    sizes: Array.from({ length: 8 }, (_, i) => Number(view.getBigInt64(16 + 8 * i, little))),
    type: view.getInt16(12, little),
    offset: Number(view.getBigInt64(168, little)),
    slope: view.getFloat64(176, little),
    intercept: view.getFloat64(184, little),
  };
}

/** The sizes in use, without those of 1 at the end; undefined if they make no sense. */
function shapeOf([count, ...sizes]: readonly number[]): Shape | undefined {
  if (!(count >= 1 && count <= 7)) return undefined;
  const used = sizes.slice(0, count);
  while (used.length > 1 && used[used.length - 1] === 1) used.pop();
  return used.every((size) => size >= 1) ? used : undefined;
}

/** Refuse a file that ends before its numbers do. */
export function requireWholeNifti(
  { shape, size, dataOffset }: NumberLayout,
  length: number,
  name: string,
): void {
  const needed = dataOffset + sizeOf(shape) * size;
  if (length < needed)
    throw new InputError(
      `${name}: truncated NIfTI file: ${formatShape(shape)} takes ${needed} bytes, got ${length}`,
    );
}
