import { expect, it } from "vitest";
import { wavelet } from "./filters.js";
import { placedAtoms } from "./placedAtoms.js";
import { periodicSynthesisMatrix } from "./transform.js";

it.each(["separable", "usual"] as const)("atoms of the %s construction are orthonormal", (construction) => {
  const atoms = placedAtoms(8, wavelet("db2"), construction);
  const G = atoms.transpose().times(atoms);
  G.data.forEach((value, at) => expect(value).toBeCloseTo(at % (G.rows + 1) === 0 ? 1 : 0, 12));
});

it("a separable atom is the product of the 1-D atoms of its row and its column", () => {
  const W = periodicSynthesisMatrix(8, wavelet("sym4"), 3);
  const atom = placedAtoms(8, wavelet("sym4"), "separable").column(3 * 8 + 5);
  atom.forEach((value, i) =>
    expect(value).toBeCloseTo(W.column(3)[Math.floor(i / 8)] * W.column(5)[i % 8], 12),
  );
});

it("a usual Haar atom of the finest scale covers two by two pixels, wherever it is placed", () => {
  const atoms = placedAtoms(8, wavelet("haar"), "usual");
  for (const place of [5, 4 * 8, 7 * 8 + 7])
    expect(atoms.column(place).filter((value) => Math.abs(value) > 1e-12)).toHaveLength(4);
});
