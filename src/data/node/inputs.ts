/**
 * From paths to inputs: the images and arrays that files, folders, globs and archives stand for.
 *
 * A file stands for itself, a folder for the images, arrays and sounds in it, at any depth, a glob
 * for whatever it matches, archives included, and `set.npz[X]` for a member of an archive. Files come in the order of the arguments, sorted
 * by code units within each; a file named twice counts once. Of arrays and archives only
 * headers and directories are read. What a folder or a glob has that cannot be read is
 * reported and left out; what is given by its own name must be readable.
 */

import { basename, dirname } from "node:path";
import {
  callback,
  either,
  having,
  listOf,
  number,
  numberList,
  type OptionTypes,
  record,
  requireArgument,
  requireArguments,
  requireOptions,
  text,
} from "../../core/arguments/argumentTypes.js";
import { InputError, inputError, ReadFailure } from "../../core/errors.js";
import type { Nodata } from "../../core/samples/gaps.js";
import type { Shape } from "../../core/shape.js";
import { parseRaw, type RawFormat } from "../formats/rawNumbers.js";
import { listMembers } from "./archives/listMembers.js";
import { inspectArray } from "./arrays/inspectArray.js";
import { readError, statFile } from "./files.js";
import { type Input, isArchiveKind, isKnownKind, isUsable, kindOf, memberIn } from "./inputKinds.js";
import { type OnSkip, SkippedFiles, warnOfSkipped } from "./skippedFiles.js";
import { shownPath } from "./system/fileNames.js";
import {
  brokenLink,
  type FoundFile,
  listFolder,
  pathIn,
  placeOf,
  requireRegular,
  statIfThere,
} from "./system/folderFiles.js";
import { glob, isGlob } from "./system/glob.js";
import { OpenFiles } from "./system/openFiles.js";

export { type Input, isArrayFile, isKnownKind, kindOf, knownKinds, memberIn } from "./inputKinds.js";

/** Files, folders, globs and archives as the command line takes them: one path, several, or inputs that were inspected. */
export type InputList = string | readonly (string | Input)[];

/** Which axis of an array counts signals: the first (rows), or the last (columns). */
export type SignalAxis = (typeof signalAxes)[number];
export const signalAxes = ["rows", "columns"] as const;

/** How data are read, and where skipped files are reported. */
export interface InspectOptions {
  /** Called with one line for every file that is skipped; by default a warning of the process. */
  readonly onSkip?: OnSkip | undefined;
  /** Which axis of arrays counts signals; by default `rows`. */
  readonly signals?: SignalAxis | undefined;
  /** Read all files as plain numbers of this type and shape: `float32:800x1000`. */
  readonly raw?: string | undefined;
}

export interface ReadSignalsOptions extends InspectOptions {
  /** The shape of the windows to cut; one number is a square of images, and a window of 1-D signals. */
  readonly patch: Shape | number;
  /** What the patch is that of, for messages: `the dictionary`. */
  readonly patchOf?: string | undefined;
  /** Values that mark missing samples, which become NaN; of images, the values in the file. */
  readonly nodata?: Nodata | undefined;
}

const inputList = either(
  "a path, or a list of paths",
  text,
  listOf(either("", text, having("", [], ["kind", "path"])), ""),
);
const inspectOptionTypes: OptionTypes<InspectOptions> = { onSkip: callback, signals: text, raw: text };
const patchType = either("a size, or one per axis", number, numberList);

/** The files that paths, folders and globs stand for, and what they are; of arrays and archives only the headers are read. */
export async function inspectInputs(data: InputList, options: InspectOptions = {}): Promise<Input[]> {
  requireArgument("inspectInputs", "data", data, inputList);
  requireOptions("inspectInputs", options, inspectOptionTypes);
  const list = typeof data === "string" ? [data] : data;
  const paths = list.filter((item) => typeof item === "string");
  const inputs: Input[] = list.filter((item) => typeof item !== "string");
  if (paths.length === 0 && inputs.length > 0) return inputs;
  const skipped = new SkippedFiles(options.onSkip ?? warnOfSkipped);
  const onSkip = (problem: InputError) => skipped.add(problem);
  const { signals = "rows", raw: rawText } = options;
  if (!signalAxes.includes(signals))
    throw inputError("inspectInputs", "signals", "must be rows or columns", signals);
  const raw = rawText === undefined ? undefined : parseRaw(rawText);
  const files = await expandInputs(paths, onSkip, raw && (() => true));
  for (const file of files) {
    const found = await inspectFile(file, onSkip, raw).catch((error: unknown) => {
      if (file.given || files.length === 1) throw error;
      onSkip(readError(error, shownPath(file.path)));
      return [];
    });
    for (const input of found) inputs.push(file.given ? input : { ...input, found: true });
  }
  skipped.end();
  if (inputs.length === 0) throw new InputError(`nothing to read: no usable file among ${files.length}`);
  return signals === "columns" ? withColumns(inputs) : inputs;
}

/** Inputs whose arrays have signals in columns. */
function withColumns(inputs: readonly Input[]): Input[] {
  const turned = inputs.map((input) => (isTurnable(input) ? { ...input, columns: true } : input));
  if (!inputs.some(isTurnable))
    throw new InputError((nameOf) => `${nameOf("signals")} is for arrays and tables, got none`, {
      argument: "signals",
    });
  return turned;
}

function isTurnable({ kind }: Input): boolean {
  return kind !== "image" && kind !== "wav";
}

async function inspectFile(
  { path, member }: DataFile,
  onSkip: Skip,
  raw: RawFormat | undefined,
): Promise<readonly Input[]> {
  const kind = raw ? "raw" : kindOf(path);
  if (kind === "image") return [{ kind, path }];
  if (!isArchiveKind(kind)) {
    const files = new OpenFiles();
    try {
      const range = await files.whole(path);
      return [{ ...(await inspectArray(files, range, kind, shownPath(path), raw)), path }];
    } finally {
      await files.close();
    }
  }
  const members = await listMembers(path, kind, onSkip, member);
  if (members.length === 0) throw new InputError(`no images, arrays or sounds in ${shownPath(path)}`);
  return members;
}

/** One number means a square where there are images, and a window of a 1-D signal elsewhere. */
export function resolvePatch(patch: Shape | number, inputs: readonly Pick<Input, "kind">[]): Shape {
  requireArguments("resolvePatch", {
    patch: [patch, patchType],
    inputs: [inputs, listOf(record, "a list of inputs")],
  });
  if (typeof patch !== "number") return patch;
  return inputs.some((input) => input.kind === "image") ? [patch, patch] : [patch];
}

/** A file of the data. */
export interface DataFile {
  readonly path: string;
  /** The only member of an archive that is meant. */
  readonly member?: string;
  /** The path of its folder without links. */
  readonly folder: string;
  /** Whether it was given by its own name. */
  readonly given: boolean;
}

type Skip = (problem: InputError) => void;

/** Whether a file that a folder or a glob has is data. */
type IsWanted = (path: string) => boolean;

/** The files that the arguments stand for. */
export async function expandInputs(
  args: readonly string[],
  onSkip: Skip = () => {},
  wanted?: IsWanted,
): Promise<DataFile[]> {
  if (args.length === 0) throw new InputError(`DATA must name a file, a folder or a glob, got nothing`);
  if (args.length === 1 && !isGlob(args[0])) return expandArgument(args[0], onSkip, wanted);
  const files = new Map<string, DataFile>();
  for (const argument of args) {
    for (const file of await expandArgument(argument, onSkip, wanted)) {
      const place = `${pathIn(file.folder, basename(file.path))}[${file.member ?? ""}]`;
      const before = files.get(place);
      if (!before || (file.given && !before.given))
        files.set(place, { ...file, path: before?.path ?? file.path });
    }
  }
  return [...files.values()];
}

async function expandArgument(
  argument: string,
  onSkip: Skip,
  wanted: IsWanted | undefined,
): Promise<DataFile[]> {
  const stats = await statIfThere(argument);
  const folders = new Folders();
  const problems: InputError[] = [];
  const note = (problem: InputError) => void problems.push(problem);
  const settle = (files: DataFile[], message: string) => {
    const failure = problems.find((problem) => problem instanceof ReadFailure);
    if (files.length === 0 && failure) throw failure; // it may well hold files
    problems.forEach(onSkip);
    return requireAny(files, message);
  };
  if (stats?.isDirectory()) {
    const found = await listFolder(argument, { isWanted: wanted ?? isUsable, onSkip: note });
    return settle(found.map(notGiven), `no images, arrays or sounds in folder ${argument}`);
  }
  if (stats) {
    await statFile(argument); // rejects sockets, devices and named pipes
    return [{ path: argument, folder: await folders.of(argument), given: true }];
  }
  const named = memberIn(argument);
  if (named && (await statIfThere(named.archive))) {
    await statFile(named.archive);
    const folder = await folders.of(named.archive);
    return [{ path: named.archive, member: named.member, folder, given: true }];
  }
  if (!isGlob(argument)) throw noSuchFile(argument);
  const files: DataFile[] = [];
  for (const path of await glob(argument, note))
    files.push(...(await expandMatch(path, folders, note, wanted)));
  return settle(files, `no images, arrays or sounds match ${argument}`);
}

/** The files that a match of a glob stands for: as in folders, what cannot be used is reported and left out. */
async function expandMatch(
  path: string,
  folders: Folders,
  onSkip: Skip,
  wanted: IsWanted | undefined,
): Promise<DataFile[]> {
  try {
    const stats = await statIfThere(path);
    if (stats?.isDirectory())
      return (await listFolder(path, { isWanted: wanted ?? isUsable, onSkip })).map(notGiven);
    if (stats && !(wanted ?? isKnownKind)(path)) return [];
    if (!stats) throw brokenLink(Object.assign(new Error(), { code: "ENOENT" }), path);
    requireRegular(stats, path);
    return [{ path, folder: await folders.of(path), given: false }];
  } catch (error) {
    onSkip(readError(error, shownPath(path)));
    return [];
  }
}

function notGiven(file: FoundFile): DataFile {
  return { ...file, given: false };
}

/** The folders of files, as paths without links; each is looked up once. */
class Folders {
  readonly #known = new Map<string, string>();

  async of(path: string): Promise<string> {
    const folder = dirname(path);
    const place = this.#known.get(folder) ?? (await placeOf(folder));
    this.#known.set(folder, place);
    return place;
  }
}

/** The error for an argument that names nothing. */
export function noSuchFile(argument: string): InputError {
  const hint = argument.includes("\ufffd")
    ? "; if its name is not valid UTF-8, give its folder, or a glob in quotes"
    : "";
  return new InputError(`no such file or folder: ${argument || '""'}${hint}`);
}

function requireAny(files: DataFile[], message: string): DataFile[] {
  if (files.length === 0) throw new InputError(message);
  return files;
}
