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

/** Columns [from, to) of what is coded. */
type PartOf = (from: number, to: number) => DenseMatrix;

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

  /** A model that codes once. Signals and coding rule are checked before it is prepared, which may take long. */
  static async encodeOnce(
    model: Codable,
    Y: DenseMatrix,
    coding: CodingRule,
    given?: Kernels,
  ): Promise<Codes> {
    requireSignals(model, Y, coding);
    const coder = await Coder.open(model, given);
    try {
      return await coder.encode(Y, coding);
    } finally {
      await coder.close();
    }
  }

  /**
   * Codes of the columns of Y: at most `sparsity` atoms each, or down to an `error`, by the `pursuit` of the model
   * unless another is given. Columns of very different magnitudes are coded apart, each in units of its own, so that
   * the code of a column depends on it alone.
   */
  async encode(Y: DenseMatrix, given: CodingRule = this.model.meta.coding): Promise<Codes> {
    const { meta } = this.model;
    requireSignals(this.model, Y, given);
    const coding = { ...given, pursuit: given.pursuit ?? meta.coding.pursuit };
    const X = meta.removeMean ? undefined : await this.#encodeUsual(Y, coding);
    return X ? { X, means: new Float32Array(Y.cols) } : this.#encodeClasses(Y, coding);
  }

  /** Codes of signals as they are, if all are of usual magnitudes: their energies show it, without a pass on the host. */
  async #encodeUsual(Y: DenseMatrix, coding: CodingRule): Promise<SparseColumns | undefined> {
    const { rows: n, cols: m } = this.#dictionary;
    const limits = resolveLimits("Model.encode", coding, n, m);
    const part = (from: number, to: number) => Y.slice(from, to);
    const X = await this.#encodeParts(Y.cols, limits, part, (energies, from) =>
      energies.every(
        (energy, i) => isUsualEnergy(energy, n) || isUsual(largestMagnitude(Y.column(from + i))),
      ),
    );
    if (X) requireFiniteCodes(X, (j) => Y.column(j));
    return X;
  }

  async #encodeClasses(Y: DenseMatrix, coding: CodingRule): Promise<Codes> {
    const { removeMean } = this.model.meta;
    const { rows: n, cols: m } = this.#dictionary;
    const means = new Float32Array(Y.cols);
    const parts: SparseColumns[] = [];
    const classes = magnitudeClasses(Y);
    for (const { unit, columns } of classes) {
      const limits = resolveLimits("Model.encode", scaleCoding(coding, 1 / unit), n, m);
      const X = await this.#encodeParts(columns.length, limits, (from, to) => {
        const part = gather(Y, columns.subarray(from, to), 1 / unit);
        if (removeMean)
          removeMeans(part).forEach((mean, i) => {
            means[columns[from + i]] = mean * unit;
          });
        return part;
      });
      if (unit !== 1) for (let s = 0; s < X.values.length; s++) X.values[s] *= unit;
      requireFiniteCodes(X, (j) => Y.column(columns[j]), columns);
      parts.push(X);
    }
    const [first] = parts;
    return { X: parts.length === 1 ? first : scatter(parts, classes, m), means };
  }

  /**
   * Codes of `count` columns; `columns(from, to)` is called for each part. If `accepts` is given, it looks at the
   * energies of each part, and ends the coding if it returns false.
   */
  #encodeParts(count: number, limits: PursuitLimits, columns: PartOf): Promise<SparseColumns>;
  #encodeParts(
    count: number,
    limits: PursuitLimits,
    columns: PartOf,
    accepts: (energies: Float32Array, from: number) => boolean,
  ): Promise<SparseColumns | undefined>;
  async #encodeParts(
    count: number,
    limits: PursuitLimits,
    columns: PartOf,
    accepts?: (energies: Float32Array, from: number) => boolean,
  ): Promise<SparseColumns | undefined> {
    const D = this.#dictionary;
    const capacity = Math.min(count, Math.max(panel, Math.floor(partBytes / (4 * (D.rows + D.cols)))));
    return withKernels(this.#scope.kernels, async (kernels) => {
      const encoder = new Encoder(D, limits, capacity, kernels);
      const [Y, energies] = [kernels.matrix(D.rows, capacity), kernels.matrix(1, capacity)];
      const parts: SparseColumns[] = [];
      for (const [from, to] of panels(count, capacity)) {
        const [part, e] = [kernels.head(Y, to - from), kernels.head(energies, to - from)];
        await kernels.writeMatrix(part, columns(from, to));
        if (accepts) await kernels.columnEnergies(part, e);
        const reads = [
          kernels.readSparse(await encoder.encode(part)),
          accepts && kernels.readMatrix(e),
        ] as const;
        const [X, found] = await Promise.all(reads); // one round trip
        if (found && accepts?.(found.data, from) === false) return undefined;
        parts.push(tighten(X));
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

/** The largest magnitude of each signal; all must be finite. */
function requireFiniteSignals(Y: DenseMatrix): Float32Array {
  const largest = largestMagnitudes(Y.data, Y.cols);
  if (!largest.every(Number.isFinite)) requireFinite("Model.encode", "signals", Y.data);
  return largest;
}

/** Reject signals of the wrong size and invalid coding rules. */
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

/** Whether signals with this largest magnitude are coded in their own units. */
function isUsual(largest: number): boolean {
  return largest === 0 || (Number.isFinite(largest) && Math.abs(exponentOf(largest)) < octaves / 2);
}

/** Whether the largest of n samples is usual, whichever it is, if the sum of their squares is this. */
function isUsualEnergy(energy: number, n: number): boolean {
  return energy > n * 2 ** (4 - octaves) && energy < 2 ** (octaves - 2);
}

/** The columns of a matrix in classes of magnitude; one class unless they differ by a factor of about a million. */
function magnitudeClasses(Y: DenseMatrix): MagnitudeClass[] {
  const largest = requireFiniteSignals(Y);
  if (largest.every(isUsual))
    return [{ unit: 1, columns: Uint32Array.from({ length: Y.cols }, (_, j) => j) }];
  const exponents = Array.from(largest, (most) => (most > 0 ? exponentOf(most) : undefined));
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
function requireFiniteCodes(
  X: SparseColumns,
  signalOf: (code: number) => Float32Array,
  columns?: Uint32Array,
): void {
  const [most] = largestMagnitudes(X.values, 1);
  if (!(most >= Infinity || Number.isNaN(most))) return;
  const bad = Math.floor(X.values.findIndex((value) => !Number.isFinite(value)) / X.width);
  const largest = largestMagnitude(signalOf(bad));
  throw new InputError(
    `the code of signal ${columns?.[bad] ?? bad} is beyond float32 (3.4e38): its samples reach ${largest.toPrecision(8)}`,
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
    let sum = 0;
    for (let r = 0; r < column.length; r++) sum += column[r];
    const mean = Math.fround(sum / column.length);
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
export function join(
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
