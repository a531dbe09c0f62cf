/**
 * From the DATA arguments of a command to files: a file stands for itself, a folder
 * for the images and arrays in it, at any depth, and a glob for whatever it matches,
 * archives included. Files come in the order of the arguments, sorted by code units
 * within each; a file named twice counts once.
 */

import type { Stats } from "node:fs";
import { readdir, realpath, stat } from "node:fs/promises";
import { extname, join, resolve } from "node:path";
import { InputError } from "../../core/errors.js";
import { fileError } from "./files.js";
import { glob, isGlob } from "./glob.js";
import { imageExtensions } from "./images.js";

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

/** Archives are read only if named: a folder of photos may also hold a dictionary (.npz), or a copy of itself (.tar). */
function isArchive(path: string): boolean {
  return kindOf(path) === "npz" || kindOf(path) === "tar";
}

/** Whether a file is an image or an array, by the ending of its name. */
export function isUsable(path: string): boolean {
  const extension = extname(path).toLowerCase();
  return extension === ".npy" || (imageExtensions as readonly string[]).includes(extension);
}

async function statOrNothing(path: string): Promise<Stats | undefined> {
  return await stat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT" || error.code === "ENOTDIR" || error.code === "ENAMETOOLONG")
      return undefined;
    throw fileError(error, `${path} cannot be read`, "no such file");
  });
}
