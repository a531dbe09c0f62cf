/**
 * The order of examples for a training set larger than memory.
 *
 * The examples are those of the sampler, whatever the groups. Each epoch puts the units
 * in random order, divides them into groups of at most `groupSamples` samples, and shuffles
 * the examples of each group. So each example comes once per epoch, and its place depends
 * on the seed alone; but two examples of different units meet in a mini-batch only if
 * their units are in the same group.
 *
 * Memory   4 bytes per example (its rank, sorted by unit), and 4 per example of one group;
 *          twice as much while sorting
 */

import { EventLoopPause } from "../../core/eventLoop.js";
import { Permutation, type Rng } from "../../core/random/rng.js";
import type { PatchSampler } from "./patchSampler.js";

/** Units that are in memory at the same time; their examples have places [from, to) of the epoch. */
export interface Group {
  readonly epoch: number;
  readonly index: number;
  readonly units: readonly number[];
  readonly from: number;
  readonly to: number;
}

/** Numbers sorted by unit: those of unit u are members[first[u]] to members[first[u + 1] − 1]. */
export interface ByUnit {
  readonly first: Uint32Array;
  readonly members: Uint32Array;
}

/** Called with the part that is done, from 0 to 1, several times a second; it may throw to end the work. */
export type OnOrdering = (part: number) => void;

/** How many numbers are sorted between two pauses, and between two calls of `OnOrdering`. */
const pieces = { pause: 2 ** 16, report: 2 ** 20 } as const;

/** Sort 0 … count−1 by unit (counting sort). `unitOf` takes most of the time and is called once per number. */
export async function sortByUnit(
  count: number,
  units: number,
  unitOf: (i: number) => number,
  onOrdering: OnOrdering = () => {},
): Promise<ByUnit> {
  const pause = new EventLoopPause();
  const first = new Uint32Array(units + 1);
  const found = new Uint32Array(count);
  for (let i = 0; i < count; i++) {
    first[(found[i] = unitOf(i)) + 1]++;
    if (i % pieces.pause === 0) await pause.ifDue();
    if (i % pieces.report === pieces.report - 1) onOrdering(i / count);
  }
  for (let u = 0; u < units; u++) first[u + 1] += first[u];
  const next = first.slice();
  const members = new Uint32Array(count);
  for (let i = 0; i < count; i++) {
    members[next[found[i]]++] = i;
    if (i % pieces.pause === 0) await pause.ifDue();
  }
  return { first, members };
}

export class GroupedOrder {
  readonly #ranks: ByUnit;
  readonly #samples: readonly number[];
  readonly #groupSamples: number;
  readonly #rng: Rng;
  /** Units that have examples. */
  readonly #wanted: readonly number[];
  /** The groups of the two epochs last asked for: the current one, and the next one to read ahead. */
  #epochs: (readonly Group[])[] = [];

  private constructor(ranks: ByUnit, samples: readonly number[], groupSamples: number, rng: Rng) {
    this.#ranks = ranks;
    this.#samples = samples;
    this.#groupSamples = groupSamples;
    this.#rng = rng;
    this.#wanted = Array.from(samples.keys()).filter((u) => ranks.first[u + 1] > ranks.first[u]);
  }

  /** The order of the examples of a sampler; `samples` counts those of each unit. */
  static async create(
    sampler: PatchSampler,
    samples: readonly number[],
    groupSamples: number,
    rng: Rng,
    onOrdering?: OnOrdering,
  ): Promise<GroupedOrder> {
    const unitOf = (rank: number) => sampler.numbers.unitOf(sampler.trainingNumber(rank));
    const ranks = await sortByUnit(sampler.examples, samples.length, unitOf, onOrdering);
    return new GroupedOrder(ranks, samples, groupSamples, rng);
  }

  /** The groups of an epoch, in their order. */
  groups(epoch: number): readonly Group[] {
    const known = this.#epochs.find(([group]) => group.epoch === epoch);
    if (known) return known;
    const groups = this.#gather(epoch);
    this.#epochs = [...this.#epochs.slice(-1), groups];
    return groups;
  }

  #gather(epoch: number): Group[] {
    const order = new Permutation(this.#wanted.length, this.#rng.split(`units ${epoch}`));
    const groups: Group[] = [];
    let units: number[] = [];
    let samples = 0;
    let from = 0;
    let to = 0;
    const close = () => {
      groups.push({ epoch, index: groups.length, units, from, to });
      units = [];
      samples = 0;
      from = to;
    };
    for (let i = 0; i < this.#wanted.length; i++) {
      const unit = this.#wanted[order.at(i)];
      if (units.length > 0 && samples + this.#samples[unit] > this.#groupSamples) close();
      units.push(unit);
      samples += this.#samples[unit];
      to += this.#ranks.first[unit + 1] - this.#ranks.first[unit];
    }
    close();
    return groups;
  }

  /** The ranks of the examples of a group, in its order. */
  ranks(group: Group): Uint32Array {
    const { first, members } = this.#ranks;
    const ranks = new Uint32Array(group.to - group.from);
    let at = 0;
    for (const unit of group.units) {
      ranks.set(members.subarray(first[unit], first[unit + 1]), at);
      at += first[unit + 1] - first[unit];
    }
    const rng = this.#rng.split(`group ${group.epoch} ${group.index}`);
    for (let i = ranks.length - 1; i > 0; i--) {
      const j = rng.below(i + 1);
      [ranks[i], ranks[j]] = [ranks[j], ranks[i]];
    }
    return ranks;
  }
}
