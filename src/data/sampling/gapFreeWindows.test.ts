import fc from "fast-check";
import { expect, test } from "vitest";
import { InputError } from "../../core/errors.js";
import { Rng } from "../../core/random/rng.js";
import { type Shape, sizeOf } from "../../core/shape.js";
import type { Signal } from "../../core/signal.js";
import { gapFreeSource, markingGaps } from "./gapFreeSource.js";
import { GapFreeWindows, gapFreeSignals } from "./gapFreeWindows.js";
import { copyWindow } from "./gatheredWindows.js";
import { PatchSampler, WindowNumbers } from "./patchSampler.js";
import { type SignalSource, sourceOf, UnreadableFiles } from "./signalSource.js";

/** Shapes of one to three axes, patches that fit, and the share of samples that are missing. */
const cases = fc.array(fc.integer({ min: 2, max: 9 }), { minLength: 1, maxLength: 3 }).chain((shape) =>
  fc.record({
    shape: fc.constant(shape as Shape),
    patch: fc.tuple(...shape.map((size) => fc.integer({ min: 1, max: size }))) as fc.Arbitrary<number[]>,
    share: fc.constantFrom(0, 0.02, 0.1, 0.5, 1),
    seed: fc.nat(),
  }),
);

function signalWithGaps(shape: Shape, share: number, seed: number): Signal {
  const rng = Rng.from(seed);
  const data = Float32Array.from({ length: sizeOf(shape) }, () =>
    rng.uniform() < share ? Number.NaN : rng.uniform(),
  );
  return { name: "a", shape, data };
}

/** The windows without gaps, one by one. */
function bruteForce(signals: readonly Signal[], patch: Shape): number[] {
  const plain = signals.map(({ name, shape }) => ({ name, shape }));
  const all = new WindowNumbers(plain, patch);
  const window = new Float32Array(sizeOf(patch));
  return Array.from({ length: all.total }, (_, i) => i).filter((i) => {
    const s = all.unitOf(i);
    copyWindow(signals[s], all.startIn(s, i), patch, window, 0);
    return !window.some(Number.isNaN);
  });
}

test("the windows without gaps are those found one by one, in their order", () => {
  fc.assert(
    fc.property(cases, fc.integer({ min: 1, max: 3 }), ({ shape, patch, share, seed }, count) => {
      const signals = Array.from({ length: count }, (_, s) => signalWithGaps(shape, share, seed + s));
      const windows = GapFreeWindows.of(signals, patch);
      const expected = bruteForce(signals, patch);
      expect(windows.count).toBe(expected.length);
      expect(expected.map((_, i) => windows.at(i))).toEqual(expected);
      expect(() => windows.at(expected.length)).toThrow(RangeError);
    }),
    { numRuns: 200 },
  );
});

test("a sampler draws each window without gaps once, and no other", async () => {
  const signals = [0.03, 0, 1, 0.2].map((share, s) => signalWithGaps([12, 11], share, s));
  const patch = [3, 4];
  const expected = bruteForce(signals, patch).length;
  const { signals: usable, excluded } = gapFreeSignals(signals, patch);
  expect(excluded).toBe(4 * 10 * 8 - expected);
  expect(usable.every(({ data }) => data.every(Number.isFinite))).toBe(true);
  const sampler = new PatchSampler(usable, { patch, holdout: 5, examples: 1e6 }, Rng.from(1));
  expect(sampler.available).toBe(expected);
  const [train, test] = [sampler.trainingWindows(0, 0, sampler.examples), sampler.testWindows()];
  const seen = new Set<string>();
  const window = new Float32Array(12);
  for (const { signal, start } of [train, test])
    signal.forEach((s, i) => {
      seen.add(`${s} ${start[i]}`);
      copyWindow(signals[s], start[i], patch, window, 0);
      expect(window.some(Number.isNaN)).toBe(false);
    });
  expect(seen.size).toBe(expected);
});

test("a source is read once for its gaps; a part that cannot be read has no windows", async () => {
  const signals = [0.05, 0, 0.3].map((share, s) => signalWithGaps([9, 9], share, s));
  for (const { data } of signals) data.forEach((value, i) => Number.isNaN(value) && (data[i] = -9999));
  const plain = sourceOf(signals);
  const broken: SignalSource = {
    ...plain,
    async read(unit, into) {
      if (unit === 1) throw new InputError("b.npy: gone");
      await plain.read(unit, into);
    },
  };
  const lines: string[] = [];
  const marked = markingGaps(broken, [-9999]);
  const { source, excluded } = await gapFreeSource(marked, [3, 3], new UnreadableFiles((l) => lines.push(l)));
  expect(lines).toEqual(["b.npy: gone, skipped"]);
  const numbers = new WindowNumbers(source.units, [3, 3]);
  const [first, , last] = signals.map((signal) => ({
    ...signal,
    data: signal.data.map((v) => (v === -9999 ? Number.NaN : v)),
  }));
  const expected = bruteForce([first], [3, 3]).length + bruteForce([last], [3, 3]).length;
  expect(numbers.total).toBe(expected);
  expect(excluded).toBe(2 * 49 - expected);
  const into = new Float32Array(81);
  await source.read(0, into);
  expect(into).toEqual(first.data.map((v) => (Number.isNaN(v) ? 0 : v)));
});

test("NaN in a source is an error unless it is named", async () => {
  const source = sourceOf([signalWithGaps([4, 4], 0.5, 1)]);
  await expect(markingGaps(source, [-9999]).read(0, new Float32Array(16))).rejects.toThrow(/must be finite/);
  await markingGaps(source, [Number.NaN]).read(0, new Float32Array(16));
});
