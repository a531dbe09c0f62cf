/** The files of `compress` and `decompress` as arrays of samples: images of 8 or 16 bits, .npy arrays and sounds. */

import { InputError } from "../../core/errors.js";
import { requireFiniteResult } from "../../core/require.js";
import { colourMismatch } from "../../core/samples/colourMismatch.js";
import { formatShape, isColourShape, type Shape } from "../../core/shape.js";
import { makeNpy, writeNpy } from "../../data/formats/npy.js";
import { readArrayFile } from "../../data/node/arrays/arrayFiles.js";
import { isArrayFile } from "../../data/node/inputs.js";
import { readPictureFile, writePictureFile } from "../../data/node/pictures.js";
import type { SampleArray, Samples } from "../../tasks/codec/sampleArray.js";
import { isArrayOutput, writeResult } from "./results.js";

/** The samples in a file, for blocks of this shape. Blocks of two axes keep colour apart; others have it as an axis. */
export async function readSampleFile(path: string, block: Shape, raw?: string): Promise<SampleArray> {
  const isArray = raw !== undefined || isArrayFile(path);
  const array = isArray ? await readArray(path, raw) : await readPicture(path, block.length);
  const unfit = array.colour ? undefined : colourMismatch(path, array.shape, block, "the dictionary");
  if (unfit) throw unfit;
  return array;
}

async function readPicture(path: string, axes: number): Promise<SampleArray> {
  const { signal, opacity, bits } = await readPictureFile(path, [], axes === 3);
  if (opacity?.some((value) => value !== 1))
    throw new InputError(`${path} is transparent in places, which cannot be compressed`);
  const { shape, data } = signal;
  const colour = shape.length === 3 && axes === 2;
  if (bits === 32) return { shape, data, colour };
  const whole =
    bits === 8 ? Uint8Array.from(data) : Uint16Array.from(data, (value) => Math.round(value * 257));
  return { shape, data: whole, colour };
}

async function readArray(path: string, raw: string | undefined): Promise<SampleArray> {
  const { shape, data, dtype } = await readArrayFile(path, raw);
  const taken = [Uint8Array, Uint16Array, Int16Array, Float32Array].some((type) => data instanceof type);
  if (!taken || dtype === "|S1")
    throw new InputError(`${path} must be uint8, uint16, int16 or float32, got ${dtype}`);
  if (data.length === 0) throw new InputError(`${path}: ${formatShape(shape)} holds no samples`);
  return { shape, data: data as Samples, colour: false };
}

/** Reject samples that a file of this name cannot hold. */
export function requireSampleFormat(path: string, { shape, data, colour }: SampleArray): void {
  if (isArrayOutput(path)) return;
  const isPicture = colour || shape.length === 2 || isColourShape(shape);
  const picture = isPicture && (data instanceof Uint8Array || data instanceof Uint16Array);
  if (!picture) throw new InputError("an image holds one picture of 8 or 16 bits; write this to a .npy");
}

/** Write samples as an array or as a picture. */
export async function writeSampleFile(path: string, array: SampleArray): Promise<void> {
  const { shape, data } = array;
  requireFiniteResult(path, data);
  if (isArrayOutput(path)) return writeResult(path, writeNpy(makeNpy(shape, data)));
  const bits = data instanceof Uint16Array ? 16 : 8;
  const signal = {
    name: path,
    shape,
    data: Float32Array.from(data, (value) => (bits === 16 ? value / 257 : value)),
  };
  await writePictureFile(path, { signal, opacity: undefined, bits });
}
