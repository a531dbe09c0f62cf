/**
 * From paths to inputs: the images and arrays that files, folders, globs and archives stand for.
 *
 * A file stands for itself, a folder for the images and arrays in it, at any depth, and a glob
 * for whatever it matches, archives included. Files come in the order of the arguments, sorted
 * by code units within each; a file named twice counts once. Of arrays and archives only
 * headers and directories are read.
 */

import type { Stats } from "node:fs";
import { readdir, realpath, stat } from "node:fs/promises";
import { extname, join, resolve } from "node:path";
import { emitWarning } from "node:process";
import { InputError, show } from "../../core/errors.js";
import type { Shape } from "../../core/shape.js";
import { maxNpyHeaderLength, readNpyHeader } from "../formats/npy.js";
import {
  listZip,
  type ZipMember,
  zipDataOffset,
  zipDirectoryStart,
  zipLocalLength,
  zipTailLength,
} from "../formats/npz.js";
import { listTar } from "../formats/tar.js";
import { fileError, readFileStart } from "./files.js";
import { glob, isGlob } from "./glob.js";
import { imageExtensions } from "./images.js";
import { type Deflated, inflateStart } from "./inflate.js";
import { type ByteRange, OpenFiles } from "./openFiles.js";

/** A file to read signals from, or a member of an archive; the shape of an array is known from its header. */
export type Input = (
  | { readonly kind: "image"; readonly path: string }
  | { readonly kind: "npy"; readonly path: string; readonly shape: readonly number[] }
) & {
  /** Where it is in an archive, and how it is compressed there. */
  readonly within?: ByteRange;
  readonly packed?: Deflated;
};

/** Files, folders, globs and archives as the command line takes them: one path, several, or inputs that were inspected. */
export type InputList = string | readonly (string | Input)[];

export interface ReadSignalsOptions {
  /** The shape of the windows to cut; one number is a square of images, and a window of 1-D signals. */
  readonly patch: Shape | number;
  /** Called with one line for every file that is skipped; by default a warning of the process. */
  readonly onSkip?: ((message: string) => void) | undefined;
}

/** Where skipped files are reported by default. */
export function warnOfSkipped(message: string): void {
  emitWarning(message);
}

export type FileKind = "image" | "npy" | "npz" | "tar";

const extensions: Readonly<Record<string, FileKind>> = { ".npy": "npy", ".npz": "npz", ".tar": "tar" };

/** The kind of a file by the ending of its name; any other ending is tried as an image. */
export function kindOf(path: string): FileKind {
  return extensions[extname(path).toLowerCase()] ?? "image";
}

/** Whether a name says that its file is of a kind that is read. */
export function isKnownKind(path: string): boolean {
  return isUsable(path) || isArchive(path);
}

/** What can be read, for messages. */
export const knownKinds =
  "readable files are images (PNG, JPEG, WebP, TIFF, GIF, AVIF), arrays (.npy, .npz) and archives (.tar); " +
  "numpy.save writes other data as .npy";

/** Archives are read only if named: a folder of photos may also hold a dictionary (.npz), or a copy of itself (.tar). */
function isArchive(path: string): boolean {
  return kindOf(path) === "npz" || kindOf(path) === "tar";
}

/** Whether a file is an image or an array, by the ending of its name. */
function isUsable(path: string): boolean {
  const extension = extname(path).toLowerCase();
  return extension === ".npy" || (imageExtensions as readonly string[]).includes(extension);
}

/** The files that paths, folders and globs stand for, and what they are; of arrays and archives only the headers are read. */
export async function inspectInputs(data: InputList): Promise<Input[]> {
  const list = typeof data === "string" ? [data] : data;
  const paths = list.filter((item) => typeof item === "string");
  const inputs: Input[] = list.filter((item) => typeof item !== "string");
  if (paths.length === 0 && inputs.length > 0) return inputs;
  for (const path of await expandInputs(paths)) {
    for (const input of await inspectFile(path)) inputs.push(input);
  }
  return inputs;
}

async function inspectFile(path: string): Promise<readonly Input[]> {
  const kind = kindOf(path);
  if (kind === "image") return [{ kind, path }];
  if (kind === "npy") {
    const { shape } = readNpyHeader(await readFileStart(path, maxNpyHeaderLength), path);
    return [{ kind, path, shape }];
  }
  const members = await listMembers(path, kind);
  if (members.length === 0) throw new InputError(`no images or .npy arrays in ${path}`);
  return members;
}

/** One number means a square where there are images, and a window of a 1-D signal elsewhere. */
export function resolvePatch(patch: Shape | number, inputs: readonly Pick<Input, "kind">[]): Shape {
  if (typeof patch !== "number") return patch;
  return inputs.some((input) => input.kind === "image") ? [patch, patch] : [patch];
}

/** The files that the arguments stand for. */
export async function expandInputs(args: readonly string[]): Promise<string[]> {
  if (args.length === 0) throw new InputError(`DATA must name a file, a folder or a glob, got nothing`);
  const files = new Map<string, string>();
  for (const argument of args) {
    for (const path of await expandArgument(argument)) {
      if (!files.has(resolve(path))) files.set(resolve(path), path);
    }
  }
  return [...files.values()];
}

async function expandArgument(argument: string): Promise<string[]> {
  const stats = await statOrNothing(argument);
  if (stats?.isDirectory()) {
    return requireAny(await listFolder(argument), `no images or .npy arrays in folder ${argument}`);
  }
  if (stats) return [argument];
  if (!isGlob(argument)) throw new InputError(`no such file or folder: ${argument || '""'}`);
  const files: string[] = [];
  for (const path of await glob(argument)) {
    if ((await statOrNothing(path))?.isDirectory()) files.push(...(await listFolder(path)));
    else if (isKnownKind(path)) files.push(path);
  }
  return requireAny(files, `no images or .npy arrays match ${argument}`);
}

function requireAny(paths: string[], message: string): string[] {
  if (paths.length === 0) throw new InputError(message);
  return paths;
}

/** Images and arrays in a folder and its subfolders, by name; hidden files are skipped. */
async function listFolder(folder: string, above: readonly string[] = []): Promise<string[]> {
  const real = await realpath(folder).catch(() => folder);
  if (above.includes(real)) return []; // a link back to a parent folder
  const names = await readdir(folder).catch((error: unknown) => {
    throw fileError(error, `${folder} cannot be read`, "no such folder");
  });
  const files: string[] = [];
  for (const name of names.filter((name) => !name.startsWith("."))) {
    const path = join(folder, name);
    const stats = await stat(path).catch(() => undefined); // a broken link
    if (stats?.isDirectory()) files.push(...(await listFolder(path, [...above, real])));
    else if (stats && isUsable(path)) files.push(path);
  }
  return files.sort();
}

async function statOrNothing(path: string): Promise<Stats | undefined> {
  return await stat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT" || error.code === "ENOTDIR" || error.code === "ENAMETOOLONG")
      return undefined;
    throw fileError(error, `${path} cannot be read`, "no such file");
  });
}

// — archives: images and `.npy` arrays in a tar, arrays in an `.npz` ————————

/** Largest directory of a zip file, in bytes. */
const maxDirectoryBytes = 2 ** 28;

/** The images and arrays in an archive, in its order. */
async function listMembers(path: string, kind: "npz" | "tar"): Promise<Input[]> {
  const files = new OpenFiles();
  try {
    const whole = await files.whole(path);
    return kind === "tar" ? await tarMembers(files, whole) : await npzMembers(files, whole);
  } finally {
    await files.close();
  }
}

/** As in folders, files are chosen by their names and hidden ones are skipped. */
async function tarMembers(files: OpenFiles, whole: ByteRange): Promise<Input[]> {
  const { file } = whole;
  const inputs: Input[] = [];
  for (const { name, offset, size } of await listTar(bufferedReader(files, whole), whole.length, file)) {
    if (!isUsable(name) || name.split("/").some((part) => /^\.[^./]/.test(part))) continue;
    const path = `${file}[${printable(name)}]`;
    const within = { file, offset, length: size };
    if (kindOf(name) === "image") inputs.push({ kind: "image", path, within });
    else inputs.push({ kind: "npy", path, shape: await readShape(files, within, path), within });
  }
  return inputs;
}

async function npzMembers(files: OpenFiles, whole: ByteRange): Promise<Input[]> {
  const { file } = whole;
  const inputs: Input[] = [];
  const names = new Set<string>();
  for (const member of await zipMembers(files, whole)) {
    if (!member.name.endsWith(".npy")) continue;
    if (names.has(member.name)) throw new InputError(`${file}: array ${show(member.name)} appears twice`);
    names.add(member.name);
    const header = new Uint8Array(Math.min(zipLocalLength, Math.max(0, whole.length - member.offset)));
    await files.read(whole, member.offset, header, file);
    const offset = member.offset + zipDataOffset(header, member, file);
    if (offset + member.packed > whole.length)
      throw new InputError(`${file}: truncated: ${show(member.name)} takes ${member.packed} bytes`);
    const within = { file, offset, length: member.packed };
    const packed = member.method === 0 ? undefined : { size: member.size, crc: member.crc };
    const path = `${file}[${printable(member.name.slice(0, -".npy".length))}]`;
    const shape = await readShape(files, within, path, packed);
    inputs.push({ kind: "npy", path, shape, within, ...(packed ? { packed } : {}) });
  }
  return inputs;
}

/** The name of a member for messages: one line, at most 200 characters, no control characters. */
function printable(name: string): string {
  const shown = name.slice(0, 200).replaceAll(/[\p{C}\u2028\u2029]/gu, "?");
  return shown.length < name.length ? `${shown}…` : shown;
}

/** The members of a zip file, from the directory at its end. */
async function zipMembers(files: OpenFiles, whole: ByteRange): Promise<ZipMember[]> {
  const { file, length } = whole;
  let base = Math.max(0, length - zipTailLength);
  let tail = new Uint8Array(length - base);
  await files.read(whole, base, tail, file);
  const start = zipDirectoryStart(tail, file, base);
  if (start < base) {
    if (!(start >= 0 && length - start <= maxDirectoryBytes))
      throw new InputError(`${file}: damaged zip file: its directory`);
    base = start;
    tail = new Uint8Array(length - base);
    await files.read(whole, base, tail, file);
  }
  return listZip(tail, file, base);
}

async function readShape(
  files: OpenFiles,
  within: ByteRange,
  path: string,
  packed?: Deflated,
): Promise<readonly number[]> {
  if (packed) return readNpyHeader(await inflateStart(within, maxNpyHeaderLength, path), path).shape;
  const start = new Uint8Array(Math.min(within.length, maxNpyHeaderLength));
  await files.read(within, 0, start, path);
  return readNpyHeader(start, path).shape;
}

/** A reader that fetches 64 KiB at a time: the headers of small files are close to each other. */
function bufferedReader(files: OpenFiles, whole: ByteRange) {
  const buffer = new Uint8Array(Math.min(whole.length, 2 ** 16));
  let at = 0;
  let held = 0;
  return async (offset: number, length: number): Promise<Uint8Array> => {
    const end = Math.min(offset + length, whole.length);
    if (end - offset > buffer.length) {
      const bytes = new Uint8Array(end - offset);
      await files.read(whole, offset, bytes, whole.file);
      return bytes;
    }
    if (offset < at || end > at + held) {
      at = offset;
      held = Math.min(buffer.length, whole.length - offset);
      await files.read(whole, at, buffer.subarray(0, held), whole.file);
    }
    return buffer.slice(offset - at, end - at);
  };
}
