/**
 * One pass of patch denoising: every window of a signal is coded down to the noise,
 * and the signal is the average of what the codes stand for. With the dictionary
 * fixed it minimises equation (14) of [Sulam16] over the codes, then over the image z:
 *
 *     xᵢ = argmin ‖x‖₀  s.t. ‖Dx − Pᵢy‖² ≤ ε²         error-constrained OMP
 *     z  = (λ/2 I + Σᵢ PᵢᵀPᵢ)⁻¹ (λ/2 y + Σᵢ PᵢᵀDxᵢ)     a weighted average, sample by sample
 *
 * Windows are cut, coded and added up a batch at a time, all where the kernels compute;
 * only the sums come back, in the end. Memory is that of the signal and a batch. A code of few
 * atoms is added up faster from D itself (n per atom) than through ΦA, so D is kept as well.
 */

import { EventLoopPause } from "../../core/eventLoop.js";
import { type Shape, sizeOf } from "../../core/shape.js";
import type { Signal } from "../../core/signal.js";
import { openDictionary } from "../../dictionaries/dictionary.js";
import type { DeviceMatrix, Kernels } from "../../kernels/contract.js";
import type { Model } from "../../model/model.js";
import { Encoder } from "../../pursuit/encoder.js";
import { WindowGrid } from "./overlap.js";

export interface PassOptions {
  readonly model: Model;
  /** ε²: what is left of each window by its code. */
  readonly residualEnergy: number;
  /** The most atoms of a code. */
  readonly maxAtoms: number;
  readonly stride: Shape;
  /** λ of (14): the weight of the signal itself. */
  readonly lambda: number;
  readonly kernels: Kernels;
  /** Called with the windows done, of all; it may throw to end the pass. */
  readonly onProgress: (done: number, total: number) => void;
}

/** Windows coded at a time: enough to keep a GPU busy, fewer if they are large. */
const batch = { windows: 8192, samples: 2 ** 21 };

/** z of (14) for each signal y. */
export async function denoisePass(signals: readonly Signal[], options: PassOptions): Promise<Signal[]> {
  const { model, kernels, stride, residualEnergy, maxAtoms, lambda, onProgress } = options;
  const grids = signals.map(({ shape }) => new WindowGrid(shape, model.shape, stride));
  const total = grids.reduce((sum, { count }) => sum + count, 0);
  const atOnce = Math.max(1, Math.min(batch.windows, Math.floor(batch.samples / sizeOf(model.shape))));
  const capacity = Math.min(atOnce, Math.max(...grids.map(({ count }) => count)));
  const dictionary = await openDictionary(model, kernels);
  const encoder = new Encoder(dictionary, { sparsity: maxAtoms, residualEnergy }, capacity, kernels);
  const D = kernels.matrix(dictionary.rows, dictionary.cols);
  const [Y, means] = [kernels.matrix(dictionary.rows, capacity), kernels.matrix(1, capacity)];
  const work = { ...options, encoder, D, Y, means };
  let before = 0;
  const results: Signal[] = [];
  try {
    await kernels.writeMatrix(D, await model.atoms(kernels));
    for (const [s, signal] of signals.entries()) {
      const done = before;
      const sum = await codeWindows(signal, grids[s], work, (count) => onProgress(done + count, total));
      results.push(averaged(signal, sum, grids[s].coverage(), lambda / 2));
      before += grids[s].count;
    }
    return results;
  } finally {
    encoder.free();
    dictionary.free();
    kernels.free(D, Y, means);
  }
}

interface PassWork extends PassOptions {
  readonly encoder: Encoder;
  /** The atoms. */
  readonly D: DeviceMatrix;
  /** Room for a batch, and for the means of its windows. */
  readonly Y: DeviceMatrix;
  readonly means: DeviceMatrix;
}

/** Σᵢ PᵢᵀDxᵢ over all windows of a signal. */
async function codeWindows(
  signal: Signal,
  grid: WindowGrid,
  { model, encoder, kernels, D, Y, means }: PassWork,
  onProgress: (count: number) => void,
): Promise<Float32Array> {
  const store = kernels.signals([signal]);
  const sum = kernels.matrix(signal.data.length, 1);
  const pause = new EventLoopPause();
  try {
    for (let from = 0; from < grid.count; from += encoder.capacity) {
      const windows = grid.windows(from, Math.min(from + encoder.capacity, grid.count));
      const y = kernels.head(Y, windows.start.length);
      const mean = model.meta.removeMean ? kernels.head(means, y.cols) : null;
      await kernels.extract(store, windows, model.shape, y, mean);
      await kernels.combine(D, await encoder.encode(y), y);
      await kernels.addWindows(y, mean, windows.start, model.shape, signal.shape, sum);
      await pause.ifDue();
      onProgress(from + y.cols);
    }
    return (await kernels.readMatrix(sum)).data;
  } finally {
    kernels.free(store, sum);
  }
}

/** The average with the signal itself, in the memory of the sum. */
function averaged(
  { name, shape, data }: Signal,
  sum: Float32Array,
  coverage: Float32Array,
  own: number,
): Signal {
  for (let i = 0; i < sum.length; i++) sum[i] = (own * data[i] + sum[i]) / (own + coverage[i]);
  return { name, shape, data: sum };
}
