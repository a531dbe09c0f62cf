/**
 * Signals that are read when they are needed: training sets larger than memory.
 *
 * A source is a list of units whose shapes are known before any sample is read.
 * A unit is a signal, several signals of one shape, or a piece of a long one, and
 * small enough for a few of them to be in memory at a time. Node's files are such a source
 * (data/node/openSource.ts); anything else can be.
 */

import { InputError } from "../../core/errors.js";
import { sizeOf } from "../../core/shape.js";
import { makeSignal, type Signal } from "../../core/signal.js";
import { crc32 } from "../formats/crc32.js";
import type { Windowed } from "./windowNumbers.js";

/** A part of a source that is read at once; its `name` is that of the file it comes from. */
export interface SignalUnit extends Windowed {
  readonly count: number;
  /** Where it starts in its file: the number of its first signal in a stack, or its first row. */
  readonly from?: number;
  /** What `from` counts. */
  readonly part?: "signals" | "rows";
}

export interface SignalSource {
  readonly units: readonly SignalUnit[];
  /** Changes where the data do, as far as can be told without reading them. */
  readonly fingerprint: string;
  /** The samples of a unit, its signals one after the other. An `InputError` where they cannot be read. */
  read(unit: number, into: Float32Array): Promise<void>;
  /** Give back what it holds open. */
  close(): Promise<void>;
}

export function samplesOf({ shape, count }: SignalUnit): number {
  return sizeOf(shape) * count;
}

/** The signals of a unit, views of its samples, all of them finite. */
export function unitSignals(unit: SignalUnit, data: Float32Array): Signal[] {
  const size = sizeOf(unit.shape);
  return Array.from({ length: unit.count }, (_, i) =>
    makeSignal(signalName(unit, i), unit.shape, data.subarray(i * size, (i + 1) * size)),
  );
}

function signalName({ name, from, part, shape }: SignalUnit, i: number): string {
  if (from === undefined) return name;
  return part === "rows" ? `${name}[${from}:${from + shape[0]}]` : `${name}[${from + i}]`;
}

/** Units read at a time: several small ones, or one large one. */
const together = { units: 16, samples: 2 ** 22 };

/** The most samples that are read together. */
export function samplesTogether(units: readonly SignalUnit[]): number {
  return units.reduce((most, unit) => Math.max(most, samplesOf(unit)), together.samples);
}

/** A unit that was read, or why it cannot be. */
export interface ReadUnit {
  readonly signals: readonly Signal[];
  readonly problem?: InputError;
}

/**
 * Read units, a few at a time, each into the room that `roomFor` gives it, and hand them over in their
 * order, until it is stopped. What cannot be read is handed over with the reason; any other failure
 * ends it. `roomFor` is told how many samples are read with a unit, before it; all that is
 * read together is handed over before more is read.
 */
export async function readUnits(
  source: SignalSource,
  units: readonly number[],
  roomFor: (unit: number, before: number) => Float32Array,
  take: (unit: number, read: ReadUnit) => void,
  stopped: () => boolean = () => false,
): Promise<void> {
  for (let next = 0; next < units.length && !stopped(); ) {
    const some: { readonly unit: number; readonly room: Float32Array }[] = [];
    let samples = 0;
    while (next < units.length && some.length < together.units) {
      const unit = units[next];
      const size = samplesOf(source.units[unit]);
      if (some.length > 0 && samples + size > together.samples) break;
      some.push({ unit, room: roomFor(unit, samples) });
      samples += size;
      next++;
    }
    const read = await Promise.all(some.map(({ unit, room }) => readUnit(source, unit, room)));
    for (const [i, { unit }] of some.entries()) take(unit, read[i]);
  }
}

async function readUnit(source: SignalSource, unit: number, room: Float32Array): Promise<ReadUnit> {
  try {
    await source.read(unit, room);
    return { signals: unitSignals(source.units[unit], room) };
  } catch (problem) {
    if (problem instanceof InputError) return { signals: [], problem };
    throw problem;
  }
}

/** Signals that are in memory, as a source. */
export function sourceOf(signals: readonly Signal[]): SignalSource {
  return {
    units: signals.map(({ name, shape }) => ({ name, shape, count: 1 })),
    fingerprint: fingerprintOf(signals),
    read: async (unit, into) => into.set(signals[unit].data),
    close: async () => {},
  };
}

/** Samples of a signal that its fingerprint looks at. */
const looks = 2 ** 16;

/** Eight hexadecimal digits that tell signals apart: their names without folders, their shapes, and samples all over them. */
export function fingerprintOf(signals: readonly Signal[]): string {
  const sum = signals.reduce((crc, { name, shape, data }) => {
    const file = name.slice(Math.max(name.lastIndexOf("/"), name.lastIndexOf("\\")) + 1);
    const stride = Math.ceil(data.length / looks);
    const seen = Float32Array.from({ length: Math.ceil(data.length / stride) }, (_, i) => data[i * stride]);
    return crc32(new Uint8Array(seen.buffer), crc32(new TextEncoder().encode(`${file} ${shape}\n`), crc));
  }, 0);
  return hexOf(sum);
}

/** A CRC-32 as text. */
export function hexOf(crc: number): string {
  return crc.toString(16).padStart(8, "0");
}
