/**
 * A group of units as it was read, on the host, before it is packed where the kernels
 * compute: the units that could be read, and the examples that the group before left over.
 *
 * Mini-batches are cut at the same places of an epoch whatever the groups: the last
 * examples of a group that do not fill one are carried over as copies of their
 * windows, and come first in the next.
 */

import type { Shape } from "../../../core/shape.js";
import type { Signal } from "../../../core/signal.js";
import { GatheredWindows } from "../../../data/sampling/gatheredWindows.js";
import type { Group } from "../../../data/sampling/groupedOrder.js";
import type { PatchSampler, Windows } from "../../../data/sampling/patchSampler.js";

/** Examples at places [from, …) of an epoch that an earlier group held. */
export interface Carried {
  readonly from: number;
  readonly windows: GatheredWindows;
}

export class HostGroup {
  readonly group: Group;
  /** Everything windows may be cut from: what was carried over, then the units. */
  readonly signals: readonly Signal[];
  readonly #carried: Carried;
  readonly #ranks: Uint32Array;
  readonly #sampler: PatchSampler;
  /** The index of the first signal of each unit that could be read. */
  readonly #places = new Map<number, number>();

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
      this.#places.set(unit, all.length);
      for (const signal of signals) all.push(signal);
    }
    this.signals = all;
  }

  /** The windows at places [from, to), less those that could not be read. */
  windows(from: number, to: number): Windows {
    const own = Math.max(from, this.group.from);
    const before = this.#carried.windows.windows(own - from, (i) => from + i - this.#carried.from);
    const [signal, start] = [new Uint32Array(to - from), new Uint32Array(to - from)];
    signal.set(before.signal);
    start.set(before.start);
    let found = before.signal.length;
    for (let place = own; place < to; place++) {
      const number = this.#sampler.trainingNumber(this.#ranks[place - this.group.from]);
      const unit = this.#sampler.numbers.unitOf(number);
      const first = this.#places.get(unit);
      if (first === undefined) continue;
      signal[found] = first + this.#sampler.numbers.signalIn(unit, number);
      start[found++] = this.#sampler.numbers.startIn(unit, number);
    }
    return { signal: signal.subarray(0, found), start: start.subarray(0, found) };
  }

  /** Copies of what is left over for the next group, where mini-batches are of so many. */
  leftOver(batch: number, patch: Shape): Carried {
    const { to } = this.group;
    const from = Math.floor(to / batch) * batch;
    const windows = new GatheredWindows(to - from, patch);
    for (let place = from; place < to; place++) {
      const { signal, start } = this.windows(place, place + 1);
      if (signal.length > 0) windows.set(place - from, this.signals[signal[0]], start[0]);
    }
    return { from, windows };
  }
}
