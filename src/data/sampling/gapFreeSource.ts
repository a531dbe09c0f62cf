/**
 * Sources of signals with missing samples. One pass over the data finds the windows
 * without gaps; only those are then numbered and drawn.
 */

import { markGaps } from "../../core/samples/gaps.js";
import type { Shape } from "../../core/shape.js";
import { GapFreeWindows, withZeros } from "./gapFreeWindows.js";
import { countWindows } from "./patchSampler.js";
import {
  readUnits,
  type SignalSource,
  type SignalUnit,
  samplesOf,
  samplesTogether,
  type UnreadableFiles,
} from "./signalSource.js";

/** A source that returns NaN for samples that are one of the values. */
export function markingGaps(source: SignalSource, nodata: readonly number[]): SignalSource {
  if (source.marksGaps) return source;
  return {
    ...source,
    units: source.units,
    fingerprint: source.fingerprint,
    marksGaps: true,
    async read(unit, into) {
      await source.read(unit, into);
      const { name, shape, count } = source.units[unit];
      markGaps(name, [count, ...shape], into, nodata);
    },
    close: () => source.close(),
  };
}

export interface GapFreeSource {
  /** Its units know their windows without gaps; gaps are read as 0. */
  readonly source: SignalSource;
  /** Windows with a gap, which are left out. */
  readonly excluded: number;
}

/** Read a source that marks gaps once, to find its windows without gaps. */
export async function gapFreeSource(
  source: SignalSource,
  patch: Shape,
  unreadable: UnreadableFiles,
  onReading?: (part: number) => void,
): Promise<GapFreeSource> {
  const units: SignalUnit[] = [...source.units];
  const scratch = new Float32Array(samplesTogether(units));
  const roomFor = (unit: number, before: number) => scratch.subarray(before, before + samplesOf(units[unit]));
  let excluded = 0;
  let done = 0;
  await readUnits(source, Array.from(units.keys()), roomFor, (u, { signals, problem }) => {
    onReading?.(++done / units.length);
    if (problem) unreadable.add(units[u], problem);
    const usable = problem ? nothing : GapFreeWindows.of(signals, patch);
    const all = countWindows(units[u], patch) * units[u].count;
    if (usable.count === all) return;
    if (!problem) excluded += all - usable.count;
    units[u] = { ...units[u], usable };
  });
  const read = async (unit: number, into: Float32Array) => {
    await source.read(unit, into);
    withZeros(into);
  };
  const { fingerprint } = source;
  const close = () => source.close();
  return { source: { ...source, units, fingerprint, marksGaps: false, read, close }, excluded };
}

/** No window of a unit that cannot be read. */
const nothing = {
  count: 0,
  at: (i: number): number => {
    throw new RangeError(`there is no window ${i}`);
  },
};
