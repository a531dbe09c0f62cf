/**
 * Image, array and sound files as a source of signals: shapes are known from headers,
 * samples are read when they are needed.
 *
 * A picture is one unit. A sound is cut as one signal per channel (arrays/soundFiles.ts). An array is cut into units of about `unitSamples` samples:
 * several signals of a stack; or rows of one signal, which overlap by one row less than
 * the patch has, so that every window lies in exactly one unit.
 */

import { basename } from "node:path";
import {
  byRule,
  callback,
  number,
  required,
  requireOptions,
  text,
} from "../../core/arguments/argumentTypes.js";
import { asyncDispose, type Closable, releaseWhenCollected } from "../../core/disposal.js";
import { InputError } from "../../core/errors.js";
import { colourMismatch } from "../../core/samples/colourMismatch.js";
import { resolveNodata } from "../../core/samples/gaps.js";
import { formatShape, isColourShape, requireShape, type Shape, sameShape, sizeOf } from "../../core/shape.js";
import { crc32, crcToHex } from "../formats/checksums.js";
import type { SignalSource } from "../sampling/signalSource.js";
import { TemporaryStore, temporaryBytes } from "./archives/temporaryStore.js";
import { openArray, openSound } from "./arrays/openArray.js";
import { fileContents } from "./fileContents.js";
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
import { OpenFiles } from "./system/openFiles.js";
import { type FileUnit, type OpenInput, type Opening, tooSmall } from "./units/fileUnits.js";

export interface OpenSourceOptions extends ReadSignalsOptions {
  /** Approximate samples per unit; by default an array is one unit. */
  readonly unitSamples?: number;
}

/** Patches up to this size have bases that are made in a moment, whatever the data. */
const usualPatch = { samples: 64 * 64, axis: 1024 } as const;

/**
 * Refuse data without a window of a patch, from their headers, before a base for the patch is made: that may take all memory.
 * A smaller patch, and archives that must be inflated first, wait until the data are opened for reading.
 */
export async function requireRoomFor(inputs: readonly Input[], patch: Shape): Promise<void> {
  const isUsual = sizeOf(patch) <= usualPatch.samples && Math.max(...patch) <= usualPatch.axis;
  if (isUsual || temporaryBytes(inputs) > 0) return;
  const source = await openSource(inputs, { patch, onSkip: () => {} }); // reported when they are opened for reading
  await source.close();
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
    patchOf: text,
    onSkip: callback,
    nodata: byRule,
    signals: byRule,
    raw: byRule,
    unitSamples: number,
  });
  const { unitSamples = Infinity, onSkip = warnOfSkipped, patchOf, signals, raw } = options;
  const inputs = await inspectInputs(data, { onSkip, signals, raw });
  const patch = requireShape("openSource", "patch", resolvePatch(options.patch, inputs));
  const nodata = resolveNodata("openSource", options.nodata);
  const files = new OpenFiles();
  try {
    const room = temporaryBytes(inputs);
    const store = room > 0 ? await TemporaryStore.open(files, room) : undefined;
    const { opened, skipped } = await openAll(
      inputs,
      { patch, patchOf, unitSamples, nodata, files, store },
      onSkip,
    );
    const units = opened.flatMap((input) => input.units);
    if (units.length === 0) throw nothingToRead(patch);
    const compared = [...new Map(opened.map((input) => [input.compared.path, input.compared])).values()];
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
  const { within, gunzipped } = input;
  const name = shownPath(input.path);
  if (within && gunzipped !== undefined && opening.store) {
    const place = await opening.store.unpackMember(within, gunzipped, shownPath(within.file));
    const opened = await openInput({ ...input, within: place, gunzipped: undefined }, opening);
    if (opened instanceof InputError) return opened;
    const { length } = await opening.files.whole(within.file);
    return { ...opened, compared: { path: within.file, length } };
  }
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
  const { patch, patchOf, nodata, files } = opening;
  const kind = isColourShape(patch) ? "colour" : "grey";
  try {
    const image = within ? memberBytes(files, within, name) : await fileBytes(files, path);
    const compared = { path, within, length: image.length, bytes: image.bytes };
    const { pages, single } = await listPages(image, name, kind);
    if (!single) {
      const opened = openPages(image, pages, name, opening);
      return opened instanceof InputError ? opened : { ...opened, compared };
    }
    if (patch.length !== 2 && kind === "grey") {
      const rule = "the patch must have 2 axes, or 3 channels as in 8x8x3";
      throw new InputError(`${name} is an image: ${rule}, got ${formatShape(patch)}`, { argument: "patch" });
    }
    const [{ shape }] = pages;
    const unfit = colourMismatch(name, shape, patch, patchOf) ?? tooSmall(name, shape, patch);
    if (unfit) return unfit;
    const read = async (into: Float32Array) => {
      const picture = await decodeImage(await image.read(image.length), name, nodata, kind);
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
