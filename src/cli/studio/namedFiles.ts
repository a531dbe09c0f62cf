/**
 * The files that a command line of the studio stands for: those that are named, those that match a pattern, and what is
 * data or a dictionary in a folder. A link in a folder that leads out of it is refused: who named the folder did not
 * name what is elsewhere.
 */

import type { InputError } from "../../core/errors.js";
import { isUsable } from "../../data/node/inputKinds.js";
import { isKnownKind, memberIn, noSuchFile } from "../../data/node/inputs.js";
import { listFolder, requireRegular, statIfThere } from "../../data/node/system/folderFiles.js";
import { glob, isGlob } from "../../data/node/system/glob.js";

/** A file, or a folder. */
export interface NamedPath {
  readonly path: string;
  readonly folder: boolean;
}

export interface NamedFile {
  /** As it is read: `set.npz[X]` for one member of an archive. */
  readonly path: string;
  /** Whether a folder led to it, and not its own name. */
  readonly found: boolean;
}

type OnSkip = (problem: InputError) => void;

/** Whether a file in a folder is offered, by its name. */
function isOffered(name: string): boolean {
  return isUsable(name) || isDictionary(name);
}

/** Whether a name is that of a dictionary; a `.npz` may hold other arrays as well. */
export function isDictionary(name: string): boolean {
  return /\.(npz|safetensors)$/i.test(name);
}

/** What the arguments name; an argument that names nothing is an error. Folders are not listed yet. */
export async function namedPaths(args: readonly string[], onSkip: OnSkip): Promise<NamedPath[]> {
  const paths: NamedPath[] = [];
  for (const argument of args) {
    const matching = (await isThere(argument)) ? [argument] : await matchesOf(argument, onSkip);
    for (const path of matching) paths.push({ path, folder: await isFolder(path) });
  }
  return paths;
}

async function isThere(argument: string): Promise<boolean> {
  const named = memberIn(argument);
  return Boolean((await statIfThere(argument)) || (named && (await statIfThere(named.archive))));
}

async function matchesOf(pattern: string, onSkip: OnSkip): Promise<string[]> {
  if (!isGlob(pattern)) throw noSuchFile(pattern);
  const found: string[] = [];
  for (const path of await glob(pattern, onSkip)) {
    const stats = await statIfThere(path);
    if (stats?.isDirectory() || (stats?.isFile() && (isKnownKind(path) || isDictionary(path))))
      found.push(path);
  }
  if (found.length === 0) throw noSuchFile(pattern);
  return found;
}

async function isFolder(path: string): Promise<boolean> {
  const stats = await statIfThere(path);
  if (stats?.isDirectory()) return true;
  if (stats) requireRegular(stats, path);
  return false;
}

/** The files of named paths, in their order; a folder stands for those in it, at any depth. */
export async function listNamed(paths: readonly NamedPath[], onSkip: OnSkip): Promise<NamedFile[]> {
  const files = new Map<string, NamedFile>();
  for (const { path, folder } of paths) {
    const listed = folder
      ? (await listFolder(path, { isWanted: isOffered, onSkip, inside: true })).map((file) => file.path)
      : [path];
    for (const one of listed) if (!files.has(one)) files.set(one, { path: one, found: folder });
  }
  return [...files.values()];
}
