/**
 * The pictures of `reproduce all`, by their places in one folder:
 *
 *     lena.png                   fig5, fig6, remarks
 *     photos/train, photos/test  fig4, fig11, complexity, universal32, universal64
 *     denoise                    fig7
 *     faces/*.npy                fig8, once per file
 *
 * An experiment whose pictures are not there uses synthetic ones.
 */

import { readdir, stat } from "node:fs/promises";
import { basename, extname, join } from "node:path";
import { InputError } from "../../core/errors.js";
import { readError } from "../../data/node/files.js";

/** What an experiment reads; nothing for synthetic pictures. */
export interface DataSet {
  /** Its short name: `lena`, `lfw-crop64`, `synthetic`. */
  readonly label: string;
  readonly images?: readonly string[];
  readonly test?: readonly string[];
  /** The experiment is run once per file, in folders with the label in their names. */
  readonly oneOfSeveral?: boolean;
}

/** The label of runs on synthetic pictures. */
export const syntheticLabel = "synthetic";

/** Where an experiment finds its pictures. */
type Finder = (folder: string) => Promise<readonly DataSet[]>;

/** The experiments that use pictures. */
export const finders: Readonly<Record<string, Finder>> = {
  complexity: testPhotos,
  fig4: testPhotos,
  fig5: lena,
  fig6: lena,
  fig7: noisyPictures,
  fig8: faces,
  fig11: testPhotos,
  remarks: lena,
  universal32: photos,
  universal64: photos,
};

/** The data sets of an experiment in `folder`, one run each. */
export async function findDataSets(
  experiment: string,
  folder: string | undefined,
): Promise<readonly DataSet[]> {
  const find = finders[experiment];
  if (!find) return [{ label: "" }];
  const found = folder === undefined ? [] : await find(folder);
  return found.length > 0 ? found : [{ label: syntheticLabel }];
}

/** Refuse a folder with nothing in the places above. */
export async function requireDataFolder(folder: string): Promise<void> {
  if ((await kindAt(folder)) !== "folder")
    throw new InputError(`--data must be a folder, got ${folder}`, { argument: "data", value: folder });
  for (const find of Object.values(finders)) if ((await find(folder)).length > 0) return;
  throw new InputError(
    `--data must have lena.png, photos/train, photos/test, denoise or faces in it, got ${folder}`,
    { argument: "data", value: folder },
  );
}

async function lena(folder: string): Promise<readonly DataSet[]> {
  const file = join(folder, "lena.png");
  return (await kindAt(file)) === "file" ? [{ label: "lena", images: [file] }] : [];
}

async function noisyPictures(folder: string): Promise<readonly DataSet[]> {
  const pictures = join(folder, "denoise");
  return (await kindAt(pictures)) === "folder" ? [{ label: "denoise", images: [pictures] }] : [];
}

async function photos(folder: string): Promise<readonly DataSet[]> {
  const [train, test] = [join(folder, "photos", "train"), join(folder, "photos", "test")];
  if ((await kindAt(train)) !== "folder") return [];
  const tested = (await kindAt(test)) === "folder" ? { test: [test] } : {};
  return [{ label: "photos", images: [train], ...tested }];
}

/** For experiments that learn nothing: the photos to test on. */
async function testPhotos(folder: string): Promise<readonly DataSet[]> {
  const test = join(folder, "photos", "test");
  return (await kindAt(test)) === "folder" ? [{ label: "photos", images: [test] }] : [];
}

async function faces(folder: string): Promise<readonly DataSet[]> {
  const place = join(folder, "faces");
  if ((await kindAt(place)) !== "folder") return [];
  const names = await readdir(place).catch((error) => {
    throw readError(error, place);
  });
  return names
    .filter((name) => extname(name).toLowerCase() === ".npy")
    .sort()
    .map((name) => ({ label: labelOf(name), images: [join(place, name)], oneOfSeveral: true }));
}

/** A name for folders and tables: `lfw-crop64` for `faces/lfw-crop64.npy`. */
export function labelOf(path: string): string {
  const name = basename(path);
  const stem = name.slice(0, name.length - extname(name).length) || name;
  return stem.replace(/[^\p{L}\p{N}]+/gu, "-").replace(/^-+|-+$/g, "") || "data";
}

/** What is at a path, through links. */
async function kindAt(path: string): Promise<"file" | "folder" | "nothing"> {
  try {
    const stats = await stat(path);
    return stats.isDirectory() ? "folder" : stats.isFile() ? "file" : "nothing";
  } catch (error) {
    if (["ENOENT", "ENOTDIR", "ELOOP"].includes((error as NodeJS.ErrnoException).code ?? ""))
      return "nothing";
    throw readError(error, path);
  }
}
