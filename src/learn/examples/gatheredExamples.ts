/**
 * Examples that fit into memory, from a set that does not: one pass over the set copies
 * them out, and they are seen in the same order as if the whole set were in memory.
 * Learners that take the whole set can only work this way.
 */

import type { Shape } from "../../core/shape.js";
import type { Signal } from "../../core/signal.js";
import { GatheredWindows } from "../../data/sampling/gatheredWindows.js";
import { type OnOrdering, sortByUnit } from "../../data/sampling/groupedOrder.js";
import type { PatchSampler, WindowNumbers } from "../../data/sampling/patchSampler.js";
import {
  readUnits,
  type SignalSource,
  samplesOf,
  samplesTogether,
  type UnreadableFiles,
} from "../../data/sampling/signalSource.js";
import type { Kernels } from "../../kernels/contract.js";
import type { ExampleSet } from "../../pursuit/encoder.js";
import { type Examples, PackedSignals } from "./examples.js";

/** Windows of a source, by their numbers, copied out in one pass over the units that contain any. */
export async function gatherWindows(
  source: SignalSource,
  { numbers, patch, unreadable, onReading, onOrdering }: GatherSetting,
  count: number,
  numberOf: (i: number) => number,
): Promise<GatheredWindows> {
  const gathered = new GatheredWindows(count, patch);
  const { units } = source;
  const unitOf = (i: number) => numbers.unitOf(numberOf(i));
  const { first, members } = await sortByUnit(count, units.length, unitOf, onOrdering);
  const wanted = Array.from(units.keys()).filter((u) => first[u + 1] > first[u]);
  const scratch = new Float32Array(samplesTogether(units));
  const roomFor = (unit: number, before: number) => {
    return scratch.subarray(before, before + samplesOf(units[unit]));
  };
  let done = 0;
  await readUnits(source, wanted, roomFor, (unit, { signals, problem }) => {
    onReading?.(++done / wanted.length);
    if (problem) {
      unreadable.add(units[unit], problem);
      return;
    }
    for (const i of members.subarray(first[unit], first[unit + 1])) {
      const number = numberOf(i);
      gathered.set(i, signals[numbers.signalIn(unit, number)], numbers.startIn(unit, number));
    }
  });
  return gathered;
}

export interface GatherSetting {
  readonly numbers: WindowNumbers;
  readonly patch: Shape;
  readonly unreadable: UnreadableFiles;
  /** Called with the fraction that has been read. */
  readonly onReading?: ((part: number) => void) | undefined;
  readonly onOrdering?: OnOrdering | undefined;
}

export class GatheredExamples implements Examples {
  readonly #gathered: GatheredWindows;
  readonly #packed: PackedSignals;
  readonly #sampler: PatchSampler;

  private constructor(gathered: GatheredWindows, sampler: PatchSampler, kernels: Kernels) {
    this.#gathered = gathered;
    this.#packed = new PackedSignals(gathered.signals, kernels);
    this.#sampler = sampler;
  }

  /** Read the set once. Training examples come first, then those held out. */
  static async create(
    source: SignalSource,
    sampler: PatchSampler,
    setting: GatherSetting,
    kernels: Kernels,
  ): Promise<GatheredExamples> {
    const { examples, holdout } = sampler;
    const numberOf = (i: number) =>
      i < examples ? sampler.trainingNumber(i) : sampler.testNumber(i - examples);
    const gathered = await gatherWindows(source, setting, examples + holdout, numberOf);
    return new GatheredExamples(gathered, sampler, kernels);
  }

  async held(): Promise<readonly Signal[]> {
    return this.#packed.signals;
  }

  scaleBy(scale: number): void {
    this.#packed.scaleBy(scale);
  }

  async take(epoch: number, from: number, to: number): Promise<ExampleSet> {
    const windows = this.#gathered.windows(to - from, (i) => this.#sampler.rankAt(epoch, from + i));
    return { store: this.#packed.store, windows };
  }

  test(): ExampleSet {
    const { examples, holdout } = this.#sampler;
    return { store: this.#packed.store, windows: this.#gathered.windows(holdout, (i) => examples + i) };
  }

  async free(): Promise<void> {
    this.#packed.free();
  }
}
