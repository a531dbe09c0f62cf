/**
 * A model prepared for coding signals: its dictionary and Gram matrix on the device.
 * With thousands of atoms, preparing it takes seconds on a CPU.
 */

import { InputError } from "../core/errors.js";
import { type DenseMatrix, SparseColumns } from "../core/matrix.js";
import { requireFinite } from "../core/require.js";
import { sizeOf } from "../core/shape.js";
import { largestMagnitude, powerBelow } from "../core/units.js";
import { type Dictionary, type DictionaryParts, openDictionary } from "../dictionaries/dictionary.js";
import { chooseKernels } from "../kernels/chooseDevice.js";
import type { Kernels, PursuitLimits } from "../kernels/contract.js";
import { type CodingRule, Encoder, resolveLimits, scaleCoding } from "../pursuit/encoder.js";

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

export class Coder {
  readonly model: Codable;
  readonly #dictionary: Dictionary;
  readonly #kernels: Kernels;
  /** Whether the kernels were made here, and so are disposed of here. */
  readonly #owned: boolean;

  private constructor(model: Codable, dictionary: Dictionary, kernels: Kernels, owned: boolean) {
    this.model = model;
    this.#dictionary = dictionary;
    this.#kernels = kernels;
    this.#owned = owned;
  }

  /** Prepare a model, on the caller's kernels or by default on the best available. */
  static async open(model: Codable, given?: Kernels): Promise<Coder> {
    const kernels = given ?? (await chooseKernels()).kernels;
    try {
      return new Coder(model, await openDictionary(model, kernels), kernels, given === undefined);
    } catch (error) {
      if (!given) await kernels.close();
      throw error;
    }
  }

  /** Codes of the columns of Y: at most `sparsity` atoms each, or down to an `error`. */
  async encode(Y: DenseMatrix, coding: CodingRule = this.model.meta.coding): Promise<Codes> {
    const { model } = this;
    requireCodable(model, Y, coding);
    const unit = powerBelow(largestMagnitude(Y.data)); // sums of squares stay in the range of f32
    const { rows: n, cols: m } = this.#dictionary;
    const limits = resolveLimits("Model.encode", scaleCoding(coding, 1 / unit), n, m);
    const means = new Float32Array(Y.cols);
    const X = await this.#encodeParts(Y.cols, limits, (from, to) => {
      const columns = Y.slice(from, to).scaled(1 / unit);
      if (model.meta.removeMean) means.set(removeMeans(columns), from);
      return columns;
    });
    for (let i = 0; i < means.length; i++) means[i] *= unit;
    for (let s = 0; s < X.values.length; s++) X.values[s] *= unit;
    return { X, means };
  }

  /** Codes of `count` columns; `columns(from, to)` is called for each part. */
  async #encodeParts(
    count: number,
    limits: PursuitLimits,
    columns: (from: number, to: number) => DenseMatrix,
  ): Promise<SparseColumns> {
    const D = this.#dictionary;
    const kernels = this.#kernels;
    const capacity = Math.min(panel, count);
    const encoder = new Encoder(D, limits, capacity, kernels);
    const Y = kernels.matrix(D.rows, capacity);
    const parts: SparseColumns[] = [];
    try {
      for (const [from, to] of panels(count)) {
        const part = kernels.head(Y, to - from);
        await kernels.writeMatrix(part, columns(from, to));
        parts.push(tighten(await kernels.readSparse(await encoder.encode(part))));
      }
      return join(parts, D.cols);
    } finally {
      encoder.free();
      kernels.free(Y);
    }
  }

  /** Free all memory. */
  async close(): Promise<void> {
    this.#dictionary.free();
    if (this.#owned) await this.#kernels.close();
  }
}

/** Reject signals of the wrong size and invalid coding rules. */
export function requireCodable({ base, A }: Codable, Y: DenseMatrix, coding: CodingRule): void {
  const n = sizeOf(base.shape);
  if (Y.rows !== n) throw new InputError(`Model.encode: signals must have ${n} samples, got ${Y.rows}`);
  requireFinite("Model.encode", "signals", Y.data);
  resolveLimits("Model.encode", coding, n, A.cols);
}

/** [0, panel), [panel, 2 panel), … up to `count`. */
export function* panels(count: number): Generator<[number, number]> {
  for (let from = 0; from < count; from += panel) yield [from, Math.min(from + panel, count)];
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
  return join([X], X.rows, Math.max(0, ...X.counts));
}

/** Columns of several matrices, one after the other; by default as wide as the widest. */
function join(
  parts: readonly SparseColumns[],
  rows: number,
  width: number = parts.reduce((widest, part) => Math.max(widest, part.width), 0),
): SparseColumns {
  const cols = parts.reduce((total, part) => total + part.cols, 0);
  const result = new SparseColumns(rows, cols, width);
  let at = 0;
  for (const part of parts) {
    for (let j = 0; j < part.cols; j++, at++) {
      const from = j * part.width;
      const to = from + part.counts[j];
      result.indices.set(part.indices.subarray(from, to), at * width);
      result.values.set(part.values.subarray(from, to), at * width);
      result.counts[at] = part.counts[j];
    }
  }
  return result;
}
