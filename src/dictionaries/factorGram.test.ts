import { expect, test } from "vitest";
import { Rng } from "../core/random/rng.js";
import { explicitBase } from "../kernels/conformance/oracle.case.js";
import { createBase } from "./base.js";
import { FactorGram, suitsFactorGram } from "./factorGram.js";

test.each([
  ["cropped:sym4", [9]],
  ["cropped:haar", [5, 4]],
  ["odct:1.5", [3, 4, 2]],
  ["contourlet", [8, 8]],
])("‖Φv‖² through the Gram matrices of the factors equals the norm of Φv: %s, %j", (name, shape) => {
  const base = createBase(name, shape);
  const phi = explicitBase(base.factors);
  const gram = new FactorGram(base);
  const rng = Rng.from(1);
  for (let draw = 0; draw < 30; draw++) {
    const count = rng.below(Math.min(12, phi.cols));
    const rows = [...new Set(Array.from({ length: count }, () => rng.below(phi.cols)))];
    const values = rows.map(() => 3 * rng.normal());
    const moved = new Float64Array(phi.rows);
    rows.forEach((row, s) => phi.column(row).forEach((value, i) => (moved[i] += value * values[s])));
    const size = values.reduce((sum, value) => sum + Math.abs(value), 0); // ‖v‖₁ bounds every sum
    const expected = moved.reduce((sum, value) => sum + value ** 2, 0);
    expect(Math.abs(gram.energy(rows, values) - expected)).toBeLessThanOrEqual(1e-13 * size ** 2);
  }
});

test("the energy of entries that cancel is not negative", () => {
  const gram = new FactorGram(createBase("odct:2", [4, 4]));
  expect(gram.energy([], [])).toBe(0);
  expect(gram.energy([7, 7], [0.1, -0.1])).toBeGreaterThanOrEqual(0);
});

test("factor Gram matrices suit few entries and small factors", () => {
  expect(suitsFactorGram(createBase("cropped:sym8", [32, 32]), 102)).toBe(true);
  expect(suitsFactorGram(createBase("cropped:sym8", [32, 32]), 500)).toBe(false);
  const explicit = { name: "matrix", shape: [4, 4], factors: [{ rows: 16, cols: 2000 }] };
  expect(suitsFactorGram(explicit as never, 10)).toBe(false);
});
