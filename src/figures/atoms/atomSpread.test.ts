import fc from "fast-check";
import { expect, test } from "vitest";
import { InputError } from "../../core/errors.js";
import { DenseMatrix } from "../../core/matrix.js";
import { atomSpreads } from "./atomSpread.js";

const shape = [8, 16];
const n = 128;

function spreadOf(atom: (y: number, x: number) => number) {
  const values = Float32Array.from({ length: n }, (_, i) => atom(i >> 4, i & 15));
  return atomSpreads(new DenseMatrix(n, 1, values), shape)[0];
}

test("a spike is one sample and all frequencies, a sinusoid two frequencies, a constant one", () => {
  const most = Math.ceil(0.9 * n) / n; // of equal energies
  expect(spreadOf((y, x) => (y === 3 && x === 5 ? -2 : 0))).toEqual({ samples: 1 / n, frequencies: most });
  expect(spreadOf(() => 0.1)).toEqual({ samples: most, frequencies: 1 / n });
  const sinusoid = spreadOf((y, x) => Math.cos(2 * Math.PI * (y / 8 + (3 * x) / 16)));
  expect(sinusoid.frequencies).toBe(2 / n);
  expect(sinusoid.samples).toBeGreaterThan(0.5);
  expect(spreadOf(() => 0)).toEqual({ samples: 0, frequencies: 0 });
});

test("a wave under a window fills fewer samples than the wave and more frequencies, and of a spike the opposite", () => {
  const wave = (x: number) => Math.sin((2 * Math.PI * 4 * x) / 16);
  const window = (y: number, x: number) => Math.exp(-((x - 8) ** 2) / 18 - (y - 4) ** 2 / 5);
  const [spike, gabor, whole] = [
    spreadOf((y, x) => (y === 4 && x === 9 ? 1 : 0)),
    spreadOf((y, x) => wave(x) * window(y, x)),
    spreadOf((_, x) => wave(x)),
  ];
  expect(gabor.frequencies).toBeLessThan(spike.frequencies);
  expect(gabor.samples).toBeGreaterThan(spike.samples);
  expect(gabor.samples).toBeLessThan(whole.samples);
  expect(gabor.frequencies).toBeGreaterThan(whole.frequencies);
});

test("is the same for −2d, and for d moved around the borders", () => {
  const steps = fc.record({ dy: fc.nat(7), dx: fc.nat(15) });
  fc.assert(
    fc.property(fc.array(fc.integer({ min: -9, max: 9 }), { minLength: n, maxLength: n }), steps, (d, s) => {
      const own = spreadOf((y, x) => d[16 * y + x]);
      const moved = spreadOf((y, x) => -2 * d[16 * ((y + s.dy) % 8) + ((x + s.dx) % 16)]);
      expect(moved.samples).toBe(own.samples);
      expect(Math.abs(moved.frequencies - own.frequencies)).toBeLessThanOrEqual(1 / n); // energies that tie but for rounding
    }),
    { numRuns: 30 },
  );
});

test("refuses atoms of another size, and what is not finite", () => {
  const refuses = (data: number[], rows: number) => () =>
    atomSpreads(new DenseMatrix(rows, 1, Float32Array.from(data)), [2, 2]);
  expect(refuses([1, 2, 3], 3)).toThrow(InputError);
  expect(refuses([1, Number.NaN, 3, 4], 4)).toThrow(/atomSpreads: atoms must be finite/);
});
