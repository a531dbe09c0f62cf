/** Families of atoms, one a row, each atom with the sign of the first. */

import { DenseMatrix } from "../../core/matrix.js";
import { atomGallery } from "../../figures/atoms/atomGallery.js";
import type { Picture } from "../../figures/png.js";
import type { UniversalResult } from "./result.js";

/** Rows shorter than the longest end in blank (zero) tiles. */
export function familyPicture({ atoms, model, families }: UniversalResult): Picture {
  const columns = Math.max(...families.map(({ length }) => length));
  const shown = new DenseMatrix(atoms.rows, columns * families.length);
  families.forEach((family, row) => {
    family.forEach(({ atom, sign }, i) => {
      const tile = shown.column(row * columns + i);
      tile.set(atoms.column(atom).map((value) => value * sign));
    });
  });
  return atomGallery(shown, model.shape, {
    columns,
    magnify: Math.max(1, Math.round(96 / model.shape.at(-1)!)),
  });
}
