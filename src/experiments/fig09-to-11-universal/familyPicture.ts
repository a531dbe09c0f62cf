/** Families of atoms that show one pattern at different places, as in figure 10: one family per row. */

import { DenseMatrix } from "../../core/matrix.js";
import type { Shape } from "../../core/shape.js";
import type { AtomFamily } from "../../figures/atoms/atomFamilies.js";
import { atomGallery } from "../../figures/atoms/atomGallery.js";
import type { Picture } from "../../figures/png.js";

/** Every atom has the sign of the first in its row; rows shorter than the longest end in blank tiles. */
export function familyPicture(atoms: DenseMatrix, shape: Shape, families: readonly AtomFamily[]): Picture {
  const columns = Math.max(...families.map(({ length }) => length));
  const tiles = new DenseMatrix(atoms.rows, columns * families.length);
  families.forEach((family, row) => {
    family.forEach(({ atom, sign }, i) => {
      tiles.column(row * columns + i).set(atoms.column(atom).map((value) => value * sign));
    });
  });
  return atomGallery(tiles, shape, { columns, magnify: Math.max(1, Math.round(96 / shape.at(-1)!)) });
}
