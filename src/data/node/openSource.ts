/**
 * Image, array and sound files as a source of signals: shapes are known from headers,
 * samples are read when they are needed.
 *
 * A picture is one unit. A sound is cut as one signal per channel (arrays/soundFiles.ts). An array is cut into units of about `unitSamples` samples:
 * several signals of a stack; or rows of one signal, which overlap by one row less than
 * the patch has, so that every window lies in exactly one unit.
 */

import { basename } from "node:path";
import { byRule, callback, number, required, requireOptions } from "../../core/arguments/argumentTypes.js";
import { asyncDispose, type Closable, releaseWhenCollected } from "../../core/disposal.js";
import { InputError } from "../../core/errors.js";
import { resolveNodata } from "../../core/samples/gaps.js";
import { formatShape, requireShape, type Shape, sameShape } from "../../core/shape.js";
import { crc32, crcToHex } from "../formats/checksums.js";
import { maxNpyHeaderLength, readNpyHeader } from "../formats/npy.js";
import type { SignalSource } from "../sampling/signalSource.js";
import { TemporaryStore, temporaryBytes } from "./archives/temporaryStore.js";
import { readRows, requireNumbers } from "./arrays/npyRows.js";
import { readFrames, soundLayout } from "./arrays/soundFiles.js";
import { fileContents } from "./fileContents.js";
import {
  type FileUnit,
  type OpenInput,
  type Opening,
  rowPieces,
  stackPieces,
  tooSmall,
} from "./fileUnits.js";
import { decodeImage } from "./images.js";
import {
  type Input,
  type InputList,
  inspectInputs,
  isKnownKind,
  knownKinds,
  type ReadSignalsOptions,
  resolvePatch,
} from "./inputs.js";
import { fileBytes, memberBytes } from "./pages/imageBytes.js";
import { listPages } from "./pages/listPages.js";
import { openPages } from "./pages/openPages.js";
import { type OnSkip, SkippedFiles, warnOfSkipped } from "./skippedFiles.js";
import { shownPath } from "./system/fileNames.js";
import { type ByteRange, OpenFiles } from "./system/openFiles.js";

export interface OpenSourceOptions extends ReadSignalsOptions {
  /** Approximate samples per unit; by default an array is one unit. */
  readonly unitSamples?: number;
}

/** Inputs opened at the same time. */
const together = 16;

/**
 * Open files, folders, globs and archives as a source of signals, which may be larger than memory. What cannot be used
 * is skipped and reported, unless there is nothing else.
 */
export async function openSource(
  data: InputList,
  options: OpenSourceOptions,
): Promise<SignalSource & Closable> {
  requireOptions("openSource", options, {
    patch: required(byRule),
    onSkip: callback,
    nodata: byRule,
    unitSamples: number,
  });
  const { unitSamples = Infinity, onSkip = warnOfSkipped } = options;
  const inputs = await inspectInputs(data, { onSkip });
  const patch = requireShape("openSource", "patch", resolvePatch(options.patch, inputs));
  const nodata = resolveNodata("openSource", options.nodata);
  const files = new OpenFiles();
  try {
    const store = temporaryBytes(inputs) > 0 ? await TemporaryStore.open(files, inputs) : undefined;
    const { opened, skipped } = await openAll(inputs, { patch, unitSamples, nodata, files, store }, onSkip);
    const units = opened.flatMap((input) => input.units);
    if (units.length === 0) throw nothingToRead(patch);
    const compared = opened.map((input) => input.compared);
    const close = () => files.close();
    const source = {
      units,
      fingerprint: fingerprintUnits(units),
      marksGaps: nodata.length > 0,
      contents: (limit?: number) => fileContents(compared, skipped, limit),
      read: (unit: number, into: Float32Array) => units[unit].read(into),
      close,
      [asyncDispose]: close,
    };
    releaseWhenCollected(source, close);
    return source;
  } catch (error) {
    await files.close();
    throw error;
  }
}

/** Open inputs, a few at a time; the names of those that are skipped. */
async function openAll(
  inputs: readonly Input[],
  opening: Opening,
  onSkip: OnSkip,
): Promise<{ opened: OpenInput[]; skipped: string[] }> {
  const opened: OpenInput[] = [];
  const skipped: string[] = [];
  const report = new SkippedFiles(onSkip);
  for (let next = 0; next < inputs.length; next += together) {
    const some = inputs.slice(next, next + together);
    for (const [i, found] of (await settleAll(some.map((input) => openInput(input, opening)))).entries()) {
      if (!(found instanceof InputError)) {
        opened.push(found);
        found.skipped?.forEach((problem) => report.add(problem));
      } else if (inputs.length === 1) throw found;
      else {
        report.add(found);
        skipped.push(shownPath(some[i].path));
      }
    }
  }
  report.end();
  return { opened, skipped };
}

/** The results of all promises. A failure is thrown only when all have ended, so that files can be closed. */
async function settleAll<T>(promises: readonly Promise<T>[]): Promise<T[]> {
  await Promise.allSettled(promises);
  return Promise.all(promises);
}

/** An input, opened. An error that is returned, not thrown, skips only this input. */
async function openInput(input: Input, opening: Opening): Promise<OpenInput | InputError> {
  const name = shownPath(input.path);
  if (input.kind === "image") return openImage(input, name, opening);
  const array = (input.kind === "wav" ? openSound : openArray)(input, name, opening);
  return input.found ? array.catch((error: unknown) => skippable(error)) : array;
}

/** The error of an input that a run can do without; any other is thrown. */
function skippable(error: unknown): InputError {
  if (error instanceof InputError && error.argument !== "patch") return error;
  throw error;
}

async function openImage(
  { path, within }: Input,
  name: string,
  opening: Opening,
): Promise<OpenInput | InputError> {
  const { patch, nodata, files } = opening;
  try {
    const image = within ? memberBytes(files, within, name) : await fileBytes(files, path);
    const compared = { path, within, length: image.length, bytes: image.bytes };
    const { pages, single } = await listPages(image, name);
    if (!single) {
      const opened = openPages(image, pages, name, opening);
      return opened instanceof InputError ? opened : { ...opened, compared };
    }
    if (patch.length !== 2) {
      throw new InputError(`${name} is an image: the patch must have 2 axes, got ${formatShape(patch)}`, {
        argument: "patch",
      });
    }
    const [{ shape }] = pages;
    const small = tooSmall(name, shape, patch);
    if (small) return small;
    const read = async (into: Float32Array) => {
      const picture = await decodeImage(await image.read(image.length), name, nodata);
      if (!sameShape(picture.shape, shape))
        throw new InputError(`${name}: became ${formatShape(picture.shape)}, was ${formatShape(shape)}`);
      into.set(picture.data);
    };
    return { units: [{ name, shape, count: 1, bytes: image.length, read }], compared };
  } catch (error) {
    if (!(error instanceof InputError) || error.argument === "patch") throw error;
    return isKnownKind(path) ? error : new InputError(`${error.message}; ${knownKinds}`);
  }
}

async function openArray(
  input: Input,
  name: string,
  { patch, unitSamples, nodata, files, store }: Opening,
): Promise<OpenInput | InputError> {
  const { path, within } = input;
  const range = await locate(input, name, files, store);
  const start = new Uint8Array(Math.min(range.length, maxNpyHeaderLength));
  await files.read(range, 0, start, name);
  const header = readNpyHeader(start, name);
  const { shape: all } = header;
  const axes = all.length;
  if (axes !== patch.length && axes !== patch.length + 1) throw wrongAxes(input, name, all, patch);
  requireNumbers(header, range.length, name);
  if (header.byteLength === 0) return new InputError(`${name}: ${formatShape(all)} holds no samples`);
  const stacked = axes > patch.length;
  const shape = stacked ? all.slice(1) : all;
  const small = tooSmall(name, shape, patch);
  if (small) return small;
  const read = (at: number, into: Uint8Array) => files.read(range, at, into, name);
  const array = { name, header, nodata, read };
  const pieces = stacked ? stackPieces(all, unitSamples) : rowPieces(all, patch, unitSamples);
  const whole = pieces.length === 1 && !stacked;
  const units = pieces.map(({ from, rows }) => ({
    name,
    shape: stacked ? shape : [rows, ...shape.slice(1)],
    count: stacked ? rows : 1,
    ...(whole ? {} : { from, part: stacked ? ("signals" as const) : ("rows" as const) }),
    bytes: header.byteLength,
    read: (into: Float32Array) => readRows(array, from, rows, into),
  }));
  return { units, compared: { path, within, length: within?.length ?? range.length } };
}

/** The channels of a sound, each cut into pieces as one signal. */
async function openSound(
  { path, within }: Input,
  name: string,
  { patch, unitSamples, nodata, files }: Opening,
): Promise<OpenInput | InputError> {
  const range = within ?? (await files.whole(path));
  const layout = await soundLayout(files, range, name);
  if (patch.length !== 1)
    throw new InputError(`${name} is sound: the patch must have 1 axis, got ${formatShape(patch)}`);
  const shape = [layout.frames];
  const small = tooSmall(name, shape, patch);
  if (small) return small;
  const pieces = rowPieces(shape, patch, unitSamples);
  const sound = {
    name,
    layout,
    nodata,
    read: (at: number, into: Uint8Array) => files.read(range, at, into, name),
  };
  const placeOfPiece = (channel: number, from: number) => {
    if (pieces.length > 1) return { from, part: "rows" as const };
    return layout.channels > 1 ? { from: channel, part: "signals" as const } : {};
  };
  const units = Array.from({ length: layout.channels }, (_, channel) =>
    pieces.map(({ from, rows }) => ({
      name,
      shape: [rows],
      count: 1,
      ...placeOfPiece(channel, from),
      bytes: range.length,
      read: (into: Float32Array) => readFrames(sound, channel, from, into),
    })),
  );
  return { units: units.flat(), compared: { path, within, length: range.length } };
}

/** Where the bytes of an input are. A compressed member is inflated first. */
async function locate(
  { path, within, packed }: Input,
  name: string,
  files: OpenFiles,
  store: TemporaryStore | undefined,
): Promise<ByteRange> {
  if (!within) return files.whole(path);
  return packed && store ? store.inflate(within, packed, name) : within;
}

function wrongAxes({ within }: Input, path: string, shape: readonly number[], patch: Shape): InputError {
  const has = shape.length === 1 ? "1 axis" : `${shape.length} axes`;
  const one = patch.length === 1 ? "1 axis" : `${patch.length} axes`;
  return new InputError(
    `${path} has ${has} (${formatShape(shape) || "a single value"}): a patch of ${formatShape(patch)} ` +
      `needs ${one} (one signal) or ${patch.length + 1} (the first counts signals)` +
      (within ? `; an array of an archive is named as in "${basename(within.file)}[NAME]"` : ""),
    { argument: "patch" },
  );
}

/** A checksum of file names without folders, sizes and shapes: what is known without reading the samples. */
function fingerprintUnits(units: readonly FileUnit[]): string {
  const encoder = new TextEncoder();
  const sum = units.reduce((crc, { name, bytes, shape, count, from = 0 }) => {
    return crc32(encoder.encode(`${basename(name)} ${bytes} ${shape} ${count} ${from}\n`), crc);
  }, 0);
  return crcToHex(sum);
}

/** The error if no input can be used. */
export function nothingToRead(patch: Shape): InputError {
  return new InputError(`nothing to read: no input is large enough for a patch of ${formatShape(patch)}`);
}
