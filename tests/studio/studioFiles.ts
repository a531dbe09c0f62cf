/** Small files that tests bring to the studio, the same data in Node, and what the page shows of them. */

import type { Locator, Page } from "playwright-core";
import { createBase, DenseMatrix, encodePng, Model, modelToBytes, syntheticPictures } from "trainlets";
import { SparseColumns } from "trainlets/parts";
import { expect } from "vitest";

/** A grey picture of bytes. */
export interface SmallPicture {
  readonly name: string;
  readonly width: number;
  readonly height: number;
  readonly data: Float32Array;
}

export function smallPicture(size = 64, seed = 5): SmallPicture {
  const [{ data }] = syntheticPictures(seed, 1, size);
  return {
    name: "small.png",
    width: size,
    height: size,
    data: data.map((value) => Math.min(255, Math.max(0, Math.round(value)))),
  };
}

/** A base dictionary as the model of a file. */
export function baseModel(base: string, shape: readonly number[]): Model {
  const phi = createBase(base, shape);
  const atoms = phi.factors.reduce((product, { cols }) => product * cols, 1);
  return new Model(phi, SparseColumns.identity(atoms, 1), {
    learner: "none",
    options: {},
    seed: 0,
    examplesSeen: 0,
    removeMean: true,
    coding: { sparsity: 2 },
  });
}

/** Choose files as with the button of a chooser. */
async function choose(page: Page, name: string, bytes: Uint8Array): Promise<void> {
  const file = { name, mimeType: "application/octet-stream", buffer: Buffer.from(bytes) };
  await page.locator("input[type=file]").first().setInputFiles(file);
}

export async function bringPicture(page: Page, { name, width, height, data }: SmallPicture): Promise<void> {
  await choose(page, name, encodePng({ width, height, channels: 1, data: Uint8Array.from(data) }));
}

export async function bringModel(page: Page, name: string, model: Model): Promise<void> {
  await choose(page, name, modelToBytes(model));
}

/** Patches of a picture at these rows and columns, one per column. */
export function patchesOf(
  { width, data }: SmallPicture,
  size: number,
  places: readonly (readonly [number, number])[],
): DenseMatrix {
  return DenseMatrix.build(size * size, places.length, (i, j) => {
    const [top, left] = places[j];
    return data[(top + Math.floor(i / size)) * width + left + (i % size)];
  });
}

/** In dB, with two digits, as the page shows it. */
export function psnrShown(a: ArrayLike<number>, b: ArrayLike<number>, where?: ArrayLike<number>): string {
  let [energy, count] = [0, 0];
  for (let i = 0; i < a.length; i++) {
    if (where && !where[i]) continue;
    energy += (a[i] - b[i]) ** 2;
    count++;
  }
  return `${(20 * Math.log10(255 / Math.sqrt(energy / count))).toFixed(2)} dB`;
}

/** Wait until something shows a text: results come from a worker. */
export async function expectText(element: Locator, text: string): Promise<void> {
  await expect.poll(() => element.innerText()).toBe(text);
}

/** The red of each pixel of a canvas. */
export async function pixelsOf(canvas: Locator): Promise<number[]> {
  return canvas.evaluate((element: HTMLCanvasElement) => {
    const { data } = element.getContext("2d")!.getImageData(0, 0, element.width, element.height);
    return Array.from({ length: data.length / 4 }, (_, i) => data[4 * i]);
  });
}
