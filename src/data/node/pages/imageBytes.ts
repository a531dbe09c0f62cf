/** The bytes of an image file, or of an image in an archive. */

import type { Shape } from "../../../core/shape.js";
import type { ReadBytes } from "../../formats/readBytes.js";
import { readError, readFileBytes, readFileStart, statFile } from "../files.js";
import { imageShape, type PictureKind } from "../images.js";
import { bufferedReader } from "../system/bufferedReader.js";
import { shownPath, systemPath } from "../system/fileNames.js";
import type { ByteRange, OpenFiles } from "../system/openFiles.js";

/** Reading throws an `InputError`. */
export interface ImageBytes {
  readonly length: number;
  /** All of them, if they cannot be read again. */
  readonly bytes?: Uint8Array;
  /** The path of a file that the decoder can read by itself. */
  readonly path?: string;
  /** The first `length` bytes. */
  read(length: number): Promise<Uint8Array>;
  /** A reader of bytes at any place. */
  reader(): ReadBytes;
}

/** Bytes of an image that usually contain its header. */
const headerBytes = 2 ** 16;

export function memberBytes(files: OpenFiles, within: ByteRange, name: string): ImageBytes {
  const read = async (length: number) => {
    const bytes = new Uint8Array(Math.min(length, within.length));
    await files.read(within, 0, bytes, name);
    return bytes;
  };
  return { length: within.length, read, reader: () => bufferedReader(files, within) };
}

/** The file is not kept open: there may be a million. A pipe can be read only once. */
export async function fileBytes(files: OpenFiles, path: string): Promise<ImageBytes> {
  const unreadable = (error: unknown) => {
    throw readError(error, shownPath(path));
  };
  const { size, regular } = await statFile(path).catch(unreadable);
  if (!regular) {
    const bytes = await readFileBytes(path).catch(unreadable);
    const readAt: ReadBytes = async (offset, length) => bytes.subarray(offset, offset + length);
    const read = async (length: number) => bytes.subarray(0, length);
    return { length: bytes.length, bytes, read, reader: () => readAt };
  }
  const read = (length: number) =>
    (length < size ? readFileStart(path, length) : readFileBytes(path)).catch(unreadable);
  const own = systemPath(path);
  const reader = () => bufferedReader(files, { file: path, offset: 0, length: size });
  return { length: size, read, reader, ...(typeof own === "string" ? { path: own } : {}) };
}

/** The first bytes, which usually contain the header. */
export function readImageStart(image: ImageBytes): Promise<Uint8Array> {
  return image.read(Math.min(headerBytes, image.length));
}

/** The shape of the first picture; often the first bytes of the file are enough. */
export async function readImageShape(
  image: ImageBytes,
  start: Uint8Array,
  name: string,
  kind: PictureKind,
): Promise<Shape> {
  if (start.length === image.length) return imageShape(start, name, kind);
  const shape = await imageShape(start, name, kind).catch(() => undefined);
  return shape ?? imageShape(await image.read(image.length), name, kind);
}
