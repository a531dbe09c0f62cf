/**
 * Where the examples of a run come from. A set that is small enough stays in memory
 * whole (`ResidentExamples`); of a larger one the chosen windows are copied
 * out, if they are small enough together (gatheredExamples.ts), or it is read
 * again each epoch, a group of units at a time (groupedExamples.ts).
 *
 * For all three, the examples at a place of an epoch depend on the data and the
 * seed alone, and can be asked for in any order.
 */

import type { Signal } from "../../core/signal.js";
import { largestMagnitude } from "../../core/units.js";
import type { PatchSampler } from "../../data/sampling/patchSampler.js";
import type { DeviceSignals, Kernels } from "../../kernels/contract.js";
import type { ExampleSet } from "../../pursuit/codingError.js";

export interface Examples {
  /** The largest magnitude of the samples that are at hand before the first update. */
  largest(): Promise<number>;
  /** Multiply every sample by this from now on; `forNow` to measure something, another one follows. */
  scaleBy(scale: number, forNow?: "for now"): void;
  /**
   * The examples at places [from, to) of an epoch, in its order, less those that cannot be read. `from` is a
   * multiple of the mini-batch, and the places are of one mini-batch. What is returned is good until the next call.
   */
  take(epoch: number, from: number, to: number): Promise<ExampleSet>;
  /** The examples held out for testing, less those that cannot be read. */
  test(): ExampleSet;
  free(): Promise<void>;
}

/** Signals in memory, packed where the kernels compute when they are first asked for. */
export class PackedSignals {
  readonly #signals: readonly Signal[];
  readonly #kernels: Kernels;
  #scale = 1;
  #store: DeviceSignals | undefined;

  constructor(signals: readonly Signal[], kernels: Kernels) {
    this.#signals = signals;
    this.#kernels = kernels;
  }

  get store(): DeviceSignals {
    this.#store ??= this.#kernels.signals(this.#signals, this.#scale);
    return this.#store;
  }

  largest(): number {
    return this.#signals.reduce((most, { data }) => Math.max(most, largestMagnitude(data)), 0);
  }

  /** What is packed is packed again at once, into the memory it gives back. */
  scaleBy(scale: number): void {
    this.#scale = scale;
    if (!this.#store) return;
    this.free();
    this.#store = this.#kernels.signals(this.#signals, scale);
  }

  free(): void {
    if (this.#store) this.#kernels.free(this.#store);
    this.#store = undefined;
  }
}

/** Windows of signals that are all in memory. */
export class ResidentExamples implements Examples {
  readonly #packed: PackedSignals;
  readonly #sampler: PatchSampler;

  constructor(signals: readonly Signal[], sampler: PatchSampler, kernels: Kernels) {
    this.#packed = new PackedSignals(signals, kernels);
    this.#sampler = sampler;
  }

  async largest(): Promise<number> {
    return this.#packed.largest();
  }

  scaleBy(scale: number): void {
    this.#packed.scaleBy(scale);
  }

  async take(epoch: number, from: number, to: number): Promise<ExampleSet> {
    return { store: this.#packed.store, windows: this.#sampler.trainingWindows(epoch, from, to) };
  }

  test(): ExampleSet {
    return { store: this.#packed.store, windows: this.#sampler.testWindows() };
  }

  async free(): Promise<void> {
    this.#packed.free();
  }
}
