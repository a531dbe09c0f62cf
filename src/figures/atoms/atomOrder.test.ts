import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DenseMatrix } from "../../core/matrix.js";
import { Rng } from "../../core/random/rng.js";
import { orderAtoms } from "./atomOrder.js";

const side = 16;

/** Atoms of 16 × 16 samples, from functions of row and column. */
function atomsOf(...pictures: ((y: number, x: number) => number)[]): DenseMatrix {
  return DenseMatrix.build(side * side, pictures.length, (i, j) =>
    pictures[j](Math.floor(i / side), i % side),
  );
}

const zero = () => 0;
const constant = () => 0.3;
const spike = (y: number, x: number) => (y === 4 && x === 9 ? 1 : 0);
const edge = (y: number, x: number) => (2 * y + x < 24 ? 1 : -1);
const blob = (y: number, x: number) => Math.exp(-((y - 5) ** 2 + (x - 6) ** 2) / 3);
const texture = (y: number, x: number) => Math.sin(1.3 * y + 2.1 * x);

const randomAtoms = fc.tuple(fc.nat(1000), fc.integer({ min: 1, max: 12 })).map(([seed, count]) => {
  const rng = Rng.from(seed);
  return DenseMatrix.build(9, count, () => Math.round(2 * rng.normal())); // coarse, so that some tie
});

describe.each(["entropy", "variance"] as const)("orderAtoms by %s", (by) => {
  it("is a permutation of all atoms", () => {
    fc.assert(
      fc.property(randomAtoms, (atoms) => {
        expect(orderAtoms(atoms, by).sort((a, b) => a - b)).toEqual([...Array(atoms.cols).keys()]);
      }),
    );
  });

  it("depends on neither scale nor sign", () => {
    fc.assert(
      fc.property(randomAtoms, (atoms) => {
        const scaled = DenseMatrix.build(
          atoms.rows,
          atoms.cols,
          (i, j) => atoms.at(i, j) * (j % 2 ? -4 : 0.5),
        );
        expect(orderAtoms(scaled, by)).toEqual(orderAtoms(atoms, by));
      }),
    );
  });

  it("puts zero atoms and constants first", () => {
    const order = orderAtoms(atomsOf(texture, constant, edge, zero, spike), by);
    expect(order.slice(0, 3)).toEqual([1, 3, 4]);
  });

  it("keeps the order of atoms that tie", () => {
    expect(orderAtoms(atomsOf(edge, spike, edge, spike, edge), by)).toEqual([1, 3, 0, 2, 4]);
  });

  it("rejects atoms that are not finite", () => {
    const atoms = new DenseMatrix(2, 2, Float32Array.of(0, 1, NaN, 1));
    expect(() => orderAtoms(atoms, by)).toThrow("orderAtoms: atoms must be finite, got NaN at index 2");
  });
});

describe("orderAtoms", () => {
  it("by entropy goes from the localised and piecewise constant to textures", () => {
    const atoms = atomsOf(texture, edge, spike, blob);
    expect(orderAtoms(atoms, "entropy")).toEqual([2, 3, 1, 0]); // spike, blob, edge, texture
  });

  it("by entropy ignores faint ripples about zero", () => {
    const rippled = (y: number, x: number) => spike(y, x) + 0.03 * (1 - spike(y, x)) * texture(y, x);
    expect(orderAtoms(atomsOf(edge, rippled, spike), "entropy")).toEqual([1, 2, 0]); // a tie, then the edge
  });

  it("by variance goes from spikes over sinusoids to edges", () => {
    expect(orderAtoms(atomsOf(edge, texture, spike), "variance")).toEqual([2, 1, 0]);
  });

  it("by use puts the most used atoms first", () => {
    const atoms = new DenseMatrix(4, 5);
    expect(orderAtoms(atoms, "use", { uses: [3, 0, 7, 3, 1] })).toEqual([2, 0, 3, 4, 1]);
  });

  it("rejects unknown orders, and counts that do not match the atoms", () => {
    const atoms = new DenseMatrix(4, 2);
    expect(() => orderAtoms(atoms, "name" as "use")).toThrow(
      'orderAtoms: unknown order "name"; known: entropy, variance, use',
    );
    const rule = "orderAtoms: uses must hold one count for each of 2 atoms, got";
    expect(() => orderAtoms(atoms, "use")).toThrow(`${rule} none`);
    expect(() => orderAtoms(atoms, "use", { uses: [1, 2, 3] })).toThrow(`${rule} 3`);
    expect(() => orderAtoms(atoms, "use", { uses: [1, NaN] })).toThrow(
      "orderAtoms: uses must be finite, got NaN at index 1",
    );
  });
});
