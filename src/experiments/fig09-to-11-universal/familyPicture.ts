/** Families of atoms that show one pattern at different places, as in figure 10: one family per row. */

import { DenseMatrix } from "../../core/matrix.js";
import type { Shape } from "../../core/shape.js";
import type { AtomFamily } from "../../figures/atoms/atomFamilies.js";
import { atomGallery } from "../../figures/atoms/atomGallery.js";
import type { Picture } from "../../figures/png.js";

/** The width of an atom in pixels, about. */
const atomPixels = 96;
/** Pixels between atoms. */
const gap = 2;

/** Every atom has the sign of the first in its row; rows shorter than the longest end in blank paper. */
export function familyPicture(atoms: DenseMatrix, shape: Shape, families: readonly AtomFamily[]): Picture {
  const columns = Math.max(...families.map(({ length }) => length));
  const tiles = new DenseMatrix(atoms.rows, columns * families.length);
  families.forEach((family, row) => {
    family.forEach(({ atom, sign }, i) => {
      tiles.column(row * columns + i).set(atoms.column(atom).map((value) => value * sign));
    });
  });
  const magnify = Math.max(1, Math.round(atomPixels / shape.at(-1)!));
  const picture = atomGallery(tiles, shape, { columns, magnify, gap });
  families.forEach(({ length }, row) => {
    blankEnd(picture, row, length / columns, families.length);
  });
  return picture;
}

/** Paint the end of a row, from this fraction of its width on, in the colour between the atoms. */
function blankEnd({ width, height, channels, data }: Picture, row: number, from: number, rows: number): void {
  const pitch = (height - gap) / rows;
  const left = from * (width - gap) + gap;
  for (let y = row * pitch; y < (row + 1) * pitch; y++)
    data.fill(data[0], (y * width + left) * channels, (y + 1) * width * channels);
}
