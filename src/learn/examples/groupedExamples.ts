/**
 * Examples of a set that is read again for each epoch, one group of units at a time
 * (data/sampling/groupedOrder.ts). While the device trains on a group, the next one is
 * read into a buffer on the host, so memory holds two groups however large the set is.
 *
 * The examples depend only on the order of the groups, not on when they are read. A unit
 * that cannot be read is skipped, and tried again in the next epoch.
 */

import { InputError } from "../../core/errors.js";
import { type Shape, sizeOf } from "../../core/shape.js";
import type { Signal } from "../../core/signal.js";
import { GatheredWindows } from "../../data/sampling/gatheredWindows.js";
import type { Group, GroupedOrder } from "../../data/sampling/groupedOrder.js";
import type { PatchSampler } from "../../data/sampling/patchSampler.js";
import {
  type ReadUnit,
  readUnits,
  type SignalSource,
  samplesOf,
  type UnreadableFiles,
} from "../../data/sampling/signalSource.js";
import type { DeviceSignals, Kernels } from "../../kernels/contract.js";
import type { ExampleSet } from "../../pursuit/encoder.js";
import { type Examples, PackedSignals } from "./examples.js";
import { type GatherSetting, gatherWindows } from "./gatheredExamples.js";
import { type Carried, HostGroup } from "./hostGroup.js";
import { findUnusable, notUsable } from "./usableSamples.js";

export interface GroupSetting {
  readonly source: SignalSource;
  readonly sampler: PatchSampler;
  readonly order: GroupedOrder;
  readonly patch: Shape;
  readonly batch: number;
  readonly epochs: number;
  /** Room for the samples of any group. */
  readonly capacity: number;
  readonly unreadable: UnreadableFiles;
  readonly onReading?: GatherSetting["onReading"];
  readonly kernels: Kernels;
}

/** The most samples of a group: as many as asked for, or one unit that has more. */
export function groupCapacity(source: SignalSource, groupSamples: number): number {
  return source.units.reduce((largest, unit) => Math.max(largest, samplesOf(unit)), groupSamples);
}

/** A group that is being read into the buffer, or has been. */
interface Reading {
  readonly group: Group;
  readonly done: Promise<ReadonlyMap<number, readonly Signal[]>>;
}

export class GroupedExamples implements Examples {
  readonly #setting: GroupSetting;
  readonly #held: GatheredWindows;
  readonly #test: PackedSignals;
  /** Where units are read into: those of the current group, until the next one is read ahead. */
  readonly #buffer: Float32Array;
  #current: HostGroup | undefined;
  #store: DeviceSignals | undefined;
  #ahead: Reading | undefined;
  /** The examples left over by the last group after which another one was read. */
  #leftOver: { readonly by: Group; readonly carried: Carried } | undefined;
  #scale = 1;
  /** Whether the scale is final: reading ahead starts only then. */
  #settled = false;
  /** Consecutive groups of which nothing could be read. */
  #emptyGroups = 0;
  #closed = false;

  private constructor(setting: GroupSetting, held: GatheredWindows) {
    this.#setting = setting;
    this.#held = held;
    this.#test = new PackedSignals(held.signals, setting.kernels);
    this.#buffer = new Float32Array(setting.capacity);
  }

  /** Read the windows held out for testing. Groups are read when they are needed. */
  static async create(setting: GroupSetting): Promise<GroupedExamples> {
    const { source, sampler } = setting;
    const held = await gatherWindows(source, gatherSetting(setting), sampler.holdout, (i) =>
      sampler.testNumber(i),
    );
    return new GroupedExamples(setting, held);
  }

  async held(): Promise<readonly Signal[]> {
    return (await this.#hold(this.#setting.order.groups(0)[0])).signals;
  }

  scaleBy(scale: number, forNow?: "for now"): void {
    this.#freeStore();
    this.#scale = scale;
    this.#settled = forNow === undefined;
    if (this.#current) this.#store = this.#pack(this.#current.signals); // into the memory just freed
    this.#test.scaleBy(scale);
  }

  async take(epoch: number, from: number, to: number): Promise<ExampleSet> {
    const group = this.#setting.order.groups(epoch).find((group) => group.to >= to)!;
    const current = await this.#hold(group);
    this.#store ??= this.#pack(current.signals);
    if (this.#settled) this.#readAhead(current);
    return { store: this.#store, windows: current.windows(from, to) };
  }

  test(): ExampleSet {
    const { holdout } = this.#setting.sampler;
    return { store: this.#test.store, windows: this.#held.windows(holdout, (i) => i) };
  }

  async free(): Promise<void> {
    this.#closed = true;
    await this.#ahead?.done.catch(() => {}); // its failure no longer matters
    this.#freeStore();
    this.#test.free();
  }

  /** Make a group the current one, with its units in the buffer and the examples left over by the one before. */
  async #hold(group: Group): Promise<HostGroup> {
    if (this.#current && isSameGroup(this.#current.group, group)) return this.#current;
    if (this.#ahead && !isSameGroup(this.#ahead.group, group)) {
      await this.#ahead.done;
      this.#ahead = undefined;
    }
    const read = await (this.#ahead?.done ?? this.#read(group));
    this.#ahead = undefined;
    this.#requireReadable(group, read.size);
    const carried = await this.#carriedInto(group);
    this.#freeStore();
    const { order, sampler } = this.#setting;
    this.#current = new HostGroup(group, order.ranks(group), read, carried, sampler);
    return this.#current;
  }

  /** Start to read the next group, which overwrites the samples of this one in the buffer. */
  #readAhead(current: HostGroup): void {
    if (this.#ahead) return;
    const { order, epochs, batch, patch } = this.#setting;
    const { epoch, index } = current.group;
    const following = order.groups(epoch)[index + 1];
    const next = following ?? (epoch + 1 < epochs ? order.groups(epoch + 1)[0] : undefined);
    if (!next) return;
    if (following) this.#leftOver = { by: current.group, carried: current.leftOver(batch, patch) };
    const done = this.#read(next);
    done.catch(() => {}); // handled when the group is needed and `done` is awaited
    this.#ahead = { group: next, done };
  }

  /** Read the units of a group into the buffer, one after the other. Returns those that could be read. */
  async #read(group: Group): Promise<ReadonlyMap<number, readonly Signal[]>> {
    const { source, unreadable } = this.#setting;
    const read = new Map<number, readonly Signal[]>();
    let next = 0;
    const roomFor = (unit: number) => {
      const from = next;
      next += samplesOf(source.units[unit]);
      return this.#buffer.subarray(from, next);
    };
    const take = (unit: number, { signals, problem }: ReadUnit) => {
      const unusable = this.#settled ? findUnusable(signals, this.#scale) : undefined;
      if (problem) unreadable.add(source.units[unit], problem);
      else if (unusable) unreadable.add(source.units[unit], notUsable(unusable));
      else read.set(unit, signals);
    };
    await readUnits(source, group.units, roomFor, take, () => this.#closed);
    return read;
  }

  /** The last examples of the group before, which belong to the first mini-batch of this one. */
  async #carriedInto(group: Group): Promise<Carried> {
    const { order, sampler, batch, patch, source } = this.#setting;
    if (group.index === 0) return { from: 0, windows: new GatheredWindows(0, patch) };
    const before = order.groups(group.epoch)[group.index - 1];
    if (this.#leftOver && isSameGroup(this.#leftOver.by, before)) return this.#leftOver.carried;
    // a jump into the middle of an epoch: read the units that hold them again
    const from = Math.floor(group.from / batch) * batch;
    const earlier = order.groups(group.epoch).filter(({ index, to }) => index < group.index && to > from);
    const ranks = earlier.flatMap((other) =>
      Array.from(order.ranks(other).subarray(Math.max(0, from - other.from))),
    );
    const numberOf = (i: number) => sampler.trainingNumber(ranks[i]);
    return {
      from,
      windows: await gatherWindows(source, gatherSetting(this.#setting), ranks.length, numberOf),
    };
  }

  /** End the run if nothing of the set can be read, or not any more. */
  #requireReadable({ epoch }: Group, units: number): void {
    this.#emptyGroups = units > 0 ? 0 : this.#emptyGroups + 1;
    const limit = this.#current ? this.#setting.order.groups(epoch).length : 1;
    if (this.#emptyGroups < limit) return;
    const [first] = this.#setting.unreadable.files;
    throw new InputError(
      `train: the data cannot be read: nothing was readable in ${limit} ${limit === 1 ? "group" : "groups"}, starting with ${first}`,
    );
  }

  /** Pack signals onto the device, always to the same size, so that each group reuses the memory of the last. */
  #pack(signals: readonly Signal[]): DeviceSignals {
    const { capacity, batch, patch, kernels } = this.#setting;
    const size = capacity + batch * sizeOf(patch);
    let spare = signals.reduce((left, { data }) => left - data.length, size);
    const padding: Signal[] = [];
    while (spare > 0) {
      const data = this.#buffer.subarray(0, Math.min(spare, largestPadding));
      padding.push({ name: "padding", shape: patch.map((_, axis) => (axis ? 1 : data.length)), data });
      spare -= data.length;
    }
    return kernels.signals([...signals, ...padding], this.#scale);
  }

  #freeStore(): void {
    if (this.#store) this.#setting.kernels.free(this.#store);
    this.#store = undefined;
  }
}

/** Samples per padding signal: devices limit the size of a signal. */
const largestPadding = 2 ** 22;

function gatherSetting({ sampler, patch, unreadable, onReading }: GroupSetting): GatherSetting {
  return { numbers: sampler.numbers, patch, unreadable, onReading };
}

function isSameGroup(a: Group, b: Group): boolean {
  return a.epoch === b.epoch && a.index === b.index;
}
