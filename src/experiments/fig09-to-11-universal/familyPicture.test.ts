import { expect, test } from "vitest";
import { DenseMatrix } from "../../core/matrix.js";
import type { FamilyMember } from "../../figures/atoms/atomFamilies.js";
import { familyPicture } from "./familyPicture.js";

test("each family is a row, of one sign; a shorter one ends in the colour between the atoms", () => {
  const atoms = new DenseMatrix(32 * 32, 3);
  for (const [j, value] of [1, -1, 1].entries()) atoms.column(j).fill(value);
  const member = (atom: number, sign: 1 | -1): FamilyMember => ({
    atom,
    sign,
    shift: [0, 0],
    correlation: 1,
  });
  const families = [[member(0, 1), member(1, -1)], [member(2, -1)]];
  const { width, height, data } = familyPicture(atoms, [32, 32], families);
  expect([width, height]).toEqual([2 * 98 + 2, 2 * 98 + 2]);
  const middle = (row: number, column: number) => data[(row * 98 + 50) * width + column * 98 + 50];
  const paper = data[0];
  expect([middle(0, 0), middle(0, 1), middle(1, 0), middle(1, 1)]).toEqual([255, 255, 1, paper]);
  expect(data.subarray((height - 1) * width).every((shade) => shade === paper)).toBe(true);
  expect(data.subarray(98 * width + 98 + 2, 98 * width + width).every((shade) => shade === paper)).toBe(true);
});
