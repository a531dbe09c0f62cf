/**
 * Where the examples of a run come from. A small set stays in memory as a whole
 * (`ResidentExamples`). Of a larger one, the chosen windows are copied out if they fit
 * (gatheredExamples.ts); otherwise the set is read again for each epoch, one group of
 * units at a time (groupedExamples.ts).
 *
 * In all three cases the example at a position of an epoch depends only on the data and
 * the seed, and examples can be requested in any order.
 */

import type { Signal } from "../../core/signal.js";
import type { PatchSampler } from "../../data/sampling/patchSampler.js";
import type { DeviceSignals, Kernels } from "../../kernels/contract.js";
import type { ExampleSet } from "../../pursuit/encoder.js";

export interface Examples {
  /** The signals in memory before the first update. */
  held(): Promise<readonly Signal[]>;
  /** Multiply every sample by this from now on; pass `"for now"` for a provisional scale that a later call replaces. */
  scaleBy(scale: number, forNow?: "for now"): void;
  /**
   * The examples at positions [from, to) of an epoch, in its order, without those that cannot be read. `from` is a
   * multiple of the mini-batch, and the positions belong to one mini-batch. The result is valid until the next call.
   */
  take(epoch: number, from: number, to: number): Promise<ExampleSet>;
  /** The examples held out for testing, without those that cannot be read. */
  test(): ExampleSet;
  free(): Promise<void>;
}

/** Signals in memory, packed onto the device when they are first needed. */
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

  get signals(): readonly Signal[] {
    return this.#signals;
  }

  /** Signals that are already packed are packed again at once, into the memory just freed. */
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

  async held(): Promise<readonly Signal[]> {
    return this.#packed.signals;
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
