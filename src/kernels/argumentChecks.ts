/** Checks of single arguments of the kernels, for checked.ts: sizes, limits, and what comes from the host. */

import { InputError, inputError } from "../core/errors.js";
import { requireInteger, requireOneOf } from "../core/require.js";
import { requireShape, sizeOf } from "../core/shape.js";
import { Matrix64 } from "../linalg/matrix64.js";
import {
  type ColumnRange,
  type DeviceMatrix,
  type DeviceSparse,
  type PursuitLimits,
  pursuitNames,
  type ScalarPlace,
} from "./contract.js";
import type { HandleTable } from "./handleTable.js";

export function requireLimits(
  where: string,
  limits: PursuitLimits,
  X: DeviceSparse,
  path: DeviceMatrix | undefined,
): void {
  requireInteger(where, "limits.sparsity", limits?.sparsity, 0, X.width);
  const { sparsity, residualEnergy } = limits;
  if (!(typeof residualEnergy === "number" && residualEnergy >= 0))
    throw inputError(where, "limits.residualEnergy", "must be a number of at least 0", residualEnergy);
  if (limits.pursuit !== undefined) requireOneOf(where, "limits.pursuit", limits.pursuit, pursuitNames);
  if (path) requireSizes(where, "path", path, [sparsity, X.cols]);
}

/** The most entries of a handle: more than any device holds, and far from where whole numbers lose their digits. */
const mostEntries = 2 ** 40;

/** Sizes of a new handle. */
export function requireEntries(where: string, sizes: Readonly<Record<string, number>>): void {
  for (const [name, size] of Object.entries(sizes)) requireInteger(where, name, size, 0, 2 ** 32);
  const entries = Object.values(sizes).reduce((product, size) => product * size, 1);
  requireInteger(where, Object.keys(sizes).join(" × "), entries, 0, mostEntries);
}

export function requireFactors(where: string, factors: unknown): void {
  const valid =
    Array.isArray(factors) && factors.length > 0 && factors.every((factor) => factor instanceof Matrix64);
  if (!valid) throw inputError(where, "factors", "must be one Matrix64 per axis", factors);
}

export function requireSignals(where: string, list: unknown): void {
  if (!Array.isArray(list)) throw inputError(where, "signals", "must be an array of signals", list);
  for (const [i, signal] of list.entries()) {
    if (!(signal?.data instanceof Float32Array))
      throw inputError(where, `signals[${i}].data`, "must be a Float32Array", signal?.data);
    const size = sizeOf(requireShape(where, `signals[${i}].shape`, signal.shape));
    if (signal.data.length !== size)
      throw inputError(where, `signals[${i}].data`, `must have ${size} samples`, signal.data.length);
  }
}

export function requireHost<T>(
  where: string,
  value: unknown,
  type: new (...args: never[]) => T,
  name: string,
): void {
  if (!(value instanceof type)) throw inputError(where, "source", `must be ${name}`, value);
}

export function requireSizes(
  where: string,
  name: string,
  { rows, cols }: { readonly rows: number; readonly cols: number },
  [expectedRows, expectedCols]: readonly [number, number],
): void {
  if (rows === expectedRows && cols === expectedCols) return;
  throw wrongSizes(where, name, [expectedRows, expectedCols], [rows, cols]);
}

type Sizes = readonly (number | undefined)[];

export function wrongSizes(where: string, argument: string, expected: Sizes, got: Sizes): InputError {
  const rule = `must be ${expected.join(" × ")}`;
  return new InputError(`${argument} ${rule}, got ${got.join(" × ")}`, { where, argument, rule });
}

/** A Uint32Array, of this length if one is given. */
export function requireWords(where: string, name: string, value: unknown, length?: number): void {
  if (!(value instanceof Uint32Array)) throw inputError(where, name, "must be a Uint32Array", value);
  if (length === undefined || value.length === length) return;
  throw inputError(where, name, `must have ${length} entries`, value.length);
}

export function requireNumber(where: string, name: string, value: unknown): void {
  if (!Number.isFinite(value)) throw inputError(where, name, "must be a finite number", value);
}

export function requireSlot(where: string, name: string, slot: unknown, { rows, cols }: DeviceMatrix): void {
  requireInteger(where, name, slot, 0, rows * cols - 1);
}

/** Columns of A for `count` others. */
export function requireRange(
  where: string,
  name: string,
  range: ColumnRange,
  count: number,
  A: DeviceSparse,
): void {
  const step = range?.step ?? 1;
  requireInteger(where, `${name}.step`, step, 1);
  const most = count === 0 ? Infinity : A.cols - 1 - (count - 1) * step;
  requireInteger(where, `${name}.first`, range?.first, 0, most);
}

export function requirePlace(where: string, table: HandleTable, place: ScalarPlace): void {
  table.requireHandle(where, "energy.scalars", place?.scalars, "matrix");
  requireSlot(where, "energy.slot", place.slot, place.scalars);
}
