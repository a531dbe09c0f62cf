/**
 * The order in which a set that is larger than memory is seen.
 *
 * The examples are those of the sampler, whatever the groups: a keyed permutation of all
 * windows chooses them. Each epoch puts the units in a random order, gathers them in groups
 * of at most so many samples, and mixes the examples of a group. So each example comes once
 * an epoch, and what comes at a place of an epoch depends on the seed alone; but two
 * examples far apart in the set meet in a mini-batch only if their units meet in a group.
 *
 * Memory: four bytes an example, its rank, sorted by unit, and those of one group again; twice as much while sorting.
 */

import { Breath } from "../../core/eventLoop.js";
import { Permutation } from "../../core/permutation.js";
import type { Rng } from "../../core/rng.js";
import type { PatchSampler } from "./patchSampler.js";

/** Units that are in memory at the same time; its examples have places [from, to) of the epoch. */
export interface Group {
  readonly epoch: number;
  readonly index: number;
  readonly units: readonly number[];
  readonly from: number;
  readonly to: number;
}

/** Numbers sorted by the unit they fall in: those of unit u are members[first[u]] to members[first[u + 1] − 1]. */
export interface ByUnit {
  readonly first: Uint32Array;
  readonly members: Uint32Array;
}

/** Sort 0 … count−1 by unit, by counting. Each is looked up once: that is what takes time. */
export async function sortByUnit(
  count: number,
  units: number,
  unitOf: (i: number) => number,
): Promise<ByUnit> {
  const breath = new Breath();
  const first = new Uint32Array(units + 1);
  const found = new Uint32Array(count);
  for (let i = 0; i < count; i++) {
    first[(found[i] = unitOf(i)) + 1]++;
    if (i % 65536 === 0) await breath.take();
  }
  for (let u = 0; u < units; u++) first[u + 1] += first[u];
  const next = first.slice();
  const members = new Uint32Array(count);
  for (let i = 0; i < count; i++) members[next[found[i]]++] = i;
  return { first, members };
}

export class GroupedOrder {
  readonly #ranks: ByUnit;
  readonly #samples: readonly number[];
  readonly #groupSamples: number;
  readonly #rng: Rng;
  /** Units that have any example. */
  readonly #wanted: readonly number[];
  /** The groups of the last epochs asked for, the latest last: one under way, and one to read ahead from. */
  #epochs: (readonly Group[])[] = [];

  private constructor(ranks: ByUnit, samples: readonly number[], groupSamples: number, rng: Rng) {
    this.#ranks = ranks;
    this.#samples = samples;
    this.#groupSamples = groupSamples;
    this.#rng = rng;
    this.#wanted = Array.from(samples.keys()).filter((u) => ranks.first[u + 1] > ranks.first[u]);
  }

  /** The order of the examples of a sampler, over units of so many samples each. */
  static async create(
    sampler: PatchSampler,
    samples: readonly number[],
    groupSamples: number,
    rng: Rng,
  ): Promise<GroupedOrder> {
    const unitOf = (rank: number) => sampler.numbers.unitOf(sampler.trainingNumber(rank));
    const ranks = await sortByUnit(sampler.examples, samples.length, unitOf);
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
    let [units, samples, from, to]: [number[], number, number, number] = [[], 0, 0, 0];
    const close = () => {
      groups.push({ epoch, index: groups.length, units, from, to });
      [units, samples, from] = [[], 0, to];
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
