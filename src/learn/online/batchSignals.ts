/** Batches as they come, as signals that windows are cut from: matrices of examples, or any signals of at least the patch's size. */

import { either, matrix, requireArgument, signalData } from "../../core/arguments/argumentTypes.js";
import { InputError, inputError } from "../../core/errors.js";
import { DenseMatrix } from "../../core/matrix.js";
import { type Shape, sizeOf } from "../../core/shape.js";
import { makeSignal, type Signal } from "../../core/signal.js";
import { gapFreeSignals } from "../../data/sampling/gapFreeWindows.js";
import type { Windowed } from "../../data/sampling/patchSampler.js";
import { isSource, type SignalData, signalsFrom } from "../../data/sampling/signalSource.js";

/** Examples: a matrix with one in each column, row-major within it; or signals, whose windows are the examples. */
export type ExampleBatch = DenseMatrix | SignalData;

const batchType = either("a matrix with one example per column, or signals", matrix, signalData);

/** Samples per signal of a matrix: devices limit the size of a signal. */
const largestSignal = 2 ** 22;

/** The signals of a batch, and the windows of them that are examples. */
export function batchSignals(
  where: string,
  batch: ExampleBatch,
  patch: Shape,
  nodata: readonly number[],
): readonly (Signal & Windowed)[] {
  requireArgument(where, "batch", batch, batchType);
  if (isMatrix(batch)) return matrixSignals(where, batch, patch);
  const signals = signalsFrom(where, batch, patch, nodata);
  if (isSource(signals)) throw inputError(where, "batch", "must be signals in memory", batch);
  return gapFreeSignals(signals, patch).signals;
}

function isMatrix(batch: ExampleBatch): batch is DenseMatrix {
  return matrix.accepts(batch);
}

/** Examples stacked along the first axis, so that every window but those at multiples of its size holds parts of two. */
function matrixSignals(where: string, Y: DenseMatrix, patch: Shape): (Signal & Windowed)[] {
  const n = sizeOf(patch);
  if (Y.rows !== n)
    throw inputError(where, "batch", `must have ${n} rows, the samples of an example`, Y.rows);
  if (Y.cols === 0) throw new InputError("batch must hold at least one example, got none", { where });
  const together = Math.max(1, Math.floor(largestSignal / n));
  const signals: (Signal & Windowed)[] = [];
  for (let from = 0; from < Y.cols; from += together) {
    const count = Math.min(together, Y.cols - from);
    const { data } = new DenseMatrix(n, count, Y.data.subarray(from * n, (from + count) * n));
    const shape = [count * patch[0], ...patch.slice(1)];
    const usable = { count, at: (i: number) => i * patch[0] };
    signals.push({ ...makeSignal("batch", shape, data), usable });
  }
  return signals;
}
