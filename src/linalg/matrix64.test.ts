import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { InputError } from "../core/errors.js";
import { kron, Matrix64, norm, normalizeColumns } from "./matrix64.js";

/** Matrices of small integers: their sums and products are exact. */
const integers = (rows: number, cols: number) =>
  fc.array(fc.integer({ min: -9, max: 9 }), { minLength: rows * cols, maxLength: rows * cols }).map(
    (data) =>
      new Matrix64(
        rows,
        cols,
        Float64Array.from(data, (value) => value + 0),
      ),
  );
const size = fc.integer({ min: 0, max: 4 });
const sizes = fc.tuple(size, size, size, size, size, size);

/** Equal as numbers: 0 and −0 are. */
function expectEqual(actual: Matrix64, expected: Matrix64): void {
  expect([actual.rows, actual.cols]).toEqual([expected.rows, expected.cols]);
  expect(Array.from(actual.data, (value) => value + 0)).toEqual(
    Array.from(expected.data, (value) => value + 0),
  );
}

test("Matrix64 is column-major, and its columns are views", () => {
  const M = new Matrix64(2, 3, Float64Array.of(1, 2, 3, 4, 5, 6));
  expect([M.at(0, 0), M.at(1, 0), M.at(0, 2)]).toEqual([1, 2, 5]);
  M.column(1)[0] = 9;
  expect(M.at(0, 1)).toBe(9);
  expect(() => new Matrix64(2, 3, new Float64Array(5))).toThrow(
    new InputError("Matrix64: data must hold 2 × 3 values, got 5"),
  );
});

describe("times", () => {
  test("sums products of rows and columns", () => {
    fc.assert(
      fc.property(
        sizes.chain(([a, b, c]) => fc.tuple(integers(a, b), integers(b, c))),
        ([M, N]) => {
          const product = M.times(N);
          expect([product.rows, product.cols]).toEqual([M.rows, N.cols]);
          for (let i = 0; i < M.rows; i++) {
            for (let j = 0; j < N.cols; j++) {
              let sum = 0;
              for (let l = 0; l < M.cols; l++) sum += M.at(i, l) * N.at(l, j);
              expect(product.at(i, j) + 0).toBe(sum + 0);
            }
          }
        },
      ),
    );
  });

  test("is associative, has the identity, and is reversed by transposition", () => {
    fc.assert(
      fc.property(
        sizes.chain(([a, b, c, d]) => fc.tuple(integers(a, b), integers(b, c), integers(c, d))),
        ([M, N, O]) => {
          expectEqual(M.times(N).times(O), M.times(N.times(O)));
          expectEqual(M.times(Matrix64.identity(M.cols)), M);
          expectEqual(Matrix64.identity(M.rows).times(M), M);
          expectEqual(M.times(N).transpose(), N.transpose().times(M.transpose()));
          expectEqual(M.transpose().transpose(), M);
        },
      ),
    );
  });

  test("rejects sizes that do not fit", () => {
    expect(() => new Matrix64(2, 3).times(new Matrix64(2, 3))).toThrow(
      new InputError("Matrix64.times: the other matrix must have 3 rows, got 2"),
    );
  });
});

describe("kron", () => {
  test("has the block a_ij b at (i, j)", () => {
    const a = new Matrix64(2, 1, Float64Array.of(2, 3));
    const b = new Matrix64(2, 2, Float64Array.of(1, 10, 100, 1000));
    expect([...kron(a, b).data]).toEqual([2, 20, 3, 30, 200, 2000, 300, 3000]);
  });

  test("keeps the mixed product: (a ⊗ b)(c ⊗ d) = ac ⊗ bd", () => {
    fc.assert(
      fc.property(
        sizes.chain(([p, q, r, s, t, u]) =>
          fc.tuple(integers(p, q), integers(r, s), integers(q, t), integers(s, u)),
        ),
        ([a, b, c, d]) => expectEqual(kron(a, b).times(kron(c, d)), kron(a.times(c), b.times(d))),
      ),
    );
  });

  test("is associative, and transposes factor by factor", () => {
    fc.assert(
      fc.property(
        sizes.chain(([p, q, r, s, t, u]) => fc.tuple(integers(p, q), integers(r, s), integers(t, u))),
        ([a, b, c]) => {
          expectEqual(kron(kron(a, b), c), kron(a, kron(b, c)));
          expectEqual(kron(a, b).transpose(), kron(a.transpose(), b.transpose()));
          expectEqual(kron(Matrix64.identity(2), Matrix64.identity(3)), Matrix64.identity(6));
        },
      ),
    );
  });

  test("of vectors in row-major order is their outer product, flattened", () => {
    const x = Float64Array.of(1, 2, 3);
    const y = Float64Array.of(5, 7);
    const product = kron(new Matrix64(3, 1, x), new Matrix64(2, 1, y));
    expect([...product.data]).toEqual([5, 7, 10, 14, 15, 21]); // [h, w] = [3, 2]
  });
});

describe("normalizeColumns", () => {
  test("gives unit columns of the same direction, in place, at any scale", () => {
    fc.assert(
      fc.property(integers(3, 2), fc.constantFrom(1, 1e-200, 1e200), (M, scale) => {
        M.data[0] = M.data[5] = 1; // no zero column
        const scaled = new Matrix64(
          3,
          2,
          M.data.map((value) => value * scale),
        );
        expect(normalizeColumns("f", scaled)).toBe(scaled);
        for (let j = 0; j < 2; j++) {
          expect(Math.abs(Math.hypot(...scaled.column(j)) - 1)).toBeLessThanOrEqual(8 * 2 ** -53);
          const norm = Math.hypot(...M.column(j));
          scaled.column(j).forEach((value, i) => {
            expect(Math.abs(value * norm - M.at(i, j))).toBeLessThanOrEqual(8 * 2 ** -53 * norm);
          });
        }
      }),
    );
  });

  test("names the column that is zero", () => {
    expect(() => normalizeColumns("f", new Matrix64(2, 2, Float64Array.of(1, 0, 0, 0)))).toThrow(
      new InputError("f: column 1 must not be zero"),
    );
  });
});

describe("norm", () => {
  test("is the Euclidean norm, whatever the magnitude", () => {
    expect(norm(Float64Array.of(3, 4))).toBe(5);
    expect(norm(Float64Array.of(3e-300, -4e-300))).toBeCloseTo(5e-300, 310);
    expect(norm(Float64Array.of(-3e300, 4e300)) / 5e300).toBeCloseTo(1, 15);
    expect(norm(new Float64Array(3))).toBe(0);
    expect(norm(new Float64Array(0))).toBe(0);
  });

  test("accepts long columns", () => {
    expect(norm(new Float64Array(2 ** 20).fill(0.5))).toBe(512);
  });
});
