import { describe, expect, test } from "vitest";
import { InputError } from "../../core/errors.js";
import { DenseMatrix } from "../../core/matrix.js";
import { Rng } from "../../core/random/rng.js";
import { sizeOf, stridesOf } from "../../core/shape.js";
import { atomFamilies } from "./atomFamilies.js";
import { PatternFinder } from "./atomPattern.js";
import { PatternCorrelator } from "./patternCorrelator.js";

const shape = [16, 16];

/** 4×4 vertical stripes, horizontal stripes, and a checkerboard. */
const motifs = [(_: number, x: number) => x, (y: number) => y, (y: number, x: number) => x + y].map((phase) =>
  Array.from({ length: 16 }, (_, i) => (phase(Math.floor(i / 4), i % 4) % 2 === 0 ? 1 : -1)),
);

/** An atom with a motif at (y, x), of unit norm. */
function planted(pattern: readonly number[], [y, x]: readonly [number, number], sign = 1): Float32Array {
  const norm = Math.hypot(...pattern) * sign;
  const atom = new Float32Array(256);
  pattern.forEach((value, i) => {
    atom[(y + Math.floor(i / 4)) * 16 + x + (i % 4)] = value / norm;
  });
  return atom;
}

const places = [
  [2, 2],
  [10, 3],
  [6, 9],
  [3, 10],
  [9, 8],
] as const;

/** Some atoms of noise, then three motifs at five places each, every second one negated. */
function plantedAtoms(): DenseMatrix {
  const rng = Rng.from(7);
  const noise = Array.from({ length: 20 }, () => Float32Array.from({ length: 256 }, () => rng.normal() / 16));
  const copies = motifs.flatMap((motif) =>
    places.map((place, i) => planted(motif, place, i % 2 === 0 ? 1 : -1)),
  );
  const atoms = [...noise, ...copies];
  return new DenseMatrix(256, atoms.length, Float32Array.from(atoms.flatMap((atom) => [...atom])));
}

describe("atomFamilies", () => {
  const families = atomFamilies(plantedAtoms(), shape);

  test("finds the planted families, complete", () => {
    const members = families.map((family) => family.map(({ atom }) => atom).sort((a, b) => a - b));
    const expected = [0, 1, 2].map((motifNumber) => places.map((_, i) => 20 + motifNumber * 5 + i));
    expect(members.sort((a, b) => a[0] - b[0])).toEqual(expected);
  });

  test("reports the shift of each pattern from the first, and its sign", () => {
    for (const family of families) {
      const place = (atom: number) => places[(atom - 20) % 5];
      const sign = (atom: number) => ((atom - 20) % 5) % 2;
      const first = family[0];
      for (const member of family) {
        const [from, to] = [place(first.atom), place(member.atom)];
        expect(member.shift).toEqual([to[0] - from[0], to[1] - from[1]]);
        expect(member.sign).toBe(sign(member.atom) === sign(first.atom) ? 1 : -1);
        expect(member.correlation).toBeCloseTo(1, 5);
      }
    }
  });

  test("has no atom twice, and at most the given numbers of families and atoms", () => {
    const few = atomFamilies(plantedAtoms(), shape, { count: 2, maxAtoms: 4 });
    expect(few.map(({ length }) => length)).toEqual([4, 4]);
    const atoms = families.flatMap((family) => family.map(({ atom }) => atom));
    expect(new Set(atoms).size).toBe(atoms.length);
  });

  test("does not count copies at the same place", () => {
    const atoms = new DenseMatrix(256, 6);
    for (let j = 0; j < 6; j++) atoms.column(j).set(planted(motifs[0], [5, 5]));
    expect(atomFamilies(atoms, shape)).toEqual([]);
  });

  test("finds none in noise, or among zero atoms", () => {
    const rng = Rng.from(3);
    expect(
      atomFamilies(
        DenseMatrix.build(256, 30, () => rng.normal()),
        shape,
      ),
    ).toEqual([]);
    expect(atomFamilies(new DenseMatrix(256, 5), shape)).toEqual([]);
  });

  test.each([[[32]], [[8, 8, 8]]])("finds families of atoms of shape %j", (axes) => {
    // a block of three ±1 along each axis, moved along the last
    const rng = Rng.from(5);
    const signs = Array.from({ length: 3 ** axes.length }, () => (rng.uniform() < 0.5 ? -1 : 1));
    const step = Math.max(2, Math.ceil(axes[0] / 10));
    const atoms = DenseMatrix.build(sizeOf(axes), 3, (i, j) => {
      const strides = stridesOf(axes);
      const inside = axes.map((size, axis) => {
        const first = axis === axes.length - 1 ? step * j : Math.floor(size / 4);
        return (Math.floor(i / strides[axis]) % size) - first - Math.floor(size / 8);
      });
      if (!inside.every((place) => place >= 0 && place < 3)) return 0;
      return signs[inside.reduce((sum, place) => 3 * sum + place, 0)];
    });
    const [family] = atomFamilies(atoms, axes, { minAtoms: 3 });
    const first = family[0].atom;
    for (const { atom, shift } of family)
      expect(shift).toEqual(axes.map((_, axis) => (axis === axes.length - 1 ? step * (atom - first) : 0)));
  });

  test("rejects atoms of another shape, and atoms that are not finite", () => {
    expect(() => atomFamilies(new DenseMatrix(9, 1), [4, 4])).toThrow(InputError);
    expect(() => atomFamilies(new DenseMatrix(4, 1, Float32Array.of(1, Number.NaN, 0, 0)), [2, 2])).toThrow(
      new InputError("atomFamilies: atoms must be finite, got NaN at index 1"),
    );
  });
});

test("PatternCorrelator finds the largest correlation over all shifts, as defined", () => {
  const rng = Rng.from(11);
  const size = [6, 8];
  const finder = new PatternFinder(size);
  const patterns = Array.from({ length: 5 }, (_, j) =>
    finder.find(
      j,
      Float32Array.from({ length: 48 }, () => rng.normal()),
    ),
  ).map((pattern) => pattern!);
  const [h, w] = [3, 4];
  const at = (samples: Float64Array, y: number, x: number) =>
    y < 0 || x < 0 || y >= h || x >= w ? 0 : samples[y * w + x];
  const direct = (a: number, b: number): number => {
    let best = 0;
    for (let dy = -h; dy <= h; dy++)
      for (let dx = -w; dx <= w; dx++) {
        let sum = 0;
        for (let y = 0; y < h; y++)
          for (let x = 0; x < w; x++)
            sum += at(patterns[a].samples, y, x) * at(patterns[b].samples, y + dy, x + dx);
        if (Math.abs(sum) > Math.abs(best)) best = sum;
      }
    return best;
  };
  const correlator = new PatternCorrelator(patterns, [h, w]);
  const seen: string[] = [];
  correlator.eachPair(0, (a, b, { value }) => {
    seen.push(`${a} ${b}`);
    expect(value).toBeCloseTo(direct(a, b), 9);
  });
  expect(seen.length).toBe(10);
  const above: string[] = [];
  correlator.eachPair(0.6, (a, b) => above.push(`${a} ${b}`)); // the bound excludes no pair above the minimum
  expect(above).toEqual(
    seen.filter((pair) => {
      const [a, b] = pair.split(" ").map(Number) as [number, number];
      return Math.abs(direct(a, b)) >= 0.6;
    }),
  );
});
