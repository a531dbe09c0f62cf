/**
 * Files, folders and archives as a source of signals: what there is to read is known
 * from headers, the samples are read when they are asked for.
 *
 * A picture is a unit. An array is cut into units of some `unitSamples`: rows of a
 * signal, overlapping by one row less than the patch has, so that every window lies in
 * exactly one of them; or some of the signals of a stack.
 */

import { basename } from "node:path";
import { InputError } from "../../core/errors.js";
import { formatShape, requireShape, type Shape, sameShape, sizeOf } from "../../core/shape.js";
import { crc32 } from "../formats/crc32.js";
import { maxNpyHeaderLength, type NpyHeader, readNpyHeader } from "../formats/npyHeader.js";
import { hexOf, type SignalSource, type SignalUnit } from "../sampling/signalSource.js";
import { isKnownKind, knownKinds } from "./expandInputs.js";
import { readFileBytes, readFileStart, statFile } from "./files.js";
import { decodeImage, imageShape } from "./images.js";
import { type Input, type InputList, type ReadSignalsOptions, warnOfSkipped } from "./input.js";
import { inspectInputs, resolvePatch } from "./inputs.js";
import { readRows, requireLength } from "./npyRows.js";
import { type Content, OpenFiles, readError } from "./openFiles.js";
import { spool } from "./spool.js";

export interface OpenSourceOptions extends ReadSignalsOptions {
  /** Samples of a unit, about; whole arrays unless told. */
  readonly unitSamples?: number;
}

/** A unit, and how its samples are read. */
interface FileUnit extends SignalUnit {
  readonly bytes: number;
  read(into: Float32Array): Promise<void>;
}

/** Inputs looked at together. */
const together = 16;

/** Bytes of an image that its size is first looked for in. */
const headerBytes = 2 ** 16;

/**
 * Open files, folders, globs and archives as a source of signals, which may be larger than memory. What cannot be used
 * is skipped and reported, unless there is nothing else.
 */
export async function openSource(data: InputList, options: OpenSourceOptions): Promise<SignalSource> {
  const inputs = await inspectInputs(data);
  const patch = requireShape("openSource", "patch", resolvePatch(options.patch, inputs));
  const { unitSamples = Infinity, onSkip = warnOfSkipped } = options;
  const cutting = { patch, unitSamples };
  const files = new OpenFiles();
  try {
    const units: FileUnit[] = [];
    for (let next = 0; next < inputs.length; next += together) {
      const some = inputs.slice(next, next + together).map((input) => openInput(input, files, cutting));
      for (const found of await allOf(some)) {
        if (found instanceof InputError && inputs.length === 1) throw found;
        if (found instanceof InputError) onSkip(`${found.message}, skipped`);
        else for (const unit of found) units.push(unit);
      }
    }
    if (units.length === 0) throw nothingToRead(patch);
    const read = (unit: number, into: Float32Array) => units[unit].read(into);
    return { units, fingerprint: fingerprintOf(units), read, close: () => files.close() };
  } catch (error) {
    await files.close();
    throw error;
  }
}

/** All of them, or the first failure when all have ended. */
async function allOf<T>(promises: readonly Promise<T>[]): Promise<T[]> {
  await Promise.allSettled(promises);
  return Promise.all(promises);
}

/** The units of an input; an error that is returned, not thrown, leaves out this input alone. */
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
    const shape = await shapeOfImage(image, path);
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

/** The bytes of an image, up to `length` of them. */
interface ImageBytes {
  readonly length: number;
  read(length: number): Promise<Uint8Array>;
}

function memberBytes(files: OpenFiles, within: Content, path: string): ImageBytes {
  const read = async (length: number) => {
    const bytes = new Uint8Array(Math.min(length, within.length));
    await files.read(within, 0, bytes, path);
    return bytes;
  };
  return { length: within.length, read };
}

/** A file is not kept open: there may be a million. What is no regular file can be read once only. */
async function fileBytes(path: string): Promise<ImageBytes> {
  const { size, regular } = await statFile(path);
  if (!regular) {
    const bytes = await readFileBytes(path);
    return { length: bytes.length, read: async (length) => bytes.subarray(0, length) };
  }
  const read = (length: number) => (length < size ? readFileStart(path, length) : readFileBytes(path));
  return { length: size, read };
}

async function shapeOfImage(image: ImageBytes, path: string): Promise<Shape> {
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
  const content = await contentOf(input, files);
  const start = new Uint8Array(Math.min(content.length, maxNpyHeaderLength));
  await files.read(content, 0, start, path);
  const header = readNpyHeader(start, path);
  const { shape: all } = header;
  const axes = all.length;
  if (axes !== patch.length && axes !== patch.length + 1) throw wrongAxes(path, all, patch);
  requireLength(header, content.length, path);
  if (header.byteLength === 0) return new InputError(`${path}: ${formatShape(all)} holds no samples`);
  const stacked = axes > patch.length;
  const shape = stacked ? all.slice(1) : all;
  const small = tooSmall(path, shape, patch);
  if (small) return small;
  const array = {
    name: path,
    header,
    read: (at: number, into: Uint8Array) => files.read(content, at, into, path),
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

/** A member that is compressed is inflated into a file of its own. */
async function contentOf({ path, within, packed }: Input, files: OpenFiles): Promise<Content> {
  if (!within) return files.whole(path);
  if (!packed) return within;
  files.adopt(path, await spool(within, packed, path));
  return { file: path, offset: 0, length: packed.size };
}

interface Piece {
  readonly from: number;
  readonly rows: number;
}

/** Some of the signals of a stack at a time. */
function stackPieces({ shape }: NpyHeader, unitSamples: number): Piece[] {
  const [count, ...signal] = shape;
  const each = Math.max(1, Math.min(count, Math.floor(unitSamples / sizeOf(signal))));
  return Array.from({ length: Math.ceil(count / each) }, (_, i) => ({
    from: i * each,
    rows: Math.min(each, count - i * each),
  }));
}

/** Rows of a signal: each piece has the origins of `each` rows of windows, and what the last of these reach. */
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

/** Names without folders, sizes and shapes: what can be told without reading. */
function fingerprintOf(units: readonly FileUnit[]): string {
  const encoder = new TextEncoder();
  const sum = units.reduce((crc, { name, bytes, shape, count, from = 0 }) => {
    return crc32(encoder.encode(`${basename(name)} ${bytes} ${shape} ${count} ${from}\n`), crc);
  }, 0);
  return hexOf(sum);
}

/** The error for inputs none of which can be used. */
export function nothingToRead(patch: Shape): InputError {
  return new InputError(`nothing to read: no input holds a patch of ${formatShape(patch)}`);
}
