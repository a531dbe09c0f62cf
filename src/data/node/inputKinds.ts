/** Inputs, and which kinds of files they come from; the name of a file says its kind. */

import { extname } from "node:path";
import type { Deflated } from "./archives/inflate.js";
import { imageExtensions } from "./images.js";
import type { ByteRange } from "./system/openFiles.js";

/** A file to read signals from, or a member of an archive; the shape of an array is known from its header. */
export type Input = (
  | { readonly kind: "image"; readonly path: string }
  | { readonly kind: "npy" | "wav"; readonly path: string; readonly shape: readonly number[] }
) & {
  /** Where it is in an archive, and how it is compressed there. */
  readonly within?: ByteRange;
  readonly packed?: Deflated;
  /** Whether a folder or a glob led to it, and not its own name: then the others are used if it cannot be read. */
  readonly found?: boolean;
};

export type FileKind = "image" | "npy" | "wav" | "npz" | "tar";

const extensions: Readonly<Record<string, FileKind>> = {
  ".npy": "npy",
  ".wav": "wav",
  ".npz": "npz",
  ".tar": "tar",
};

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
  "readable files are images (PNG, JPEG, WebP, TIFF, GIF, AVIF), arrays (.npy, .npz), sound (.wav) and archives (.tar); " +
  "numpy.save writes other data as .npy";

/** Archives are read only if named: a folder of photos may also hold a dictionary (.npz), or a copy of itself (.tar). */
function isArchive(path: string): boolean {
  return kindOf(path) === "npz" || kindOf(path) === "tar";
}

/** Whether a file is an array or sound, by the ending of its name. */
export function isArrayFile(path: string): boolean {
  return kindOf(path) === "npy" || kindOf(path) === "wav";
}

/** Whether a file is an image, an array or sound, by the ending of its name. */
export function isUsable(path: string): boolean {
  return isArrayFile(path) || (imageExtensions as readonly string[]).includes(extname(path).toLowerCase());
}

/** An archive and the name of a member, as in `set.npz[X]`; undefined for any other path. */
export function memberIn(path: string): { readonly archive: string; readonly member: string } | undefined {
  const [, archive, member] = /^(.*)\[([^\]]+)\]$/s.exec(path) ?? [];
  return archive && member && isArchive(archive) ? { archive, member } : undefined;
}
