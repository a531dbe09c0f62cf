import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { InputError } from "../errors.js";
import { mix32, Rng } from "./rng.js";

const seeds = fc.integer({ min: 0, max: 2 ** 53 - 2 });
const take = (rng: Rng, count: number) => Array.from({ length: count }, () => rng.uint32());

/**
 * That counts are like those of a uniform choice. The statistic has about a χ² distribution of d degrees, which
 * leaves [d − 2√(dx), d + 2√(dx) + 2x] with a chance below 2e⁻ˣ [Laurent, Massart 2000, lemma 1]: 1e-8 for x = 19.
 */
function expectUniform(counts: ArrayLike<number>): void {
  const total = Array.from(counts).reduce((sum, count) => sum + count, 0);
  const expected = total / counts.length;
  expect(expected, "cells large enough for a χ² distribution").toBeGreaterThan(50);
  const statistic = Array.from(counts).reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0);
  const d = counts.length - 1;
  const x = 19;
  expect(statistic).toBeLessThanOrEqual(d + 2 * Math.sqrt(d * x) + 2 * x);
  expect(statistic).toBeGreaterThanOrEqual(d - 2 * Math.sqrt(d * x));
}

function histogram(cells: number, draws: number, cell: () => number): Uint32Array {
  const counts = new Uint32Array(cells);
  for (let i = 0; i < draws; i++) counts[cell()] += 1;
  return counts;
}

describe("Rng", () => {
  test("is xoshiro128**, as its authors' code computes it", () => {
    const rng = Rng.restore({ key: 0, words: [1, 2, 3, 4] });
    expect(take(rng, 3)).toEqual([11520, 0, 5927040]);
  });

  test("gives the same stream for the same seed, and different streams for different seeds", () => {
    fc.assert(
      fc.property(seeds, seeds, (a, b) => {
        expect(take(Rng.from(a), 8)).toEqual(take(Rng.from(a), 8));
        if (a !== b) expect(take(Rng.from(a), 8)).not.toEqual(take(Rng.from(b), 8));
      }),
    );
    const firsts = new Set(Array.from({ length: 1000 }, (_, seed) => Rng.from(seed).uint32()));
    expect(firsts.size).toBeGreaterThan(997); // of 1000 draws from 2³², a pair is equal with a chance of 1e-4
  });

  test("rejects seeds that are not whole numbers", () => {
    expect(() => Rng.from(-1)).toThrow(
      new InputError("Rng.from: seed must be an integer of at least 0, got -1"),
    );
    expect(() => Rng.from(0.5)).toThrow(InputError);
    expect(() => Rng.from(Number.NaN)).toThrow(InputError);
  });

  test("continues from a saved state, through JSON", () => {
    fc.assert(
      fc.property(seeds, fc.nat(50), (seed, run) => {
        const rng = Rng.from(seed);
        take(rng, run);
        const restored = Rng.restore(JSON.parse(JSON.stringify(rng.state)));
        expect(take(restored.split("a"), 3)).toEqual(take(rng.split("a"), 3));
        expect(take(restored, 8)).toEqual(take(rng, 8));
        expect(restored.state).toEqual(rng.state);
      }),
    );
  });

  test("splits by label, whatever was drawn before", () => {
    fc.assert(
      fc.property(seeds, fc.nat(20), fc.string(), fc.string(), (seed, run, a, b) => {
        const fresh = Rng.from(seed);
        const used = Rng.from(seed);
        take(used, run);
        used.split(b);
        expect(take(used.split(a), 4)).toEqual(take(fresh.split(a), 4));
        expect(take(fresh, 4)).not.toEqual(take(fresh.split(a), 4));
        if (a !== b) expect(take(fresh.split(a), 4)).not.toEqual(take(fresh.split(b), 4));
        expect(take(Rng.from(seed + 1).split(a), 4)).not.toEqual(take(fresh.split(a), 4));
      }),
      {
        examples: [
          [1, 0, "", "a"],
          [1, 0, "epoch 1", "epoch 2"],
          [1, 0, "ab", "ba"],
        ],
      },
    );
    expect(take(Rng.from(1).split(7), 4)).toEqual(take(Rng.from(1).split("7"), 4));
  });

  test("splits into streams that look independent: first draws of many labels are uniform", () => {
    const rng = Rng.from(5);
    let label = 0;
    expectUniform(histogram(64, 64_000, () => rng.split(label++).uint32() >>> 26));
  });
});

describe("draws", () => {
  test("uint32 is uniform in its high bits, its low bits, and in pairs", () => {
    const rng = Rng.from(1);
    expectUniform(histogram(256, 100_000, () => rng.uint32() >>> 24));
    expectUniform(histogram(256, 100_000, () => rng.uint32() & 255));
    expectUniform(histogram(256, 100_000, () => ((rng.uint32() >>> 28) << 4) | (rng.uint32() >>> 28)));
  });

  test("uniform is in [0, 1) with 53 bits", () => {
    const rng = Rng.from(2);
    const values = Array.from({ length: 10_000 }, () => rng.uniform());
    expect(values.every((value) => value >= 0 && value < 1)).toBe(true);
    expect(values.every((value) => Number.isInteger(value * 2 ** 53))).toBe(true);
    expect(values.some((value) => !Number.isInteger(value * 2 ** 52))).toBe(true);
    expectUniform(histogram(100, 100_000, () => Math.floor(rng.uniform() * 100)));
  });

  test("below is uniform under any bound", () => {
    const rng = Rng.from(3);
    for (const bound of [1, 2, 3, 10, 97]) {
      const counts = histogram(bound, 20_000, () => rng.below(bound));
      expect(counts.reduce((sum, count) => sum + count)).toBe(20_000);
      if (bound > 1) expectUniform(counts);
    }
  });

  test("normal has mean 0, variance 1 and the right proportion beyond 1 and 2", () => {
    const rng = Rng.from(4);
    const N = 100_000;
    const values = Array.from({ length: N }, () => rng.normal());
    const moment = (power: number) => values.reduce((sum, value) => sum + value ** power, 0) / N;
    // six standard deviations of each estimate: Var x = 1, Var x² = 2, Var x⁴ = 96
    expect(Math.abs(moment(1))).toBeLessThanOrEqual(6 / Math.sqrt(N));
    expect(Math.abs(moment(2) - 1)).toBeLessThanOrEqual(6 * Math.sqrt(2 / N));
    expect(Math.abs(moment(4) - 3)).toBeLessThanOrEqual(6 * Math.sqrt(96 / N));
    for (const [limit, share] of [
      [1, 0.31731],
      [2, 0.0455],
    ] as const) {
      const beyond = values.filter((value) => Math.abs(value) > limit).length / N;
      expect(Math.abs(beyond - share)).toBeLessThanOrEqual(6 * Math.sqrt((share * (1 - share)) / N));
    }
    expect(values.every(Number.isFinite)).toBe(true);
  });

  test("distinct draws different numbers below the bound", () => {
    fc.assert(
      fc.property(seeds, fc.nat(40), fc.nat(40), (seed, count, more) => {
        const drawn = Rng.from(seed).distinct(count, count + more);
        expect(drawn.length).toBe(count);
        expect(new Set(drawn).size).toBe(count);
        expect(drawn.every((value) => Number.isInteger(value) && value >= 0 && value < count + more)).toBe(
          true,
        );
      }),
    );
    expect(() => Rng.from(1).distinct(4, 3)).toThrow(
      new InputError("Rng.distinct: count must be an integer from 0 to 3, got 4"),
    );
  });

  test("distinct draws every ordered choice equally often", () => {
    const rng = Rng.from(6);
    const counts = histogram(25, 20_000, () => {
      const [a, b] = rng.distinct(2, 5);
      return a * 5 + b;
    });
    expectUniform(counts.filter((_, cell) => cell % 6 !== 0)); // the 20 pairs that differ
    expect(counts.filter((_, cell) => cell % 6 === 0).every((count) => count === 0)).toBe(true);
  });

  test("shuffle permutes in place, every order equally often", () => {
    fc.assert(
      fc.property(seeds, fc.array(fc.integer()), (seed, items) => {
        const copy = [...items];
        expect(Rng.from(seed).shuffle(copy)).toBe(copy);
        expect(copy.sort((a, b) => a - b)).toEqual([...items].sort((a, b) => a - b));
      }),
    );
    const rng = Rng.from(7);
    const counts = new Map<string, number>();
    for (let i = 0; i < 24_000; i++) {
      const order = rng.shuffle([0, 1, 2, 3]).join("");
      counts.set(order, (counts.get(order) ?? 0) + 1);
    }
    expect(counts.size).toBe(24);
    expectUniform([...counts.values()]);
  });
});

test("mix32 is a bijection in which every input bit changes about half of the output bits", () => {
  const images = new Set(Array.from({ length: 100_000 }, (_, x) => mix32(x)));
  expect(images.size).toBe(100_000);
  const rng = Rng.from(8);
  const samples = 2000;
  for (let bit = 0; bit < 32; bit++) {
    let moved = 0;
    for (let i = 0; i < samples; i++) {
      const x = rng.uint32();
      let difference = mix32(x) ^ mix32(x ^ (1 << bit));
      for (; difference !== 0; difference &= difference - 1) moved++;
    }
    // 32 coins per sample, each with a standard deviation of ½: six of the mean
    expect(Math.abs(moved / samples / 32 - 0.5)).toBeLessThanOrEqual(3 / Math.sqrt(32 * samples));
  }
});
