/** Files that become samples, and the pictures that the page comes with: in the worker, since each takes some time. */

import { readNpy, syntheticPictures } from "trainlets";
import { toFloat32 } from "trainlets/parts";
import { type Task, transferring } from "./protocol";

export interface SampleArray {
  readonly name: string;
  readonly shape: readonly number[];
  /** Row by row; pictures from 0 to 255. */
  readonly data: Float32Array<ArrayBuffer>;
}

/** The most pixels of a picture that are kept; a larger one is made smaller. */
const mostPixels = 24e6;

/** Decode a picture to grey samples from 0 to 255. */
const decodePicture: Task<{ name: string; blob: Blob }, SampleArray> = async ({ name, blob }) => {
  const { width, height, data } = await pixelsOf(name, blob);
  const grey = new Float32Array(width * height);
  for (let i = 0; i < grey.length; i++)
    grey[i] = 0.299 * data[4 * i] + 0.587 * data[4 * i + 1] + 0.114 * data[4 * i + 2];
  return transferring({ name, shape: [height, width], data: grey }, [grey.buffer]);
};

async function pixelsOf(name: string, blob: Blob): Promise<ImageData> {
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
  return context.getImageData(0, 0, width, height);
}

/** Read an array (.npy). */
const readArray: Task<{ name: string; blob: Blob }, SampleArray> = async ({ name, blob }) => {
  const array = readNpy(new Uint8Array(await blob.arrayBuffer()), name);
  const data = new Float32Array(toFloat32(array, name));
  return transferring({ name, shape: array.shape, data }, [data.buffer]);
};

/** Pictures made from a seed. */
const makePictures: Task<{ count: number; size: number }, readonly SampleArray[]> = async ({
  count,
  size,
}) => {
  const made = syntheticPictures(3, count, size).map(({ data }, i) => ({
    name: `Leaves ${i + 1}`,
    shape: [size, size],
    data: Float32Array.from(data, (value) => Math.min(255, Math.max(0, value))),
  }));
  return transferring(
    made,
    made.map(({ data }) => data.buffer),
  );
};

export const fileTasks = { decodePicture, readArray, makePictures };
