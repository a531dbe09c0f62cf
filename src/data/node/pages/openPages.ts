/**
 * Image files with several pages as units of a source. A patch of two axes takes every page as a picture; one of three
 * takes the pages as the first axis of one signal, pages × height × width. Pages are decoded a few at a time.
 */

import { InputError } from "../../../core/errors.js";
import { formatShape, isColourShape, sameShape, sizeOf } from "../../../core/shape.js";
import { statFile } from "../files.js";
import { decodePages } from "../images.js";
import {
  type FileUnit,
  type OpenInput,
  type Opening,
  rowPieces,
  stackPieces,
  tooSmall,
} from "../units/fileUnits.js";
import type { ImageBytes } from "./imageBytes.js";
import type { Page } from "./listPages.js";

/** Pixels that are decoded at a time, at least one page. */
const pixelsTogether = 2 ** 23;

/** Files from this size on are read by the decoder itself, page by page. */
const largeFile = 2 ** 24;

type OpenedPages = Omit<OpenInput, "compared">;

export function openPages(
  image: ImageBytes,
  pages: readonly Page[],
  name: string,
  opening: Opening,
): OpenedPages | InputError {
  const { patch } = opening;
  if (isColourShape(patch))
    return new InputError(
      `${name} has ${pages.length} pages: colour patches (${formatShape(patch)}) are cut from files of one picture`,
    );
  if (patch.length === 2) return openPictures(image, pages, name, opening);
  if (patch.length === 3) return openStack(image, pages, name, opening);
  throw new InputError(
    `${name} has ${pages.length} pages: the patch must have 2 axes (each page is a picture) ` +
      `or 3 (pages × height × width), got ${formatShape(patch)}`,
    { argument: "patch" },
  );
}

/** Every page as a picture: a unit has several that follow each other and have one size. */
function openPictures(
  image: ImageBytes,
  pages: readonly Page[],
  name: string,
  { patch, unitSamples, nodata }: Opening,
): OpenedPages | InputError {
  const skipped: InputError[] = [];
  const units: FileUnit[] = [];
  for (const run of runsOfOneShape(pages)) {
    const [{ shape, index }] = run;
    const small = tooSmall(`${name}[${index}]`, shape, patch);
    if (small) skipped.push(small);
    else
      for (const { from, rows } of stackPieces([run.length, ...shape], unitSamples))
        units.push(unitOf(image, run.slice(from, from + rows), name, nodata));
  }
  return units.length > 0 ? { units, skipped } : skipped[0];
}

function unitOf(
  image: ImageBytes,
  pages: readonly Page[],
  name: string,
  nodata: readonly number[],
): FileUnit {
  const [{ shape, index }] = pages;
  return {
    name,
    shape,
    count: pages.length,
    from: index,
    part: "signals",
    bytes: image.length,
    read: (into) => readPages(image, pages, name, nodata, into),
  };
}

/** Pages of one size whose numbers follow each other. */
function runsOfOneShape(pages: readonly Page[]): Page[][] {
  const runs: Page[][] = [];
  for (const page of pages) {
    const last = runs.at(-1)?.at(-1);
    if (last && last.index + 1 === page.index && sameShape(last.shape, page.shape)) runs.at(-1)?.push(page);
    else runs.push([page]);
  }
  return runs;
}

/** All pages as one signal, cut into pieces of pages that follow each other. */
function openStack(
  image: ImageBytes,
  pages: readonly Page[],
  name: string,
  { patch, unitSamples, nodata }: Opening,
): OpenedPages | InputError {
  const [{ shape }] = pages;
  const other = pages.find((page) => !sameShape(page.shape, shape));
  if (other)
    return new InputError(
      `${name}: pages of different sizes, ${formatShape(shape)} and ${formatShape(other.shape)}, are not one stack; ` +
        `a patch with 2 axes takes every page as a picture`,
    );
  const whole = [pages.length, ...shape];
  const small = tooSmall(name, whole, patch);
  if (small) return small;
  const pieces = rowPieces(whole, patch, unitSamples);
  const units = pieces.map(({ from, rows }) => ({
    name,
    shape: [rows, ...shape],
    count: 1,
    ...(pieces.length > 1 ? { from, part: "rows" as const } : {}),
    bytes: image.length,
    read: (into: Float32Array) => readPages(image, pages.slice(from, from + rows), name, nodata, into),
  }));
  return { units };
}

/** `into` ← the samples of pages of one size, one after the other. */
async function readPages(
  image: ImageBytes,
  pages: readonly Page[],
  name: string,
  nodata: readonly number[],
  into: Float32Array,
): Promise<void> {
  const [{ shape }] = pages;
  const input = await decoderInput(image, name);
  const most = Math.max(1, Math.floor(pixelsTogether / sizeOf(shape)));
  for (let at = 0; at < pages.length; ) {
    const count = countTogether(pages, at, most);
    const samples = await decodePages(input, { first: pages[at].index, count, shape }, name, nodata);
    into.set(samples, at * sizeOf(shape));
    at += count;
  }
}

/** How many pages from `at` on can be decoded in one call: their numbers follow each other, and none is turned. */
function countTogether(pages: readonly Page[], at: number, most: number): number {
  let count = 1;
  const follows = (i: number) =>
    i < pages.length && pages[i].upright && pages[i].index === pages[at].index + (i - at);
  if (pages[at].upright) while (count < most && follows(at + count)) count++;
  return count;
}

/** The bytes of a small file; of a large one, its path, as long as it is the file that it was. */
async function decoderInput(image: ImageBytes, name: string): Promise<Uint8Array | string> {
  if (image.path === undefined || image.length < largeFile) return image.read(image.length);
  if ((await statFile(image.path)).size !== image.length)
    throw new InputError(`${name}: changed while it was in use`);
  return image.path;
}
