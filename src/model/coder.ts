/**
 * A model ready to code signals: its dictionary and Gram matrix where the kernels
 * compute, prepared once. With thousands of atoms that takes seconds on a processor.
 */

import { InputError } from "../core/errors.js";
import { DenseMatrix, SparseColumns } from "../core/matrix.js";
import { requireFinite } from "../core/require.js";
import { sizeOf } from "../core/shape.js";
import { largestMagnitude, powerBelow } from "../core/units.js";
import { type Dictionary, type DictionaryParts, openDictionary } from "../dictionaries/dictionary.js";
import { chooseKernels } from "../kernels/choose.js";
import type { Kernels } from "../kernels/contract.js";
import { Encoder } from "../pursuit/encoder.js";
import { type CodingRule, resolveLimits, scaleRule } from "../pursuit/limits.js";

/** Codes of signals: X (m × N) and the means taken out of them. */
export interface Codes {
  readonly X: SparseColumns;
  /** One an example; zeros where means are not removed. */
  readonly means: Float32Array;
}

/** What coding needs to know of a model. */
export interface Codable extends DictionaryParts {
  readonly A: SparseColumns;
  readonly meta: { readonly removeMean: boolean; readonly coding: CodingRule };
}

/** Columns worked on at a time. */
export const panel = 512;

export class Coder {
  readonly model: Codable;
  readonly #dictionary: Dictionary;
  readonly #kernels: Kernels;
  /** Whether the kernels are its own. */
  readonly #owned: boolean;

  private constructor(model: Codable, dictionary: Dictionary, kernels: Kernels, owned: boolean) {
    this.model = model;
    this.#dictionary = dictionary;
    this.#kernels = kernels;
    this.#owned = owned;
  }

  /** Prepare a model, on the caller's kernels or on the best there are. */
  static async open(model: Codable, given?: Kernels): Promise<Coder> {
    const kernels = given ?? (await chooseKernels()).kernels;
    try {
      return new Coder(model, await openDictionary(model, kernels), kernels, given === undefined);
    } catch (error) {
      if (!given) await kernels.dispose();
      throw error;
    }
  }

  /** Codes of the columns of Y: at most `sparsity` atoms each, or down to an `error`. */
  async encode(Y: DenseMatrix, rule: CodingRule = this.model.meta.coding): Promise<Codes> {
    const { model } = this;
    requireCodable(model, Y, rule);
    const unit = powerBelow(largestMagnitude(Y.data)); // sums of squares stay in the range of f32
    const { rows: n, cols: m } = this.#dictionary;
    const limits = resolveLimits("Model.encode", scaleRule(rule, 1 / unit), n, m);
    const means = new Float32Array(Y.cols);
    const X = await this.#encodeParts(Y.cols, limits, (from, to) => {
      const columns = scaled(Y.slice(from, to), 1 / unit);
      if (model.meta.removeMean) means.set(removeMeans(columns), from);
      return columns;
    });
    for (let i = 0; i < means.length; i++) means[i] *= unit;
    for (let s = 0; s < X.values.length; s++) X.values[s] *= unit;
    return { X, means };
  }

  /** Codes of so many columns, which are asked for as they are needed. */
  async #encodeParts(
    count: number,
    limits: ReturnType<typeof resolveLimits>,
    columns: (from: number, to: number) => DenseMatrix,
  ): Promise<SparseColumns> {
    const [D, kernels, room] = [this.#dictionary, this.#kernels, Math.min(panel, count)];
    const encoder = new Encoder(D, limits, room, kernels);
    const held = kernels.matrix(D.rows, room);
    const parts: SparseColumns[] = [];
    try {
      for (const [from, to] of panels(count)) {
        const part = kernels.head(held, to - from);
        await kernels.writeMatrix(part, columns(from, to));
        parts.push(tighten(await kernels.readSparse(await encoder.encode(part))));
      }
      return join(parts, D.cols);
    } finally {
      encoder.free();
      kernels.free(held);
    }
  }

  /** Give everything back. */
  async close(): Promise<void> {
    this.#dictionary.free();
    if (this.#owned) await this.#kernels.dispose();
  }
}

/** Refuse signals that are none of the model's, and a rule that is none. */
export function requireCodable({ base, A }: Codable, Y: DenseMatrix, rule: CodingRule): void {
  const n = sizeOf(base.shape);
  if (Y.rows !== n) throw new InputError(`Model.encode: signals must have ${n} samples, got ${Y.rows}`);
  requireFinite("Model.encode", "signals", Y.data);
  resolveLimits("Model.encode", rule, n, A.cols);
}

/** [0, panel), [panel, 2 panel), … up to `count`. */
export function* panels(count: number): Generator<[number, number]> {
  for (let from = 0; from < count; from += panel) yield [from, Math.min(from + panel, count)];
}

function scaled(Y: DenseMatrix, factor: number): DenseMatrix {
  return new DenseMatrix(
    Y.rows,
    Y.cols,
    Y.data.map((value) => value * factor),
  );
}

/** Subtract each column's mean, in place; the means. */
function removeMeans(Y: DenseMatrix): Float32Array {
  return Float32Array.from({ length: Y.cols }, (_, i) => {
    const column = Y.column(i);
    const mean = Math.fround(column.reduce((sum, value) => sum + value, 0) / column.length);
    for (let r = 0; r < column.length; r++) column[r] -= mean;
    return mean;
  });
}

/** The same columns with no more room than they need: a pursuit down to an error may take few of many slots. */
function tighten(X: SparseColumns): SparseColumns {
  const width = X.counts.reduce((most, count) => Math.max(most, count), 0);
  return join([X], X.rows, width);
}

/** Columns one after the other, as wide as the widest unless told. */
function join(parts: readonly SparseColumns[], rows: number, width?: number): SparseColumns {
  const room = width ?? parts.reduce((most, part) => Math.max(most, part.width), 0);
  const result = new SparseColumns(
    rows,
    parts.reduce((total, part) => total + part.cols, 0),
    room,
  );
  let at = 0;
  for (const part of parts) {
    for (let j = 0; j < part.cols; j++, at++) {
      const [from, to] = [j * part.width, j * part.width + part.counts[j]];
      result.indices.set(part.indices.subarray(from, to), at * room);
      result.values.set(part.values.subarray(from, to), at * room);
      result.counts[at] = part.counts[j];
    }
  }
  return result;
}
