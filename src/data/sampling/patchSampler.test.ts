import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { InputError } from "../../core/errors.js";
import { Rng } from "../../core/random/rng.js";
import { type Shape, sizeOf, stridesOf } from "../../core/shape.js";
import { makeSignal, type Signal } from "../../core/signal.js";
import { PatchSampler, type Windows } from "./patchSampler.js";

const signal = (name: string, shape: Shape): Signal =>
  makeSignal(name, shape, new Float32Array(sizeOf(shape)));
const keys = (windows: Windows): string[] => Array.from(windows.signal, (s, i) => `${s}:${windows.start[i]}`);

/** Every window of the signals, by brute force. */
function allWindows(signals: readonly Signal[], patch: Shape): string[] {
  return signals.flatMap(({ shape }, s) => {
    const strides = stridesOf(shape);
    return Array.from({ length: sizeOf(shape) }, (_, start) => start)
      .filter((start) =>
        shape.every((size, axis) => (Math.floor(start / strides[axis]) % size) + patch[axis] <= size),
      )
      .map((start) => `${s}:${start}`);
  });
}

/** Signals of one to three axes, each at least as large as the patch. */
const settings = fc.integer({ min: 1, max: 3 }).chain((axes) =>
  fc.record({
    patch: fc.array(fc.integer({ min: 1, max: 3 }), { minLength: axes, maxLength: axes }),
    more: fc.array(fc.array(fc.nat(3), { minLength: axes, maxLength: axes }), { minLength: 1, maxLength: 4 }),
    seed: fc.nat(),
  }),
);
const signalsOf = (patch: Shape, more: readonly number[][]) =>
  more.map((extra, s) =>
    signal(
      `signal ${s}`,
      patch.map((size, axis) => size + extra[axis]),
    ),
  );

describe("PatchSampler", () => {
  test("draws every window exactly once in an epoch, in 1, 2 and 3 dimensions", () => {
    fc.assert(
      fc.property(settings, ({ patch, more, seed }) => {
        const signals = signalsOf(patch, more);
        const every = allWindows(signals, patch).sort();
        const sampler = new PatchSampler(signals, { patch, holdout: 0, examples: 1e9 }, Rng.from(seed));
        expect(sampler.available).toBe(every.length);
        expect(sampler.examples).toBe(every.length);
        for (const epoch of [0, 1]) {
          expect(keys(sampler.trainingWindows(epoch, 0, every.length)).sort()).toEqual(every);
        }
      }),
    );
  });

  test("divides all windows into test and training windows, without overlap", () => {
    fc.assert(
      fc.property(settings, fc.double({ min: 0, max: 0.99, noNaN: true }), ({ patch, more, seed }, share) => {
        const signals = signalsOf(patch, more);
        const every = allWindows(signals, patch).sort();
        const holdout = Math.floor(share * every.length);
        const sampler = new PatchSampler(signals, { patch, holdout, examples: 1e9 }, Rng.from(seed));
        const test = keys(sampler.testWindows());
        const training = keys(sampler.trainingWindows(0, 0, sampler.examples));
        expect([test.length, training.length]).toEqual([holdout, every.length - holdout]);
        expect([...test, ...training].sort()).toEqual(every);
      }),
    );
  });

  const signals = [signal("a", [9, 12]), signal("b", [4, 4]), signal("c", [20, 7])];
  const patch = [4, 3];

  test("depends on the seed alone", () => {
    const make = (seed: number) =>
      new PatchSampler(signals, { patch, holdout: 10, examples: 60 }, Rng.from(seed));
    expect(keys(make(1).testWindows())).toEqual(keys(make(1).testWindows()));
    expect(keys(make(1).trainingWindows(2, 0, 60))).toEqual(keys(make(1).trainingWindows(2, 0, 60)));
    expect(keys(make(1).trainingWindows(2, 0, 60))).not.toEqual(keys(make(2).trainingWindows(2, 0, 60)));
    const rng = Rng.from(1);
    rng.uint32(); // what else was drawn does not matter
    const other = new PatchSampler(signals, { patch, holdout: 10, examples: 60 }, rng);
    expect(keys(other.testWindows())).toEqual(keys(make(1).testWindows()));
  });

  test("visits the same windows in every epoch, in another order", () => {
    const sampler = new PatchSampler(signals, { patch, holdout: 10, examples: 60 }, Rng.from(1));
    const epochs = [0, 1, 2].map((epoch) => keys(sampler.trainingWindows(epoch, 0, 60)));
    expect([...epochs[1]].sort()).toEqual([...epochs[0]].sort());
    expect([...epochs[2]].sort()).toEqual([...epochs[0]].sort());
    expect(new Set(epochs.map(String)).size).toBe(3);
    expect(new Set(epochs[0]).size).toBe(60);
  });

  test("returns the same windows for an epoch in parts as for the whole epoch", () => {
    const sampler = new PatchSampler(signals, { patch, holdout: 10, examples: 60 }, Rng.from(1));
    const whole = keys(sampler.trainingWindows(3, 0, 60));
    const parts = [
      [0, 17],
      [17, 17],
      [17, 59],
      [59, 60],
    ].flatMap(([from, to]) => keys(sampler.trainingWindows(3, from, to)));
    expect(parts).toEqual(whole);
    expect(() => sampler.trainingWindows(0, 59, 61)).toThrow(InputError);
  });

  test("holds out the same windows for any number of examples, and more examples include the fewer", () => {
    const make = (examples: number) =>
      new PatchSampler(signals, { patch, holdout: 12, examples }, Rng.from(5));
    expect(keys(make(3).testWindows())).toEqual(keys(make(1e9).testWindows()));
    const few = new Set(keys(make(20).trainingWindows(0, 0, 20)));
    const many = new Set(keys(make(50).trainingWindows(0, 0, 50)));
    for (const window of few) expect(many.has(window)).toBe(true);
  });

  test("draws every position of every signal equally often, over seeds", () => {
    const every = allWindows(signals, patch);
    const counts = new Map(every.map((window) => [window, 0]));
    const seeds = 800;
    const each = 20;
    for (let seed = 0; seed < seeds; seed++) {
      const sampler = new PatchSampler(signals, { patch, holdout: 0, examples: each }, Rng.from(seed));
      for (const window of keys(sampler.trainingWindows(0, 0, each)))
        counts.set(window, (counts.get(window) ?? 0) + 1);
    }
    const expected = (seeds * each) / every.length;
    expect(expected).toBeGreaterThan(50);
    const statistic = [...counts.values()].reduce(
      (sum, count) => sum + (count - expected) ** 2 / expected,
      0,
    );
    // draws without repetition spread less than a χ² variable of d degrees, whose tail this is [Laurent, Massart 2000]
    const d = every.length - 1;
    const x = 19;
    expect(statistic).toBeLessThanOrEqual(d + 2 * Math.sqrt(d * x) + 2 * x);
  });

  test("accepts signals of exactly one window each", () => {
    const faces = Array.from({ length: 40 }, (_, i) => signal(`face ${i}`, [4, 3]));
    const sampler = new PatchSampler(faces, { patch, holdout: 8, examples: 1e9 }, Rng.from(1));
    const windows = sampler.trainingWindows(0, 0, 32);
    expect([...windows.start]).toEqual(new Array(32).fill(0));
    expect(new Set([...windows.signal, ...sampler.testWindows().signal]).size).toBe(40);
  });

  test("numbers windows of sets too large for a list", () => {
    const huge = { name: "huge", shape: [46340, 46340], data: new Float32Array() }; // never read: 2³¹ samples
    const sampler = new PatchSampler(
      [huge, huge, huge],
      { patch: [8, 8], holdout: 5, examples: 1e7 },
      Rng.from(1),
    );
    expect(sampler.available).toBe(3 * 46333 ** 2);
    const { signal: from, start } = sampler.trainingWindows(0, 5_000_000, 5_000_300);
    expect(new Set(from)).toEqual(new Set([0, 1, 2]));
    start.forEach((at) => {
      expect(at % 46340).toBeLessThanOrEqual(46332);
      expect(Math.floor(at / 46340)).toBeLessThanOrEqual(46332);
    });
    expect(Math.max(...start)).toBeGreaterThan(2 ** 30);
  });

  test("rejects signals that are too small, by name", () => {
    const make = (list: Signal[], options: { patch: Shape; holdout?: number }) =>
      new PatchSampler(list, { holdout: 0, examples: 10, ...options }, Rng.from(1));
    expect(() => make([signal("a.png", [8, 8]), signal("b.png", [8, 3])], { patch: [4, 4] })).toThrow(
      new InputError("PatchSampler: b.png must be at least 4x4, got 8x3"),
    );
    expect(() => make([signal("a.wav", [100])], { patch: [4, 4] })).toThrow(
      new InputError("PatchSampler: a.wav must be at least 4x4, got 100"),
    );
    expect(() => make([], { patch: [4] })).toThrow(
      new InputError("PatchSampler: the data must have a window of 4, got 0 in all"),
    );
    expect(() => make([signal("a", [6])], { patch: [4], holdout: 3 })).toThrow(
      new InputError(
        "PatchSampler: the data must have a window of 4 besides the 3 held out for testing, got 3 in all",
      ),
    );
    expect(make([signal("a", [6])], { patch: [4], holdout: 2 }).examples).toBe(1);
  });

  test("does not name itself in the messages of a program", () => {
    const make = (list: Signal[]) =>
      new PatchSampler(list, { patch: [4], holdout: 0, examples: 1 }, Rng.from(1));
    const message = (list: Signal[]) => {
      try {
        return make(list);
      } catch (error) {
        return (error as InputError).describe((name) => `--${name}`);
      }
    };
    expect(message([])).toBe("the data must have a window of 4, got 0 in all");
    expect(message([signal("a", [3])])).toBe("a must be at least 4, got 3");
  });
});
