/** What an opened input becomes: units of a source, and how arrays are cut into them. */

import { InputError } from "../../../core/errors.js";
import { formatShape, type Shape, sizeOf } from "../../../core/shape.js";
import type { SignalUnit } from "../../sampling/signalSource.js";
import type { TemporaryStore } from "../archives/temporaryStore.js";
import type { ComparedFile } from "../fileContents.js";
import type { OpenFiles } from "../system/openFiles.js";

/** A unit, and how its samples are read. */
export interface FileUnit extends SignalUnit {
  readonly bytes: number;
  read(into: Float32Array): Promise<void>;
}

/** An input that can be used. */
export interface OpenInput {
  readonly units: readonly FileUnit[];
  readonly compared: ComparedFile;
  /** Why parts of it are not used. */
  readonly skipped?: readonly InputError[];
}

/** How inputs are opened, and arrays cut into units. */
export interface Opening {
  readonly patch: Shape;
  /** What the patch is that of, for messages. */
  readonly patchOf: string | undefined;
  readonly unitSamples: number;
  /** Values that mark missing samples. */
  readonly nodata: readonly number[];
  readonly files: OpenFiles;
  /** Where compressed members are inflated, if there are any. */
  readonly store: TemporaryStore | undefined;
}

export interface Piece {
  readonly from: number;
  readonly rows: number;
}

/** Pieces of a stack: several signals each. */
export function stackPieces([count, ...signal]: Shape, unitSamples: number): Piece[] {
  const each = Math.max(1, Math.min(count, Math.floor(unitSamples / sizeOf(signal))));
  return Array.from({ length: Math.ceil(count / each) }, (_, i) => ({
    from: i * each,
    rows: Math.min(each, count - i * each),
  }));
}

/** Pieces of one signal: each has the first rows of `each` rows of windows, and all rows that the last of these reach. */
export function rowPieces(shape: Shape, patch: Shape, unitSamples: number): Piece[] {
  const reach = patch[0] - 1;
  const origins = shape[0] - reach;
  const rows = Math.floor(unitSamples / sizeOf(shape.slice(1)));
  const each = Math.max(1, Math.min(origins, rows - reach));
  return Array.from({ length: Math.ceil(origins / each) }, (_, i) => ({
    from: i * each,
    rows: Math.min(each, origins - i * each) + reach,
  }));
}

/** The error if a signal is smaller than the patch. */
export function tooSmall(name: string, shape: Shape, patch: Shape): InputError | undefined {
  if (shape.every((size, axis) => size >= patch[axis])) return undefined;
  return new InputError(`${name}: ${formatShape(shape)} is smaller than the patch ${formatShape(patch)}`);
}
