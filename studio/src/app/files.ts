/**
 * Files that a person brings: pictures that the browser can decode, `.npy` arrays and `.npz` dictionaries. What cannot be
 * taken is refused with the reason.
 */

import { helper } from "../engine/client";
import type { SampleArray } from "../engine/readFiles";
import { addDictionary, addItem } from "./library";
import { notifyOf } from "./notices";

/** The most bytes of an array. */
const mostBytes = 512 * 2 ** 20;

/** What a file chooser offers. */
export const acceptedFiles = "image/*,.npy,.npz";

/** Take files one after the other; each that fails says why. */
export async function takeFiles(files: Iterable<File>): Promise<void> {
  for (const file of files) await takeFile(file).catch(notifyOf);
}

async function takeFile(file: File): Promise<void> {
  const name = file.name || "pasted picture";
  if (file.size === 0) throw new Error(`${name}: the file is empty`);
  if (file.size > mostBytes) throw new Error(`${name}: files of more than 512 MiB are not read in a page`);
  if (/\.npz$/i.test(name)) {
    await addDictionary(name, new Uint8Array(await file.arrayBuffer()));
    return;
  }
  if (/\.npy$/i.test(name)) {
    addItem(await helper.run("readArray", { name, blob: file }));
    return;
  }
  addItem(await decodePicture(name, file));
}

/** Decode a picture to grey samples from 0 to 255. */
export function decodePicture(name: string, blob: Blob): Promise<SampleArray> {
  return helper.run("decodePicture", { name, blob });
}
