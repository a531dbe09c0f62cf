/**
 * Samples far beyond all others: mostly marks of missing data that nobody named, such as
 * −3.4028235e38 in a height map. One of them decides every mean, norm and error it is part
 * of, so it is worth a line to the user.
 */

import { formatPlace, type Signal } from "../signal.js";
import { MagnitudeCounts } from "../units.js";

export interface Extreme {
  /** The signal it is in. */
  readonly name: string;
  /** Its coordinates there; undefined where they are not known. */
  readonly place: string | undefined;
  readonly value: number;
  /** What nearly all other samples are below, in magnitude; a power of two. */
  readonly usual: number;
}

/** A sample is extreme if it is this many times as large as 99 % of the samples (about a million). */
const farBeyond = 2 ** 20;

/** No measurement has such a range: it is enough if a sample is this many times as large as half of the samples. */
const noRange = 2 ** 60;

/** The largest sample of signals, if it is far beyond the others. Gaps (NaN) are ignored. */
export function findExtreme(signals: readonly Signal[]): Extreme | undefined {
  const { largest, usual } = magnitudesOf(signals);
  if (!(largest > farBeyond * usual)) return undefined;
  for (const { name, shape, data } of signals) {
    const i = data.findIndex((value) => Math.abs(value) === largest);
    if (i >= 0) return { name, place: formatPlace(i, shape), value: data[i], usual };
  }
  return undefined;
}

/** Where there is an extreme sample, those above this many times the usual ones may have come from it. */
const nearExtreme = 2 ** 10;

/** The magnitude above which samples do not belong with the others; undefined if no sample is extreme. */
export function extremeLimit(signals: readonly Signal[]): number | undefined {
  const { largest, usual } = magnitudesOf(signals);
  return largest > farBeyond * usual ? nearExtreme * usual : undefined;
}

function magnitudesOf(signals: readonly Signal[]): { readonly largest: number; readonly usual: number } {
  const counts = new MagnitudeCounts();
  let largest = 0;
  for (const { data } of signals) {
    counts.add(data);
    for (let i = 0; i < data.length; i++) {
      const magnitude = Math.abs(data[i]);
      if (magnitude > largest && magnitude < Infinity) largest = magnitude;
    }
  }
  const half = counts.quantile(0.5);
  return { largest, usual: 2 * (largest > noRange * half ? half : counts.quantile(0.99)) };
}

/** One line, without a full stop; `remedy` says what to do if the sample marks missing ones. */
export function describeExtreme({ name, place, value, usual }: Extreme, remedy: string): string {
  const sample = `a sample of ${shortest(value)}${place === undefined ? "" : ` at ${place}`}`;
  return `${name} has ${sample}, far beyond the others (below ${shortest(usual)}); if it marks missing samples, ${remedy}`;
}

/** The fewest digits that give the same f32. */
function shortest(value: number): string {
  for (let digits = 1; digits < 9; digits++) {
    const text = Number(value.toPrecision(digits));
    if (Math.fround(text) === value) return String(text);
  }
  return value.toPrecision(9);
}
