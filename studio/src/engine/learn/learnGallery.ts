/** The atoms of a snapshot as pixels, with transparent gaps between the tiles. */

import { atomGallery, DenseMatrix, encodePng, Model } from "trainlets";
import { type Kernels, SparseColumns } from "trainlets/parts";
import type { Pixels } from "../../parts/pixels";

/** The most atoms and samples of a picture that is drawn several times a second. */
const most = { atoms: 400, samples: 2 ** 18 } as const;
const gap = 1;

export interface Gallery {
  readonly pixels: Pixels;
  /** Atoms in it, of all. */
  readonly shown: number;
  readonly atoms: number;
}

/** Evenly spaced atoms of the dictionary, so that each keeps its place. */
export async function galleryOf(model: Model, kernels: Kernels): Promise<Gallery> {
  const atoms = model.A.cols;
  const n = model.shape.reduce((product, size) => product * size, 1);
  const shown = Math.min(atoms, most.atoms, Math.max(1, Math.floor(most.samples / n)));
  const some = shown === atoms ? model : partOf(model, shown);
  const D = await some.atoms(kernels);
  const columns = Math.ceil(Math.sqrt(model.shape.length === 3 && model.shape[2] !== 3 ? shown / 3 : shown));
  const picture = atomGallery(D, model.shape, { magnify: 1, gap, columns });
  return { pixels: withoutGaps(picture, columns, Math.ceil(shown / columns), shown), shown, atoms };
}

/** All atoms as a PNG, as `trainlets atoms` draws them. */
export async function galleryFile(model: Model, kernels: Kernels): Promise<Uint8Array> {
  return encodePng(atomGallery(await model.atoms(kernels), model.shape));
}

/** A dictionary of `count` of its atoms. */
function partOf({ base, A, dictionary, meta, shape }: Model, count: number): Model {
  const atomAt = (j: number): number => Math.floor((j * A.cols) / count);
  if (dictionary) {
    const D = new DenseMatrix(dictionary.rows, count);
    for (let j = 0; j < count; j++) D.column(j).set(dictionary.column(atomAt(j)));
    return Model.explicit(shape, D, meta);
  }
  const part = new SparseColumns(A.rows, count, A.width);
  for (let j = 0; j < count; j++) {
    const from = atomAt(j) * A.width;
    part.indices.set(A.indices.subarray(from, from + A.width), j * A.width);
    part.values.set(A.values.subarray(from, from + A.width), j * A.width);
    part.counts[j] = A.counts[atomAt(j)];
  }
  return new Model(base, part, meta);
}

/** Opaque tiles on a transparent ground: the page shows through, in light and dark. */
function withoutGaps(
  picture: ReturnType<typeof atomGallery>,
  columns: number,
  rows: number,
  shown: number,
): Pixels {
  const { width, height, channels, data } = picture;
  const tileWidth = (width - gap) / columns;
  const tileHeight = (height - gap) / rows;
  const pixels = new Uint8ClampedArray(4 * width * height);
  for (let y = gap; y < height; y++) {
    if ((y - gap) % tileHeight >= tileHeight - gap) continue;
    const first = Math.floor((y - gap) / tileHeight) * columns;
    for (let x = gap; x < width; x++) {
      if ((x - gap) % tileWidth >= tileWidth - gap) continue;
      if (first + Math.floor((x - gap) / tileWidth) >= shown) break;
      const i = y * width + x;
      pixels[4 * i] = data[channels * i];
      pixels[4 * i + 1] = data[channels * i + (channels === 3 ? 1 : 0)];
      pixels[4 * i + 2] = data[channels * i + (channels === 3 ? 2 : 0)];
      pixels[4 * i + 3] = 255;
    }
  }
  return { width, height, data: pixels };
}
