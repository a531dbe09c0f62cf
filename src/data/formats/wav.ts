/**
 * Sound files (`.wav`): where their samples are, and how they are stored. PCM of 8 to 32 bits and floating-point samples,
 * any number of channels; RIFF, its big-endian form RIFX, and RF64 for files beyond 4 GiB.
 *
 * Samples have the values in the file; those of 8 bits are stored from 0 to 255 and are read from −128 to 127, so that
 * silence is 0. Compressed sound is not read.
 *
 * References: Microsoft and IBM, "Multimedia Programming Interface and Data Specifications 1.0" (RIFF, WAVE);
 * EBU Tech 3306 (RF64); Microsoft, WAVEFORMATEXTENSIBLE.
 */

import { InputError } from "../../core/errors.js";
import { makeNpy, type NpyArray } from "./npy.js";
import type { ReadBytes } from "./readBytes.js";

type SampleType = keyof typeof sampleReaders;

/** A sample at a place of the bytes. */
type SampleReader = (view: DataView, at: number, little: boolean) => number;

const sampleReaders = {
  uint8: (view, at) => view.getUint8(at) - 128,
  int16: (view, at, little) => view.getInt16(at, little),
  int24: (view, at, little) =>
    little
      ? view.getUint16(at, true) + 65536 * view.getInt8(at + 2)
      : 256 * view.getInt16(at, false) + view.getUint8(at + 2),
  int32: (view, at, little) => view.getInt32(at, little),
  float32: (view, at, little) => view.getFloat32(at, little),
  float64: (view, at, little) => view.getFloat64(at, little),
} as const satisfies Record<string, SampleReader>;

/** The types of PCM and of floating-point samples, by their bytes. */
const pcmTypes: Readonly<Record<number, SampleType>> = { 1: "uint8", 2: "int16", 3: "int24", 4: "int32" };
const floatTypes: Readonly<Record<number, SampleType>> = { 4: "float32", 8: "float64" };

/** How the samples of a sound file are stored: frames of one sample per channel. */
export interface WavLayout {
  readonly channels: number;
  readonly frames: number;
  /** Samples per second and channel. */
  readonly rate: number;
  readonly samples: SampleType;
  /** Bytes of a sample. */
  readonly size: number;
  readonly bigEndian: boolean;
  /** Where the first frame starts. */
  readonly dataOffset: number;
}

/** The sizes of an RF64 file that do not fit into 32 bits. */
interface LongSizes {
  readonly data: number;
}

const pcm = 1;
const float = 3;
const extensible = 0xfffe;
/** Names of what else is common, for messages. */
const compressed: Readonly<Record<number, string>> = {
  2: "ADPCM",
  6: "A-law",
  7: "µ-law",
  17: "ADPCM",
  49: "GSM",
  85: "MP3",
};

/** A size that is not known: a program wrote the sound as it came, or the file is an RF64. */
const unknownSize = 0xffffffff;

/** Chunks before the samples that are looked at. */
const maxChunks = 10_000;

/** The layout of a sound file of `length` bytes; `name` is for messages. */
export async function readWavLayout(read: ReadBytes, length: number, name: string): Promise<WavLayout> {
  const start = await read(0, Math.min(12, length));
  const form = textOf(start, 0);
  if (!["RIFF", "RIFX", "RF64", "BW64"].includes(form) || textOf(start, 8) !== "WAVE")
    throw new InputError(`${name}: not a .wav file`);
  const bigEndian = form === "RIFX";
  let format: SampleFormat | undefined;
  let long: LongSizes | undefined;
  let at = 12;
  for (let chunk = 0; chunk < maxChunks && at + 8 <= length; chunk++) {
    const head = await read(at, 8);
    const [id, size] = [textOf(head, 0), viewOf(head).getUint32(4, !bigEndian)];
    const body = at + 8;
    if (id === "ds64") long = readLongSizes(await read(body, Math.min(size, 28, length - body)), name);
    if (id === "fmt ")
      format = readFormat(await read(body, Math.min(size, 40, length - body)), bigEndian, name);
    if (id === "data") {
      if (!format) throw new InputError(`${name}: damaged .wav: samples come before their format`);
      return layoutOf(format, bigEndian, body, dataSize(size, long, length - body, name));
    }
    at = body + size + (size % 2);
  }
  throw new InputError(`${name}: truncated .wav: it has no samples`);
}

/** Bytes of samples. */
function dataSize(size: number, long: LongSizes | undefined, left: number, name: string): number {
  if (size === unknownSize && !long) return left;
  const declared = size === unknownSize && long ? long.data : size;
  if (declared > left)
    throw new InputError(`${name}: truncated .wav: its header says ${declared} bytes, ${left} left`);
  return declared;
}

type SampleFormat = Pick<WavLayout, "channels" | "rate" | "samples" | "size">;

function readFormat(bytes: Uint8Array, bigEndian: boolean, name: string): SampleFormat {
  if (bytes.length < 16) throw new InputError(`${name}: damaged .wav: its format has ${bytes.length} bytes`);
  const view = viewOf(bytes);
  const word = (at: number) => view.getUint16(at, !bigEndian);
  const given = word(0);
  const tag = given === extensible && bytes.length >= 26 ? word(24) : given;
  const [channels, frameBytes, bits] = [word(2), word(12), word(14)];
  if (tag !== pcm && tag !== float) {
    const what = compressed[tag] ?? `format ${tag}`;
    throw new InputError(
      `${name}: must hold PCM or floating-point samples, got ${what}; convert it to PCM first`,
    );
  }
  const size = frameBytes / channels;
  const samples = (tag === pcm ? pcmTypes : floatTypes)[size];
  if (samples === undefined || bits > 8 * size || bits <= 8 * (size - 1))
    throw new InputError(
      `${name}: damaged .wav: ${channels} × ${bits} bits in frames of ${frameBytes} bytes`,
    );
  return { channels, rate: view.getUint32(4, !bigEndian), samples, size };
}

function readLongSizes(bytes: Uint8Array, name: string): LongSizes {
  if (bytes.length < 28) throw new InputError(`${name}: damaged .wav: its long sizes are missing`);
  const data = Number(viewOf(bytes).getBigUint64(8, true));
  return { data };
}

function layoutOf(format: SampleFormat, bigEndian: boolean, dataOffset: number, bytes: number): WavLayout {
  const frames = Math.floor(bytes / (format.channels * format.size));
  return { ...format, bigEndian, dataOffset, frames };
}

/** `into` ← the samples of one channel in the bytes of whole frames. */
export function decodeChannel(
  bytes: Uint8Array,
  { channels, samples, size, bigEndian }: WavLayout,
  channel: number,
  into: Float32Array | Int16Array | Float64Array,
): void {
  const view = viewOf(bytes);
  const read: SampleReader = sampleReaders[samples];
  for (let i = 0, at = channel * size; i < into.length; i++, at += channels * size)
    into[i] = read(view, at, !bigEndian);
}

/** The sound in the bytes of a file: samples of one channel, or channels × samples. Of 8 and 16 bits, as 16-bit integers. */
export async function readWav(bytes: Uint8Array, name: string): Promise<NpyArray> {
  const read: ReadBytes = async (offset, length) => bytes.subarray(offset, offset + length);
  const layout = await readWavLayout(read, bytes.length, name);
  const { channels, frames, samples, size, dataOffset } = layout;
  const Samples =
    size <= 2 ? Int16Array : samples === "float64" || samples === "int32" ? Float64Array : Float32Array;
  const data = new Samples(channels * frames);
  const body = bytes.subarray(dataOffset, dataOffset + frames * channels * size);
  for (let c = 0; c < channels; c++)
    decodeChannel(body, layout, c, data.subarray(c * frames, (c + 1) * frames));
  return makeNpy(soundShape(layout), data);
}

/** One axis for one channel; with several, the first axis counts them. */
export function soundShape({ channels, frames }: WavLayout): readonly number[] {
  return channels === 1 ? [frames] : [channels, frames];
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function textOf(bytes: Uint8Array, at: number): string {
  return String.fromCharCode(...bytes.subarray(at, at + 4));
}
