import { expect, test } from "vitest";
import { Rng } from "../../core/random/rng.js";
import { dot, randomDense } from "../../kernels/conformance/oracle.case.js";
import { AtomProducts } from "./atomProducts.js";

test("products of atoms are the same however few are kept", () => {
  const [atoms, most] = [20, 7];
  const rng = Rng.from(3);
  const D = randomDense(rng, 16, atoms);
  const products = new AtomProducts({ atom: (j) => D.column(j) }, atoms, most);
  const exact = (i: number, j: number) => Math.fround(dot(D.column(i), D.column(j)));
  const sizes = Array.from({ length: 100 }, () => {
    const [i, j] = [rng.below(atoms), rng.below(atoms)];
    expect(products.at(i, j)).toBe(exact(i, j));
    expect(products.at(j, i)).toBe(exact(i, j));
    return products.size;
  });
  expect(Math.max(...sizes)).toBe(most);
});
