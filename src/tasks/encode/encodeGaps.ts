/**
 * Codes of windows with missing samples: over the known samples of each
 * (maskedPursuit.ts), so that decoding fills its gaps. A window takes at most a quarter as
 * many atoms as it knows samples, as in inpainting: more could fill the gaps with anything.
 * A window that knows nothing gets the mean of its signal.
 */

import { type DenseMatrix, SparseColumns } from "../../core/matrix.js";
import type { Kernels } from "../../kernels/contract.js";
import type { Codes } from "../../model/coder.js";
import type { Model } from "../../model/model.js";
import type { CodingRule } from "../../pursuit/encoder.js";
import { MaskedPursuit } from "../restore/maskedPursuit.js";

/** The most atoms of a code, per known sample. */
const atomsPerSample = 1 / 4;

export interface GapWindows {
  /** One window per column, NaN where a sample is missing. */
  readonly Y: DenseMatrix;
  /** The means of the known samples of the signals that the windows are of. */
  readonly signalMeans: readonly number[];
}

export async function encodeGaps(
  model: Model,
  { Y, signalMeans }: GapWindows,
  { error, sparsity, pursuit: given }: CodingRule,
  kernels: Kernels,
): Promise<Codes> {
  const limits = {
    residualEnergy: (known: number) => (error === undefined ? 0 : known * error * error),
    maxAtoms: (known: number) => Math.min(sparsity ?? known, Math.floor(known * atomsPerSample)),
    pursuit: given ?? model.meta.coding.pursuit,
  };
  const pursuit = await MaskedPursuit.create(model, limits, kernels);
  const means = Float32Array.from(signalMeans, (mean) => (model.meta.removeMean ? mean : 0));
  const parts: SparseColumns[] = [];
  try {
    for (let from = 0; from < Y.cols; from += pursuit.capacity) {
      const to = Math.min(from + pursuit.capacity, Y.cols);
      const part = Y.slice(from, to).copy();
      const known = Uint8Array.from(part.data, (value) => (Number.isNaN(value) ? 0 : 1));
      for (let i = 0; i < part.cols; i++)
        means[from + i] = centre(part.column(i), means[from + i], model.meta.removeMean);
      parts.push(await pursuit.encode(part, known));
    }
  } finally {
    pursuit.free();
  }
  return { X: join(parts, model.A.cols), means };
}

/** Subtract the mean of the known samples, and set the others to 0; returns the mean, `fallback` if none is known. */
function centre(column: Float32Array, fallback: number, removeMean: boolean): number {
  const known = column.filter((value) => !Number.isNaN(value));
  const sum = known.reduce((total, value) => total + value, 0);
  const mean = known.length === 0 ? fallback : removeMean ? Math.fround(sum / known.length) : 0;
  for (let r = 0; r < column.length; r++) column[r] = Number.isNaN(column[r]) ? 0 : column[r] - mean;
  return mean;
}

function join(parts: readonly SparseColumns[], rows: number): SparseColumns {
  const cols = parts.reduce((total, part) => total + part.cols, 0);
  const width = parts.reduce((widest, { counts }) => Math.max(widest, ...counts), 0);
  const X = new SparseColumns(rows, cols, width);
  let at = 0;
  for (const part of parts) for (let j = 0; j < part.cols; j++, at++) X.copyColumn(part, j, at);
  return X;
}
