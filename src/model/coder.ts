/**
 * A model prepared for coding signals: its dictionary and Gram matrix on the device.
 * With thousands of atoms, preparing it takes seconds on a CPU.
 */

import {
  float32,
  kernels as kernelsType,
  matrix,
  model as modelType,
  optional,
  record,
  requireArgument,
  requireArguments,
  requireOptions,
  sparseColumns,
} from "../core/arguments/argumentTypes.js";
import { asyncDispose, type Closable } from "../core/disposal.js";
import { InputError } from "../core/errors.js";
import { DenseMatrix, SparseColumns } from "../core/matrix.js";
import { requireFinite } from "../core/require.js";
import { sizeOf } from "../core/shape.js";
import { exponentOf, largestMagnitude, largestMagnitudes } from "../core/units.js";
import { type Dictionary, type DictionaryParts, openDictionary } from "../dictionaries/dictionary.js";
import { chooseKernels } from "../kernels/chooseDevice.js";
import type { Kernels, PursuitLimits } from "../kernels/contract.js";
import { HandleScope, withKernels } from "../kernels/handleScope.js";
import { type CodingRule, codingTypes, Encoder, resolveLimits, scaleCoding } from "../pursuit/encoder.js";

/** Codes of signals: X (m × N) and the means removed from the signals. */
export interface Codes {
  readonly X: SparseColumns;
  /** One per signal; zeros if means are not removed. */
  readonly means: Float32Array;
}

/** What coding needs to know about a model. */
export interface Codable extends DictionaryParts {
  readonly A: SparseColumns;
  readonly meta: { readonly removeMean: boolean; readonly coding: CodingRule };
}

/** Columns processed at a time. */
export const panel = 512;
/** Bytes of signals and correlations that are coded at a time, if that is more columns. */
const partBytes = 2 ** 26;

export class Coder implements Closable {
  readonly model: Codable;
  readonly #dictionary: Dictionary;
  readonly #scope: HandleScope;
  /** Whether the kernels were made here, and so are disposed of here. */
  readonly #owned: boolean;

  private constructor(model: Codable, dictionary: Dictionary, scope: HandleScope, owned: boolean) {
    this.model = model;
    this.#dictionary = dictionary;
    this.#scope = scope;
    this.#owned = owned;
  }

  /** Prepare a model, on the caller's kernels or by default on the best available. */
  static async open(model: Codable, given?: Kernels): Promise<Coder> {
    requireArguments("Coder.open", { model: [model, modelType], kernels: [given, optional(kernelsType)] });
    const kernels = given ?? (await chooseKernels()).kernels;
    const scope = new HandleScope(kernels);
    try {
      return new Coder(model, await openDictionary(model, scope.kernels), scope, given === undefined);
    } catch (error) {
      scope.freeAll();
      if (!given) await kernels.close();
      throw error;
    }
  }

  /**
   * Codes of the columns of Y: at most `sparsity` atoms each, or down to an `error`, by the `pursuit` of the model
   * unless another is given. Columns of very different magnitudes are coded apart, each in units of its own, so that
   * the code of a column depends on it alone.
   */
  async encode(Y: DenseMatrix, given: CodingRule = this.model.meta.coding): Promise<Codes> {
    const { model } = this;
    requireSignals(model, Y, given);
    const coding = { ...given, pursuit: given.pursuit ?? model.meta.coding.pursuit };
    const { rows: n, cols: m } = this.#dictionary;
    const means = new Float32Array(Y.cols);
    const parts: SparseColumns[] = [];
    const classes = magnitudeClasses(Y);
    for (const { unit, columns } of classes) {
      const limits = resolveLimits("Model.encode", scaleCoding(coding, 1 / unit), n, m);
      const X = await this.#encodeParts(columns.length, limits, (from, to) => {
        const whole = unit === 1 && columns.length === Y.cols;
        if (whole && !model.meta.removeMean) return Y.slice(from, to);
        const part = gather(Y, columns.subarray(from, to), 1 / unit);
        if (model.meta.removeMean)
          removeMeans(part).forEach((mean, i) => {
            means[columns[from + i]] = mean * unit;
          });
        return part;
      });
      if (unit !== 1) for (let s = 0; s < X.values.length; s++) X.values[s] *= unit;
      requireFiniteCodes(X, columns, Y);
      parts.push(X);
    }
    const [first] = parts;
    return { X: parts.length === 1 ? first : scatter(parts, classes, m), means };
  }

  /** Codes of `count` columns; `columns(from, to)` is called for each part. */
  async #encodeParts(
    count: number,
    limits: PursuitLimits,
    columns: (from: number, to: number) => DenseMatrix,
  ): Promise<SparseColumns> {
    const D = this.#dictionary;
    const capacity = Math.min(count, Math.max(panel, Math.floor(partBytes / (4 * (D.rows + D.cols)))));
    return withKernels(this.#scope.kernels, async (kernels) => {
      const encoder = new Encoder(D, limits, capacity, kernels);
      const Y = kernels.matrix(D.rows, capacity);
      const parts: SparseColumns[] = [];
      for (const [from, to] of panels(count, capacity)) {
        const part = kernels.head(Y, to - from);
        await kernels.writeMatrix(part, columns(from, to));
        parts.push(tighten(await kernels.readSparse(await encoder.encode(part))));
      }
      return join(parts, D.cols);
    });
  }

  /** Free all memory. Closing twice does nothing. */
  async close(): Promise<void> {
    this.#scope.freeAll();
    if (this.#owned) await this.#scope.kernels.close();
  }

  [asyncDispose](): Promise<void> {
    return this.close();
  }
}

/** Reject signals of the wrong size, signals that are not finite and invalid coding rules. */
export function requireCodable(model: Codable, Y: DenseMatrix, coding: CodingRule): void {
  requireSignals(model, Y, coding);
  requireFiniteSignals(Y);
}

/** The largest magnitude of each signal; all must be finite. */
function requireFiniteSignals(Y: DenseMatrix): Float32Array {
  const largest = largestMagnitudes(Y.data, Y.cols);
  if (!largest.every(Number.isFinite)) requireFinite("Model.encode", "signals", Y.data);
  return largest;
}

function requireSignals({ base, A }: Codable, Y: DenseMatrix, coding: CodingRule): void {
  requireArgument("Model.encode", "signals", Y, matrix);
  requireOptions("Model.encode: coding", coding, codingTypes);
  const n = sizeOf(base.shape);
  if (Y.rows !== n) throw new InputError(`Model.encode: signals must have ${n} samples, got ${Y.rows}`);
  resolveLimits("Model.encode", coding, n, A.cols);
}

/** Columns whose largest samples are of similar magnitude, and the power of two they are coded in units of. */
interface MagnitudeClass {
  readonly unit: number;
  readonly columns: Uint32Array;
}

/** Octaves of a class: sums of squares of its columns, and of what is left of them, stay in the range of f32. */
const octaves = 40;

/** The columns of a matrix in classes of magnitude; one class unless they differ by a factor of about a million. */
function magnitudeClasses(Y: DenseMatrix): MagnitudeClass[] {
  const exponents = Array.from(requireFiniteSignals(Y), (largest) =>
    largest > 0 ? exponentOf(largest) : undefined,
  );
  if (exponents.every((e = 0) => Math.abs(e) < octaves / 2))
    // their own units will do
    return [{ unit: 1, columns: Uint32Array.from({ length: Y.cols }, (_, j) => j) }];
  const sorted = Int16Array.from(exponents.filter((e) => e !== undefined)).sort();
  const middle = sorted[sorted.length >> 1] ?? 0; // most columns are within half a class of it
  const classes = new Map<number, number[]>();
  exponents.forEach((e = middle, j) => {
    const number = Math.floor((e - middle + octaves / 2) / octaves);
    const members = classes.get(number) ?? [];
    members.push(j);
    classes.set(number, members);
  });
  if (classes.size === 0) classes.set(0, []);
  return Array.from(classes, ([number, members]) => ({
    unit: 2 ** (middle + octaves * number),
    columns: Uint32Array.from(members),
  }));
}

/** Some columns of a matrix, multiplied by a factor. */
function gather(Y: DenseMatrix, columns: Uint32Array, factor: number): DenseMatrix {
  const part = new DenseMatrix(Y.rows, columns.length);
  columns.forEach((j, i) => {
    const [from, to] = [Y.column(j), part.column(i)];
    for (let r = 0; r < to.length; r++) to[r] = from[r] * factor;
  });
  return part;
}

/** The codes of several classes in the order of their columns. */
function scatter(
  parts: readonly SparseColumns[],
  classes: readonly MagnitudeClass[],
  rows: number,
): SparseColumns {
  const cols = parts.reduce((total, part) => total + part.cols, 0);
  const width = parts.reduce((widest, part) => Math.max(widest, part.width), 0);
  const result = new SparseColumns(rows, cols, width);
  parts.forEach((part, c) => {
    classes[c].columns.forEach((column, j) => {
      result.copyColumn(part, j, column);
    });
  });
  return result;
}

/** Reject codes beyond f32: those of samples near its largest number may be. */
function requireFiniteCodes(X: SparseColumns, columns: Uint32Array, Y: DenseMatrix): void {
  const bad = X.values.findIndex((value) => !Number.isFinite(value));
  if (bad < 0) return;
  const column = columns[Math.floor(bad / X.width)];
  const largest = largestMagnitude(Y.column(column));
  throw new InputError(
    `the code of signal ${column} is beyond float32 (3.4e38): its samples reach ${largest.toPrecision(8)}`,
    { where: "Model.encode", argument: "signals", value: largest },
  );
}

/** Reject what is not codes. */
export function requireCodes(where: string, codes: Codes): void {
  requireArgument(where, "codes", codes, record);
  requireArguments(where, { "codes.X": [codes.X, sparseColumns], "codes.means": [codes.means, float32] });
}

/** [0, size), [size, 2 size), … up to `count`. */
export function* panels(count: number, size = panel): Generator<[number, number]> {
  for (let from = 0; from < count; from += size) yield [from, Math.min(from + size, count)];
}

/** Subtract the mean of each column, in place; returns the means. */
function removeMeans(Y: DenseMatrix): Float32Array {
  return Float32Array.from({ length: Y.cols }, (_, i) => {
    const column = Y.column(i);
    const mean = Math.fround(column.reduce((sum, value) => sum + value, 0) / column.length);
    for (let r = 0; r < column.length; r++) column[r] -= mean;
    return mean;
  });
}

/** The same columns with no more room than they need: coding down to an error may use few of many slots. */
function tighten(X: SparseColumns): SparseColumns {
  return join(
    [X],
    X.rows,
    X.counts.reduce((most, count) => Math.max(most, count), 0),
  );
}

/** Columns of several matrices, one after the other; by default as wide as the widest. */
function join(
  parts: readonly SparseColumns[],
  rows: number,
  width: number = parts.reduce((widest, part) => Math.max(widest, part.width), 0),
): SparseColumns {
  if (parts.length === 1 && parts[0].width === width) return parts[0];
  const cols = parts.reduce((total, part) => total + part.cols, 0);
  const result = new SparseColumns(rows, cols, width);
  let at = 0;
  for (const part of parts) for (let j = 0; j < part.cols; j++, at++) result.copyColumn(part, j, at);
  return result;
}
