import fc from "fast-check";
import { expect, test } from "vitest";
import { sizeOf } from "../../core/shape.js";
import { BlockGrid } from "./blockGrid.js";

const axes = fc.array(fc.tuple(fc.integer({ min: 1, max: 9 }), fc.integer({ min: 1, max: 5 })), {
  minLength: 1,
  maxLength: 3,
});

test("blocks read from an array and written again make the same array, for any sizes", () => {
  fc.assert(
    fc.property(axes, (pairs) => {
      const shape = pairs.map(([size]) => size);
      const block = pairs.map(([, size]) => size);
      const grid = new BlockGrid(shape, block);
      const samples = Float32Array.from({ length: sizeOf(shape) }, (_, i) => i + 1);
      const again = new Float32Array(samples.length);
      const column = new Float32Array(sizeOf(block));
      for (let b = 0; b < grid.blocks; b++) {
        grid.read(samples, b, column);
        grid.write(column, b, again);
      }
      expect(again).toEqual(samples);
    }),
  );
});

test("a block beyond the end of the array is filled with mirrored samples", () => {
  const grid = new BlockGrid([3], [8]);
  const column = new Float32Array(8);
  grid.read([1, 2, 3], 0, column);
  expect([...column]).toEqual([1, 2, 3, 3, 2, 1, 1, 2]);
});

test("the grid knows the blocks before a block along each axis", () => {
  const grid = new BlockGrid([4, 6], [2, 2]);
  expect(grid.counts).toEqual([2, 3]);
  expect([0, 1, 3, 4].map((b) => grid.before(b))).toEqual([[], [0], [0], [1, 3]]);
});
