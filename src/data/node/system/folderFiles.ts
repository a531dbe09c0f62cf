/**
 * The files in a folder and its subfolders.
 *
 * Only regular files are taken, by their own names or through a link. A folder is walked
 * once, however many links lead to it, and by its own name rather than by that of a link
 * where both are found. Hidden files and folders are left out. What has the name of a
 * wanted file but cannot be one (a pipe, a socket, a device), links to nowhere and folders
 * that cannot be read are reported; so are links that lead out of the folder, where these are refused.
 */

import type { Dirent, Stats } from "node:fs";
import { readdir, realpath, stat } from "node:fs/promises";
import { join, sep } from "node:path";
import { InputError, ReadFailure } from "../../../core/errors.js";
import { fileError, readError } from "../files.js";
import { nameFromBytes, shownPath, systemPath } from "./fileNames.js";
import { kindOfFile } from "./handles.js";

/** A file that was found, and the path of its folder without links. */
export interface FoundFile {
  readonly path: string;
  readonly folder: string;
}

export interface ListFolderOptions {
  /** Whether a file of this name is wanted. */
  isWanted(name: string): boolean;
  onSkip(problem: InputError): void;
  /** Whether links that lead out of the folder are refused; by default they are followed. */
  readonly inside?: boolean;
}

/** The wanted files below a folder, sorted by code units. */
export async function listFolder(folder: string, options: ListFolderOptions): Promise<FoundFile[]> {
  const walk = new FolderWalk(options, options.inside ? await placeOf(folder) : undefined);
  await walk.add(folder);
  for (const link of walk.links) await walk.add(link); // which may find more links
  return walk.files.sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0));
}

class FolderWalk {
  readonly files: FoundFile[] = [];
  /** Links to folders, in the order they were found. */
  readonly links: string[] = [];
  readonly #seen = new Set<string>();
  readonly #options: ListFolderOptions;
  /** The folder that links must not lead out of. */
  readonly #bounds: string | undefined;

  constructor(options: ListFolderOptions, bounds: string | undefined) {
    this.#options = options;
    this.#bounds = bounds;
  }

  /** Add what is in a folder, at any depth, but not behind links. */
  async add(folder: string): Promise<void> {
    const waiting = [folder];
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      try {
        const { dev, ino } = await stat(systemPath(next), { bigint: true });
        if (this.#seen.has(`${dev} ${ino}`)) continue;
        this.#seen.add(`${dev} ${ino}`);
        const place = await placeOf(next);
        for (const entry of await listEntries(next)) {
          if (!entry.name.startsWith(".")) await this.#take(entry, next, place, waiting);
        }
      } catch (error) {
        this.#skip(fileError(error, `${shownPath(next)} cannot be read`, "no such folder"));
      }
    }
  }

  async #take(entry: FolderEntry, folder: string, place: string, waiting: string[]): Promise<void> {
    const { name } = entry;
    const path = pathIn(folder, name);
    const isLink = entry.isSymbolicLink();
    const found = isLink ? await this.#follow(path) : entry;
    if (found === undefined) return;
    if (found.isDirectory()) (isLink ? this.links : waiting).push(path);
    else if (!this.#options.isWanted(name)) return;
    else if (found.isFile()) this.files.push({ path, folder: place });
    else this.#skip(notRegular(found, path));
  }

  /** What a link leads to. */
  async #follow(path: string): Promise<Stats | undefined> {
    try {
      if (this.#bounds !== undefined && !isInside(await placeOf(path), this.#bounds))
        throw new InputError(`${shownPath(path)}: a link that leads out of the folder`);
      return await stat(systemPath(path));
    } catch (error) {
      this.#skip(brokenLink(error, path));
      return undefined;
    }
  }

  #skip(problem: Error): void {
    this.#options.onSkip(problem instanceof InputError ? problem : new ReadFailure(problem.message));
  }
}

function notRegular(file: Parameters<typeof kindOfFile>[0], path: string): InputError {
  return new InputError(`${shownPath(path)}: cannot be read (it is ${kindOfFile(file)})`);
}

/** Reject what is not a regular file. */
export function requireRegular(stats: Stats, path: string): void {
  if (!stats.isFile()) throw notRegular(stats, path);
}

/** The error for a link that cannot be followed. */
export function brokenLink(error: unknown, path: string): InputError {
  return readError(error, path, "a link to nowhere");
}

/** An entry of a folder; its name is text, see fileNames.ts. */
export type FolderEntry = Dirent<string>;

/** The entries of a folder, sorted by code units. */
export async function listEntries(folder: string): Promise<FolderEntry[]> {
  const entries = await readdir(systemPath(folder), { withFileTypes: true, encoding: "buffer" });
  return entries
    .map((entry) => Object.assign(entry, { name: nameFromBytes(entry.name) }) as unknown as FolderEntry)
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** The path of a file in a folder. `x/..` is kept for the system to follow, because `x` may be a link. */
export function pathIn(folder: string, name: string): string {
  if (!/(^|[\\/])\.\.([\\/]|$)/.test(folder)) return join(folder, name);
  return folder.endsWith(sep) ? `${folder}${name}` : `${folder}${sep}${name}`;
}

/** Whether a path without links is a folder, given likewise, or in it. */
function isInside(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : `${folder}${sep}`);
}

/** The path of a folder or file without links. */
export async function placeOf(folder: string): Promise<string> {
  return nameFromBytes(await realpath(systemPath(folder), { encoding: "buffer" }));
}

/** What a path leads to, if anything. */
export async function statIfThere(path: string): Promise<Stats | undefined> {
  try {
    return await stat(systemPath(path));
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException;
    if (["ENOENT", "ENOTDIR", "ENAMETOOLONG"].includes(code)) return undefined;
    throw readError(error, path);
  }
}
