/**
 * The pages of a TIFF file, from its directories; samples are not read. Classic TIFF and BigTIFF, both byte orders.
 *
 * Thumbnails, masks and the smaller copies of a pyramid are pages of the file, but not pictures of their own: they are
 * marked as `reduced`.
 *
 * References: Adobe, "TIFF Revision 6.0", 1992, section 2 and NewSubfileType; libtiff, "BigTIFF".
 */

import { InputError } from "../../../core/errors.js";
import type { ReadBytes } from "../readBytes.js";

export interface TiffPage {
  /** Sizes as stored, before the page is turned upright. */
  readonly width: number;
  readonly height: number;
  /** 1 is upright; from 5 on, width and height change places. */
  readonly orientation: number;
  /** Whether it is a smaller copy, or a mask, of another page. */
  readonly reduced: boolean;
}

/** How a file writes its numbers. */
interface TiffForm {
  readonly little: boolean;
  readonly big: boolean;
  readonly first: number;
}

const maxPages = 2 ** 20;
const maxEntries = 2 ** 16;

const tags = { subfile: 254, width: 256, height: 257, orientation: 274 } as const;

/** A copy of lower resolution, or a mask. */
const reducedOrMask = 0b101;

/** The pages of a file of `length` bytes, in its order; `name` is for messages. */
export async function listTiffPages(read: ReadBytes, length: number, name: string): Promise<TiffPage[]> {
  const { little, big, first } = readForm(await read(0, Math.min(16, length)), name);
  const [countBytes, entryBytes, offsetBytes] = big ? [8, 20, 8] : [2, 12, 4];
  const pages: TiffPage[] = [];
  const seen = new Set<number>();
  for (let at = first; at !== 0; ) {
    const damaged = (what: string) =>
      new InputError(`${name}: damaged TIFF: page ${pages.length + 1} ${what}`);
    if (seen.has(at)) throw damaged("is an earlier page again");
    if (pages.length === maxPages)
      throw new InputError(`${name}: must have at most ${maxPages} pages, got more`);
    seen.add(at);
    if (at + countBytes > length) throw damaged("is beyond the end of the file");
    const count = numberIn(await read(at, countBytes), 0, countBytes, little);
    const bytes = count * entryBytes;
    if (count > maxEntries || at + countBytes + bytes + offsetBytes > length) throw damaged("is cut off");
    const directory = await read(at + countBytes, bytes + offsetBytes);
    const page = readPage(directory.subarray(0, bytes), { little, big });
    if (!(page.width > 0 && page.height > 0)) throw damaged("has no size");
    pages.push(page);
    at = numberIn(directory, bytes, offsetBytes, little);
  }
  if (pages.length === 0) throw new InputError(`${name}: damaged TIFF: it has no pages`);
  return pages;
}

function readForm(start: Uint8Array, name: string): TiffForm {
  const letters = String.fromCharCode(...start.subarray(0, 2));
  const little = letters === "II";
  const version = start.length >= 8 && (little || letters === "MM") ? numberIn(start, 2, 2, little) : 0;
  if (version === 42) return { little, big: false, first: numberIn(start, 4, 4, little) };
  if (version === 43 && start.length === 16)
    return { little, big: true, first: numberIn(start, 8, 8, little) };
  throw new InputError(`${name}: not a TIFF file`);
}

/** Bytes of the values of entries that are looked at: bytes, short, long and very long integers. */
const typeBytes: Readonly<Record<number, 1 | 2 | 4 | 8>> = { 1: 1, 3: 2, 4: 4, 16: 8 };

function readPage(entries: Uint8Array, { little, big }: Omit<TiffForm, "first">): TiffPage {
  const [entryBytes, valueAt] = big ? [20, 12] : [12, 8];
  const found = new Map<number, number>();
  for (let at = 0; at < entries.length; at += entryBytes) {
    const bytes = typeBytes[numberIn(entries, at + 2, 2, little)];
    const fits = bytes !== undefined && (bytes < 8 || big);
    if (fits) found.set(numberIn(entries, at, 2, little), numberIn(entries, at + valueAt, bytes, little));
  }
  const value = (tag: number, fallback: number) => found.get(tag) ?? fallback;
  return {
    width: value(tags.width, 0),
    height: value(tags.height, 0),
    orientation: value(tags.orientation, 1),
    reduced: (value(tags.subfile, 0) & reducedOrMask) !== 0,
  };
}

function numberIn(bytes: Uint8Array, at: number, size: number, little: boolean): number {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (size === 1) return view.getUint8(at);
  if (size === 2) return view.getUint16(at, little);
  return size === 4 ? view.getUint32(at, little) : Number(view.getBigUint64(at, little));
}
