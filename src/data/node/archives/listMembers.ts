/** Archives as inputs: the images, `.npy` arrays and sounds in a tar, the arrays in an `.npz`. Nothing is unpacked. */

import { InputError, show } from "../../../core/errors.js";
import { listMat5 } from "../../formats/matlab/mat5.js";
import { maxNpyHeaderLength, readNpyHeader } from "../../formats/npy.js";
import {
  listZip,
  type ZipMember,
  zipDataOffset,
  zipDirectoryStart,
  zipLocalBytes,
  zipTailLength,
} from "../../formats/npz.js";
import { byteLengthOf } from "../../formats/numberLayout.js";
import { listTar } from "../../formats/tar.js";
import { inspectArray } from "../arrays/inspectArray.js";
import { listHdf5 } from "../hdf5/hdf5Files.js";
import { type ArchiveKind, type Input, isArchiveKind, isKnownKind, isUsable, kindOf } from "../inputKinds.js";
import { bufferedReader } from "../system/bufferedReader.js";
import { shownPath } from "../system/fileNames.js";
import { type ByteRange, OpenFiles } from "../system/openFiles.js";
import { inflated, inflateStart } from "./inflate.js";
import { TemporaryStore } from "./temporaryStore.js";
import type { Deflated } from "./unpack.js";

/** Largest directory of a zip file, in bytes. */
const maxDirectoryBytes = 2 ** 28;

/** The images, arrays and sounds in an archive, in its order; or only the member of this name. */
export async function listMembers(
  path: string,
  kind: ArchiveKind,
  onSkip: (problem: InputError) => void,
  only?: string,
): Promise<Input[]> {
  const files = new OpenFiles();
  try {
    const whole = await files.whole(path);
    if (kind === "tar")
      return await tarMembers(files, whole, path, only === undefined ? onSkip : reject, only);
    if (kind === "tgz") return await gzippedMembers(files, whole, only === undefined ? onSkip : reject, only);
    const report = only === undefined ? onSkip : reject;
    if (kind === "datasets") return await hdf5Members(whole, report, only);
    if (kind === "matlab") {
      const start = new Uint8Array(Math.min(whole.length, 521));
      await files.read(whole, 0, start, shownPath(path));
      return isHdf5(start)
        ? await hdf5Members(whole, report, only)
        : await matMembers(files, whole, report, only);
    }
    return await npzMembers(files, whole, only);
  } finally {
    await files.close();
  }
}

function reject(problem: InputError): never {
  throw problem;
}

/** The error if an archive lacks the member that was named. */
function noMember(archive: string, only: string, names: readonly string[]): InputError {
  const shown = names.slice(0, 10).map(printable).join(", ");
  const more = names.length > 10 ? ", …" : "";
  return new InputError(`${archive} has no member ${show(only)}; it has ${shown || "none"}${more}`);
}

/** The members of a gzipped tar, which is inflated twice: to find out its size, and to look into it. */
async function gzippedMembers(
  files: OpenFiles,
  whole: ByteRange,
  onSkip: (problem: InputError) => void,
  only: string | undefined,
): Promise<Input[]> {
  const { file } = whole;
  const name = shownPath(file);
  let size = 0;
  for await (const part of inflated(files, whole, name, "gzip")) size += part.length;
  const store = await TemporaryStore.open(files, size);
  const tar = await store.unpack(whole, { size, wrapping: "gzip" }, name);
  const members = await tarMembers(files, tar, file, onSkip, only);
  return members.map((input) => ({ ...input, gunzipped: size }));
}

/** The members of a tar in a range; `file` is the archive by name. As in folders, files are chosen by their names, hidden ones are left out, and damaged arrays are reported. */
async function tarMembers(
  files: OpenFiles,
  whole: ByteRange,
  file: string,
  onSkip: (problem: InputError) => void,
  only: string | undefined,
): Promise<Input[]> {
  const inputs: Input[] = [];
  const archive = shownPath(file);
  const all = await listTar(bufferedReader(files, whole), whole.length, archive);
  const usable = all.filter(
    ({ name }) =>
      (name === only ? isKnownKind(name) : isUsable(name)) &&
      !name.split("/").some((part) => /^\.[^./]/.test(part)),
  );
  const chosen = only === undefined ? usable : usable.filter(({ name }) => name === only).slice(-1);
  if (only !== undefined && chosen.length === 0)
    throw noMember(
      archive,
      only,
      usable.map(({ name }) => name),
    );
  for (const { name, offset, size } of chosen) {
    const path = `${file}[${printable(name)}]`;
    const within = { file, offset, length: size };
    try {
      const kind = kindOf(name);
      if (kind === "image") inputs.push({ kind, path, within });
      else if (!isArchiveKind(kind)) {
        const range = { file: whole.file, offset: whole.offset + offset, length: size };
        inputs.push({ ...(await inspectArray(files, range, kind, shownPath(path))), path, within });
      }
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
      onSkip(error);
    }
  }
  return inputs;
}

async function npzMembers(files: OpenFiles, whole: ByteRange, only: string | undefined): Promise<Input[]> {
  const { file } = whole;
  const archive = shownPath(file);
  const inputs: Input[] = [];
  const names = new Set<string>();
  for (const member of await zipMembers(files, whole)) {
    if (!member.name.endsWith(".npy")) continue;
    if (names.has(member.name)) throw new InputError(`${archive}: array ${show(member.name)} appears twice`);
    names.add(member.name);
    if (only !== undefined && member.name !== `${only}.npy`) continue;
    const header = new Uint8Array(Math.min(zipLocalBytes(member), Math.max(0, whole.length - member.offset)));
    await files.read(whole, member.offset, header, archive);
    const offset = member.offset + zipDataOffset(header, member, archive);
    if (offset + member.packed > whole.length)
      throw new InputError(`${archive}: truncated: ${show(member.name)} takes ${member.packed} bytes`);
    const within = { file, offset, length: member.packed };
    const packed = member.method === 0 ? undefined : { size: member.size, crc: member.crc };
    const path = `${file}[${printable(member.name.slice(0, -".npy".length))}]`;
    const shape = await readShape(files, within, shownPath(path), packed);
    inputs.push({ kind: "npy", path, shape, within, ...(packed ? { packed } : {}) });
  }
  if (only !== undefined && inputs.length === 0)
    throw noMember(
      archive,
      only,
      [...names].map((name) => name.slice(0, -".npy".length)),
    );
  return inputs;
}

/** The variables of a Matlab file that are arrays of numbers; the others are reported. */
async function matMembers(
  files: OpenFiles,
  whole: ByteRange,
  onSkip: (problem: InputError) => void,
  only: string | undefined,
): Promise<Input[]> {
  const { file } = whole;
  const archive = shownPath(file);
  const inflate = (offset: number, length: number, most: number) =>
    inflateStart(files, { file, offset, length }, most, archive, "zlib");
  const all = await listMat5(bufferedReader(files, whole), whole.length, archive, inflate);
  const chosen = only === undefined ? all : all.filter(({ name }) => name === only).slice(-1);
  if (only !== undefined && chosen.length === 0)
    throw noMember(
      archive,
      only,
      all.filter(({ numbers }) => numbers).map(({ name }) => name),
    );
  return chosen.flatMap(({ name, offset, length, inflated, numbers, problem }) => {
    const path = `${file}[${printable(name)}]`;
    if (!numbers) {
      onSkip(notNumbers(path, problem));
      return [];
    }
    const within = { file, offset, length };
    const packed = inflated === undefined ? {} : { packed: { wrapping: "zlib" as const, size: inflated } };
    return [{ kind: "mat" as const, path, shape: numbers.shape, numbers, within, ...packed }];
  });
}

/** Whether a Matlab file is HDF5, after the 512 bytes that Matlab 7.3 puts before it. */
function isHdf5(start: Uint8Array): boolean {
  const signature = "\x89HDF\r\n\x1a\n";
  return [0, 512].some((at) => String.fromCharCode(...start.subarray(at, at + 8)) === signature);
}

/** The datasets of an HDF5 file that are arrays of numbers; the others are reported. */
async function hdf5Members(
  whole: ByteRange,
  onSkip: (problem: InputError) => void,
  only: string | undefined,
): Promise<Input[]> {
  const { file } = whole;
  const found = await listHdf5(file, only);
  if (only !== undefined && found.length === 0) {
    const names = (await listHdf5(file)).filter(({ numbers }) => numbers).map(({ name }) => name);
    throw noMember(shownPath(file), only, names);
  }
  return found.flatMap(({ name, numbers, problem }) => {
    const path = `${file}[${printable(name)}]`;
    if (!numbers) {
      onSkip(notNumbers(path, problem));
      return [];
    }
    const packed = { dataset: name, size: byteLengthOf(numbers) };
    return [{ kind: "hdf5" as const, path, shape: numbers.shape, numbers, within: whole, packed }];
  });
}

function notNumbers(path: string, problem: string | undefined): InputError {
  return new InputError(`${shownPath(path)} ${problem}: it must be an array of real numbers`);
}

/** The name of a member for messages: one line, at most 200 characters, no control characters. */
function printable(name: string): string {
  const shown = name.slice(0, 200).replaceAll(/[\p{C}\u2028\u2029]/gu, "?");
  return shown.length < name.length ? `${shown}…` : shown;
}

/** The members of a zip file, from the directory at its end. */
async function zipMembers(files: OpenFiles, whole: ByteRange): Promise<ZipMember[]> {
  const { length } = whole;
  const file = shownPath(whole.file);
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
  name: string,
  packed?: Deflated,
): Promise<readonly number[]> {
  if (packed) return readNpyHeader(await inflateStart(files, within, maxNpyHeaderLength, name), name).shape;
  const start = new Uint8Array(Math.min(within.length, maxNpyHeaderLength));
  await files.read(within, 0, start, name);
  return readNpyHeader(start, name).shape;
}
