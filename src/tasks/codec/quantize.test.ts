import { expect, test } from "vitest";
import { DenseMatrix } from "../../core/matrix.js";
import { Rng } from "../../core/random/rng.js";
import { randomDense } from "../../kernels/conformance/oracle.case.js";
import { magnitudeBits, quantizeBlock } from "./quantize.js";

const rng = Rng.from(4);
const n = 20;
const m = 12;
const D = randomDense(rng, n, m);
for (let j = 0; j < m; j++) {
  const length = Math.sqrt(D.column(j).reduce((sum, value) => sum + value * value, 0));
  D.column(j).forEach((value, i, column) => {
    column[i] = value / length;
  });
}
const dot = (a: Float32Array, b: Float32Array) => a.reduce((sum, value, i) => sum + value * b[i], 0);
const gram = DenseMatrix.build(m, m, (i, j) => dot(D.column(i), D.column(j)));
const ranks = Uint32Array.from({ length: m }, (_, j) => m - 1 - j);
const coefficients = Float32Array.from({ length: m }, () => 12 * (rng.uniform() - 0.5));
const candidates = {
  atoms: Uint32Array.from({ length: m }, (_, j) => j),
  coefficients,
  gains: new Float32Array(m).fill(1000),
};
const signal = Float32Array.from({ length: n }, (_, i) =>
  coefficients.reduce((sum, value, j) => sum + value * D.at(i, j), 0),
);
const costs = {
  atoms: Float64Array.from({ length: m }, (_, rank) => 2 + rank / 4),
  magnitudes: Array.from({ length: 24 }, (_, digits) => 1 + 1.5 * digits),
};

/** ‖y − ΔDq‖² + λ bits(q). */
function cost(q: readonly number[], delta: number, lambda: number): number {
  const left = signal.map(
    (value, i) => value - delta * q.reduce((sum, steps, j) => sum + steps * D.at(i, j), 0),
  );
  const bits = q.reduce(
    (sum, steps, j) =>
      sum + (steps === 0 ? 0 : costs.atoms[ranks[j]] + 1 + magnitudeBits(Math.abs(steps), costs.magnitudes)),
    0,
  );
  return dot(left, left) + lambda * bits;
}

test.each([0.05, 0.5, 1.5])("no change of a single coefficient lowers the cost: step %d", (delta) => {
  const lambda = 0.14 * delta * delta;
  const found = quantizeBlock(candidates, gram, ranks, { delta, lambda, costs });
  expect(Array.from(found.ranks)).toEqual(Array.from(found.ranks).sort((a, b) => a - b));
  const q = Array.from({ length: m }, () => 0);
  Array.from(found.ranks).forEach((rank, i) => {
    q[m - 1 - rank] = found.values[i];
  });
  const reached = cost(q, delta, lambda);
  for (let j = 0; j < m; j++)
    for (const steps of [q[j] - 1, q[j] + 1, 0])
      expect(cost(q.with(j, steps), delta, lambda)).toBeGreaterThanOrEqual(reached - 1e-4);
});

test("no atom is kept if bits cost too much", () => {
  const found = quantizeBlock(candidates, gram, ranks, { delta: 1, lambda: 400, costs });
  expect(found).toEqual({ ranks: [], values: [] });
});
