/**
 * Files that a person brings: pictures that the browser can decode, `.npy` arrays and `.npz` dictionaries. What cannot be
 * taken is refused with the reason.
 */

import { readNpy } from "trainlets";
import { toFloat32 } from "trainlets/parts";
import { addDictionary, addItem } from "./library";
import { notifyOf } from "./notices";

/** The most pixels of a picture that are kept; a larger one is made smaller. */
const mostPixels = 24e6;
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
    const array = readNpy(new Uint8Array(await file.arrayBuffer()), name);
    addItem({ name, shape: array.shape, data: Float32Array.from(toFloat32(array, name)) });
    return;
  }
  addItem(await decodePicture(name, file));
}

/** Decode a picture to grey samples from 0 to 255. */
export async function decodePicture(name: string, blob: Blob) {
  let bitmap: ImageBitmap;
  try {
    bitmap = await createImageBitmap(blob);
  } catch {
    throw new Error(`${name}: the browser cannot decode it as a picture`);
  }
  const scale = Math.min(1, Math.sqrt(mostPixels / (bitmap.width * bitmap.height)));
  const width = Math.max(1, Math.floor(bitmap.width * scale));
  const height = Math.max(1, Math.floor(bitmap.height * scale));
  const canvas = new OffscreenCanvas(width, height);
  const context = canvas.getContext("2d", { willReadFrequently: true });
  if (!context) throw new Error(`${name}: the browser has no memory for a picture of ${width}×${height}`);
  context.fillStyle = "#fff"; // below transparent pixels
  context.fillRect(0, 0, width, height);
  context.drawImage(bitmap, 0, 0, width, height);
  bitmap.close();
  const { data } = context.getImageData(0, 0, width, height);
  const grey = new Float32Array(width * height);
  for (let i = 0; i < grey.length; i++)
    grey[i] = 0.299 * data[4 * i] + 0.587 * data[4 * i + 1] + 0.114 * data[4 * i + 2];
  return { name, shape: [height, width], data: grey };
}
