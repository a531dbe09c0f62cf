/** What `denoise` and `inpaint` read, show and write: one picture, or the signals of one array. */

import { InputError } from "../../core/errors.js";
import { rounded } from "../../core/formatText.js";
import { requireFiniteResult } from "../../core/require.js";
import { colourMismatch } from "../../core/samples/colourMismatch.js";
import { requireNotAllTiny } from "../../core/samples/float32.js";
import { hasGaps, isNodata, withGaps } from "../../core/samples/gaps.js";
import { formatShape, isColourShape, type Shape, sizeOf } from "../../core/shape.js";
import type { Signal } from "../../core/signal.js";
import { makeNpy, toFloat32, writeNpy } from "../../data/formats/npy.js";
import { readArrayFile } from "../../data/node/arrays/arrayFiles.js";
import { type Input, isArrayFile, kindOf, memberIn } from "../../data/node/inputs.js";
import {
  type PictureFile,
  pictureExtensions,
  readPictureFile,
  writePictureFile,
} from "../../data/node/pictures.js";
import { describeInputs } from "../../data/node/units/describeInputs.js";
import type { Kernels } from "../../kernels/contract.js";
import { psnr } from "../../tasks/approximate/representation.js";
import { isColour } from "../../tasks/restore/colour.js";
import type { TaskProgress } from "../../tasks/restore/patchOptions.js";
import { rmseBetween } from "../../tasks/restore/trialDamage.js";
import { type DeviceFlags, onDevice } from "./device.js";
import { Interrupt } from "./interrupt.js";
import { stderr } from "./output.js";
import { PercentLine } from "./percentLine.js";
import { isArrayOutput, jsonNumber, requireResult, writeResult } from "./results.js";

/** A file that was read: its signals, and what it takes to write them again. */
export interface RestorableFile {
  readonly signals: readonly Signal[];
  /** The picture in the file; undefined for an array. */
  readonly picture: PictureFile | undefined;
  /** Whether it is a colour picture. */
  readonly colour: boolean;
  /** The shape of the array or picture. */
  readonly shape: Shape;
  /** All samples as they are in the file, if some are missing. */
  readonly given: Float32Array | undefined;
}

export interface RestorableOptions {
  /** Where the result will go. */
  readonly output: string;
  /** Other files that are read; the output must not replace any. */
  readonly others: readonly (string | undefined)[];
  /** The patch, if it is known: an array with one axis more holds several signals. */
  readonly patch: Shape | undefined;
  /** What the patch is that of, for messages. */
  readonly patchOf: string | undefined;
  /** Whether the last axis of an array is red, green and blue. */
  readonly colour: boolean;
  /** Values that mark missing samples, which are NaN in the signals; by default no sample may be missing. */
  readonly nodata: readonly number[];
  /** The form of plain numbers, if the input has no header. */
  readonly raw?: string | undefined;
  /** Whether a mask names further missing samples, which may be anything. */
  readonly masked?: boolean;
}

/** Check the output, then read the input; rejects an output that cannot hold it. */
export async function readRestorable(input: string, options: RestorableOptions): Promise<RestorableFile> {
  const { output, others } = options;
  await requireResult(output, [...pictureExtensions, ".npy"], [memberIn(input)?.archive ?? input, ...others]);
  const file =
    options.raw !== undefined || isArrayFile(input)
      ? await readArray(input, options)
      : await readPicture(input, options);
  requireFits(output, file);
  const inputs = [file.picture ? { kind: "image" as const, path: input } : arrayInput(input, file.shape)];
  stderr.write(`${describeInputs(inputs, file.signals)}\n`);
  return file;
}

function arrayInput(path: string, shape: Shape): Input {
  return { kind: kindOf(path) === "wav" ? "wav" : "npy", path, shape };
}

async function readPicture(
  path: string,
  { nodata, patch, patchOf }: RestorableOptions,
): Promise<RestorableFile> {
  const picture = await readPictureFile(path, nodata, patch?.length === 3);
  const unfit = patch && isColourShape(patch) && colourMismatch(path, picture.signal.shape, patch, patchOf);
  if (unfit) throw unfit;
  const { signal, given } = picture;
  return { signals: [signal], picture, colour: isColour(signal), shape: signal.shape, given };
}

async function readArray(path: string, options: RestorableOptions): Promise<RestorableFile> {
  const { nodata, masked, colour, raw } = options;
  const array = await readArrayFile(path, raw);
  const { shape } = array;
  const several = hasSeveral(path, shape, options);
  if (array.data.length === 0) throw new InputError(`${path}: ${formatShape(shape)} holds no samples`);
  const data = toFloat32(array, path, nodata);
  if (array.data instanceof Float64Array) requireNotAllTiny({ name: path, shape, data: array.data }, data);
  const one = several ? shape.slice(1) : shape;
  const signals = Array.from({ length: several ? shape[0] : 1 }, (_, i) => {
    const name = several ? `${path}[${i}]` : path;
    const samples = data.subarray(i * sizeOf(one), (i + 1) * sizeOf(one));
    const signal = { name, shape: one, data: samples };
    if (!masked) return withGaps(signal, nodata);
    return { ...signal, data: samples.map((value) => (isNodata(value, nodata) ? Number.NaN : value)) };
  });
  return {
    signals,
    picture: undefined,
    colour,
    shape,
    given: signals.some(hasGaps) ? data : undefined,
  };
}

/** Whether an array has one axis more than its signals; rejected if its axes do not fit. */
function hasSeveral(
  path: string,
  shape: Shape,
  { patch, patchOf, colour }: Pick<RestorableOptions, "patch" | "patchOf" | "colour">,
): boolean {
  if (colour) {
    const axes = shape.length;
    if (shape.at(-1) === 3 && (axes === 3 || axes === 4)) return axes === 4;
    const rule = "needs an array of height x width x 3, or several of them";
    throw new InputError((nameOf) => `${nameOf("colour")} ${rule}, got ${formatShape(shape)} in ${path}`, {
      argument: "colour",
    });
  }
  const unfit = patch && colourMismatch(path, shape, patch, patchOf);
  if (unfit) throw unfit;
  const more = patch === undefined ? 0 : shape.length - patch.length;
  if (shape.length > 0 && (more === 0 || more === 1)) return more === 1;
  throw new InputError(
    `${path} has shape ${formatShape(shape) || "()"}: it must have as many axes as the patch, or one more that counts signals`,
  );
}

function requireFits(output: string, { picture, shape }: RestorableFile): void {
  if (isArrayOutput(output)) return;
  if (picture === undefined)
    throw new InputError(`an array of ${formatShape(shape)} must be written to a .npy, got ${output}`);
  if (picture.bits === 32)
    throw new InputError(`a picture of 32 bits per sample must be written to a .npy, got ${output}`);
}

/** Write signals as they were read: a picture, or an array of float32 samples. What they miss is written as it was. */
export async function writeRestored(
  output: string,
  signals: readonly Signal[],
  { picture, shape, given }: RestorableFile,
): Promise<void> {
  const data = new Float32Array(sizeOf(shape));
  let at = 0;
  for (const signal of signals) {
    data.set(signal.data, at);
    at += signal.data.length;
  }
  const missing = given ? data.map((value) => (Number.isNaN(value) ? 1 : 0)) : undefined;
  requireFiniteResult(output, missing ? data.filter((_, i) => missing[i] === 0) : data);
  if (given && missing) for (let i = 0; i < data.length; i++) if (missing[i]) data[i] = given[i];
  if (picture && !isArrayOutput(output))
    return writePictureFile(output, { ...picture, signal: { ...signals[0], data } });
  await writeResult(output, writeNpy(makeNpy(shape, data)));
}

/** How many samples of signals are missing. */
export function countMissing(signals: readonly Signal[]): number {
  return signals.reduce((sum, { data }) => sum + data.filter(Number.isNaN).length, 0);
}

/** What a task of the library gets from the command line. */
export interface RestoreTools {
  readonly kernels: Kernels;
  readonly signal: AbortSignal;
  readonly onProgress: (progress: TaskProgress) => void;
}

/** Run a task with its progress on standard error; Ctrl-C ends it, and nothing is written. */
export async function restore<T>(flags: DeviceFlags, task: (tools: RestoreTools) => Promise<T>): Promise<T> {
  const line = new PercentLine();
  const interrupt = new Interrupt(() => line.note("stopping: nothing will be written"));
  try {
    return await onDevice(flags, (kernels, computingOn) => {
      stderr.write(`${computingOn}\n`);
      interrupt.listen();
      return task({ kernels, signal: interrupt.signal, onProgress: progressOn(line) });
    });
  } catch (error) {
    if (interrupt.signal.aborted) throw interrupt.error("interrupted: nothing was written");
    throw error;
  } finally {
    line.clear();
    interrupt.stop();
  }
}

/** Shows the progress of a task. */
function progressOn(line: PercentLine): (progress: TaskProgress) => void {
  return ({ stage, pass, passes, whole }) => {
    const part = passes > 1 ? [`pass ${pass} of ${passes}`] : [];
    line.show(whole, `${stage} patches`, ...part);
  };
}

/** How near a result is to what was read, for JSON: a picture as it would be saved, and then the PSNR, too. */
export function errorOf(signals: readonly Signal[], { signals: clean, picture }: RestorableFile): object {
  const rmse = rmseBetween(signals, clean, picture ? [0, 255] : undefined);
  return picture ? { rmse, psnr: jsonNumber(psnr(rmse)) } : { rmse };
}

/**
 * How near results are to what was read, one after the other: the PSNR of pictures as they would be saved
 * (clipped to 0…255, not rounded); of arrays, whose scale is not known, the RMSE.
 */
export function qualityOf(
  results: readonly (readonly Signal[])[],
  { signals: clean, picture }: RestorableFile,
): string {
  if (!picture) return `RMSE ${results.map((signals) => rounded(rmseBetween(signals, clean))).join(" → ")}`;
  const decibels = results.map((signals) => psnr(rmseBetween(signals, clean, [0, 255])));
  return `PSNR ${decibels.map((value) => `${value.toFixed(2)} dB`).join(" → ")}`;
}
