/**
 * What may be written where: the one place that decides, for files and folders of every command.
 *
 * An output is never an input: files are compared by device and inode, so neither a link nor
 * another spelling of a path gets past. A folder that a run fills is never one that its data are
 * read from, because its pictures would be data the next time, and never one with inputs or files
 * of somebody else under the names that it writes. A dictionary is replaced only on request
 * (docs/decisions/0033-results.md).
 */

import type { Stats } from "node:fs";
import { lstat, mkdir, readdir, realpath, stat, statfs, unlink } from "node:fs/promises";
import { basename, dirname, extname, join, sep } from "node:path";
import { InputError, inputError } from "../../core/errors.js";
import { fileError, ifMissing, readError, readFileStart, requireWritable, writeFileAtomic } from "./files.js";
import type { Input } from "./inputKinds.js";
import { systemPath } from "./system/fileNames.js";
import { isGlob } from "./system/glob.js";

/** The files that inputs are read from: archives for their members. */
export function inputFiles(inputs: readonly Input[] = []): string[] {
  return [...new Set(inputs.map(({ path, within }) => within?.file ?? path))];
}

/**
 * Check an option `output` before the work begins: its name ends in one of `formats` (a name without an ending, such
 * as `/dev/null`, may be any), it can be written, and the command does not read it. `what` names a file that is not
 * the option's own.
 */
export async function requireOutput(
  path: string,
  formats: readonly string[],
  inputs: readonly (string | undefined)[],
  what?: string,
): Promise<void> {
  const ending = extname(path).toLowerCase();
  if (path === "-")
    throw inputError("requireOutput", "output", "must be a file here (./- is one of that name)", path);
  if (path === "" || (ending !== "" && !formats.includes(ending)))
    throw inputError("requireOutput", "output", `must end in ${formats.join(" or ")}`, path);
  const clash = await findSameFile(path, inputs);
  if (clash !== undefined) {
    const same = clash === path ? "" : `, which is ${clash}`;
    throw new InputError((nameOf) => `${what ?? nameOf("output")} must not be an input, got ${path}${same}`, {
      argument: "output",
      value: path,
    });
  }
  await requireWritable(path);
}

/**
 * Refuse to replace a file that took long to make: a dictionary, or whatever has its name by mistake. An empty file, a
 * device and a new name are free.
 */
export async function requireNotThere(path: string): Promise<void> {
  if (!(await isTaken(path))) return;
  throw new InputError(
    (nameOf) =>
      `${nameOf("output")} ${path} exists: choose another name, or add ${nameOf("force")} to replace it`,
    { argument: "output", value: path },
  );
}

/** Whether there is a file at `path` that would be lost if it were replaced. */
export async function isTaken(path: string): Promise<boolean> {
  const found = await statOrNothing(path);
  return found?.isFile() === true && found.size > 0;
}

/** A name beside `path` that is free: `dict-2.npz` for `dict.npz`. */
export async function freeNameBeside(path: string): Promise<string> {
  const ending = extname(path);
  const stem = path.slice(0, path.length - ending.length);
  for (let number = 2; ; number++) {
    const name = `${stem}-${number}${ending}`;
    if ((await lookAt(name, lstat)) === undefined) return name;
  }
}

/** The first input that is the same regular file as `path`, through links. */
async function findSameFile(
  path: string,
  inputs: readonly (string | undefined)[],
): Promise<string | undefined> {
  const output = await statOrNothing(path);
  if (!output?.isFile()) return undefined; // nothing to lose: a new file, or a device
  for (const input of inputs) {
    for (const file of filesNamedBy(input)) {
      const stats = await statOrNothing(file);
      if (stats && stats.dev === output.dev && stats.ino === output.ino) return input;
    }
  }
  return undefined;
}

/** The files that an input may be read from: `set.mat[D]` is a member of `set.mat`, or a file of that name. */
function filesNamedBy(input: string | undefined): string[] {
  if (input === undefined) return [];
  const [, file] = /^(.+)\[[^\]]+\]$/s.exec(input) ?? [];
  return file === undefined ? [input] : [input, file];
}

/** Free bytes on the disk of a folder; undefined where the file system does not report it. */
export async function freeSpace(folder: string): Promise<number | undefined> {
  return statfs(folder).then(
    ({ bavail, bsize }) => bavail * bsize,
    () => undefined,
  );
}

/** A folder that a command fills with files. */
export interface OutputFolder {
  /** The option that names it. */
  readonly option: string;
  /** Data arguments of the command, as typed. */
  readonly data?: readonly string[] | undefined;
  /** The files that the command reads; by default those that are named in `data`. */
  readonly inputs?: readonly (string | undefined)[] | undefined;
  /** Names that the command writes there; `any` where they are not known yet. */
  readonly names: readonly string[] | "any";
  /** Those of them by whose contents the folder of an earlier run is known: one is enough. */
  readonly marks: readonly [FolderMark, ...FolderMark[]];
}

interface FolderMark {
  readonly name: string;
  /** Whether its contents were written by trainlets. */
  isOurs(text: string): boolean;
}

/** Make a folder, unless it exists, and check that a command may fill it. */
export async function makeOutputFolder(folder: string, options: OutputFolder): Promise<void> {
  await requireNoData(folder, options);
  try {
    await mkdir(folder, { recursive: true });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST")
      throw new InputError((nameOf) => `${nameOf(options.option)} must be a folder, got the file ${folder}`, {
        argument: options.option,
      });
    throw fileError(error, `folder ${folder} cannot be made`, "its name is not valid");
  }
  await requireNoInputs(folder, options);
  await requireNoOthers(folder, options);
  await requireWritable(join(folder, options.marks[0].name));
  if (options.names === "any") await writeFileAtomic(join(folder, unfinished), new Uint8Array());
}

/** Marks a folder of results whose page is not written yet: after a run that was killed, the next one may fill it. */
const unfinished = ".trainlets-unfinished";

/** Call this when all results are in their folder. */
export async function finishOutputFolder(folder: string): Promise<void> {
  await unlink(join(folder, unfinished)).catch(() => {}); // harmless: the page is there
}

/** Refuse the folders that data are read from, and folders inside them. */
async function requireNoData(folder: string, { option, data = [] }: OutputFolder): Promise<void> {
  const place = await placeOf(folder);
  for (const argument of data) {
    const read = await dataFolder(argument);
    if (read === undefined) continue;
    const inside = read.deep ? `${place}${sep}`.startsWith(`${read.folder}${sep}`) : place === read.folder;
    if (inside) throw folderOfData(option, folder, argument);
  }
}

/** Where a folder is, or will be once it is made with all folders above it. */
async function placeOf(folder: string): Promise<string> {
  const found = await realpath(folder)
    .catch(ifMissing)
    .catch((error) => {
      throw fileError(error, `${folder}: cannot be read`, "no such folder");
    });
  if (found !== undefined) return found;
  const above = dirname(folder);
  return above === folder ? folder : join(await placeOf(above), basename(folder));
}

/** The folder that an argument reads files from, whatever their names, and whether from folders inside it as well. */
async function dataFolder(argument: string): Promise<{ folder: string; deep: boolean } | undefined> {
  const stats = await statOrNothing(argument);
  if (stats?.isDirectory()) return { folder: await realpath(argument), deep: true };
  if (stats || !isGlob(argument)) return undefined;
  const parts = argument.split(/[\\/]/);
  const fixed = parts.findIndex((part) => isGlob(part));
  const folder = await realpath(
    parts.slice(0, fixed).join("/") || (argument.startsWith("/") ? "/" : "."),
  ).catch(() => undefined);
  return folder === undefined ? undefined : { folder, deep: fixed < parts.length - 1 };
}

function folderOfData(option: string, folder: string, data: string): InputError {
  return new InputError(
    (nameOf) => `${nameOf(option)} must not be in the folder of the data (${data}), got ${folder}`,
    { argument: option, value: folder },
  );
}

/** Refuse a folder where one of the names is that of an input. */
async function requireNoInputs(
  folder: string,
  { option, names, data, inputs = data }: OutputFolder,
): Promise<void> {
  if (inputs === undefined) return;
  for (const name of names === "any" ? await namesIn(folder) : names) {
    if ((await findSameFile(join(folder, name), inputs)) === undefined) continue;
    throw new InputError(
      (nameOf) => `${nameOf(option)} must not replace an input, got ${folder}, whose ${name} is one`,
      { argument: option, value: folder },
    );
  }
}

/** Refuse a folder where one of the names is taken by a file of somebody else, or by a link. */
async function requireNoOthers(folder: string, { option, names, marks }: OutputFolder): Promise<void> {
  const ours = await hasMark(folder, marks);
  if (ours && names === "any") return;
  const entries = names === "any" ? await listResults(folder) : names;
  for (const name of entries) {
    const taken = await lookAt(join(folder, name), lstat);
    const harmless = ours
      ? !taken?.isSymbolicLink()
      : taken === undefined || (taken.isFile() && taken.size === 0);
    if (harmless) continue;
    throw new InputError(
      (nameOf) =>
        `${nameOf(option)} must be a new folder or that of an earlier run, got ${folder}, whose ${name} is not from trainlets`,
      { argument: option, value: folder },
    );
  }
}

/** What is in a folder of results; nothing that counts if a run did not finish it. */
async function listResults(folder: string): Promise<string[]> {
  const names = await namesIn(folder);
  return names.includes(unfinished) ? [] : names.filter((name) => !name.startsWith("."));
}

async function namesIn(folder: string): Promise<string[]> {
  return readdir(folder).catch((error) => {
    throw fileError(error, `${folder}: cannot be read`, "no such folder");
  });
}

async function hasMark(folder: string, marks: OutputFolder["marks"]): Promise<boolean> {
  for (const { name, isOurs } of marks) {
    const text = await readMark(join(folder, name));
    if (text !== undefined && isOurs(text)) return true;
  }
  return false;
}

/** The most bytes of a mark that are read: a page has its mark at the end. */
const mostMarkBytes = 2 ** 26;

/** The text of a regular file that is not a link, if there is one. */
async function readMark(path: string): Promise<string | undefined> {
  const found = await lookAt(path, lstat);
  if (!found?.isFile()) return undefined;
  return new TextDecoder().decode(await readFileStart(path, Math.min(found.size, mostMarkBytes)));
}

async function statOrNothing(path: string): Promise<Stats | undefined> {
  return lookAt(path, stat);
}

/** What is at a path, if anything. If the disk does not say, nothing may be written: it could be an input. */
async function lookAt(
  path: string,
  look: (path: string | Buffer) => Promise<Stats>,
): Promise<Stats | undefined> {
  return look(systemPath(path)).catch((error: NodeJS.ErrnoException) => {
    if (notThere.has(error.code ?? "")) return undefined;
    throw readError(error, path);
  });
}

/** Codes of paths where there can be no file of ours, and none to lose. */
const notThere = new Set(["ENOENT", "ENOTDIR", "ENAMETOOLONG", "ELOOP", "EINVAL", "ERR_INVALID_ARG_VALUE"]);

/** Whether a page was written by trainlets: it says so at its end. */
export function isOurPage(text: string): boolean {
  return /<footer>trainlets \d/.test(text);
}

/** The folder of results that end in a page: `demo`, `reproduce`. */
export const resultFolder = {
  option: "output",
  names: "any",
  marks: [{ name: "index.html", isOurs: isOurPage }],
} as const satisfies OutputFolder;
