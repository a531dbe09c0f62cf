/** Inputs, and which kinds of files they come from; the name of a file says its kind. */

import { basename, extname } from "node:path";
import type { NumberLayout } from "../formats/numberLayout.js";
import type { Packed } from "./archives/unpack.js";
import { imageExtensions } from "./images.js";
import type { ByteRange } from "./system/openFiles.js";

/** Kinds of files that are read as arrays. */
export type ArrayKind = "npy" | "wav" | "csv" | "raw" | "nifti" | "mat" | "hdf5";

/** Where an input is. */
interface Place {
  readonly path: string;
  /** Where it is in an archive. */
  readonly within?: ByteRange;
  /** The bytes that its archive has when it is inflated, if the archive is gzipped as a whole. */
  readonly gunzipped?: number | undefined;
  /** Whether a folder or a glob led to it, and not its own name: then the others are used if it cannot be read. */
  readonly found?: boolean;
}

/** An array, whose shape is known from its header. */
export interface ArrayInput extends Place {
  readonly kind: ArrayKind;
  readonly shape: readonly number[];
  /** Where its numbers are, unless its own header says so. */
  readonly numbers?: NumberLayout;
  /** How it is compressed, or written as text. */
  readonly packed?: Packed;
  /** Whether its last axis counts signals, instead of the first. */
  readonly columns?: boolean;
  /** What of it is not used, in words. */
  readonly leftOut?: string;
}

/** A file to read signals from, or a member of an archive. */
export type Input = ArrayInput | (Place & { readonly kind: "image"; readonly packed?: undefined });

/** Files that hold one input, and archives. */
export type FileKind = "image" | ArrayKind | ArchiveKind;
export type ArchiveKind = (typeof archiveKinds)[number];
const archiveKinds = ["npz", "tar", "tgz", "matlab", "datasets"] as const;

interface KindOfFile {
  readonly kind: FileKind;
  /**
   * Whether a file in a folder is data. Archives and tables are read only if named: a folder of photos may also hold a
   * dictionary (.npz), a copy of itself (.tar), or a list of its files (.csv).
   */
  readonly inFolders?: boolean;
}

const kinds: Readonly<Record<string, KindOfFile>> = {
  ".npy": { kind: "npy", inFolders: true },
  ".wav": { kind: "wav", inFolders: true },
  ".csv": { kind: "csv" },
  ".tsv": { kind: "csv" },
  ".nii": { kind: "nifti", inFolders: true },
  ".nii.gz": { kind: "nifti", inFolders: true },
  ".mat": { kind: "matlab" },
  ".h5": { kind: "datasets" },
  ".hdf5": { kind: "datasets" },
  ".he5": { kind: "datasets" },
  ".nc": { kind: "datasets" },
  ".npz": { kind: "npz" },
  ".tar": { kind: "tar" },
  ".tar.gz": { kind: "tgz" },
  ".tgz": { kind: "tgz" },
};

/** What can be read, for messages. */
export const knownKinds =
  "readable files are images (PNG, JPEG, WebP, TIFF, GIF, AVIF, BMP, PGM, PPM), arrays (.npy, .npz, .mat, .h5, .nii), tables (.csv, .tsv), " +
  "sound (.wav) and archives (.tar, .tar.gz); numpy.save writes other data as .npy, and --raw reads files of plain numbers";

function kindByName(path: string): KindOfFile | undefined {
  const ending = /(?:\.\w+)?\.gz$|\.\w+$/.exec(basename(path).toLowerCase())?.[0] ?? "";
  return kinds[ending];
}

/** The kind of a file by the ending of its name; any other ending is tried as an image. */
export function kindOf(path: string): FileKind {
  return kindByName(path)?.kind ?? "image";
}

/** Whether a kind of file holds members. */
export function isArchiveKind(kind: FileKind): kind is ArchiveKind {
  return (archiveKinds as readonly FileKind[]).includes(kind);
}

/** Whether a name says that its file is of a kind that is read. */
export function isKnownKind(path: string): boolean {
  return kindByName(path) !== undefined || isImage(path);
}

/** Whether a file, or a member that is named as in `set.npz[X]`, is read as one array. */
export function isArrayFile(path: string): boolean {
  const kind = kindOf(memberIn(path)?.archive ?? path);
  return kind !== "image" && kind !== "tar" && kind !== "tgz";
}

/** Whether a file in a folder is data, by the ending of its name. */
export function isUsable(path: string): boolean {
  return kindByName(path)?.inFolders === true || isImage(path);
}

function isImage(path: string): boolean {
  return (imageExtensions as readonly string[]).includes(extname(path).toLowerCase());
}

/** An archive and the name of a member, as in `set.npz[X]`; undefined for any other path. */
export function memberIn(path: string): { readonly archive: string; readonly member: string } | undefined {
  const [, archive, member] = /^(.*)\[([^\]]+)\]$/s.exec(path) ?? [];
  return archive && member && isArchiveKind(kindOf(archive)) ? { archive, member } : undefined;
}
