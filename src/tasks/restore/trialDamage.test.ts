import { expect, test } from "vitest";
import { Rng } from "../../core/random/rng.js";
import { makeSignal } from "../../core/signal.js";
import { addNoise, forgetSamples, rmseBetween } from "./trialDamage.js";

const flat = makeSignal("flat", [40, 40], new Float32Array(1600).fill(100));

test("adds noise of the given deviation, the same for the same seed", () => {
  const noisy = addNoise(flat, 7, Rng.from(1));
  expect(Math.abs(rmseBetween([noisy], [flat]) / 7 - 1)).toBeLessThan(3 / Math.sqrt(2 * 1600));
  expect(addNoise(flat, 7, Rng.from(1))).toEqual(noisy);
  expect(addNoise(flat, 0, Rng.from(1))).toEqual(flat);
});

test("forgets about the given share, whole pixels at a time, and keeps what was missing", () => {
  const missing = new Uint8Array(3000);
  missing[4] = 1;
  forgetSamples(missing, 0.3, Rng.from(2), 3);
  const pixels = Array.from({ length: 1000 }, (_, i) => [...missing.subarray(3 * i, 3 * i + 3)].join(""));
  expect(new Set(pixels.filter((_, i) => i !== 1))).toEqual(new Set(["000", "111"]));
  expect(missing[4]).toBe(1);
  const share = pixels.filter((pixel) => pixel === "111").length / 1000;
  expect(Math.abs(share - 0.3)).toBeLessThan(3 * Math.sqrt((0.3 * 0.7) / 1000));
  forgetSamples(missing, 1, Rng.from(3));
  expect(missing.every((gone) => gone === 1)).toBe(true);
});

test("measures the error over all signals, clipped to a range, without unknown samples", () => {
  const signal = (...data: number[]) => makeSignal("s", [data.length], Float32Array.from(data));
  const unknown = { ...signal(0, 0), data: Float32Array.of(Number.NaN, 250) };
  expect(rmseBetween([signal(3), signal(0, 4)], [signal(0), signal(0, 0)])).toBeCloseTo(5 / Math.sqrt(3), 12);
  expect(rmseBetween([signal(9, 300)], [unknown], [0, 255])).toBe(5);
  expect(rmseBetween([signal(9, 300)], [unknown])).toBe(50);
});
