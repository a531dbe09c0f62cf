import fc from "fast-check";
import { expect, test } from "vitest";
import { InputError } from "../core/errors.js";
import { Rng } from "../core/random/rng.js";
import { sizeOf } from "../core/shape.js";
import { type ComplexArray, Fourier } from "./fft.js";

const shapes = fc.array(fc.constantFrom(1, 2, 4, 8), { minLength: 1, maxLength: 3 });

function random(seed: number, length: number): ComplexArray {
  const rng = Rng.from(seed);
  const draw = () => Float64Array.from({ length }, () => rng.normal());
  return { re: draw(), im: draw() };
}

/** Frequency k of a signal, by definition. */
function direct({ re, im }: ComplexArray, shape: readonly number[], k: readonly number[]) {
  let sumRe = 0;
  let sumIm = 0;
  re.forEach((_, at) => {
    let rest = at;
    let turns = 0;
    for (let axis = shape.length - 1; axis >= 0; axis--) {
      turns += ((rest % shape[axis]) * k[axis]) / shape[axis];
      rest = Math.floor(rest / shape[axis]);
    }
    const c = Math.cos(-2 * Math.PI * turns);
    const s = Math.sin(-2 * Math.PI * turns);
    sumRe += re[at] * c - im[at] * s;
    sumIm += re[at] * s + im[at] * c;
  });
  return [sumRe, sumIm] as const;
}

test("the transform is the sum of its definition, at every frequency", () => {
  fc.assert(
    fc.property(shapes, fc.nat(99), (shape, seed) => {
      const f = random(seed, sizeOf(shape));
      const F = { re: f.re.slice(), im: f.im.slice() };
      new Fourier(shape).forward(F);
      F.re.forEach((_, at) => {
        let rest = at;
        const k = shape.map(() => 0);
        for (let axis = shape.length - 1; axis >= 0; axis--) {
          k[axis] = rest % shape[axis];
          rest = Math.floor(rest / shape[axis]);
        }
        const [re, im] = direct(f, shape, k);
        expect(F.re[at]).toBeCloseTo(re, 9);
        expect(F.im[at]).toBeCloseTo(im, 9);
      });
    }),
    { numRuns: 20 },
  );
});

test("forward and inverse together multiply by the number of samples", () => {
  fc.assert(
    fc.property(shapes, fc.nat(99), (shape, seed) => {
      const f = random(seed, sizeOf(shape));
      const again = { re: f.re.slice(), im: f.im.slice() };
      const fourier = new Fourier(shape);
      fourier.forward(again);
      fourier.inverse(again);
      f.re.forEach((value, i) => {
        expect(again.re[i] / fourier.size).toBeCloseTo(value, 12);
        expect(again.im[i] / fourier.size).toBeCloseTo(f.im[i], 12);
      });
    }),
    { numRuns: 20 },
  );
});

test("sizes that are not powers of two are rejected", () => {
  expect(() => new Fourier([8, 12])).toThrow(new InputError("Fourier: sizes must be powers of two, got 12"));
});
