/**
 * One pass of patch denoising: every window of a signal is coded down to the noise,
 * and the signal is the average of what the codes stand for. With the dictionary
 * fixed it minimises equation (14) of [Sulam16] over the codes, then over the image z:
 *
 *     xᵢ = argmin ‖x‖₀  s.t. ‖Dx − Pᵢy‖² ≤ ε²         error-constrained OMP
 *     z  = (λ/2 I + Σᵢ PᵢᵀPᵢ)⁻¹ (λ/2 y + Σᵢ PᵢᵀDxᵢ)     a weighted average, sample by sample
 *
 * Windows are cut, coded and put back a batch at a time: all but the sums happens
 * where the kernels compute, which are given the next batch before the last is added
 * up; memory is that of the signal and two batches. A code of
 * few atoms is sooner added up from D itself (n an atom) than through ΦA, so D is there too.
 */

import { Breath } from "../core/breath.js";
import { type Shape, sizeOf } from "../core/shape.js";
import type { Signal } from "../core/signal.js";
import { openDictionary } from "../dictionaries/openDictionary.js";
import type { DeviceMatrix, Kernels } from "../kernels/contract.js";
import type { Model } from "../model/model.js";
import { Encoder } from "../pursuit/encoder.js";
import { OverlapSum, WindowGrid } from "./overlap.js";

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
  /** Windows done, of all; it may throw to end the pass. */
  readonly onProgress: (done: number, total: number) => void;
}

/** What is coded at a time: a GPU is busy with so many windows, and large ones are fewer. */
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
  const slot = () => ({ Y: kernels.matrix(dictionary.rows, capacity), means: kernels.matrix(1, capacity) });
  const slots = [slot(), slot()] as const;
  const work = { ...options, encoder, D, slots };
  let before = 0;
  const results: Signal[] = [];
  try {
    await kernels.writeMatrix(D, await model.atoms(kernels));
    for (const [s, signal] of signals.entries()) {
      const done = before;
      const sums = await codeWindows(signal, grids[s]!, work, (count) => onProgress(done + count, total));
      results.push(averaged(signal, sums, lambda / 2));
      before += grids[s]!.count;
    }
    return results;
  } finally {
    encoder.free();
    dictionary.free();
    kernels.free(D, ...slots.flatMap(({ Y, means }) => [Y, means]));
  }
}

interface PassWork extends PassOptions {
  readonly encoder: Encoder;
  /** The atoms. */
  readonly D: DeviceMatrix;
  /** Room for two batches: one is read while the next is computed. */
  readonly slots: readonly [Slot, Slot];
}

interface Slot {
  readonly Y: DeviceMatrix;
  readonly means: DeviceMatrix;
}

/** Σᵢ PᵢᵀDxᵢ over all windows of a signal, with the windows over each sample. */
async function codeWindows(
  signal: Signal,
  grid: WindowGrid,
  { model, encoder, kernels, D, slots }: PassWork,
  onProgress: (count: number) => void,
): Promise<OverlapSum> {
  const sums = new OverlapSum(signal.shape, model.shape);
  const store = kernels.signals([signal]);
  const breath = new Breath();
  let adding: Promise<void> = Promise.resolve();
  try {
    for (let from = 0, turn = 0; from < grid.count; from += encoder.capacity, turn++) {
      const { Y, means } = slots[turn % 2]!;
      const windows = grid.windows(from, Math.min(from + encoder.capacity, grid.count));
      const y = kernels.head(Y, windows.start.length);
      const mean = model.meta.removeMean ? kernels.head(means, y.cols) : null;
      await kernels.extract(store, windows, model.shape, y, mean);
      await kernels.combine(D, await encoder.encode(y), y);
      const read = Promise.all([kernels.readMatrix(y), mean && kernels.readMatrix(mean)]);
      await adding; // the batch before
      adding = read.then(([part, removed]) => sums.add(windows.start, part, removed?.data));
      await breath.take();
      onProgress(from + y.cols);
    }
    await adding;
    return sums;
  } finally {
    await adding.catch(() => {}); // nothing is read any more when it is freed
    kernels.free(store);
  }
}

/** The average with the signal itself, in the memory of the sums. */
function averaged({ name, shape, data }: Signal, { sum, weight }: OverlapSum, own: number): Signal {
  for (let i = 0; i < sum.length; i++) sum[i] = (own * data[i]! + sum[i]!) / (own + weight[i]!);
  return { name, shape, data: sum };
}
