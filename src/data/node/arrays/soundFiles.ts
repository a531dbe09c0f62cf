/** Sound files by positioned reads: their layout, and some frames of one channel. The rest of the file is not read. */

import { markGaps } from "../../../core/samples/gaps.js";
import { decodeChannel, readWavLayout, type WavLayout } from "../../formats/wav.js";
import type { ByteRange, OpenFiles } from "../system/openFiles.js";

/** Bytes that are read at a time, about. */
const blockBytes = 2 ** 20;

/** The layout of the sound in a range of a file. */
export function soundLayout(files: OpenFiles, range: ByteRange, name: string): Promise<WavLayout> {
  const read = async (offset: number, length: number) => {
    const bytes = new Uint8Array(Math.max(0, Math.min(length, range.length - offset)));
    await files.read(range, offset, bytes, name);
    return bytes;
  };
  return readWavLayout(read, range.length, name);
}

/** An open sound file. */
export interface SoundBytes {
  readonly name: string;
  readonly layout: WavLayout;
  /** Values that mark missing samples, which become NaN. */
  readonly nodata: readonly number[];
  /** Fill `into` with the bytes from offset `at` of the file. */
  read(at: number, into: Uint8Array): Promise<void>;
}

/** Fill `into` with samples of a channel, from a frame on. */
export async function readFrames(
  { name, layout, nodata, read }: SoundBytes,
  channel: number,
  from: number,
  into: Float32Array,
): Promise<void> {
  const frameBytes = layout.channels * layout.size;
  const each = Math.max(1, Math.floor(blockBytes / frameBytes));
  const bytes = new Uint8Array(Math.min(each, into.length) * frameBytes);
  for (let at = 0; at < into.length; at += each) {
    const part = into.subarray(at, at + each);
    const block = bytes.subarray(0, part.length * frameBytes);
    await read(layout.dataOffset + (from + at) * frameBytes, block);
    decodeChannel(block, layout, channel, part);
  }
  if (nodata.length > 0) markGaps(name, [into.length], into, nodata);
}
