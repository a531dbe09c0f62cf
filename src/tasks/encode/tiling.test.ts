import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { InputError } from "../../core/errors.js";
import { DenseMatrix } from "../../core/matrix.js";
import { Rng } from "../../core/random/rng.js";
import { sizeOf } from "../../core/shape.js";
import { makeSignal } from "../../core/signal.js";
import { grids } from "./tiling.case.js";
import { assemble, cutWindows, gridOrigins } from "./tiling.js";

function randomSignal(rng: Rng, shape: readonly number[]) {
  return makeSignal("random", shape, DenseMatrix.build(sizeOf(shape), 1, () => rng.normal()).data);
}

describe("tiling", () => {
  test("covers every sample, stays inside, and reassembles the signal", () => {
    fc.assert(
      fc.property(grids, fc.nat(1000), ({ patch, shape, stride }, seed) => {
        const signal = randomSignal(Rng.from(seed), shape);
        const origins = gridOrigins(shape, patch, stride);
        for (const origin of origins) {
          origin.forEach((start, axis) => {
            expect(start >= 0 && start + patch[axis] <= shape[axis]).toBe(true);
          });
        }
        expect(new Set(origins.map(String)).size).toBe(origins.length);
        const again = assemble(cutWindows(signal, patch, origins), shape, patch, origins, "again");
        again.data.forEach((value, i) => {
          expect(Math.abs(value - signal.data[i])).toBeLessThanOrEqual(1e-6 * (1 + Math.abs(value)));
        });
      }),
      { numRuns: 60 },
    );
  });

  test("averages windows that overlap", () => {
    const Y = new DenseMatrix(2, 2, Float32Array.of(1, 2, 4, 8));
    expect([...assemble(Y, [3], [2], [[0], [1]], "x").data]).toEqual([1, 3, 8]);
  });

  test("rejects signals smaller than the patch, and strides that leave gaps", () => {
    expect(() => gridOrigins([4, 4], [5, 4], [1, 1])).toThrow(InputError);
    expect(() => gridOrigins([9], [4], [5])).toThrow(
      new InputError("gridOrigins: the stride must be from 1 to 4, got 5"),
    );
  });
});
