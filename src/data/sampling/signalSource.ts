/**
 * Signals that are read when they are needed, for training sets larger than memory.
 *
 * A source is a list of units whose shapes are known before any sample is read.
 * A unit is a signal, several signals of one shape, or a piece of a long signal, small
 * enough that a few of them fit into memory at a time. data/node/openSource.ts makes a
 * source of files; any other source can be written against the same interface.
 *
 * `signalsFrom` makes signals of what a program may give as data: one signal, several, a
 * typed array (a 1-D signal), several of those, an array with a shape such as `readNpy`
 * returns, or a source. An array with as many axes as the patch is one signal; with one
 * axis more, the first counts signals, as on the command line.
 */

import { requireArgument, signalList, text } from "../../core/arguments/argumentTypes.js";
import { InputError, show } from "../../core/errors.js";
import { requireNotAllTiny, roundToFloat32 } from "../../core/samples/float32.js";
import { signalsWithGaps, withGaps } from "../../core/samples/gaps.js";
import { requireShape, type Shape, sizeOf } from "../../core/shape.js";
import { makeSignal, type Signal } from "../../core/signal.js";
import { contentsOf, type DataContents, digestOf } from "./dataContents.js";
import type { Windowed } from "./patchSampler.js";

/** A part of a source that is read at once; `name` is the file it comes from. */
export interface SignalUnit extends Windowed {
  readonly count: number;
  /** Where it starts in its file: the number of its first signal, or its first row. */
  readonly from?: number;
  /** What `from` counts. */
  readonly part?: "signals" | "rows";
}

export interface SignalSource {
  readonly units: readonly SignalUnit[];
  /** Whether `read` returns NaN for missing samples; by default NaN is an error. */
  readonly marksGaps?: boolean;
  /** Differs if the data differ, as far as is known without reading them. */
  readonly fingerprint: string;
  /**
   * Checksums of what the data contain, made when a run with checkpoints asks for them; `limit` is that of earlier
   * contents to compare with. Without this, the fingerprint is compared.
   */
  contents?(limit?: number): Promise<DataContents>;
  /** Read the samples of a unit, one signal after the other. Throws an `InputError` if they cannot be read. */
  read(unit: number, into: Float32Array): Promise<void>;
  /** Close all files. */
  close(): Promise<void>;
}

/** How many samples a unit has. */
export function samplesOf({ shape, count }: SignalUnit): number {
  return sizeOf(shape) * count;
}

/** The signals of a unit, as views of its samples, checked to be finite; gaps (NaN) may be allowed. */
export function unitSignals(
  unit: SignalUnit,
  data: Float32Array,
  gaps: "gaps" | "no gaps" = "no gaps",
): Signal[] {
  const size = sizeOf(unit.shape);
  return Array.from({ length: unit.count }, (_, i) => {
    const signal = {
      name: signalName(unit, i),
      shape: unit.shape,
      data: data.subarray(i * size, (i + 1) * size),
    };
    return gaps === "gaps"
      ? withGaps(signal, [Number.NaN])
      : makeSignal(signal.name, signal.shape, signal.data);
  });
}

function signalName({ name, from, part, shape }: SignalUnit, i: number): string {
  if (from === undefined) return name;
  return part === "rows" ? `${name}[${from}:${from + shape[0]}]` : `${name}[${from + i}]`;
}

/** Units read at a time: several small ones, or one large one. */
const together = { units: 16, samples: 2 ** 22 };

/** How many samples `readUnits` reads at a time, at most. */
export function samplesTogether(units: readonly SignalUnit[]): number {
  return units.reduce((largest, unit) => Math.max(largest, samplesOf(unit)), together.samples);
}

/** A unit that was read, or why it could not be. */
export interface ReadUnit {
  readonly signals: readonly Signal[];
  readonly problem?: InputError;
}

/**
 * Read units, a few at a time, and pass them to `take` in order, until `stopped`. A unit that cannot be read
 * is passed on with the reason; any other failure is thrown. `roomFor(unit, before)` returns memory for a unit;
 * `before` counts the samples of the earlier units that are read together with it. All units read together are
 * passed on before more are read.
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
    return { signals: unitSignals(source.units[unit], room, source.marksGaps ? "gaps" : "no gaps") };
  } catch (problem) {
    if (problem instanceof InputError) return { signals: [], problem };
    throw problem;
  }
}

/** Signals in memory as a source. */
export function sourceOf(signals: readonly Signal[]): SignalSource {
  requireArgument("sourceOf", "signals", signals, signalList);
  return {
    units: signals.map(({ name, shape }) => ({ name, shape, count: 1 })),
    get fingerprint() {
      return digestOf(contentsOf(signals));
    },
    contents: async (limit) => contentsOf(signals, limit),
    read: async (unit, into) => into.set(signals[unit].data),
    close: async () => {},
  };
}

/** Files reported by name; further ones are only counted. */
const maxReported = 20;

/** The files of a source that could not be read: each is reported once, and all are counted. */
export class UnreadableFiles {
  readonly #files = new Set<string>();
  readonly #report: (message: string) => void;
  /** Examples skipped because of them, counted anew in each epoch. */
  examples = 0;

  constructor(report: (message: string) => void = () => {}) {
    this.#report = report;
  }

  /** Files of which something could not be read, in the order they were found. */
  get files(): readonly string[] {
    return [...this.#files];
  }

  add({ name }: SignalUnit, problem: InputError): void {
    if (this.#files.has(name)) return;
    this.#files.add(name);
    if (this.#files.size <= maxReported) this.#report(`${problem.message}, skipped`);
    if (this.#files.size === maxReported) this.#report("further files that cannot be read are only counted");
  }
}

/** Samples in memory: any typed array of numbers. */
export type Samples =
  | Float32Array
  | Float64Array
  | Int8Array
  | Uint8Array
  | Uint8ClampedArray
  | Int16Array
  | Uint16Array
  | Int32Array
  | Uint32Array;

/** Samples with a shape, row-major: a signal without a name, an array of `readNpy`. */
export interface ShapedSamples {
  readonly shape: Shape;
  readonly data: Samples;
  readonly name?: string;
}

/** Signals in memory. */
export type SignalData = Samples | ShapedSamples | readonly (Samples | ShapedSamples)[];

/** Signals that windows of `patch` are cut from, with NaN for missing samples; or the source that was given. */
export function signalsFrom(
  where: string,
  data: SignalData | SignalSource,
  patch: Shape,
  nodata: readonly number[] = [],
): readonly Signal[] | SignalSource {
  requireArgument("signalsFrom", "where", where, text);
  requireShape(where, "patch", patch);
  if (isSource(data)) return data;
  const list = Array.isArray(data) ? data : [data];
  if (list.length === 0) throw new InputError("data must hold at least one signal, got none", { where });
  if (list.every(isSignal)) return signalsWithGaps(where, list, nodata); // no samples are copied
  return list.flatMap((item, i) =>
    toSignals(where, item, list.length === 1 ? "data" : `data[${i}]`, patch, nodata),
  );
}

/** Whether data are read when they are needed. */
export function isSource(data: unknown): data is SignalSource {
  return typeof data === "object" && data !== null && "units" in data && "read" in data;
}

function isSignal(item: unknown): item is Signal {
  return isShaped(item) && typeof item.name === "string" && item.data instanceof Float32Array;
}

function isShaped(item: unknown): item is ShapedSamples {
  return (
    typeof item === "object" && item !== null && "shape" in item && "data" in item && isSamples(item.data)
  );
}

function isSamples(data: unknown): data is Samples {
  return (
    ArrayBuffer.isView(data) &&
    !(data instanceof DataView || data instanceof BigInt64Array || data instanceof BigUint64Array)
  );
}

function toSignals(
  where: string,
  item: unknown,
  called: string,
  patch: Shape,
  nodata: readonly number[],
): Signal[] {
  if (isSamples(item)) {
    const shape = [item.length];
    const data = samplesOf32(called, shape, item, nodata);
    return [withGaps({ name: called, shape, data }, nodata)];
  }
  if (!isShaped(item)) {
    const paths = typeof item === "string" ? "; train of trainlets/node reads files" : "";
    throw new InputError(
      `${called} must be a signal, several signals, a typed array or an array { shape, data }, got ${show(item)}${paths}`,
      { where, argument: "data", value: item },
    );
  }
  const { shape, name = called } = item;
  const values = samplesOf32(name, shape, item.data, nodata);
  if (!Array.isArray(shape) || shape.length !== patch.length + 1 || values.length !== sizeOf(shape))
    return [...signalsWithGaps(where, [{ name, shape, data: values }], nodata)];
  const [one, size] = [shape.slice(1), sizeOf(shape.slice(1))];
  return Array.from({ length: shape[0] }, (_, i) =>
    withGaps({ name: `${name}[${i}]`, shape: one, data: values.subarray(i * size, (i + 1) * size) }, nodata),
  );
}

/** A copy of samples as f32. */
function samplesOf32(name: string, shape: Shape, data: Samples, nodata: readonly number[]): Float32Array {
  if (!(data instanceof Float64Array)) return Float32Array.from(data);
  const rounded = roundToFloat32({ name, shape, data }, nodata);
  requireNotAllTiny({ name, shape, data }, rounded);
  return rounded;
}
