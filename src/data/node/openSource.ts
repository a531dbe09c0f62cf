/**
 * Image and array files as a source of signals: shapes are known from headers, samples
 * are read when they are needed.
 *
 * A picture is one unit. An array is cut into units of about `unitSamples` samples:
 * several signals of a stack; or rows of one signal, which overlap by one row less than
 * the patch has, so that every window lies in exactly one unit.
 */

import { basename } from "node:path";
import { InputError } from "../../core/errors.js";
import { requireKnownOptions } from "../../core/knownOptions.js";
import { formatShape, requireShape, type Shape, sameShape, sizeOf } from "../../core/shape.js";
import { crc32, crcToHex } from "../formats/checksums.js";
import { maxNpyHeaderLength, type NpyHeader, readNpyHeader } from "../formats/npy.js";
import type { SignalSource, SignalUnit } from "../sampling/signalSource.js";
import { readFileBytes, readFileStart, statFile } from "./files.js";
import { decodeImage, imageShape } from "./images.js";
import { inflateToFile } from "./inflate.js";
import {
  type Input,
  type InputList,
  inspectInputs,
  isKnownKind,
  knownKinds,
  type ReadSignalsOptions,
  resolvePatch,
  warnOfSkipped,
} from "./inputs.js";
import { readRows, requireNumbers } from "./npyRows.js";
import { type ByteRange, OpenFiles, readError } from "./openFiles.js";

export interface OpenSourceOptions extends ReadSignalsOptions {
  /** Approximate samples per unit; by default an array is one unit. */
  readonly unitSamples?: number;
}

/** A unit, and how its samples are read. */
interface FileUnit extends SignalUnit {
  readonly bytes: number;
  read(into: Float32Array): Promise<void>;
}

/** Inputs opened at the same time. */
const together = 16;

/** Bytes of an image that usually contain its header. */
const headerBytes = 2 ** 16;

/**
 * Open files, folders, globs and archives as a source of signals, which may be larger than memory. What cannot be used
 * is skipped and reported, unless there is nothing else.
 */
export async function openSource(data: InputList, options: OpenSourceOptions): Promise<SignalSource> {
  requireKnownOptions("openSource", options, ["patch", "onSkip", "unitSamples"]);
  const inputs = await inspectInputs(data);
  const patch = requireShape("openSource", "patch", resolvePatch(options.patch, inputs));
  const { unitSamples = Infinity, onSkip = warnOfSkipped } = options;
  const cutting = { patch, unitSamples };
  const files = new OpenFiles();
  try {
    const units: FileUnit[] = [];
    for (let next = 0; next < inputs.length; next += together) {
      const some = inputs.slice(next, next + together).map((input) => openInput(input, files, cutting));
      for (const found of await settleAll(some)) {
        if (found instanceof InputError && inputs.length === 1) throw found;
        if (found instanceof InputError) onSkip(`${found.message}, skipped`);
        else for (const unit of found) units.push(unit);
      }
    }
    if (units.length === 0) throw nothingToRead(patch);
    const read = (unit: number, into: Float32Array) => units[unit].read(into);
    return { units, fingerprint: fingerprintUnits(units), read, close: () => files.close() };
  } catch (error) {
    await files.close();
    throw error;
  }
}

/** The results of all promises. A failure is thrown only when all have ended, so that files can be closed. */
async function settleAll<T>(promises: readonly Promise<T>[]): Promise<T[]> {
  await Promise.allSettled(promises);
  return Promise.all(promises);
}

/** The units of an input. An error that is returned, not thrown, skips only this input. */
function openInput(input: Input, files: OpenFiles, cutting: Cutting): Promise<FileUnit[] | InputError> {
  return input.kind === "image" ? openImage(input, files, cutting) : openArray(input, files, cutting);
}

/** How arrays are cut into units. */
interface Cutting {
  readonly patch: Shape;
  readonly unitSamples: number;
}

async function openImage(
  { path, within }: Input,
  files: OpenFiles,
  { patch }: Cutting,
): Promise<FileUnit[] | InputError> {
  if (patch.length !== 2) {
    throw new InputError(`${path} is an image: the patch must have 2 axes, got ${formatShape(patch)}`);
  }
  try {
    const image = within ? memberBytes(files, within, path) : await fileBytes(path);
    const shape = await readImageShape(image, path);
    const small = tooSmall(path, shape, patch);
    if (small) return small;
    const read = async (into: Float32Array) => {
      const bytes = await image.read(image.length).catch((error: unknown) => {
        throw readError(error, path);
      });
      const picture = await decodeImage(bytes, path);
      if (!sameShape(picture.shape, shape))
        throw new InputError(`${path}: became ${formatShape(picture.shape)}, was ${formatShape(shape)}`);
      into.set(picture.data);
    };
    return [{ name: path, shape, count: 1, bytes: image.length, read }];
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    return isKnownKind(path) ? error : new InputError(`${error.message}; ${knownKinds}`);
  }
}

/** The bytes of an image file. */
interface ImageBytes {
  readonly length: number;
  /** The first `length` bytes. */
  read(length: number): Promise<Uint8Array>;
}

function memberBytes(files: OpenFiles, within: ByteRange, path: string): ImageBytes {
  const read = async (length: number) => {
    const bytes = new Uint8Array(Math.min(length, within.length));
    await files.read(within, 0, bytes, path);
    return bytes;
  };
  return { length: within.length, read };
}

/** The file is not kept open: there may be a million. A pipe can be read only once. */
async function fileBytes(path: string): Promise<ImageBytes> {
  const { size, regular } = await statFile(path);
  if (!regular) {
    const bytes = await readFileBytes(path);
    return { length: bytes.length, read: async (length) => bytes.subarray(0, length) };
  }
  const read = (length: number) => (length < size ? readFileStart(path, length) : readFileBytes(path));
  return { length: size, read };
}

async function readImageShape(image: ImageBytes, path: string): Promise<Shape> {
  if (image.length > headerBytes) {
    const shape = await imageShape(await image.read(headerBytes), path).catch(() => undefined);
    if (shape) return shape;
  }
  return imageShape(await image.read(image.length), path);
}

async function openArray(
  input: Input,
  files: OpenFiles,
  { patch, unitSamples }: Cutting,
): Promise<FileUnit[] | InputError> {
  const { path } = input;
  const range = await locate(input, files);
  const start = new Uint8Array(Math.min(range.length, maxNpyHeaderLength));
  await files.read(range, 0, start, path);
  const header = readNpyHeader(start, path);
  const { shape: all } = header;
  const axes = all.length;
  if (axes !== patch.length && axes !== patch.length + 1) throw wrongAxes(path, all, patch);
  requireNumbers(header, range.length, path);
  if (header.byteLength === 0) return new InputError(`${path}: ${formatShape(all)} holds no samples`);
  const stacked = axes > patch.length;
  const shape = stacked ? all.slice(1) : all;
  const small = tooSmall(path, shape, patch);
  if (small) return small;
  const array = {
    name: path,
    header,
    read: (at: number, into: Uint8Array) => files.read(range, at, into, path),
  };
  const pieces = stacked ? stackPieces(header, unitSamples) : rowPieces(header, patch, unitSamples);
  const whole = pieces.length === 1 && !stacked;
  return pieces.map(({ from, rows }) => ({
    name: path,
    shape: stacked ? shape : [rows, ...shape.slice(1)],
    count: stacked ? rows : 1,
    ...(whole ? {} : { from, part: stacked ? ("signals" as const) : ("rows" as const) }),
    bytes: header.byteLength,
    read: (into) => readRows(array, from, rows, into),
  }));
}

/** Where the bytes of an input are. A compressed member is inflated into a file of its own. */
async function locate({ path, within, packed }: Input, files: OpenFiles): Promise<ByteRange> {
  if (!within) return files.whole(path);
  if (!packed) return within;
  files.adopt(path, await inflateToFile(within, packed, path));
  return { file: path, offset: 0, length: packed.size };
}

interface Piece {
  readonly from: number;
  readonly rows: number;
}

/** Pieces of a stack: several signals each. */
function stackPieces({ shape }: NpyHeader, unitSamples: number): Piece[] {
  const [count, ...signal] = shape;
  const each = Math.max(1, Math.min(count, Math.floor(unitSamples / sizeOf(signal))));
  return Array.from({ length: Math.ceil(count / each) }, (_, i) => ({
    from: i * each,
    rows: Math.min(each, count - i * each),
  }));
}

/** Pieces of one signal: each has the first rows of `each` rows of windows, and all rows that the last of these reach. */
function rowPieces({ shape }: NpyHeader, patch: Shape, unitSamples: number): Piece[] {
  const reach = patch[0] - 1;
  const origins = shape[0] - reach;
  const rows = Math.floor(unitSamples / sizeOf(shape.slice(1)));
  const each = Math.max(1, Math.min(origins, rows - reach));
  return Array.from({ length: Math.ceil(origins / each) }, (_, i) => ({
    from: i * each,
    rows: Math.min(each, origins - i * each) + reach,
  }));
}

function tooSmall(path: string, shape: Shape, patch: Shape): InputError | undefined {
  if (shape.every((size, axis) => size >= patch[axis])) return undefined;
  return new InputError(`${path}: ${formatShape(shape)} is smaller than the patch ${formatShape(patch)}`);
}

function wrongAxes(path: string, shape: readonly number[], patch: Shape): InputError {
  const has = shape.length === 1 ? "1 axis" : `${shape.length} axes`;
  const one = patch.length === 1 ? "1 axis" : `${patch.length} axes`;
  return new InputError(
    `${path} has ${has} (${formatShape(shape) || "a single value"}): a patch of ${formatShape(patch)} ` +
      `needs ${one} (one signal) or ${patch.length + 1} (the first counts signals)`,
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
