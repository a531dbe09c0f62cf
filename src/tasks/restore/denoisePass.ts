/**
 * One pass of patch denoising: every window of a signal is coded down to the noise,
 * and the signal is the average of what the codes stand for. With the dictionary
 * fixed it minimises equation (14) of [Sulam16] over the codes, then over the image z:
 *
 *     xᵢ = argmin ‖x‖₀  s.t. ‖Dx − Pᵢy‖² ≤ ε²         error-constrained OMP or OLS
 *     z  = (λ/2 I + Σᵢ PᵢᵀPᵢ)⁻¹ (λ/2 y + Σᵢ PᵢᵀDxᵢ)     a weighted average, sample by sample
 *
 * Windows are cut, coded and added up a batch at a time, all where the kernels compute;
 * only the sums come back, in the end. Memory is that of the signal and a batch. A code of few
 * atoms is added up faster from D itself (n per atom) than through ΦA, so D is kept as well.
 *
 * Windows with missing samples (NaN) are coded over their known samples (maskedPursuit.ts),
 * windows of very large samples in units of their own (windowClasses.ts). A missing sample
 * stays missing.
 */

import { EventLoopPause } from "../../core/eventLoop.js";
import { type Shape, sizeOf } from "../../core/shape.js";
import type { Signal } from "../../core/signal.js";
import { openDictionary } from "../../dictionaries/dictionary.js";
import type { DeviceMatrix, Kernels, PursuitName, WindowList } from "../../kernels/contract.js";
import type { Model } from "../../model/model.js";
import { Encoder } from "../../pursuit/encoder.js";
import { windowOffsets } from "../encode/tiling.js";
import { Gathering } from "./inpaintPass.js";
import { MaskedPursuit } from "./maskedPursuit.js";
import { OverlapSum, WindowGrid } from "./overlap.js";
import { classifyWindows, type WindowClasses } from "./windowClasses.js";

export interface PassOptions {
  readonly model: Model;
  /** ε²: what is left of a window with this many known samples by its code, where noise has the variance 1. */
  readonly residualEnergy: (samples: number) => number;
  /** The noise of each signal: a power of two. */
  readonly noise: readonly number[];
  /** The most atoms of a code, for a window with this many known samples. */
  readonly maxAtoms: (samples: number) => number;
  /** How the atoms of a code are taken; by default `omp`. */
  readonly pursuit?: PursuitName | undefined;
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
  const { model, stride, onProgress } = options;
  const grids = signals.map(({ shape }) => new WindowGrid(shape, model.shape, stride));
  const total = grids.reduce((sum, { count }) => sum + count, 0);
  const coder = await WindowCoder.open(options, Math.max(...grids.map(({ count }) => count)));
  let done = 0;
  const onCoded = (count: number) => onProgress((done += count), total);
  const results: Signal[] = [];
  try {
    for (const [s, signal] of signals.entries()) {
      const noise = options.noise[s];
      const classes = classifyWindows(signal, grids[s], model.shape);
      const one = { signal, grid: grids[s], noise, onCoded };
      results.push(
        classes ? await denoiseByClass(one, classes, coder, options) : await denoiseOne(one, coder),
      );
    }
    return results;
  } finally {
    coder.free();
  }
}

/** A signal and its windows. */
interface GridSignal {
  readonly signal: Signal;
  readonly grid: WindowGrid;
  readonly noise: number;
  /** Called with the number of windows that have just been coded. */
  readonly onCoded: (count: number) => void;
}

/** The average over all windows of an ordinary signal, in the memory of the sum. */
async function denoiseOne(one: GridSignal, coder: WindowCoder): Promise<Signal> {
  const { grid, signal } = one;
  const sum = await coder.sum(one, grid.count, (from, to) => grid.windows(from, to), 0);
  const coverage = grid.coverage();
  const own = coder.own;
  for (let i = 0; i < sum.length; i++) sum[i] = (own * signal.data[i] + sum[i]) / (own + coverage[i]);
  return { ...signal, data: sum };
}

/** The average over windows of several classes. */
async function denoiseByClass(
  one: GridSignal,
  { whole, gaps }: WindowClasses,
  coder: WindowCoder,
  options: PassOptions,
): Promise<Signal> {
  const { grid, signal } = one;
  const { own } = coder;
  const masked = await sumOverKnown(one, gaps, options);
  const sums = Float64Array.from(masked.sum);
  const weights = Float64Array.from(masked.weight);
  const cover = new OverlapSum(signal.shape, options.model.shape);
  for (const [exponent, numbers] of whole) {
    const windows = (from: number, to: number) => grid.windowsAt(numbers.subarray(from, to));
    const part = await coder.sum(one, numbers.length, windows, exponent);
    for (let i = 0; i < part.length; i++) sums[i] += part[i] * 2 ** exponent;
    for (const number of numbers) cover.cover(grid.start(number));
  }
  const data = signal.data.map((value, i) => {
    return (own * value + sums[i]) / (own + weights[i] + cover.weight[i]); // NaN where the sample is missing
  });
  return { ...signal, data };
}

/** Σᵢ PᵢᵀDxᵢ over windows with missing samples, coded over the known ones; windows that know too little are skipped. */
async function sumOverKnown(
  { signal, grid, noise, onCoded }: GridSignal,
  numbers: Uint32Array,
  { model, residualEnergy, maxAtoms, pursuit: name, kernels }: PassOptions,
): Promise<OverlapSum> {
  const sums = new OverlapSum(signal.shape, model.shape);
  if (numbers.length === 0) return sums;
  const limits = {
    residualEnergy: (samples: number) => residualEnergy(samples) * noise * noise,
    maxAtoms: (samples: number) => Math.min(model.A.cols, maxAtoms(samples)),
    pursuit: name,
  };
  const pursuit = await MaskedPursuit.create(model, limits, kernels);
  const known = Uint8Array.from(signal.data, (value) => (Number.isNaN(value) ? 0 : 1));
  const inside = windowOffsets(signal.shape, model.shape);
  const gather = new Gathering(signal.data, known, inside, pursuit.capacity, model.meta.removeMean);
  const pause = new EventLoopPause();
  try {
    for (let from = 0; from < numbers.length; from += pursuit.capacity) {
      const part = numbers.subarray(from, from + pursuit.capacity);
      const { Y, mask, starts, means } = gather.take(grid.windowsAt(part).start);
      if (starts.length > 0) sums.add(starts, await pursuit.restore(Y, mask), means);
      await pause.ifDue();
      onCoded(part.length);
    }
    return sums;
  } finally {
    pursuit.free();
  }
}

/** Codes windows without gaps where the kernels compute. */
class WindowCoder {
  /** λ/2. */
  readonly own: number;
  readonly #options: PassOptions;
  readonly #capacity: number;
  readonly #dictionary: Awaited<ReturnType<typeof openDictionary>>;
  /** The atoms. */
  readonly #D: DeviceMatrix;
  /** Room for a batch, and for the means of its windows. */
  readonly #Y: DeviceMatrix;
  readonly #means: DeviceMatrix;
  #encoder: Encoder | undefined;

  private constructor(
    options: PassOptions,
    dictionary: Awaited<ReturnType<typeof openDictionary>>,
    capacity: number,
  ) {
    const { kernels, lambda } = options;
    this.own = lambda / 2;
    this.#options = options;
    this.#dictionary = dictionary;
    this.#capacity = capacity;
    this.#D = kernels.matrix(dictionary.rows, dictionary.cols);
    this.#Y = kernels.matrix(dictionary.rows, capacity);
    this.#means = kernels.matrix(1, capacity);
  }

  static async open(options: PassOptions, windows: number): Promise<WindowCoder> {
    const { model, kernels } = options;
    const atOnce = Math.max(1, Math.min(batch.windows, Math.floor(batch.samples / sizeOf(model.shape))));
    const dictionary = await openDictionary(model, kernels);
    const coder = new WindowCoder(options, dictionary, Math.min(atOnce, windows));
    await kernels.writeMatrix(coder.#D, await model.atoms(kernels));
    return coder;
  }

  /** Σᵢ PᵢᵀDxᵢ over windows of a signal divided by 2^exponent. */
  async sum(
    { signal, noise, onCoded }: GridSignal,
    count: number,
    windowsOf: (from: number, to: number) => WindowList,
    exponent: number,
  ): Promise<Float32Array> {
    const { kernels, model } = this.#options;
    const encoder = this.#encoderFor(noise / 2 ** exponent);
    const store = kernels.signals([signal], 2 ** -exponent);
    const sum = kernels.matrix(signal.data.length, 1);
    const pause = new EventLoopPause();
    try {
      for (let from = 0; from < count; from += this.#capacity) {
        const windows = windowsOf(from, Math.min(from + this.#capacity, count));
        const y = kernels.head(this.#Y, windows.start.length);
        const mean = model.meta.removeMean ? kernels.head(this.#means, y.cols) : null;
        await kernels.extract(store, windows, model.shape, y, mean);
        await kernels.combine(this.#D, await encoder.encode(y), y);
        await kernels.addWindows(y, mean, windows.start, model.shape, signal.shape, sum);
        await pause.ifDue();
        onCoded(y.cols);
      }
      return (await kernels.readMatrix(sum)).data;
    } finally {
      kernels.free(store, sum);
    }
  }

  /** An encoder down to this noise; made anew if it differs from the last. */
  #encoderFor(noise: number): Encoder {
    const { kernels, model, residualEnergy, maxAtoms, pursuit } = this.#options;
    const n = this.#dictionary.rows;
    const limits = {
      sparsity: Math.min(maxAtoms(n), model.A.cols),
      residualEnergy: residualEnergy(n) * noise * noise,
      pursuit,
    };
    if (this.#encoder?.limits.residualEnergy === limits.residualEnergy) return this.#encoder;
    this.#encoder?.free();
    this.#encoder = new Encoder(this.#dictionary, limits, this.#capacity, kernels);
    return this.#encoder;
  }

  free(): void {
    this.#encoder?.free();
    this.#dictionary.free();
    this.#options.kernels.free(this.#D, this.#Y, this.#means);
  }
}
