import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DenseMatrix } from "../../core/matrix.js";
import { Rng } from "../../core/random/rng.js";
import { sizeOf } from "../../core/shape.js";
import type { Picture } from "../png.js";
import { atomGallery, type GalleryOptions } from "./atomGallery.js";

const gapShade = 222;

function randomAtoms(shape: readonly number[], count: number): DenseMatrix {
  const rng = Rng.from(7);
  return DenseMatrix.build(sizeOf(shape), count, () => rng.normal());
}

/** Channel c of the pixel in row y, column x. */
function pixel({ width, channels, data }: Picture, y: number, x: number, c = 0): number {
  return data[(y * width + x) * channels + c];
}

/** What the paper's convention gives: grey 128 is zero, the largest magnitude 1 or 255. */
function shade(atom: Float32Array, sample: number): number {
  const largest = Math.max(...atom.map(Math.abs));
  return 128 + Math.round((127 * atom[sample]) / largest);
}

describe("atomGallery of pictures", () => {
  it("shows every sample of every atom as a square of its shade, with gaps between atoms", () => {
    const [h, w, columns, magnify, gap] = [3, 4, 2, 3, 5];
    const atoms = randomAtoms([h, w], 5);
    const picture = atomGallery(atoms, [h, w], { columns, magnify, gap });
    expect(picture).toMatchObject({
      width: columns * (w * magnify + gap) + gap,
      height: 3 * (h * magnify + gap) + gap,
      channels: 1,
    });
    for (let y = 0; y < picture.height; y++) {
      for (let x = 0; x < picture.width; x++) expect(pixel(picture, y, x)).toBe(expected(y, x));
    }

    function expected(y: number, x: number): number {
      const [row, dy] = split(y - gap, h);
      const [column, dx] = split(x - gap, w);
      const atom = row * columns + column;
      if (dy < 0 || dx < 0 || dy >= h || dx >= w || atom >= 5) return gapShade;
      return shade(atoms.column(atom), dy * w + dx);
    }
    function split(pixels: number, samples: number): [number, number] {
      const pitch = samples * magnify + gap;
      return [Math.floor(pixels / pitch), Math.floor((pixels % pitch) / magnify)];
    }
  });

  it("scales each atom by its own maximum, with zero at 128", () => {
    const atoms = new DenseMatrix(4, 2, Float32Array.of(0, 2, -4, 1, 0, -1e-20, 4e-20, 3e-20));
    const { data } = atomGallery(atoms, [1, 4], { columns: 1, magnify: 1, gap: 0 });
    expect([...data]).toEqual([128, 192, 1, 160, 128, 96, 255, 223]);
  });

  it("shows a zero atom as flat grey, apart from gaps and constants", () => {
    const atoms = DenseMatrix.build(4, 2, (_, j) => j);
    const { data } = atomGallery(atoms, [2, 2], { columns: 2, magnify: 1, gap: 1 });
    expect(new Set(data)).toEqual(new Set([gapShade, 128, 255]));
  });

  it("is about square and about 1200 pixels wide by default", () => {
    const shapes = fc.tuple(fc.integer({ min: 6, max: 24 }), fc.integer({ min: 6, max: 24 }));
    fc.assert(
      fc.property(shapes, fc.integer({ min: 100, max: 300 }), (shape, count) => {
        const { width, height } = atomGallery(new DenseMatrix(sizeOf(shape), count), shape);
        expect(width).toBeGreaterThan(900);
        expect(width).toBeLessThan(1450);
        expect(Math.abs(Math.log(width / height))).toBeLessThan(Math.log(1.6));
      }),
      { numRuns: 8 },
    );
  });

  it("shows the atoms of `order`, at most `count`", () => {
    const atoms = randomAtoms([2, 2], 6);
    const layout = { columns: 2, magnify: 2, gap: 1 };
    const chosen = new DenseMatrix(4, 2, Float32Array.of(...atoms.column(4), ...atoms.column(1)));
    const picture = atomGallery(atoms, [2, 2], { ...layout, order: [4, 1, 0], count: 2 });
    expect(picture).toEqual(atomGallery(chosen, [2, 2], layout));
    expect(atomGallery(chosen, [2, 2], { ...layout, count: 99 })).toEqual(picture);
  });
});

describe("atomGallery of other shapes", () => {
  const plain: GalleryOptions = { columns: 1, magnify: 1, gap: 0 };

  it("shows three channels as colours about grey, scaled together", () => {
    const atoms = randomAtoms([3, 5, 3], 1);
    const picture = atomGallery(atoms, [3, 5, 3], plain);
    expect(picture).toMatchObject({ width: 5, height: 3, channels: 3 });
    expect([...picture.data]).toEqual(Array.from(atoms.data, (_, i) => shade(atoms.data, i)));
  });

  it("shows the three middle slices of a volume side by side", () => {
    const [d, h, w] = [5, 4, 6];
    const atoms = randomAtoms([d, h, w], 1);
    const picture = atomGallery(atoms, [d, h, w], plain);
    const at = (z: number, y: number, x: number) => shade(atoms.data, (z * h + y) * w + x);
    expect(picture).toMatchObject({ width: w + 1 + w + 1 + h, height: d, channels: 1 });
    for (let y = 0; y < h; y++) {
      for (let x = 0; x < w; x++) expect(pixel(picture, y, x)).toBe(at(2, y, x));
      for (let z = 0; z < d; z++) expect(pixel(picture, z, 2 * w + 2 + y)).toBe(at(z, y, 3));
    }
    for (let z = 0; z < d; z++) {
      for (let x = 0; x < w; x++) expect(pixel(picture, z, w + 1 + x)).toBe(at(z, 2, x));
    }
  });

  it("shows atoms with more axes at the middle of the leading ones", () => {
    const atoms = randomAtoms([3, 4, 5, 3], 1);
    const frame = new DenseMatrix(60, 1, atoms.data.slice(60, 120));
    const largest = Math.max(...atoms.data.map(Math.abs));
    const picture = atomGallery(atoms, [3, 4, 5, 3], plain);
    expect([...picture.data]).toEqual(Array.from(frame.data, (v) => 128 + Math.round((127 * v) / largest)));
  });

  it("draws a one-dimensional signal as a line that is high where the signal is", () => {
    const n = 200;
    const atoms = DenseMatrix.build(n, 1, (i) => Math.sin((2 * Math.PI * i) / n));
    const picture = atomGallery(atoms, [n], { ...plain, magnify: 4 });
    const { width, height } = picture;
    const inkRow = (x: number) => {
      const shades = Array.from({ length: height }, (_, y) => pixel(picture, y, x));
      return shades.indexOf(Math.min(...shades));
    };
    for (const part of [0.1, 0.25, 0.4, 0.6, 0.75, 0.9]) {
      const line = height / 2 - 0.45 * height * Math.sin(2 * Math.PI * part);
      expect(Math.abs(inkRow(Math.round(part * width)) + 0.5 - line)).toBeLessThan(4);
    }
  });

  it.each([1, 2, 5000])("draws a signal of %i samples at the same size", (n) => {
    const { width, height } = atomGallery(randomAtoms([n], 1), [n], plain);
    expect([width, height]).toEqual([60, 40]);
  });
});

describe("atomGallery", () => {
  const atoms = randomAtoms([2, 3], 4);
  const refusal = (options: GalleryOptions) => () => atomGallery(atoms, [2, 3], options);

  it("rejects atoms that cannot be drawn", () => {
    expect(() => atomGallery(atoms, [2, 2])).toThrow(
      "atomGallery: atoms of shape 2x2 must have 4 rows, got 6",
    );
    expect(() => atomGallery(new DenseMatrix(6, 0), [6])).toThrow(
      "atomGallery: atoms to show must be at least one, got 0",
    );
    const broken = new DenseMatrix(2, 1, Float32Array.of(1, Infinity));
    expect(() => atomGallery(broken, [2])).toThrow(
      "atomGallery: atom 0 must be finite, got Infinity at index 1",
    );
  });

  it("rejects options that cannot be met", () => {
    expect(refusal({ order: [0, 4] })).toThrow("atomGallery: order must be an integer from 0 to 3, got 4");
    expect(refusal({ count: 0 })).toThrow("atomGallery: count must be an integer of at least 1, got 0");
    expect(refusal({ columns: 0.5 })).toThrow(
      "atomGallery: columns must be an integer of at least 1, got 0.5",
    );
    expect(refusal({ magnify: -1 })).toThrow("atomGallery: magnify must be an integer of at least 1, got -1");
    expect(refusal({ gap: -1 })).toThrow("atomGallery: gap must be an integer of at least 0, got -1");
    expect(refusal({ magnify: 1e5 })).toThrow(
      /^atomGallery: the picture must have at most 536870912 samples/,
    );
  });
});
