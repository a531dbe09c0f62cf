import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { sizeOf, stridesOf } from "../../../core/shape.js";
import { readRows } from "./numberRows.js";

/** Strides of an array whose axes are in this order in the file, the slowest first. */
function stridesIn(shape: readonly number[], order: readonly number[]): number[] {
  const inFile = stridesOf(order.map((axis) => shape[axis]));
  return shape.map((_, axis) => inFile[order.indexOf(axis)]);
}

const axisOrders = fc.integer({ min: 1, max: 4 }).chain((axes) =>
  fc.record({
    shape: fc.array(fc.integer({ min: 1, max: 5 }), { minLength: axes, maxLength: axes }),
    order: fc.shuffledSubarray(
      Array.from({ length: axes }, (_, axis) => axis),
      { minLength: axes },
    ),
    type: fc.constantFrom(Uint8Array, Int16Array, Float32Array, Float64Array),
    from: fc.nat(4),
    rows: fc.integer({ min: 1, max: 5 }),
    scale: fc.option(fc.constant({ slope: 0.5, intercept: -3 }), { nil: undefined }),
  }),
);

describe("readRows", () => {
  it("reads rows of arrays with their axes in any order", async () => {
    const property = fc.asyncProperty(axisOrders, async ({ shape, order, type, from, rows, scale }) => {
      const start = from % shape[0];
      const count = Math.min(rows, shape[0] - start);
      const strides = stridesIn(shape, order);
      const stored = type.from(Array.from({ length: sizeOf(shape) }, (_, i) => (i * 7) % 120));
      const bytes = new Uint8Array(stored.buffer);
      const offset = 3;
      const layout = {
        shape,
        strides,
        kind: type === Uint8Array ? ("u" as const) : type === Int16Array ? ("i" as const) : ("f" as const),
        size: type.BYTES_PER_ELEMENT,
        bigEndian: false,
        dataOffset: offset,
        ...(scale ? { scale } : {}),
      };
      const read = async (at: number, into: Uint8Array) => {
        expect(at - offset + into.length).toBeLessThanOrEqual(bytes.length);
        into.set(bytes.subarray(at - offset, at - offset + into.length));
      };
      const into = new Float32Array(count * sizeOf(shape.slice(1)));
      await readRows({ name: "x", layout, nodata: [], read }, start, count, into);
      const rowMajor = stridesOf(shape);
      const expected = Array.from(into, (_, i) => {
        let place = i + start * rowMajor[0];
        const at = shape.reduce((sum, _, axis) => {
          const index = Math.floor(place / rowMajor[axis]);
          place %= rowMajor[axis];
          return sum + index * strides[axis];
        }, 0);
        return stored[at] * (scale?.slope ?? 1) + (scale?.intercept ?? 0);
      });
      expect([...into]).toEqual(expected);
    });
    await fc.assert(property, { numRuns: 400 });
  });

  it("reads short ranges together, and distant ones one by one", async () => {
    const reads: number[] = [];
    const read = async (_: number, into: Uint8Array) => void reads.push(into.length);
    const columns = (rows: number, cols: number) => ({
      shape: [cols, rows],
      strides: [1, cols],
      kind: "u" as const,
      size: 1,
      bigEndian: false,
      dataOffset: 0,
    });
    const readColumns = async (rows: number, cols: number, count: number) => {
      reads.length = 0;
      const into = new Float32Array(count * rows);
      await readRows({ name: "x", layout: columns(rows, cols), nodata: [], read }, 0, count, into);
      return reads.length;
    };
    expect(await readColumns(1000, 100, 2)).toBe(1);
    expect(await readColumns(10, 100_000, 2)).toBe(10);
  });
});
