/**
 * A group of units on the host, before it is packed for the device: the units that could
 * be read, and the examples left over from the previous group.
 *
 * Mini-batches start at the same positions of an epoch whatever the groups: the last
 * examples of a group, if they do not fill a mini-batch, are carried over as copies of
 * their windows, and come first in the next group.
 */

import type { Shape } from "../../core/shape.js";
import type { Signal } from "../../core/signal.js";
import { GatheredWindows } from "../../data/sampling/gatheredWindows.js";
import type { Group } from "../../data/sampling/groupedOrder.js";
import type { PatchSampler, Windows } from "../../data/sampling/patchSampler.js";

/** Examples at positions [from, …) of an epoch that an earlier group held. */
export interface Carried {
  readonly from: number;
  readonly windows: GatheredWindows;
}

export class HostGroup {
  readonly group: Group;
  /** Everything that windows can be cut from: what was carried over, then the units. */
  readonly signals: readonly Signal[];
  readonly #carried: Carried;
  readonly #ranks: Uint32Array;
  readonly #sampler: PatchSampler;
  /** The index of the first signal of each unit that could be read. */
  readonly #firstSignals = new Map<number, number>();

  constructor(
    group: Group,
    ranks: Uint32Array,
    read: ReadonlyMap<number, readonly Signal[]>,
    carried: Carried,
    sampler: PatchSampler,
  ) {
    this.group = group;
    this.#ranks = ranks;
    this.#carried = carried;
    this.#sampler = sampler;
    const all = [...carried.windows.signals];
    for (const [unit, signals] of read) {
      this.#firstSignals.set(unit, all.length);
      for (const signal of signals) all.push(signal);
    }
    this.signals = all;
  }

  /** The windows at positions [from, to), without those that could not be read. */
  windows(from: number, to: number): Windows {
    const firstOwn = Math.max(from, this.group.from);
    const before = this.#carried.windows.windows(firstOwn - from, (i) => from + i - this.#carried.from);
    const signal = new Uint32Array(to - from);
    const start = new Uint32Array(to - from);
    signal.set(before.signal);
    start.set(before.start);
    let found = before.signal.length;
    for (let position = firstOwn; position < to; position++) {
      const number = this.#sampler.trainingNumber(this.#ranks[position - this.group.from]);
      const unit = this.#sampler.numbers.unitOf(number);
      const first = this.#firstSignals.get(unit);
      if (first === undefined) continue;
      signal[found] = first + this.#sampler.numbers.signalIn(unit, number);
      start[found++] = this.#sampler.numbers.startIn(unit, number);
    }
    return { signal: signal.subarray(0, found), start: start.subarray(0, found) };
  }

  /** Copies of the examples left over for the next group, given the size of mini-batches. */
  leftOver(batch: number, patch: Shape): Carried {
    const { to } = this.group;
    const from = Math.floor(to / batch) * batch;
    const windows = new GatheredWindows(to - from, patch);
    for (let position = from; position < to; position++) {
      const { signal, start } = this.windows(position, position + 1);
      if (signal.length > 0) windows.set(position - from, this.signals[signal[0]], start[0]);
    }
    return { from, windows };
  }
}
